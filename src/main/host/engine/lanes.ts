/**
 * Long queries take turns with short ones: they give the thread back every few milliseconds and end when a newer question of the same lane has come, so that a drag that
 * asks again with every move never waits for what nobody wants any more.
 */
export class Lanes {
  readonly #turn = new Map<string, number>()

  /** Begins a question of a lane; the older one of it ends at its next pause. */
  begin(lane: string): Turn {
    const turn = (this.#turn.get(lane) ?? 0) + 1
    this.#turn.set(lane, turn)
    return new Turn(() => this.#turn.get(lane) !== turn)
  }
}

/** Time after which a question pauses, ms. */
const SLICE_MS = 8

export class Turn {
  readonly #over: () => boolean
  #since = performance.now()

  constructor(over: () => boolean = () => false) {
    this.#over = over
  }

  /** True when enough time has gone by for `pause`; cheap, to be asked every few thousand rows. */
  get due(): boolean {
    return performance.now() - this.#since >= SLICE_MS
  }

  /** Lets others run; answers whether this question is over (a newer one has come) and should be given up. */
  async pause(): Promise<boolean> {
    await new Promise(resolve => setImmediate(resolve))
    this.#since = performance.now()
    return this.#over()
  }
}
