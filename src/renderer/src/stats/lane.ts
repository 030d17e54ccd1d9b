/**
 * Long questions to the host: a newer one goes out at once and the host ends the older one of the same lane. The last answer stays while the next is on its way; what a
 * recording adds is asked for only after the question in progress has ended, so that a session that grows with every second is answered at all.
 */
export interface LaneState<Q, A> {
  readonly scope: string
  /** The last answer and its question; null before the first of this scope. */
  readonly value: { readonly question: Q; readonly answer: A } | null
  /** A question is on its way or about to be. */
  readonly pending: boolean
  readonly error: string | null
  /** The last question was ended by somebody else's of the same lane. */
  readonly cancelled: boolean
}

export interface Asked<Q> {
  /** What the answers are about; another scope drops the answer at once. '' for nothing to ask. */
  readonly scope: string
  /** Identity of the question within the scope. */
  readonly key: string
  /** Grows when the data changed. */
  readonly version: number
  readonly question: Q | null
}

/** A question waits this long for a newer one, ms. */
const REST = 120

/** This page among the clients of a host: two windows never end each other's questions. */
const PAGE = Math.random().toString(36).slice(2, 8)
/** Id of a lane of this page, for requests. */
export const laneId = (name: string): string => `${name}-${PAGE}`

export class Lane<Q, A extends { readonly cancelled: boolean }> {
  readonly #tell: (s: LaneState<Q, A>) => void
  #state: LaneState<Q, A> = { scope: '', value: null, pending: false, error: null, cancelled: false }
  #asked: Asked<Q> = { scope: '', key: '', version: 0, question: null }
  #ask: ((q: Q) => Promise<A>) | null = null
  #timer: ReturnType<typeof setTimeout> | null = null
  #turn = 0
  #running = false
  #again = false

  constructor(tell: (s: LaneState<Q, A>) => void) {
    this.#tell = tell
  }

  /** What is wanted now. Cheap when nothing changed. */
  want(asked: Asked<Q>, ask: (q: Q) => Promise<A>): void {
    const before = this.#asked
    this.#asked = asked
    this.#ask = ask
    const other = asked.scope !== before.scope
    if (asked.question === null || asked.scope === '') {
      this.#halt()
      if (this.#state.value || this.#state.pending || this.#state.error)
        this.#set({ scope: asked.scope, value: null, pending: false, error: null, cancelled: false })
      return
    }
    if (other && this.#state.scope !== asked.scope)
      this.#set({ scope: asked.scope, value: null, pending: true, error: null, cancelled: false })
    if (other || asked.key !== before.key || before.question === null) this.#schedule(this.#state.value ? REST : 0)
    else if (asked.version !== before.version) {
      if (this.#running || this.#timer !== null) this.#again = true
      else this.#schedule(REST)
    }
  }

  /** Asks the same again, after an error. */
  retry(): void {
    if (this.#asked.question !== null) this.#schedule(0)
  }

  /** Nothing is told any more of what is on its way; the next `want` begins anew. */
  stop(): void {
    this.#halt()
    this.#asked = { scope: '', key: '', version: 0, question: null }
  }

  #halt(): void {
    this.#turn++
    this.#running = false
    this.#again = false
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  #set(s: LaneState<Q, A>): void {
    this.#state = s
    this.#tell(s)
  }

  #schedule(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (!this.#state.pending) this.#set({ ...this.#state, pending: true })
    this.#timer = setTimeout(() => void this.#send(), ms)
  }

  async #send(): Promise<void> {
    this.#timer = null
    const { scope, question } = this.#asked
    if (question === null || !this.#ask) return
    const turn = ++this.#turn
    this.#running = true
    this.#again = false
    let next: LaneState<Q, A>
    try {
      const answer = await this.#ask(question)
      const { value } = this.#state
      next = answer.cancelled
        ? { scope, value, pending: false, error: null, cancelled: true }
        : { scope, value: { question, answer }, pending: false, error: null, cancelled: false }
    } catch (e) {
      next = { scope, value: null, pending: false, error: e instanceof Error ? e.message : String(e), cancelled: false }
    }
    if (turn !== this.#turn) return // a newer question is on its way
    this.#running = false
    // The newest one waits for its time already.
    this.#set(this.#timer !== null ? { ...next, pending: true } : next)
    if (this.#again && this.#timer === null) this.#schedule(REST)
  }
}
