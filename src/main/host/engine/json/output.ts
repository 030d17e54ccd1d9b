/** Collects JSON text as UTF-8 up to a size. What is promised (the end of a slice whose begin was written) always finds room. */

/** Text is encoded in pieces of about this many characters. */
const PIECE = 64 * 1024

export class JsonOutput {
  readonly #most: number
  readonly #pieces: Uint8Array[] = []
  #text = ''
  /** Of what was encoded. */
  #bytes = 0
  #promised = 0
  #items = 0

  /** `most`: bytes of everything but what is written with `add` after the events. */
  constructor(most: number) {
    this.#most = most
  }

  /** Whether `text`, and later a promised text of `promise` bytes at most, still fit. */
  fits(text: string, promise = 0): boolean {
    // A character takes three bytes at most (a pair of surrogates four).
    const kept = this.#promised + promise
    if (this.#bytes + kept + (this.#text.length + text.length) * 3 <= this.#most) return true
    this.#flush()
    return this.#bytes + kept + Buffer.byteLength(text) <= this.#most
  }

  add(text: string): void {
    this.#text += text
    if (this.#text.length >= PIECE) this.#flush()
  }

  /** Adds an item of a list. */
  item(text: string): void {
    this.add(this.#items++ === 0 ? text : `,\n${text}`)
  }

  /** Keeps bytes free, or (negative) gives them back. */
  promise(bytes: number): void {
    this.#promised += bytes
  }

  #flush(): void {
    if (this.#text === '') return
    const piece = Buffer.from(this.#text, 'utf8')
    this.#bytes += piece.length
    this.#pieces.push(piece)
    this.#text = ''
  }

  /** All of it, in a buffer of its own. */
  bytes(): Uint8Array<ArrayBuffer> {
    this.#flush()
    const out = new Uint8Array(this.#bytes)
    let at = 0
    for (const p of this.#pieces) {
      out.set(p, at)
      at += p.length
    }
    return out
  }
}
