/** Gets where the tracks in sight have hits of the shown search, for drawing. What is there stays drawn until something finer or newer has come. */
import type { Answers, RequestArgs, TrackInfo } from '../../../shared/api'
import { splitMarks, type MatchColumns } from '../../../paint/timeline/highlight'
import { useDrawer } from '../drawer/state'
import { covers, planFetch, satisfies, type Span } from '../trace/fetchWindow'
import { useSearch } from './state'

export interface MarksInput {
  readonly session: string
  readonly group: number
  readonly window: Span
  readonly extent: Span
  /** Width of the plot in CSS px. */
  readonly plot: number
  readonly visible: readonly TrackInfo[]
}

type Ask = (name: 'trace.searchMarks', args: RequestArgs<'trace.searchMarks'>) => Promise<Answers['trace.searchMarks']>

/** Tracks per request. */
const BATCH = 256
/** A request that failed is tried again after this long, ms. */
const RETRY = 2000

export class SearchMarks {
  readonly #ask: Ask
  readonly #onChange: () => void
  readonly #stop: (() => void)[]
  #marks = new Map<number, MatchColumns>()
  /** Search that the marks are of; 0: none. */
  #of = 0
  /** Search that is to be shown; 0: none. */
  #search = 0
  #input: MarksInput | null = null
  #flying = new Set<number>()
  #notBefore = 0
  #turn = 0

  constructor(ask: Ask, onChange: () => void) {
    this.#ask = ask
    this.#onChange = onChange
    const look = (): void => this.#follow()
    this.#stop = [useSearch.subscribe(look), useDrawer.subscribe(look)]
    this.#follow()
  }

  close(): void {
    this.#turn++
    this.#stop.forEach(f => f())
  }

  /** null: nothing is lit. */
  get shown(): ReadonlyMap<number, MatchColumns> | null {
    return this.#search === 0 ? null : this.#marks
  }

  /** Says what is on the screen now. Cheap when nothing is missing. */
  update(input: MarksInput): void {
    this.#input = input
    this.#pump()
  }

  #follow(): void {
    const { found, query } = useSearch.getState()
    const lit = useDrawer.getState().tab === 'search' && query !== '' && found !== null && found.answer.error === null
    const search = lit ? found.answer.search : 0
    if (search === this.#search) return
    this.#search = search
    this.#turn++
    this.#flying.clear()
    this.#notBefore = 0
    // Those of the search before stay until the first new ones are there, so that nothing flickers while somebody types.
    if (search === 0) this.#marks = new Map()
    this.#onChange()
  }

  #pump(): void {
    const i = this.#input
    const { found } = useSearch.getState()
    if (!i || this.#search === 0 || found?.session !== i.session || found.group !== i.group || performance.now() < this.#notBefore) return
    const wanted = i.visible.filter(t => {
      if (t.kind !== 'slices' || this.#flying.has(t.id)) return false
      const have = this.#of === this.#search ? this.#marks.get(t.id) : undefined
      return !satisfies(have, i.window, i.extent, i.plot) || !covers(have, i.window, i.extent)
    })
    for (let k = 0; k < wanted.length; k += BATCH) this.#send(i, wanted.slice(k, k + BATCH))
  }

  #send(i: MarksInput, tracks: readonly TrackInfo[]): void {
    const plan = planFetch(i.window, i.extent, i.plot)
    const turn = this.#turn
    const search = this.#search
    const ids = tracks.map(t => t.id)
    for (const id of ids) this.#flying.add(id)
    this.#ask('trace.searchMarks', { session: i.session, search, tracks: ids, start: plan.start, end: plan.end, width: plan.columns })
      .then(a => {
        if (turn !== this.#turn) return
        for (const id of ids) this.#flying.delete(id)
        // The tables have changed: the search is asked anew, and its marks with it.
        if (!a.known) this.#notBefore = performance.now() + RETRY
        else {
          if (this.#of !== search) this.#marks = new Map()
          this.#of = search
          splitMarks(a, plan).forEach((m, k) => this.#marks.set(ids[k], m))
        }
        this.#onChange()
      })
      .catch(() => {
        if (turn !== this.#turn) return
        for (const id of ids) this.#flying.delete(id)
        this.#notBefore = performance.now() + RETRY
      })
  }
}
