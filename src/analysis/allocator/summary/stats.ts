/**
 * The counters of torch's memory_stats over a range of a history: current, peak, allocated and freed, by the flat keys of `torch.cuda.memory_stats` (Neuron's guide names none of its own).
 * Null is what the file does not tell; it is never 0.
 */
import { ACTIONS, type DeviceTrace, type SnapshotTable } from '../../../shared/tables'
import { sizeKnown } from '../live/live'
import { ORIGINS, type AllocatorModel } from '../model'
import { ALLOC, FREE_COMPLETED } from '../replay'
import { roundingSettings } from '../rounding'
import { historyOf, type AllocatorHistory } from '../state/history'
import { POOL_LARGE, POOL_SMALL, POOL_UNKNOWN } from '../state/segments'
import { INACTIVE, stateAt } from '../state/stateAt'

const code = (a: (typeof ACTIONS)[number]): number => ACTIONS.indexOf(a)
const SEGMENT_ALLOC = code('segment_alloc')
const SEGMENT_FREE = code('segment_free')
const SEGMENT_MAP = code('segment_map')
const SEGMENT_UNMAP = code('segment_unmap')
const OOM = code('oom')
const LIVE_AT_START = ORIGINS.indexOf('live-at-start')

export interface Figures {
  /** In the state after `to`. */
  readonly current: number | null
  /** Highest state of the range, that after `from` among them. */
  readonly peak: number | null
  /** Increases and decreases by the events after `from` up to `to`. */
  readonly allocated: number | null
  readonly freed: number | null
}

export interface MemoryStats {
  readonly device: number
  readonly from: number
  readonly to: number
  readonly allocations: number | null
  readonly frees: number | null
  readonly ooms: number | null
  /** 0 where nothing was refused and no segment was given back before a new one; else not told by a history. */
  readonly retries: number | null
  /** `allocated_bytes.all.current` and so on. */
  readonly stats: Readonly<Record<string, number | null>>
  /** Why figures are missing, or what they rest on; sentences. */
  readonly notes: readonly string[]
}

const POOLS = [
  ['all', -1],
  ['large_pool', POOL_LARGE],
  ['small_pool', POOL_SMALL],
] as const

/** Stats of the states after `from` to that after `to` (-1: the start). Linear in allocations and events. */
export function memoryStats(table: SnapshotTable, model: AllocatorModel, from: number, to: number): MemoryStats {
  const trace = table.devices[model.traceIndex] ?? null
  const history = historyOf(table, model)
  const recorded = wasRecorded(model)
  const stats: Record<string, number | null> = {}
  const put = (name: string, pool: string, f: Figures): void => {
    stats[`${name}.${pool}.current`] = f.current
    stats[`${name}.${pool}.peak`] = f.peak
    stats[`${name}.${pool}.allocated`] = recorded ? f.allocated : null
    stats[`${name}.${pool}.freed`] = recorded ? f.freed : null
  }
  const known = sizeKnown(table, model)
  const one = (): number => 1
  const requested = (i: number): number => (known(i) ? (model.size[i] as number) : NaN)
  const block = (i: number): number => history.blockBytes[i] as number
  const ofBlocks = [
    ['allocation', one, false],
    ['allocated_bytes', block, false],
    ['requested_bytes', requested, false],
    ['active', one, true],
    ['active_bytes', block, true],
  ] as const
  const spans = { allocated: spanOf(model, false), active: spanOf(model, true) }
  for (const [name, value, active] of ofBlocks)
    for (const [pool, kind] of POOLS) {
      const curve = new Curve(from, to)
      for (let i = 0; i < model.count; i++) {
        const p = history.pool[i] as number
        if (kind >= 0 && p !== kind && p !== POOL_UNKNOWN) continue
        const [up, down] = (active ? spans.active : spans.allocated)(i)
        // What may belong to either pool makes both unknown.
        if (up !== ABSENT) curve.add(kind >= 0 && p === POOL_UNKNOWN ? NaN : value(i), up, down)
      }
      put(name, pool, history.anchored ? curve.figures() : { ...curve.figures(), current: null, peak: null })
    }
  for (const [name, figures] of segmentFigures(model, history, from, to))
    POOLS.forEach(([pool], k) => put(name, pool, figures[k] as Figures))
  Object.assign(stats, inactiveSplit(table, model, to))
  const counts = countsOf(recorded ? trace : null, from, to)
  const settings = roundingSettings(table.settings)
  Object.assign(stats, {
    num_alloc_retries: counts.retries,
    num_ooms: counts.ooms,
    num_device_alloc: counts.deviceAllocs,
    num_device_free: counts.deviceFrees,
    num_sync_all_streams: null,
    max_split_size: table.settings === null || !settings ? null : settings.maxSplit === Infinity ? -1 : settings.maxSplit,
  })
  return {
    device: model.device,
    from,
    to,
    allocations: stats['allocation.all.allocated'] ?? null,
    frees: stats['allocation.all.freed'] ?? null,
    ooms: counts.ooms,
    retries: counts.retries,
    stats,
    notes: notesOf(model, history, stats, counts.retries),
  }
}

/** Recording the state without a history leaves one entry, the last; the same beside blocks from before is no history. */
const wasRecorded = (model: AllocatorModel): boolean => model.events > 1 || (model.events === 1 && model.startCount === 0)

/** Not there in any state. */
const ABSENT = Infinity

/** When an allocation begins to count (-1: since the start) and when it ends (-1: never). Active: until its free is completed; allocated: until it is asked for. */
function spanOf(model: AllocatorModel, active: boolean): (i: number) => readonly [number, number] {
  return i => {
    const up = model.allocEvent[i] as number
    const freed = model.freeEvent[i] as number
    if (active) return [up, freed]
    const requested = model.freeRequestedEvent[i] as number
    if (up < 0 && requested < 0 && model.origin[i] !== LIVE_AT_START) return [ABSENT, -1]
    return [up, requested >= 0 ? requested : freed]
  }
}

/** Sums over the states `from` to `to`; NaN is a value that is not known. */
class Curve {
  readonly #from: number
  readonly #to: number
  readonly #change: Float64Array
  readonly #unknown: Int32Array
  #start = 0
  #startUnknown = 0
  #allocated = 0
  #freed = 0

  constructor(from: number, to: number) {
    this.#from = from
    this.#to = to
    this.#change = new Float64Array(to - from)
    this.#unknown = new Int32Array(to - from)
  }

  add(value: number, up: number, down: number): void {
    const unknown = Number.isNaN(value)
    const v = unknown ? 0 : value
    const n = unknown ? 1 : 0
    if (up <= this.#from && (down < 0 || down > this.#from)) {
      this.#start += v
      this.#startUnknown += n
    }
    if (up > this.#from && up <= this.#to) {
      this.#at(up, v, n)
      this.#allocated += value
    }
    if (down > this.#from && down <= this.#to) {
      this.#at(down, -v, -n)
      this.#freed += value
    }
  }

  figures(): Figures {
    let now = this.#start
    let unknown = this.#startUnknown
    let peak = unknown > 0 ? NaN : now
    for (let k = 0; k < this.#change.length; k++) {
      now += this.#change[k] as number
      unknown += this.#unknown[k] as number
      peak = unknown > 0 ? NaN : now > peak ? now : peak
      if (Number.isNaN(peak)) break
    }
    const current = this.#change.reduce((a, b) => a + b, this.#start)
    const open = this.#unknown.reduce((a, b) => a + b, this.#startUnknown)
    return { current: open > 0 ? null : current, peak: orNull(peak), allocated: orNull(this.#allocated), freed: orNull(this.#freed) }
  }

  #at(event: number, v: number, n: number): void {
    const k = event - this.#from - 1
    this.#change[k] = (this.#change[k] as number) + v
    this.#unknown[k] = (this.#unknown[k] as number) + n
  }
}

const orNull = (v: number): number | null => (Number.isNaN(v) ? null : v)
const NOTHING: Figures = { current: null, peak: null, allocated: null, freed: null }

/** Reserved bytes (as the replay has them) and segments, all and by pool. Segments that can expand are counted in bytes only, as torch does. */
function segmentFigures(
  model: AllocatorModel,
  { anchored, segments: s }: AllocatorHistory,
  from: number,
  to: number,
): readonly (readonly ['reserved_bytes' | 'segment', readonly Figures[]])[] {
  if (!anchored || s.conflicts > 0) {
    const all = anchored ? curveFigures(model.figures.startReservedBytes, model.reserved, from, to) : NOTHING
    return [
      ['reserved_bytes', [all, NOTHING, NOTHING]],
      ['segment', [NOTHING, NOTHING, NOTHING]],
    ]
  }
  const reserved = POOLS.map(([, kind]) => {
    // The forms of one segment come and go together: what an event changes is the difference.
    const net = new Float64Array(model.events)
    let start = 0
    let unknown = false
    for (let r = 0; r < s.count; r++) {
      if (kind >= 0 && s.type[r] === POOL_UNKNOWN) unknown = true
      if (kind >= 0 && s.type[r] !== kind) continue
      const [a, b] = [s.from[r] as number, s.to[r] as number]
      if (a < 0) start += s.size[r] as number
      else net[a] = (net[a] as number) + (s.size[r] as number)
      if (b < model.events) net[b] = (net[b] as number) - (s.size[r] as number)
    }
    if (unknown) return NOTHING
    let sum = start
    return curveFigures(
      start,
      net.map(v => (sum += v)),
      from,
      to,
    )
  })
  const count = POOLS.map(([, kind]) => {
    const curve = new Curve(from, to)
    for (let r = 0; r < s.count; r++) {
      if (s.expandable[r] === 1 || (kind >= 0 && s.type[r] !== kind && s.type[r] !== POOL_UNKNOWN)) continue
      const b = s.to[r] as number
      curve.add(kind >= 0 && s.type[r] === POOL_UNKNOWN ? NaN : 1, s.from[r] as number, b < model.events ? b : -1)
    }
    return curve.figures()
  })
  return [
    ['reserved_bytes', reserved],
    ['segment', count],
  ]
}

function curveFigures(start: number, after: Float64Array, from: number, to: number): Figures {
  let now = from < 0 ? start : (after[from] as number)
  let peak = now
  let allocated = 0
  let freed = 0
  for (let e = from + 1; e <= to; e++) {
    const next = after[e] as number
    if (next > now) allocated += next - now
    else freed += now - next
    now = next
    if (now > peak) peak = now
  }
  return { current: now, peak, allocated, freed }
}

/** Free chunks of segments that are partly used, as torch counts them: now; what they were in between is not worked out. */
function inactiveSplit(table: SnapshotTable, model: AllocatorModel, to: number): Record<string, number | null> {
  const out: Record<string, number | null> = {}
  const state = stateAt(table, model, to)
  for (const [pool, kind] of POOLS) {
    let count = 0
    let bytes = 0
    if ('reason' in state || state.outside > 0 || state.overlaps > 0) count = bytes = NaN
    else {
      const { segments: s, blocks: b } = state
      for (let i = 0; i < s.count; i++) {
        const type = s.type[i] as number
        if (s.expandable[i] === 1 || (kind >= 0 && type !== kind && type !== POOL_UNKNOWN)) continue
        const [first, end] = [s.blockStart[i] as number, s.blockStart[i + 1] as number]
        for (let k = first; k < end; k++) {
          if (Number.isNaN(b.size[k] as number) || (kind >= 0 && type === POOL_UNKNOWN)) count = bytes = NaN
          else if (b.state[k] === INACTIVE && end - first > 1) {
            count++
            bytes += b.size[k] as number
          }
        }
      }
    }
    for (const [name, v] of [
      ['inactive_split', count],
      ['inactive_split_bytes', bytes],
    ] as const) {
      out[`${name}.${pool}.current`] = orNull(v)
      for (const m of ['peak', 'allocated', 'freed']) out[`${name}.${pool}.${m}`] = null
    }
  }
  return out
}

interface Counts {
  readonly ooms: number | null
  readonly retries: number | null
  readonly deviceAllocs: number | null
  readonly deviceFrees: number | null
}

function countsOf(trace: DeviceTrace | null, from: number, to: number): Counts {
  if (!trace) return { ooms: null, retries: null, deviceAllocs: null, deviceFrees: null }
  let ooms = 0
  let deviceAllocs = 0
  let deviceFrees = 0
  /** New segments right after others were given back: what a retry leaves, and an empty_cache as well. */
  let maybe = 0
  let released = false
  for (let e = from + 1; e <= to; e++) {
    const a = trace.action[e] as number
    if (a === OOM) ooms++
    if (a === SEGMENT_FREE || a === SEGMENT_UNMAP) {
      deviceFrees++
      released = true
    } else if (a === SEGMENT_ALLOC || a === SEGMENT_MAP) {
      deviceAllocs++
      if (released) maybe++
      released = false
    } else if (a >= ALLOC && a < FREE_COMPLETED) released = false
  }
  return { ooms, retries: ooms === 0 && maybe === 0 ? 0 : null, deviceAllocs, deviceFrees }
}

function notesOf(
  model: AllocatorModel,
  { anchored }: AllocatorHistory,
  stats: Readonly<Record<string, number | null>>,
  retries: number | null,
): readonly string[] {
  const notes: string[] = []
  if (!wasRecorded(model))
    notes.push(
      'No history was recorded: what was allocated and freed, refusals and retries are not known, and the peak is that of what the file holds.',
    )
  if (!anchored) notes.push('The file ends early: current figures and peaks are not known.')
  const { status, reason } = model.figures.blockRounded
  if (stats['allocated_bytes.all.peak'] === null && anchored) notes.push(`Block sizes are not known for all of the range: ${reason}.`)
  else if (status === 'not-confirmed' || reason.includes('by the rounding alone')) notes.push(`Block sizes: ${reason}.`)
  if (retries === null && wasRecorded(model))
    notes.push('A history does not tell retries: memory was refused, or segments were given back before a new one was taken.')
  return notes
}
