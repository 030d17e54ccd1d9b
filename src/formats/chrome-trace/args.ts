/** Reads the `args` of one event when somebody asks for them: a byte range of the uncompressed stream, from a plain file or a gzip file. */
import { stat } from 'node:fs/promises'
import type { CheckedFile } from '../../shared/reader'
import { fileSource, isGzip, openRegular } from '../source'

/** Bytes around a range that are kept, so that the neighbours of an event need no second pass over a gzip file. */
const WINDOW = 1024 * 1024
const WINDOWS = 8

interface Window {
  readonly key: string
  readonly start: number
  readonly bytes: Uint8Array
}

/** Least recently used first. */
let windows: Window[] = []
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Text of the bytes `offset .. offset + length` of the uncompressed stream; invalid UTF-8 becomes U+FFFD. For gzip the stream is inflated up to
 * there, which takes time in proportion to the offset; a few windows of 1 MiB are kept. Rejects with a RangeError when the file is shorter (it
 * changed since it was read), and with the system's error when it cannot be opened, or is not the file `at` any more.
 */
export async function readArgsText(path: string, offset: number, length: number, at?: CheckedFile): Promise<string> {
  const s = await stat(path, { bigint: true })
  const key = `${path}\0${s.dev}:${s.ino}:${s.size}:${s.mtimeNs}`
  const kept = windows.find(w => w.key === key && w.start <= offset && offset + length <= w.start + w.bytes.length)
  if (kept) {
    windows = [...windows.filter(w => w !== kept), kept]
    return text(kept, offset, length)
  }
  const start = Math.max(0, offset - (WINDOW >> 2))
  const end = Math.max(offset + length, start + WINDOW)
  const window: Window = { key, start, bytes: await range(path, start, end, at) }
  if (window.start + window.bytes.length < offset + length)
    throw new RangeError(`the file ends before byte ${offset + length}; it has changed since it was read`)
  if (window.bytes.length <= 2 * WINDOW) windows = [...windows.slice(1 - WINDOWS), window]
  return text(window, offset, length)
}

const text = (w: Window, offset: number, length: number): string =>
  decoder.decode(w.bytes.subarray(offset - w.start, offset - w.start + length))

/** Bytes `start .. end` of the uncompressed stream, fewer where it ends before. */
async function range(path: string, start: number, end: number, at: CheckedFile | undefined): Promise<Uint8Array> {
  const out = new Uint8Array(end - start)
  const { handle } = await openRegular(path, at)
  try {
    const head = new Uint8Array(2)
    await handle.read(head, 0, 2, 0)
    if (!isGzip(head)) {
      let got = 0
      while (got < out.length) {
        const { bytesRead } = await handle.read(out, got, out.length - got, start + got)
        if (bytesRead === 0) break
        got += bytesRead
      }
      return out.subarray(0, got)
    }
  } finally {
    await handle.close()
  }
  const source = await fileSource(path, path, undefined, at)
  try {
    let at = 0
    let got = 0
    for await (const chunk of source.chunks()) {
      const from = Math.max(start, at)
      const to = Math.min(end, at + chunk.length)
      if (from < to) {
        out.set(chunk.subarray(from - at, to - at), from - start)
        got = to - start
      }
      at += chunk.length
      if (at >= end) break
    }
    return out.subarray(0, got)
  } finally {
    await source.close()
  }
}
