/** Slices of the same name. */
import { histogramOf } from '../../../analysis/trace/stats/histogram'
import { nearestRank, select } from '../../../analysis/trace/stats/select'
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import { stringAt, type StringTable } from '../../../shared/columns'
import type { SliceRef } from '../../../shared/trace-api'
import { refAt, type EngineContext, type Part, type PartTrack } from './context'
import { eventPlace } from './event-place'
import type { Turn } from './lanes'

/** Positions of a track whose events have the name. */
interface Found {
  readonly part: Part
  readonly track: PartTrack
  /** Complete slices. */
  readonly at: Uint32Array
}

/**
 * All complete slices with the name of an event, by its text, over all sources of its time group. They are those that statistics count: on threads, streams and cores; of an
 * asynchronous operation, those among asynchronous operations. In order of their start, equal ones in the order of the tracks.
 */
export async function traceOccurrences(
  context: EngineContext,
  { source, row }: RequestArgs<'trace.occurrences'>,
  turn: Turn,
): Promise<Answers['trace.occurrences']> {
  const asked = eventPlace(context, source, row)
  const name = stringAt(asked.part.strings, asked.track.model.nameId[asked.at])
  const async = asked.track.model.role === 'async'
  const found: Found[] = []
  const ids = new Map<StringTable, readonly number[]>()
  let others = 0
  let count = 0
  for (const part of context.parts) {
    if (part.group !== asked.part.group) continue
    let own = ids.get(part.strings)
    if (!own) ids.set(part.strings, (own = idsOf(part.strings, name)))
    if (own.length === 0) continue
    for (const track of part.tracks) {
      const { kind, role } = track.model
      if (kind !== 'slices' || (role === 'async') !== async) continue
      const one = withName(track, own)
      others += one.others
      count += one.at.length
      if (one.at.length > 0) found.push({ part, track, at: one.at })
      if (turn.due && (await turn.pause())) throw new RequestError('A newer question was asked.')
    }
  }
  const walk = new Walk(asked.track.model.start[asked.at] + asked.part.offset)
  const durations = new Float64Array(count)
  let n = 0
  for (const { part, track, at } of found) {
    const mine = part === asked.part && track === asked.track
    for (const i of at) {
      durations[n++] = track.model.duration[i]
      walk.add({ part, track, at: i }, mine && i === asked.at)
    }
    if (turn.due && (await turn.pause())) throw new RequestError('A newer question was asked.')
  }
  let total = 0
  for (const d of durations) total += d
  const histogram = histogramOf(durations)
  const medianNs = count === 0 ? NaN : select(durations, 0, count, nearestRank(count, 50))
  const p95Ns = count === 0 ? NaN : select(durations, 0, count, nearestRank(count, 95))
  return {
    version: context.version,
    name,
    others,
    count,
    totalNs: total,
    minNs: walk.shortest?.duration ?? NaN,
    maxNs: walk.longest?.duration ?? NaN,
    meanNs: count === 0 ? NaN : total / count,
    medianNs,
    p95Ns,
    ...walk.answer(),
    histogram,
  }
}

/** Ids of a text; a table may hold it more than once. -1 stands for an absent one, which is ''. */
function idsOf(strings: StringTable, text: string): readonly number[] {
  const { bytes, offsets } = strings
  const wanted = new TextEncoder().encode(text)
  const out: number[] = text === '' ? [-1] : []
  next: for (let id = 0; id + 1 < offsets.length; id++) {
    const from = offsets[id]
    if (offsets[id + 1] - from !== wanted.length) continue
    for (let k = 0; k < wanted.length; k++) if (bytes[from + k] !== wanted[k]) continue next
    out.push(id)
  }
  return out
}

function withName({ model }: PartTrack, ids: readonly number[]): { readonly at: Uint32Array; readonly others: number } {
  const { nameId, flags } = model
  const only = ids[0]
  const is = (id: number): boolean => id === only || (ids.length > 1 && ids.includes(id))
  let count = 0
  let others = 0
  for (let i = 0; i < nameId.length; i++)
    if (is(nameId[i])) {
      if (flags[i] === 0) count++
      else others++
    }
  const at = new Uint32Array(count)
  for (let i = 0, k = 0; k < count; i++) if (flags[i] === 0 && is(nameId[i])) at[k++] = i
  return { at, others }
}

interface Place {
  readonly part: Part
  readonly track: PartTrack
  readonly at: number
}
interface Candidate extends Place {
  readonly start: number
  readonly duration: number
}

/** Neighbours and extremes, found in one walk in the order of the tracks. */
class Walk {
  readonly #asked: number
  #first: Candidate | null = null
  #last: Candidate | null = null
  /** The latest before and the earliest behind the asked one. */
  #previous: Candidate | null = null
  #next: Candidate | null = null
  shortest: Candidate | null = null
  longest: Candidate | null = null
  #before = 0
  /** The asked one was met: what begins at the same time and comes later stands behind it. */
  #met = false

  constructor(asked: number) {
    this.#asked = asked
  }

  add({ part, track, at }: Place, isAsked: boolean): void {
    const { model } = track
    const start = model.start[at] + part.offset
    const duration = model.duration[at]
    // Candidates are made for the few that stand for something at the time.
    const make = (): Candidate => ({ part, track, at, start, duration })
    if (!this.#first || start < this.#first.start) this.#first = make()
    if (!this.#last || start >= this.#last.start) this.#last = make()
    if (!this.shortest || duration < this.shortest.duration || (duration === this.shortest.duration && start < this.shortest.start))
      this.shortest = make()
    if (!this.longest || duration > this.longest.duration || (duration === this.longest.duration && start < this.longest.start))
      this.longest = make()
    if (isAsked) {
      this.#met = true
      return
    }
    if (start < this.#asked || (start === this.#asked && !this.#met)) {
      this.#before++
      if (!this.#previous || start >= this.#previous.start) this.#previous = make()
    } else if (!this.#next || start < this.#next.start) this.#next = make()
  }

  answer(): Pick<Answers['trace.occurrences'], 'index' | 'first' | 'previous' | 'next' | 'last' | 'shortest' | 'longest'> {
    const ref = (c: Candidate | null): SliceRef | null => c && refAt(c.part, c.track, c.at)
    return {
      index: this.#met ? this.#before : -1,
      first: ref(this.#first),
      previous: ref(this.#previous),
      next: ref(this.#next),
      last: ref(this.#last),
      shortest: ref(this.shortest),
      longest: ref(this.longest),
    }
  }
}
