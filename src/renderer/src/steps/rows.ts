/** Steps of a time group as rows. Pure. */
import type { SessionView, StepInfo, TrackInfo } from '../../../shared/api'
import type { CompareRow } from '../../../shared/trace-api'
import { percent, signed } from '../stats/words'

export interface StepRow extends Pick<StepInfo, 'name' | 'source' | 'start' | 'duration'> {
  /** Stays the same while sources come and go. */
  readonly key: string
  /** File that tells of it. */
  readonly path: string
  readonly rank: number | null
  /** Duration minus that of the one before, of the same kind in the same file; null for the first. */
  readonly change: number | null
}

/** `ProfilerStep#` of `ProfilerStep#12`: what steps of a kind have in common. */
export const kindOf = (name: string): string => name.replace(/\d+$/, '')

/** Steps of a group and annotations of the program, by start; of those at the same time the longer one first. */
export function stepRows(
  view: Pick<SessionView, 'steps' | 'sources'>,
  group: number,
  annotations: readonly StepInfo[] = [],
): readonly StepRow[] {
  const steps = [...view.steps.filter(s => s.group === group), ...annotations].sort((a, b) => a.start - b.start || b.duration - a.duration)
  const before = new Map<string, number>()
  const seen = new Map<string, number>()
  return steps.map(s => {
    const source = view.sources.find(o => o.index === s.source)
    const path = source?.path ?? ''
    const name = `${path}/${s.name}`
    const nth = seen.get(name) ?? 0
    seen.set(name, nth + 1)
    const kind = `${s.source}/${kindOf(s.name)}`
    const previous = before.get(kind)
    before.set(kind, s.duration)
    return {
      name: s.name,
      source: s.source,
      start: s.start,
      duration: s.duration,
      key: nth === 0 ? name : `${name}/${nth}`,
      path,
      rank: source?.rank ?? null,
      change: previous === undefined ? null : s.duration - previous,
    }
  })
}

/**
 * Steps A and B that are compared. What was not chosen, or is gone, is a neighbour of the same kind in the same file; without any choice the first two of a kind that has two.
 * `steps` are at least one; where there is no other step, both are the same.
 */
export function chosenPair(steps: readonly StepRow[], a: string | null, b: string | null): readonly [StepRow, StepRow] {
  const like = (s: StepRow): StepRow | undefined => {
    const same = steps.filter(o => o.source === s.source && kindOf(o.name) === kindOf(s.name))
    const i = same.indexOf(s)
    return same[i + 1] ?? same[i - 1]
  }
  const other = (s: StepRow): StepRow => like(s) ?? steps.find(o => o !== s) ?? s
  const chosenA = steps.find(s => s.key === a)
  const chosenB = steps.find(s => s.key === b)
  if (chosenA) return [chosenA, chosenB ?? other(chosenA)]
  if (chosenB) return [other(chosenB), chosenB]
  const first = steps.find(s => like(s) !== undefined) ?? steps[0]
  return [first, other(first)]
}

export interface DeviceTracks {
  /** Rows of the timeline, for the head of the column. */
  readonly what: 'NeuronCores' | 'streams'
  readonly tracks: readonly number[]
}

/**
 * Tracks that tell what ran on the device of a rank: the hardware's where they are, else the framework's streams. null: there are none.
 * A source whose rank is not known may belong to any.
 */
export function deviceTracks(view: SessionView, group: number, rank: number | null): DeviceTracks | null {
  const ranks = new Map(view.sources.map(s => [s.index, s.rank]))
  const own = view.tracks.filter(t => {
    const r = ranks.get(t.source) ?? null
    return t.group === group && t.kind === 'slices' && !t.derived && (rank === null || r === null || r === rank)
  })
  const pick = (what: DeviceTracks['what'], test: (t: TrackInfo) => boolean): DeviceTracks | null => {
    const tracks = own.filter(test).map(t => t.id)
    return tracks.length > 0 ? { what, tracks } : null
  }
  return pick('NeuronCores', t => t.role === 'core' && t.origin === 'neuron_hw') ?? pick('streams', t => t.role === 'stream')
}

/** Rows without the slices that are the steps themselves: each has a name of its own, so that both would come first and tell nothing. */
export function withoutSteps<R extends { readonly key: string }>(
  rows: readonly R[],
  a: Pick<StepRow, 'name'>,
  b: Pick<StepRow, 'name'>,
): readonly R[] {
  const own = new Set([a.name, b.name].filter(n => /^ProfilerStep#\d+$/.test(n)))
  return own.size === 0 || a.name === b.name ? rows : rows.filter(r => !own.has(r.key))
}

/** `+12.3 %`, `only A`, `only B`; `—` where A took no time. */
export function changeText(r: Pick<CompareRow, 'a' | 'b' | 'deltaNs'>): string {
  if (r.a === null) return 'only B'
  if (r.b === null) return 'only A'
  return r.a.totalNs > 0 ? signed(r.deltaNs, v => percent(v, r.a?.totalNs ?? 0)) : '—'
}
