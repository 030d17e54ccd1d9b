/**
 * Gets what the screen needs from the engine: slices as tiles (tiles.ts), counters as stretches. What is there stays drawn, stretched, until something better has arrived.
 * Answers that the view has moved on from are dropped: those of another session or time origin by their turn, those of other tables by their stamp or version.
 */
import type { Answers, OverviewAnswer, RequestArgs, RequestName, TrackInfo } from '../../../shared/api'
import { splitCounters, type CounterColumns, type SliceColumns } from '../../../paint/timeline'
import { columnOf } from '../../../shared/tiles'
import { Drawn, tilesOf, type Want } from './drawn'
import { covers, planFetch, satisfies, type Span } from './fetchWindow'
import { TileStore } from './tiles'

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
/** Tiles times levels per request. */
export const BATCH_TILES = 48
/** Time that joining tiles may take of one frame. */
const JOIN_MS = 4
const BATCH_TRACKS = 32
/** Counters kept before those out of sight are forgotten. */
const KEEP_COUNTERS = 400
/** Tiles per request and track: a contiguous stretch. */
const MAX_COUNT = 64
/** A request that failed is tried again after this long. */
const RETRY_MS = 2_000
const VERSION_MS = 1_000
/** Rows out of sight are fetched ahead once the window has rested this long: while it moves, what arrived for them would be of no use a moment later. */
const NEAR_MS = 150

interface Flight {
  /** Tiles as `track/column/tile`, or counters as `track`. */
  readonly keys: ReadonlySet<string>
}

export class TraceFetcher {
  readonly counters = new Map<number, CounterColumns>()
  overview: OverviewAnswer | null = null
  /** Words of the last failed request; null once one has succeeded. */
  error: string | null = null

  readonly #ask: Ask
  readonly #onChange: () => void
  readonly #flights = new Set<Flight>()
  readonly #tiles = new TileStore()
  readonly #drawn = new Drawn(this.#tiles)
  /** Stamp that a counter was fetched under. */
  readonly #counterStamp = new Map<number, number>()
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

  /** Slices of each track that has any, as they are drawn now. */
  get slices(): ReadonlyMap<number, SliceColumns> {
    return this.#drawn.columns
  }

  /** Entries of tiles that are kept. */
  get kept(): number {
    return this.#tiles.entries
  }

  /** Says what is on the screen now. Cheap when nothing is missing. */
  update(input: FetchInput): void {
    const was = this.#input
    if (!was || was.session !== input.session || was.group !== input.group || was.originNs !== input.originNs) this.#reset()
    else if (was.version !== input.version) this.#notBefore = 0
    if (was?.window.start !== input.window.start || was.window.end !== input.window.end) this.#nearFrom = performance.now() + NEAR_MS
    this.#input = input
    this.#compose(input)
    this.#pump()
    this.#wantOverview()
  }

  #compose(i: FetchInput): void {
    const want = wantOf(i, i.window)
    const until = performance.now() + JOIN_MS
    for (const t of i.visible) {
      if (t.kind !== 'slices') continue
      if (performance.now() > until) {
        // The rest with the next frame; until then they are drawn as they were.
        this.#onChange()
        break
      }
      this.#drawn.choose(t.id, want, i.version)
    }
    this.#drawn.keep(i.visible, i.near)
  }

  /** True while something in sight is not covered by anything that is there. */
  missing(): boolean {
    const i = this.#input
    return (
      i !== null && i.visible.some(t => !covers(t.kind === 'counter' ? this.counters.get(t.id) : this.slices.get(t.id), i.window, i.extent))
    )
  }

  close(): void {
    this.#closed = true
    this.#turn++
    clearTimeout(this.#timer)
    clearTimeout(this.#overviewTimer)
  }

  #reset(): void {
    this.#turn++
    this.#tiles.clear()
    this.#drawn.clear()
    this.counters.clear()
    this.#counterStamp.clear()
    this.#flights.clear()
    this.overview = null
    this.#overviewKey = ''
    this.#notBefore = 0
    this.error = null
  }

  #pump(): void {
    const i = this.#input
    if (!i || this.#closed) return
    const wait = this.#notBefore - performance.now()
    if (wait > 0) {
      this.#later(wait)
      return
    }
    const flying = new Set<string>()
    for (const f of this.#flights) for (const k of f.keys) flying.add(k)
    const span = i.window.end - i.window.start
    const sides = { start: i.window.start - span, end: i.window.end + span }
    this.#pumpTiles(i, i.visible, wantOf(i, i.window), flying)
    this.#pumpCounters(i, i.visible, flying)
    // Then one screen ahead on both sides, and rows out of sight once the window rests.
    this.#pumpTiles(i, i.visible, wantOf(i, sides), flying)
    const rest = this.#nearFrom - performance.now()
    if (rest > 0) {
      if (i.near.length > 0) this.#later(rest)
      return
    }
    this.#pumpTiles(i, i.near, wantOf(i, i.window), flying)
    this.#pumpCounters(i, i.near, flying)
  }

  /** Sends for tiles that are not there, or not of the tables as they are now: tracks that lack the same stretch go together. */
  #pumpTiles(i: FetchInput, list: readonly TrackInfo[], want: Want, flying: Set<string>): void {
    const byStretch = new Map<string, { readonly first: number; readonly count: number; readonly tracks: TrackInfo[] }>()
    for (const t of list) {
      if (t.kind !== 'slices' || this.#flights.size >= IN_FLIGHT) continue
      const stamp = stampOf(t, i)
      const lacks = (k: number): boolean =>
        this.#tiles.get(t.id, want.column, k)?.stamp !== stamp && !flying.has(`${t.id}/${want.column}/${k}`)
      for (let k = want.first; k <= want.last; k++) {
        if (!lacks(k)) continue
        const first = k
        while (k < want.last && k - first + 1 < MAX_COUNT && lacks(k + 1)) k++
        const key = `${first}/${k}`
        const same = byStretch.get(key)
        if (same) same.tracks.push(t)
        else byStretch.set(key, { first, count: k - first + 1, tracks: [t] })
      }
    }
    for (const { first, count, tracks } of byStretch.values())
      for (const batch of batches(tracks, Math.max(1, Math.floor(BATCH_TILES / count)))) {
        if (this.#flights.size >= IN_FLIGHT) return
        const ids = batch.map(t => t.id)
        const keys = new Set<string>()
        for (const id of ids) for (let k = 0; k < count; k++) keys.add(`${id}/${want.column}/${first + k}`)
        for (const k of keys) flying.add(k)
        const args = { session: i.session, tracks: ids, column: want.column, first, count }
        this.#fly(keys, turn => this.#ask('trace.tiles', args).then(a => this.#takeTiles(turn, a, batch, want.column, first, count)))
      }
  }

  #pumpCounters(i: FetchInput, list: readonly TrackInfo[], flying: Set<string>): void {
    const open = list.filter(
      t =>
        t.kind === 'counter' &&
        !flying.has(String(t.id)) &&
        (this.#counterStamp.get(t.id) !== stampOf(t, i) || !satisfies(this.counters.get(t.id), i.window, i.extent, i.plot)),
    )
    for (const batch of batches(open, BATCH_LANES)) {
      if (this.#flights.size >= IN_FLIGHT) return
      const plan = planFetch(i.window, i.extent, i.plot)
      const args = { session: i.session, tracks: batch.map(t => t.id), start: plan.start, end: plan.end, width: plan.columns }
      const keys = new Set(batch.map(t => String(t.id)))
      for (const k of keys) flying.add(k)
      this.#fly(keys, turn =>
        this.#ask('trace.counter', args).then(a => {
          const now = this.#current(turn)
          // Times of another version may have another origin; the view that names it follows.
          if (!now || a.version !== now.version) return this.#late(now, a.version)
          splitCounters(a, plan).forEach((c, k) => {
            const t = batch[k]
            this.counters.delete(t.id) // latest last: the oldest is forgotten first
            this.counters.set(t.id, c)
            this.#counterStamp.set(t.id, stampOf(t, now))
          })
          const seen = new Set([...now.visible, ...now.near].map(t => t.id))
          for (const id of this.counters.keys()) {
            if (this.counters.size <= KEEP_COUNTERS) break
            if (!seen.has(id)) this.counters.delete(id)
          }
          this.error = null
          this.#onChange()
        }),
      )
    }
  }

  #fly(keys: ReadonlySet<string>, send: (turn: number) => Promise<void>): void {
    const flight: Flight = { keys }
    const turn = this.#turn
    this.#flights.add(flight)
    send(turn)
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

  #current(turn: number): FetchInput | null {
    return turn === this.#turn && !this.#closed ? this.#input : null
  }

  /** The tables have changed under way; the view that names the new ones follows. If it doesn't, ask again after a while. */
  #late(i: FetchInput | null, version: number): void {
    if (i && version > i.version) this.#notBefore = performance.now() + VERSION_MS
  }

  #takeTiles(turn: number, a: Answers['trace.tiles'], batch: readonly TrackInfo[], column: number, first: number, count: number): void {
    const i = this.#current(turn)
    if (!i) return
    const now = new Map([...i.visible, ...i.near].map(t => [t.id, t]))
    // A track that has gone out of sight meanwhile is judged by what it was when it was asked for.
    const right = batch.every((t, k) => a.stamps[k] === stampOf(now.get(t.id) ?? t, i))
    if (!right) return this.#late(i, a.version)
    this.error = null
    this.#tiles.put(
      a,
      batch.map(t => t.id),
      column,
      first,
      count,
    )
    for (const t of batch) this.#drawn.arrived(t.id, column, first, count)
    this.#compose(i)
    this.#onChange()
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#pump(), ms + 1)
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

/** Stamp of a track as the view has it. */
const stampOf = (t: TrackInfo, i: FetchInput): number => t.stamp ?? i.version

const wantOf = (i: FetchInput, window: Span): Want =>
  tilesOf(window, i.extent, columnOf((i.window.end - i.window.start) / Math.max(1, i.plot)))

/** Tracks in groups that hold at most `lanes` levels together (one track at least). */
function* batches(tracks: readonly TrackInfo[], lanes: number): Generator<readonly TrackInfo[]> {
  let batch: TrackInfo[] = []
  let depth = 0
  for (const t of tracks) {
    if (batch.length > 0 && (depth + t.depth > lanes || batch.length >= BATCH_TRACKS)) {
      yield batch
      batch = []
      depth = 0
    }
    batch.push(t)
    depth += t.depth
  }
  if (batch.length > 0) yield batch
}
