/** Whether a trace seems to be in order of time. Only a guess by which the faster way to read it is tried first: what is read is the same. */
import type { ByteSource } from '../../shared/reader'
import type { Numbering } from './description'
import { FIRST_NS, LAST_NS } from './evidence'
import type { Sample } from './sample'

/** Smaller files are simply read again where the guess was wrong. */
const LARGE = 16 * 1024 * 1024
const PIECE = 64 * 1024

/** False where the times of the sample, or one found in each quarter of a large file, go back. `time`: the field of the time. */
export async function timesInOrder(source: ByteSource, time: NonNullable<ReturnType<Numbering['get']>>, sample: Sample): Promise<boolean> {
  let last = 0n
  for (const t of sample.fields.get(time.field)?.value ?? []) {
    if (t < FIRST_NS || t > LAST_NS) continue
    if (t < last) return false
    last = t
  }
  if (!source.range || source.size < LARGE || time.coding !== 'varint') return true
  for (const quarter of [1, 2, 3]) {
    const from = Math.floor((source.size * quarter) / 4)
    let t: bigint | null
    try {
      t = timeIn(await source.range(from, from + PIECE), time.field)
    } catch {
      return true // said when the file is read
    }
    if (t === null) continue
    if (t < last) return false
    last = t
  }
  return true
}

/** The first value of a field, anywhere in bytes, that is a time: nine bytes or more of a varint between 2015 and 2100 are hardly ever anything else. */
function timeIn(b: Uint8Array, field: number): bigint | null {
  const tag: number[] = []
  for (let rest = field * 8; ; rest = Math.floor(rest / 128)) {
    tag.push(rest >= 128 ? (rest % 128) + 128 : rest)
    if (rest < 128) break
  }
  for (let i = 0; i + tag.length + 10 < b.length; i++) {
    if (tag.some((v, k) => b[i + k] !== v)) continue
    let value = 0n
    for (let k = 0; k < 10; k++) {
      const c = b[i + tag.length + k] as number
      value |= BigInt(c & 0x7f) << BigInt(7 * k)
      if (c < 0x80) break
    }
    if (value >= FIRST_NS && value <= LAST_NS) return value
  }
  return null
}
