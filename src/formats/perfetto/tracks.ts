/** Tracks, their names and parents, and what the names tell of the place of their events. */
import { NOWHERE, type Place } from '../explorer/places'
import type { WireField } from '../protobuf/wire'
import { exact } from '../protobuf/wire'
import { fields, int64, text } from './message'

export interface Track {
  readonly name: string
  readonly parent: bigint | null
  readonly pid: number
  readonly processName: string
  readonly tid: number
  readonly threadName: string
  readonly counter: CounterInfo | null
}

export interface CounterInfo {
  /** 3: bytes. */
  readonly unit: number
  readonly multiplier: number
  readonly incremental: boolean
}

/** A TrackDescriptor and its uuid. */
export function trackOf(b: Uint8Array, at: WireField): { readonly uuid: bigint; readonly track: Track } {
  let uuid = 0n
  let name = ''
  let parent: bigint | null = null
  let pid = NaN
  let processName = ''
  let tid = NaN
  let threadName = ''
  let counter: CounterInfo | null = null
  fields(b, at, f => {
    if (f.wire === 0 && f.number === 1) uuid = exact(b, f)
    else if (f.wire === 0 && f.number === 5) parent = exact(b, f)
    else if (f.wire !== 2) return
    else if (f.number === 2 || f.number === 10) name = text(b, f)
    else if (f.number === 3)
      fields(b, f, p => {
        if (p.wire === 0 && p.number === 1) pid = Number(int64(b, p))
        else if (p.wire === 2 && p.number === 6) processName = text(b, p)
      })
    else if (f.number === 4)
      fields(b, f, p => {
        if (p.wire === 0 && p.number === 1) pid = Number(int64(b, p))
        else if (p.wire === 0 && p.number === 2) tid = Number(int64(b, p))
        else if (p.wire === 2 && p.number === 5) threadName = text(b, p)
      })
    else if (f.number === 8) {
      let unit = 0
      let multiplier = 1
      let incremental = false
      fields(b, f, p => {
        if (p.wire !== 0) return
        if (p.number === 3) unit = p.value
        else if (p.number === 4) multiplier = Number(int64(b, p)) || 1
        else if (p.number === 5) incremental = p.value !== 0
      })
      counter = { unit, multiplier, incremental }
    }
  })
  return { uuid, track: { name, parent, pid, processName, tid, threadName, counter } }
}

/** What a track and its parents say. */
export interface Described {
  /** Names from the outermost to the track's own. */
  readonly path: string
  readonly place: Omit<Place, 'instance' | 'stream'> & { readonly instance: string | null; readonly stream: string | null }
  /** `neuron_rt`, `neuron_hw`, `framework`; null. */
  readonly source: string | null
}

const MAX_PARENTS = 32

export function describe(uuid: bigint, tracks: ReadonlyMap<bigint, Track>): Described {
  const names: string[] = []
  let pid = NaN
  let tid = NaN
  const seen = new Set<bigint>()
  for (let at: bigint | null = uuid; at !== null && !seen.has(at) && seen.size < MAX_PARENTS;) {
    seen.add(at)
    const t: Track | undefined = tracks.get(at)
    if (!t) break
    if (Number.isNaN(pid)) pid = t.pid
    if (Number.isNaN(tid)) tid = t.tid
    const own = [t.processName, t.threadName, t.name].filter((n, i, all) => n !== '' && all.indexOf(n) === i)
    names.unshift(...own)
    at = t.parent
  }
  let told: Told = {}
  // The innermost name says it best.
  for (const name of names) told = { ...told, ...tellName(name) }
  const { source, instance, stream, ...place } = told
  return {
    path: names.join(' / '),
    place: { ...NOWHERE, process: pid, thread: tid, ...place, instance: instance ?? null, stream: stream ?? null },
    source: source ?? null,
  }
}

type Told = { -readonly [K in 'worker' | 'nc' | 'core' | 'device' | 'process' | 'thread']?: number } & {
  source?: string
  instance?: string
  stream?: string
}

const SOURCE = /^(neuron_rt|neuron_hw|framework)$/

/**
 * What a name says in the two documented spellings: `gid35-nc3-tid7-neuron_rt` (tracks of the Perfetto export) and `i-0b1e…/PID:17/neuron_hw/NC0:4` (tracks of the viewer). Other
 * names say nothing, but for the id of an instance.
 */
export function tellName(name: string): Told {
  const out: Told = {}
  const instance = /(?:^|[^0-9A-Za-z-])(i-[0-9a-f]{8,17})(?![0-9a-f])/.exec(name) ?? /^(i-[0-9a-f]{8,17})(?![0-9a-f])/.exec(name)
  if (instance) out.instance = instance[1]
  const dashed: Told = {}
  let parts = 0
  for (const part of name.split('-')) {
    const m = /^(gid|nc|tid)(\d{1,15})$/.exec(part)
    if (m) {
      dashed[m[1] === 'gid' ? 'worker' : m[1] === 'nc' ? 'nc' : 'thread'] = Number(m[2])
      parts++
    } else if (SOURCE.test(part)) {
      dashed.source = part
      parts++
    }
  }
  if (parts > 1) return { ...out, ...dashed }
  for (const part of name.split('/')) {
    if (SOURCE.test(part)) out.source = part
    const m = /^(PID|TID|NC|ND|Worker|worker|Stream):?(\w{1,15})$/.exec(part)
    const hardware = /^NC(\d{1,9}):(\d{1,9})$/.exec(part)
    if (hardware) {
      out.nc = Number(hardware[1])
      out.core = Number(hardware[2])
    } else if (m) {
      const [, what, value] = m
      if (what === 'Stream') out.stream = value
      else if (/^\d+$/.test(value) && (part.includes(':') || what === 'NC'))
        out[what === 'PID' ? 'process' : what === 'TID' ? 'thread' : what === 'NC' ? 'nc' : what === 'ND' ? 'device' : 'worker'] =
          Number(value)
    }
  }
  return out
}
