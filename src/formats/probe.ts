/**
 * The bounded look at a file that content sniffing works on: its first and last bytes, gzip looked through. Nothing here knows a format.
 */
import { fileSource, isGzip, openRegular, type SourceProblem } from './source'

export const HEAD_BYTES = 64 * 1024
/** Second look, for files whose first bytes leave the kind open (long metadata before the events). */
export const LONG_HEAD_BYTES = 4 * 1024 * 1024
export const TAIL_BYTES = 64 * 1024
/** Gzip files up to this (compressed) are inflated to their end to see whether they have one; of larger ones only the head is. */
export const GZIP_WHOLE_BYTES = 8 * 1024 * 1024
/** Never inflate more than this for a look. */
const INFLATE_LIMIT = 128 * 1024 * 1024

export interface Probe {
  readonly name: string
  /** Bytes of the file on disk. */
  readonly bytes: number
  readonly compressed: boolean
  /** First bytes of the content (uncompressed). */
  readonly head: Uint8Array
  /** Length of the content; null where it is compressed and was not inflated to its end. */
  readonly length: number | null
  /** Last bytes of the content and their offset; empty where the end was not looked at. */
  readonly tail: Uint8Array
  readonly tailAt: number
  /** What went wrong below the format. */
  readonly problem: SourceProblem | null
}

/** True when the head is the whole content. */
export const isWhole = (p: Probe): boolean => p.length !== null && p.head.length >= p.length

/** Reads head and tail. Rejects with the system's error when the file cannot be opened or is no regular file (a pipe is never waited for). */
export async function probeFile(path: string, name: string, headBytes = HEAD_BYTES): Promise<Probe> {
  const { handle, stat } = await openRegular(path)
  try {
    const bytes = stat.size
    const readAt = async (at: number, length: number): Promise<Uint8Array> => {
      const buffer = new Uint8Array(length)
      let got = 0
      while (got < length) {
        const { bytesRead } = await handle.read(buffer, got, length - got, at + got)
        if (bytesRead === 0) break
        got += bytesRead
      }
      return buffer.subarray(0, got)
    }
    const head = await readAt(0, Math.min(headBytes, bytes))
    if (isGzip(head)) return await probeGzip(path, name, bytes, headBytes)
    const tailAt = Math.max(0, bytes - TAIL_BYTES)
    const tail = tailAt < head.length ? head.subarray(tailAt) : new Uint8Array(0)
    const rest =
      bytes > head.length ? await readAt(Math.max(tailAt, head.length), bytes - Math.max(tailAt, head.length)) : tail.subarray(0, 0)
    return { name, bytes, compressed: false, head, length: bytes, tail: concat(tail, rest), tailAt, problem: null }
  } finally {
    await handle.close()
  }
}

async function probeGzip(path: string, name: string, bytes: number, headBytes: number): Promise<Probe> {
  const source = await fileSource(path, name, 256 * 1024)
  const toEnd = bytes <= GZIP_WHOLE_BYTES
  let head: Uint8Array = new Uint8Array(0)
  let tail: Uint8Array = new Uint8Array(0)
  let length = 0
  let ended = true
  try {
    for await (const part of source.chunks()) {
      length += part.length
      if (head.length < headBytes) head = concat(head, part.subarray(0, headBytes - head.length))
      tail =
        part.length >= TAIL_BYTES
          ? part.slice(-TAIL_BYTES)
          : concat(tail.subarray(Math.max(0, tail.length + part.length - TAIL_BYTES)), part)
      if ((!toEnd && head.length >= headBytes) || length > INFLATE_LIMIT) {
        ended = false
        break
      }
    }
  } finally {
    await source.close()
  }
  const looked = ended ? { length, tail, tailAt: length - tail.length } : { length: null, tail: tail.subarray(0, 0), tailAt: 0 }
  return { name, bytes, compressed: true, head, ...looked, problem: ended ? source.problem : null }
}

/** A probe over bytes in memory, for tests and for content inside other files. */
export function probeBytes(data: Uint8Array, name: string, headBytes = HEAD_BYTES): Probe {
  const tailAt = Math.max(0, data.length - TAIL_BYTES)
  const head = data.subarray(0, headBytes)
  return { name, bytes: data.length, compressed: false, head, length: data.length, tail: data.subarray(tailAt), tailAt, problem: null }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b.slice()
  if (b.length === 0) return a
  const out = new Uint8Array(a.length + b.length)
  out.set(a)
  out.set(b, a.length)
  return out
}
