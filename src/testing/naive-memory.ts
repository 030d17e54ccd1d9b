/**
 * What a snapshot's history says by the plainest code there is: maps and lists over the values of the file, shared with nothing of the program. For tests that compare.
 */
import { readFileSync } from 'node:fs'
import { Parser } from 'pickleparser'
import { stringAt } from '../shared/columns'
import { ACTIONS, BLOCK_STATES, type SnapshotTable } from '../shared/tables'

export interface PlainFrame {
  readonly filename: string
  readonly line: number
  readonly name: string
}
export interface PlainEntry {
  readonly action: string
  readonly addr?: number | bigint
  readonly size: number
  readonly frames?: readonly PlainFrame[]
}
export interface PlainBlock {
  readonly size: number
  readonly state: string
  readonly address?: number | bigint
  readonly requested_size?: number
  readonly frames?: readonly PlainFrame[]
  readonly history?: readonly { readonly frames?: readonly PlainFrame[]; readonly real_size?: number }[]
}
export interface PlainSegment {
  readonly device?: number
  readonly address: number | bigint
  readonly total_size: number
  readonly segment_type?: string
  readonly is_expandable?: boolean
  readonly blocks: readonly PlainBlock[]
}
export interface PlainSnapshot {
  readonly segments: readonly PlainSegment[]
  readonly device_traces: readonly (readonly PlainEntry[])[]
}

/** One allocation, from when to when. */
export interface PlainAllocation {
  readonly size: number
  /** Event of the alloc, -1 before the recording. */
  readonly alloc: number
  /** Event of free_requested; Infinity where there is none, -1 where it was before the recording. */
  requested: number
  /** Event after which it is gone; Infinity: never. */
  freed: number
  /** null: no frames, or known only from its free. */
  readonly frames: readonly PlainFrame[] | null
}

/** Every allocation of a device. */
export function plainAllocations(s: PlainSnapshot, device: number): PlainAllocation[] {
  const events = s.device_traces[device] ?? []
  const all: PlainAllocation[] = []
  const live = new Map<string, PlainAllocation>()
  /** free_requested without an alloc, until its free_completed comes. */
  const asked = new Map<string, number>()
  events.forEach((e, i) => {
    const at = String(e.addr)
    const here = live.get(at)
    if (e.action === 'alloc') {
      if (here) here.freed = i
      asked.delete(at)
      const a: PlainAllocation = {
        size: e.size,
        alloc: i,
        requested: Infinity,
        freed: Infinity,
        frames: e.frames?.length ? e.frames : null,
      }
      all.push(a)
      live.set(at, a)
    } else if (e.action === 'free_requested') {
      if (here) here.requested = Math.min(here.requested, i)
      else if (!asked.has(at)) asked.set(at, i)
    } else if (e.action === 'free_completed' || e.action === 'free') {
      if (here) {
        here.freed = i
        if (e.action === 'free') here.requested = Math.min(here.requested, i)
        live.delete(at)
      } else all.push({ size: e.size, alloc: -1, requested: asked.get(at) ?? (e.action === 'free' ? i : -1), freed: i, frames: null })
      asked.delete(at)
    }
  })
  const seen = new Set<string>()
  for (const g of s.segments) {
    if ((g.device ?? 0) !== device) continue
    let address = BigInt(g.address)
    for (const b of g.blocks) {
      const at = String(b.address ?? address)
      address += BigInt(b.size)
      if (b.state === 'inactive' || (live.has(at) && !seen.has(at))) {
        if (b.state !== 'inactive') seen.add(at)
        continue
      }
      const frames = b.frames ?? b.history?.[0]?.frames
      all.push({
        size: b.requested_size ?? b.history?.[0]?.real_size ?? b.size,
        alloc: -1,
        requested: b.state === 'active_allocated' ? Infinity : (asked.get(at) ?? -1),
        freed: Infinity,
        frames: frames?.length ? frames : null,
      })
    }
  }
  return all
}

/** What is live in the state after `event`. */
export const plainLive = (all: readonly PlainAllocation[], event: number): readonly PlainAllocation[] =>
  all.filter(a => a.alloc <= event && a.freed > event)

/** Sums by key, `bytes/count`, largest first. */
export function plainGroups(
  list: readonly PlainAllocation[],
  by: string,
): { readonly key: string; readonly bytes: number; readonly count: number }[] {
  const one = (f: PlainFrame): string => `${f.filename}:${f.line}:${f.name}`
  const out = new Map<string, { key: string; bytes: number; count: number }>()
  for (const a of list) {
    const inner = a.frames?.[0]
    const key =
      by === 'size'
        ? String(a.size)
        : !a.frames || !inner
          ? '(no stack)'
          : by === 'stack'
            ? a.frames.map(one).join('\n')
            : by === 'frame'
              ? one(inner)
              : inner.filename
    const g = out.get(key) ?? { key, bytes: 0, count: 0 }
    g.bytes += a.size
    g.count++
    out.set(key, g)
  }
  return [...out.values()].sort((a, b) => b.bytes - a.bytes || b.count - a.count || (a.key < b.key ? -1 : 1))
}

/** The values of a file by the program's own reader, for files that the other one cannot read. */
export function plainOfTable(t: SnapshotTable): PlainSnapshot {
  const framesOf = (stack: number): PlainFrame[] =>
    stack < 0
      ? []
      : Array.from(t.stacks.frames.subarray(t.stacks.start[stack], t.stacks.start[stack + 1]), f => ({
          filename: stringAt(t.strings, t.frames.file[f] as number),
          line: t.frames.line[f] as number,
          name: stringAt(t.strings, t.frames.name[f] as number),
        }))
  return {
    segments: Array.from({ length: t.segments.count }, (_, s) => ({
      device: t.segments.device[s] as number,
      address: t.segments.address[s] as bigint,
      total_size: t.segments.totalSize[s] as number,
      segment_type: stringAt(t.strings, t.segments.segmentType[s] as number),
      is_expandable: t.segments.expandable[s] === 1,
      blocks: Array.from({ length: (t.segments.blockStart[s + 1] as number) - (t.segments.blockStart[s] as number) }, (_, n) => {
        const k = (t.segments.blockStart[s] as number) + n
        return {
          size: t.blocks.size[k] as number,
          address: t.blocks.address[k] as bigint,
          requested_size: t.blocks.requestedSize[k] as number,
          state: BLOCK_STATES[t.blocks.state[k] as number] as string,
          frames: framesOf(t.blocks.stack[k] as number),
        }
      }),
    })),
    device_traces: t.devices.map(d =>
      Array.from({ length: d.count }, (_, i) => ({
        action: ACTIONS[d.action[i] as number] ?? '',
        addr: d.address[i] as bigint,
        size: d.size[i] as number,
        frames: framesOf(d.stack[i] as number),
      })),
    ),
  }
}

/** The values of a sample: by pickleparser, but for two files with integers of nine bytes, which it refuses. */
export const plainOf = (name: string, path: string, table: SnapshotTable): PlainSnapshot =>
  name.startsWith('xpu') || name.startsWith('trimmed') ? plainOfTable(table) : (new Parser().parse(readFileSync(path)) as PlainSnapshot)
