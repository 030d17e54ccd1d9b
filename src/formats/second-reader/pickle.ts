/** A pickle as pickleparser reads it, with a count of the integers that it gets wrong. Sources: README.md beside this. */
import { dependencies } from '../../../package.json'
import type { SecondReading } from '../../shared/verify'

const READER = `pickleparser ${dependencies.pickleparser}`
const LONG1 = 0x8a
const LONG4 = 0x8b

/**
 * Reads a whole pickle into Maps, lists and numbers. Never rejects: what it cannot read is the reason. Loads the library when called.
 * Blocks the thread while it reads.
 */
export async function readWithPickleparser(data: Uint8Array): Promise<SecondReading> {
  const { BufferReader, Parser } = await import('pickleparser')
  const misread = { negative: 0, large: 0 }

  /** Watches the integers go by. The parser asks `hasNext` before each opcode, then takes the opcode as a byte. */
  class Watching extends BufferReader {
    #atOpcode = false
    #opcode = 0
    override hasNext(): boolean {
      this.#atOpcode = true
      return super.hasNext()
    }
    override byte(): number {
      const b = super.byte()
      if (this.#atOpcode) this.#opcode = b
      this.#atOpcode = false
      return b
    }
    override bytes(length: number): Uint8Array {
      const b = super.bytes(length) as Uint8Array
      if (this.#opcode !== LONG1 && this.#opcode !== LONG4) return b
      const top = b[length - 1] ?? 0
      if (top >= 0x80) misread.negative++
      else if (this.#opcode === LONG1 && beyond53(b)) misread.large++
      // The sign byte of an unsigned 64-bit integer: without it the integer is rounded instead of refused.
      return length === 9 && top === 0 ? b.subarray(0, 8) : b
    }
  }

  const refuse = (what: string) => ({
    resolve: (): never => {
      throw new Error(`the file asks for a ${what}, which is refused`)
    },
  })
  const parser = new Parser({
    nameResolver: refuse('name'),
    persistentResolver: refuse('persistent object'),
    extensionResolver: refuse('registered extension'),
    // Objects would take `__proto__` as a key for their prototype.
    unpicklingTypeOfDictionary: 'Map',
  })
  const { warn } = console
  // One line for each rounded integer otherwise. Nothing else runs in between: the parser is synchronous.
  console.warn = () => undefined
  try {
    return { ok: true, reader: READER, value: parser.read(new Watching(data)) as unknown, misread }
  } catch (e) {
    return { ok: false, reader: READER, reason: `${READER} ${why(e)}` }
  } finally {
    console.warn = warn
  }
}

const beyond53 = (b: Uint8Array): boolean => (b.length > 7 || (b.length === 7 && (b[6] as number) >= 0x20) ? significant(b) > 53 : false)

/** Bits up to the highest one. */
function significant(b: Uint8Array): number {
  let i = b.length - 1
  while (i >= 0 && b[i] === 0) i--
  return i < 0 ? 0 : 8 * i + 32 - Math.clz32(b[i] as number)
}

function why(e: unknown): string {
  if (e instanceof RangeError) return 'cannot take a list of so many items in one piece'
  const message = e instanceof Error ? e.message : String(e)
  if (/too large/i.test(message)) return 'cannot take an integer of more than eight bytes'
  return `stops: ${message.slice(0, 200)}`
}
