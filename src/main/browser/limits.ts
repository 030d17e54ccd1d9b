/** How much one client may ask. Limits lie far above what the page does and far below what would hold up the program for others. */

export const LIMITS = {
  /** Pages (WebSockets) of one address. */
  pages: 32,
  /** TCP connections of one address, and of all. */
  connections: 192,
  allConnections: 256,
  /** HTTP requests of one address: per second, and at once. A page loads about 15 files. */
  http: { perSecond: 100, burst: 600 },
  /** Requests of one page: per second, and at once. A page that zooms asks about 60 times a few. */
  requests: { perSecond: 800, burst: 2400 },
  /** Requests of one page that may be under way at a time; a page of ours has a dozen at most. */
  pending: 128,
  /** Refused requests on end after which a page is disconnected: it does not listen. */
  strikes: 2000,
  /** Lines of the log. */
  log: { perSecond: 5, burst: 200 },
  /** Bytes that may wait for a page that reads slowly. */
  buffered: 256 * 1024 * 1024,
} as const

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** A bucket that holds `burst` and is filled with `perSecond`. */
export class Bucket {
  readonly #rate: Rate
  readonly #now: () => number
  #left: number
  #at: number

  /** `now` in ms, never running back. */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate
    this.#now = now
    this.#left = rate.burst
    this.#at = now()
  }

  /** Takes one; false when there is none. */
  take(): boolean {
    const now = this.#now()
    this.#left = Math.min(this.#rate.burst, this.#left + ((now - this.#at) / 1000) * this.#rate.perSecond)
    this.#at = now
    if (this.#left < 1) return false
    this.#left--
    return true
  }

  /** Whether it is full again: nothing is to be remembered. */
  get full(): boolean {
    return this.#left + ((this.#now() - this.#at) / 1000) * this.#rate.perSecond >= this.#rate.burst
  }
}

export interface Client {
  pages: number
  connections: number
  readonly http: Bucket
}

/** What is known of each address. Forgotten once it has no connection and asked for nothing lately. */
export class Clients {
  readonly #byAddress = new Map<string, Client>()
  readonly #now: (() => number) | undefined

  constructor(now?: () => number) {
    this.#now = now
  }

  of(address: string | undefined): Client {
    const key = address ?? ''
    let client = this.#byAddress.get(key)
    if (!client) {
      this.#sweep()
      client = { pages: 0, connections: 0, http: new Bucket(LIMITS.http, this.#now) }
      this.#byAddress.set(key, client)
    }
    return client
  }

  get size(): number {
    return this.#byAddress.size
  }

  #sweep(): void {
    if (this.#byAddress.size < 1000) return
    for (const [key, c] of this.#byAddress) if (c.connections === 0 && c.pages === 0 && c.http.full) this.#byAddress.delete(key)
  }
}
