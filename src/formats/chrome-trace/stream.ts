/** Bytes of a trace once more, for those who look through all of it: ranges of the uncompressed stream, piece by piece, from a plain file or a gzip file. */
import type { CheckedFile } from '../../shared/reader'
import { fileSource, isGzip, openRegular } from '../source'

export type ByteRange = readonly [from: number, to: number]

export interface BytePiece {
  /** Place in the uncompressed stream. */
  readonly offset: number
  /** Valid until the next piece is asked for. */
  readonly bytes: Uint8Array
}

const CHUNK = 1024 * 1024

/**
 * The bytes of `ranges` (ascending, disjoint). A plain file is read there only; a gzip file is inflated once up to the end of the last range. Pieces end early where the file
 * does. Rejects with the system's error when it cannot be opened or read, or is not the file `at` any more.
 */
export async function* streamBytes(
  path: string,
  ranges: readonly ByteRange[],
  at?: CheckedFile,
  chunk = CHUNK,
): AsyncGenerator<BytePiece, void, undefined> {
  const { handle } = await openRegular(path, at)
  try {
    const head = new Uint8Array(2)
    await handle.read(head, 0, 2, 0)
    if (!isGzip(head)) {
      const buffer = new Uint8Array(chunk)
      for (const [from, to] of ranges)
        for (let offset = from; offset < to;) {
          const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - offset), offset)
          if (bytesRead === 0) return
          yield { offset, bytes: buffer.subarray(0, bytesRead) }
          offset += bytesRead
        }
      return
    }
  } finally {
    await handle.close()
  }
  yield* inflated(path, ranges, at, chunk)
}

async function* inflated(
  path: string,
  ranges: readonly ByteRange[],
  at: CheckedFile | undefined,
  chunk: number,
): AsyncGenerator<BytePiece, void, undefined> {
  const source = await fileSource(path, path, chunk, at)
  try {
    let next = 0
    let place = 0
    for await (const part of source.chunks()) {
      const end = place + part.length
      for (; next < ranges.length; next++) {
        const [from, to] = ranges[next] as ByteRange
        const a = Math.max(from, place)
        const b = Math.min(to, end)
        if (a < b) yield { offset: a, bytes: part.subarray(a - place, b - place) }
        if (to > end) break
      }
      place = end
      if (next >= ranges.length) return
    }
  } finally {
    await source.close()
  }
}
