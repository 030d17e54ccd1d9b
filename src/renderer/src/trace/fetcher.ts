/**
 * Gets what the screen needs from the engine and keeps it per track. What is there stays drawn, stretched, until something better has arrived.
 * Answers that the view has moved on from are dropped: those of another session or time origin by their turn, those of other tables by their version.
 */
import type { Answers, OverviewAnswer, RequestArgs, RequestName, TrackInfo } from '../../../shared/api'
import { splitCounters, splitSlices, type CounterColumns, type Fetched, type SliceColumns } from '../../../paint/timeline'
import { covers, planFetch, satisfies, type Span } from './fetchWindow'

export type Ask = <N extends RequestName>(name: N, args: RequestArgs<N>) => Promise<Answers[N]>

export interface FetchInput {
  readonly session: string
  /** Version of the view that the tracks are from. */
  readonly version: number
  readonly group: number
  readonly originNs: bigint
  readonly window: Span
  readonly extent: Span
  /** Width of the plot in CSS px. */
  readonly plot: number
  /** Tracks in sight, then those just outside. */
  readonly visible: readonly TrackInfo[]
  readonly near: readonly TrackInfo[]
}

const IN_FLIGHT = 4
/** Levels and tracks per request: an answer grows with both. Small ones keep the engine free for what comes between, and so the page while it decodes. */
export const BATCH_LANES = 12
const BATCH_TRACKS = 32
/** Kept columns over all tracks before those out of sight are forgotten. */
const KEEP_COLUMNS = 2_000_000
/** A request that failed is tried again after this long. */
const RETRY_MS = 2_000
const VERSION_MS = 1_000
/** Rows out of sight are fetched ahead once the window has rested this long: while it moves, what arrived for them would be of no use a moment later. */
const NEAR_MS = 150

interface Flight {
  readonly ids: ReadonlySet<number>
}

export class TraceFetcher {
  readonly slices = new Map<number, SliceColumns>()
  readonly counters = new Map<number, CounterColumns>()
  overview: OverviewAnswer | null = null
  /** Words of the last failed request; null once one has succeeded. */
  error: string | null = null

  readonly #ask: Ask
  readonly #onChange: () => void
  readonly #flights = new Set<Flight>()
  #input: FetchInput | null = null
  #turn = 0
  #overviewKey = ''
  #overviewTimer: ReturnType<typeof setTimeout> | undefined
  #notBefore = 0
  #nearFrom = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(ask: Ask, onChange: () => void) {
    this.#ask = ask
    this.#onChange = onChange
  }

  /** Says what is on the screen now. Cheap when nothing is missing. */
  update(input: FetchInput): void {
    const was = this.#input
    if (!was || was.session !== input.session || was.group !== input.group || was.originNs !== input.originNs) this.#reset()
    else if (was.version !== input.version) this.#notBefore = 0
    if (was?.window.start !== input.window.start || was.window.end !== input.window.end) this.#nearFrom = performance.now() + NEAR_MS
    this.#input = input
    this.#pump()
    this.#wantOverview()
  }

  /** True while something in sight is not covered by anything that is there. */
  missing(): boolean {
    const i = this.#input
    return i !== null && i.visible.some(t => !covers(this.#have(t), i.window, i.extent))
  }

  close(): void {
    this.#closed = true
    this.#turn++
    clearTimeout(this.#timer)
    clearTimeout(this.#overviewTimer)
  }

  #reset(): void {
    this.#turn++
    this.slices.clear()
    this.counters.clear()
    this.#flights.clear()
    this.overview = null
    this.#overviewKey = ''
    this.#notBefore = 0
    this.error = null
  }

  #have(t: TrackInfo): (Fetched & { readonly version: number }) | undefined {
    return t.kind === 'counter' ? this.counters.get(t.id) : this.slices.get(t.id)
  }

  #pump(): void {
    const i = this.#input
    if (!i || this.#closed) return
    const wait = this.#notBefore - performance.now()
    if (wait > 0) {
      this.#later(wait)
      return
    }
    const flying = new Set([...this.#flights].flatMap(f => [...f.ids]))
    const wants = (t: TrackInfo): boolean => {
      const have = this.#have(t)
      return !flying.has(t.id) && (have?.version !== i.version || !satisfies(have, i.window, i.extent, i.plot))
    }
    const rest = this.#nearFrom - performance.now()
    if (rest > 0 && i.near.some(wants)) this.#later(rest)
    for (const list of rest > 0 ? [i.visible] : [i.visible, i.near]) {
      for (const kind of ['slices', 'counter'] as const) {
        const open = list.filter(t => t.kind === kind && wants(t))
        while (open.length > 0 && this.#flights.size < IN_FLIGHT) {
          const batch: TrackInfo[] = []
          for (
            let lanes = 0;
            open.length > 0 && batch.length < BATCH_TRACKS && (batch.length === 0 || lanes + open[0].depth <= BATCH_LANES);
          ) {
            lanes += open[0].depth
            batch.push(...open.splice(0, 1))
          }
          this.#send(kind, batch, i)
        }
      }
    }
  }

  #send(kind: 'slices' | 'counter', batch: readonly TrackInfo[], i: FetchInput): void {
    const flight: Flight = { ids: new Set(batch.map(t => t.id)) }
    const turn = this.#turn
    const plan = planFetch(i.window, i.extent, i.plot)
    const args = { session: i.session, tracks: batch.map(t => t.id), start: plan.start, end: plan.end, width: plan.columns }
    this.#flights.add(flight)
    const answered =
      kind === 'slices'
        ? this.#ask('trace.slices', args).then(a => this.#take(turn, a.version, () => put(this.slices, batch, splitSlices(a, plan))))
        : this.#ask('trace.counter', args).then(a => this.#take(turn, a.version, () => put(this.counters, batch, splitCounters(a, plan))))
    answered
      .catch((e: unknown) => {
        if (turn !== this.#turn) return
        this.error = e instanceof Error ? e.message : String(e)
        this.#notBefore = performance.now() + RETRY_MS
        this.#onChange()
      })
      .finally(() => {
        this.#flights.delete(flight)
        if (turn === this.#turn) this.#pump()
      })
  }

  #take(turn: number, version: number, store: () => void): void {
    const i = this.#input
    if (turn !== this.#turn || !i || this.#closed) return
    if (version !== i.version) {
      // The tables have changed under way; the view that names the new ones follows. If it doesn't, ask again after a while.
      if (version > i.version) this.#notBefore = performance.now() + VERSION_MS
      return
    }
    this.error = null
    store()
    this.#forget(i)
    this.#onChange()
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#pump(), ms + 1)
  }

  #forget(i: FetchInput): void {
    let columns = 0
    for (const c of this.slices.values()) columns += c.count
    if (columns <= KEEP_COLUMNS) return
    const seen = new Set([...i.visible, ...i.near].map(t => t.id))
    for (const [id, c] of this.slices) {
      if (columns <= KEEP_COLUMNS / 2) return
      if (seen.has(id)) continue
      this.slices.delete(id)
      columns -= c.count
    }
  }

  #wantOverview(): void {
    const i = this.#input
    if (!i) return
    const key = `${i.version}/${i.plot}`
    if (key === this.#overviewKey) return
    const first = this.#overviewKey === ''
    this.#overviewKey = key
    clearTimeout(this.#overviewTimer)
    // While a splitter is dragged the old one is drawn stretched.
    this.#overviewTimer = setTimeout(() => this.#askOverview(), first ? 0 : 150)
  }

  #askOverview(): void {
    const i = this.#input
    if (!i || this.#closed) return
    const turn = this.#turn
    const key = this.#overviewKey
    this.#ask('trace.overview', { session: i.session, group: i.group, width: Math.max(1, Math.round(i.plot)) })
      .then(a => {
        if (turn !== this.#turn || key !== this.#overviewKey) return
        this.overview = a
        this.#onChange()
      })
      .catch(() => {
        // The tracks tell what is wrong; the navigator is asked again with the next version or width.
        if (turn === this.#turn && key === this.#overviewKey) this.#overviewKey = '-'
      })
  }
}

function put<T>(into: Map<number, T>, batch: readonly TrackInfo[], parts: readonly T[]): void {
  batch.forEach((t, k) => {
    const part = parts[k]
    if (part === undefined) return
    into.delete(t.id) // latest last: the oldest is forgotten first
    into.set(t.id, part)
  })
}
