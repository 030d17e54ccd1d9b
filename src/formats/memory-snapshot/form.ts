/** What a stream holds, told by its first bytes, and the stream from its beginning again. */
import type { ByteSource } from '../../shared/reader'

export type Form = 'pickle' | 'json' | 'page'

/** White space that is looked through before it is taken for a pickle, of which no opcode is white space. */
const MOST_SPACE = 1 << 16

const isSpace = (b: number): boolean => b === 0x20 || b === 0x09 || b === 0x0a || b === 0x0d
const isMark = (b: Uint8Array): boolean => b[0] === 0xef && b[1] === 0xbb && b[2] === 0xbf

/** The form that `head` begins; null where it holds nothing but white space, or too little of a byte order mark. */
export function formOf(head: Uint8Array): Form | null {
  if (head[0] === 0xef && head.length < 3) return null
  let i = isMark(head) ? 3 : 0
  while (i < head.length && isSpace(head[i] as number)) i++
  if (i === head.length) return null
  const c = head[i]
  // None of the three begins a pickle.
  return c === 0x7b || c === 0x5b ? 'json' : c === 0x3c ? 'page' : 'pickle'
}

export interface Peeked {
  readonly form: Form
  readonly source: ByteSource
}

/** Looks at the first bytes of `source`. The answered source yields all bytes, once; it is what must be read from now on. */
export async function peek(source: ByteSource): Promise<Peeked> {
  const chunks = source.chunks()[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array(0)
  let form: Form | null = null
  let ended = false
  while (form === null && !ended && head.length < MOST_SPACE) {
    const next = await chunks.next()
    if (next.done === true) ended = true
    else if (head.length === 0) head = next.value
    else head = Buffer.concat([head, next.value])
    form = formOf(head)
    // The chunk does not outlive the next one.
    if (form === null) head = head.slice()
  }
  return {
    form: form ?? 'pickle',
    source: {
      name: source.name,
      size: source.size,
      ...('compressed' in source ? { compressed: source.compressed } : {}),
      get consumed() {
        return source.consumed
      },
      async *chunks() {
        try {
          if (head.length > 0) yield head
          while (!ended) {
            const next = await chunks.next()
            if (next.done === true) return
            yield next.value
          }
        } finally {
          await chunks.return?.()
        }
      },
    },
  }
}
