/**
 * Which sources share one time axis. Sources with a known clock that overlap in time, directly or through others, form a group with one window and one cursor;
 * every other source has a group of its own. Nothing is shifted: a source's offset is the difference of two known zeros.
 */
import type { TimeGroup } from '../shared/api'
import type { ClockDomain } from '../shared/tables'

export interface TimeSource {
  /** Index of the source as the answers name it. */
  readonly index: number
  /** Zero of the source's time columns: Unix ns, or ns of its own clock when that is unknown. */
  readonly epochNs: bigint
  readonly clock: ClockDomain
  /** First start and last end, ns relative to `epochNs`; null without times. */
  readonly range: readonly [number, number] | null
  readonly label: string
}

export interface TimeGroups {
  readonly groups: readonly TimeGroup[]
  /**
   * Per entry of the argument: ns to add to a time of the source to get a time of its group (epochNs - originNs), an exact integer; null for a source without times.
   * The group of the entry is in `group`.
   */
  readonly offsets: readonly (number | null)[]
  readonly group: readonly (number | null)[]
}

/** Extent in ns up to which doubles hold every integer (104 days); no group is made longer than that. */
const EXACT_NS = BigInt(Number.MAX_SAFE_INTEGER)

interface Span {
  readonly at: number
  readonly source: TimeSource
  readonly start: bigint
  readonly end: bigint
}

/**
 * Groups, calibrated ones first and by origin, then the uncalibrated in the order of the sources. Spans are closed: one that begins where another ends overlaps it.
 * A chain of overlaps longer than 104 days is split, since offsets would no longer be exact.
 */
export function buildTimeGroups(sources: readonly TimeSource[]): TimeGroups {
  const known: Span[] = []
  const alone: Span[] = []
  sources.forEach((source, at) => {
    if (source.range === null || source.clock === 'none') return
    const [from, to] = source.range
    if (!Number.isFinite(from) || !Number.isFinite(to)) return
    const span: Span = {
      at,
      source,
      start: source.epochNs + BigInt(Math.floor(from)),
      end: source.epochNs + BigInt(Math.ceil(Math.max(from, to))),
    }
    if (source.clock === 'unknown') alone.push(span)
    else known.push(span)
  })
  known.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : a.at - b.at))
  const clusters: { spans: Span[]; end: bigint }[] = []
  for (const span of known) {
    const last = clusters.at(-1)
    const origin = last?.spans[0]?.start
    if (last && origin !== undefined && span.start <= last.end && span.end - origin <= EXACT_NS) {
      last.spans.push(span)
      if (span.end > last.end) last.end = span.end
    } else clusters.push({ spans: [span], end: span.end })
  }
  const groups: TimeGroup[] = []
  const offsets: (number | null)[] = sources.map(() => null)
  const group: (number | null)[] = sources.map(() => null)
  const add = (spans: readonly Span[], end: bigint, calibrated: boolean): void => {
    const originNs = (spans[0] as Span).start
    const id = groups.length
    for (const s of spans) {
      offsets[s.at] = Number(s.source.epochNs - originNs)
      group[s.at] = id
    }
    const members = [...spans].sort((a, b) => a.at - b.at).map(s => s.source)
    groups.push({
      id,
      originNs,
      durationNs: Number(end - originNs),
      calibrated,
      sources: members.map(s => s.index),
      label: labelOf(members),
    })
  }
  for (const c of clusters) add(c.spans, c.end, true)
  for (const s of alone) add([s], s.end, false)
  return { groups, offsets, group }
}

const labelOf = (members: readonly TimeSource[]): string =>
  members.length <= 2 ? members.map(m => m.label).join(' + ') : `${members[0]?.label ?? ''} + ${members.length - 1} more`
