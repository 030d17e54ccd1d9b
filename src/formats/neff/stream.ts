/** One pass over a NEFF: first its header, then its payload in pieces, each of which is seen exactly once whoever asks for it. */
import type { ByteSource, ReadOptions } from '../../shared/reader'

/** Small, so that what gzip makes of a piece is noticed soon. */
const PIECE = 64 * 1024

export class NeffStream {
  readonly #source: ByteSource
  readonly #o: ReadOptions
  readonly #chunks: AsyncIterator<Uint8Array>
  /** What is left of the current chunk. */
  #rest: Uint8Array = new Uint8Array(0)
  #ended = false
  #last = 0
  #head = 0
  /** Bytes of the payload that were there, so far. */
  payloadRead = 0
  cancelled = false

  constructor(source: ByteSource, options: ReadOptions) {
    this.#source = source
    this.#o = options
    this.#chunks = source.chunks()[Symbol.asyncIterator]()
  }

  /** The next bytes, at most `length`, valid until the next call; none at the end. */
  async #take(length: number): Promise<Uint8Array> {
    while (this.#rest.length === 0 && !this.#ended) {
      if (this.#o.signal?.aborted) {
        this.cancelled = this.#ended = true
        await this.#chunks.return?.()
        break
      }
      const next = await this.#chunks.next()
      if (next.done) this.#ended = true
      else this.#rest = next.value
      const now = performance.now()
      if (now - this.#last >= 100) {
        this.#last = now
        this.#o.onProgress?.(this.#source.consumed, this.#source.size, 'checking the payload')
      }
    }
    const part = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(part.length)
    return part
  }

  /** The first bytes of the file, as many as there are up to `length`. */
  async head(length: number): Promise<Uint8Array> {
    const out = new Uint8Array(length)
    while (this.#head < length) {
      const part = await this.#take(length - this.#head)
      if (part.length === 0) break
      out.set(part, this.#head)
      this.#head += part.length
    }
    return out.subarray(0, this.#head)
  }

  /** The payload of at most `length` bytes. `see` is called with every piece before it is given out. A piece is valid until the next one is asked for. */
  async *payload(length: number, see: (part: Uint8Array) => void): AsyncGenerator<Uint8Array, void, void> {
    while (this.payloadRead < length) {
      const part = await this.#take(Math.min(PIECE, length - this.payloadRead))
      if (part.length === 0) return
      see(part)
      this.payloadRead += part.length
      yield part
    }
  }

  /** Lets go of the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  /** Bytes of the file after header and payload, as far as its size tells. */
  trailing(): number {
    const compressed = 'compressed' in this.#source && this.#source.compressed === true
    return compressed ? this.#rest.length : Math.max(0, this.#source.size - this.#head - this.payloadRead)
  }
}
