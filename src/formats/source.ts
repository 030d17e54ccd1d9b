/**
 * Byte sources for the readers: files (plain or gzip), buffers for tests, and gzip over either. Nothing here knows a format.
 */
import { constants, type Stats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import type { ByteSource, CheckedFile } from '../shared/reader'
import { gunzipRest } from './gunzip-rest'
import { assertOpened } from './opened'

export const CHUNK_BYTES = 4 * 1024 * 1024

/** A byte source that also tells what went wrong below the format: a cut or damaged gzip stream, a read error. */
export interface CheckedSource extends ByteSource {
  /** Set once the chunks have ended; null when all was well. */
  readonly problem: SourceProblem | null
  /** True for gzip input: offsets are those of the uncompressed stream. */
  readonly compressed: boolean
}
export interface SourceProblem {
  readonly code: 'gzip-truncated' | 'gzip-damaged' | 'read-error'
  readonly message: string
  /** Offset in the compressed file: of the damage, or up to which it was read. */
  readonly offset: number
}

/** Source over bytes in memory. `chunk` lets tests prove that results do not depend on how the input is cut. */
export function bufferSource(name: string, data: Uint8Array, chunk = CHUNK_BYTES): CheckedSource {
  let consumed = 0
  const plain: CheckedSource = {
    name,
    size: data.length,
    compressed: false,
    problem: null,
    get consumed() {
      return consumed
    },
    async *chunks() {
      for (let i = 0; i < data.length; i += chunk) {
        const part = data.subarray(i, Math.min(data.length, i + chunk))
        consumed = i + part.length
        yield part
      }
    },
    range(from, to) {
      const part = new Uint8Array(data.subarray(Math.max(0, from), Math.max(0, to))) // a copy: the slice of a Buffer is none
      consumed = Math.min(data.length, consumed + part.length)
      return Promise.resolve(part)
    },
  }
  return isGzip(data) ? gunzipSource(plain) : plain
}

export const isGzip = (head: Uint8Array): boolean => head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b

/** The path leads to a folder, a pipe, a device or a socket. Its code is shaped like those of the system. */
export class NotRegularFileError extends Error {
  override readonly name = 'NotRegularFileError'
  readonly code = 'ENOTREG'
}

/**
 * Opens a regular file for reading, without waiting for the other end of a pipe. `at`: the file that it must be (see opened.ts). Rejects with the system's error,
 * NotRegularFileError or OtherFileError; nothing stays open then.
 */
export async function openRegular(path: string, at?: CheckedFile): Promise<{ readonly handle: FileHandle; readonly stat: Stats }> {
  // Windows has no O_NONBLOCK.
  const nonblock = (constants as { readonly O_NONBLOCK?: number }).O_NONBLOCK ?? 0
  const handle = await open(path, constants.O_RDONLY | nonblock)
  try {
    if (at) await assertOpened(handle, at)
    const stat = await handle.stat()
    if (!stat.isFile())
      throw new NotRegularFileError(stat.isDirectory() ? 'it is a folder, not a regular file' : 'it is not a regular file')
    return { handle, stat }
  } catch (e) {
    await handle.close()
    throw e
  }
}

/**
 * Source over a regular file. Gzip is recognised by its magic bytes, not by the name. The file is opened once; the size is the one at opening,
 * so that a growing file is read up to where it was. Rejects as openRegular does.
 */
export async function fileSource(
  path: string,
  name: string,
  chunk = CHUNK_BYTES,
  at?: CheckedFile,
): Promise<CheckedSource & { close(): Promise<void> }> {
  const {
    handle,
    stat: { size },
  } = await openRegular(path, at)
  const head = new Uint8Array(2)
  let bytesRead: number
  try {
    bytesRead = (await handle.read(head, 0, 2, 0)).bytesRead
  } catch (e) {
    await handle.close()
    throw e
  }
  let consumed = 0
  let problem: SourceProblem | null = null
  const plain: CheckedSource = {
    name,
    size,
    compressed: false,
    get problem() {
      return problem
    },
    get consumed() {
      return consumed
    },
    async *chunks() {
      // The next piece is read while the one before is worked on.
      const room = Math.min(chunk, Math.max(1, size))
      let [buffer, other] = [new Uint8Array(room), new Uint8Array(size > room ? room : 0)]
      const read = (into: Uint8Array, at: number): Promise<number | Error> =>
        handle.read(into, 0, Math.min(into.length, size - at), at).then(
          r => r.bytesRead,
          (e: unknown) => (e instanceof Error ? e : new Error(String(e))),
        )
      let at = 0
      let next: Promise<number | Error> | null = size > 0 ? read(buffer, 0) : null
      try {
        while (next) {
          const got: number | Error = await next
          next = null
          if (typeof got !== 'number') {
            problem = { code: 'read-error', message: got.message, offset: at }
            return
          }
          if (got === 0) return // shrank while being read
          const piece = buffer.subarray(0, got)
          at += got
          if (at < size) {
            ;[buffer, other] = [other, buffer]
            next = read(buffer, at)
          }
          consumed = at
          yield piece
        }
      } finally {
        // The file must not be closed, nor the buffer be given up, under a read that is going on.
        await next
      }
    },
    async range(from, to) {
      const start = Math.max(0, from)
      const part = new Uint8Array(Math.max(0, Math.min(to, size) - start))
      let got = 0
      while (got < part.length) {
        const { bytesRead } = await handle.read(part, got, part.length - got, start + got)
        if (bytesRead === 0) break // shrank while being read
        got += bytesRead
      }
      consumed = Math.min(size, consumed + got)
      return part.subarray(0, got)
    },
  }
  const source = bytesRead === 2 && isGzip(head) ? gunzipSource(plain) : plain
  return Object.defineProperty(source, 'close', { value: () => handle.close() }) as CheckedSource & { close(): Promise<void> }
}

/**
 * Uncompressed view of a gzip source. What was decoded before a cut or a damage is yielded; the problem is told afterwards.
 * inflate gives out all it can with every write, so nothing is lost when the end is missing; before a damage it does not, so that part is decoded again.
 */
export function gunzipSource(inner: CheckedSource): CheckedSource {
  let problem: SourceProblem | null = null
  const told = (): SourceProblem | null => problem
  return {
    name: inner.name,
    size: inner.size,
    compressed: true,
    get problem() {
      return problem ?? inner.problem
    },
    get consumed() {
      return inner.consumed
    },
    async *chunks() {
      const gunzip = createGunzip({ chunkSize: 1024 * 1024 })
      const ready: Uint8Array[] = []
      let emitted = 0
      let done = false
      let wake: (() => void) | null = null
      const signal = (): void => {
        wake?.()
        wake = null
      }
      gunzip.on('data', (b: Buffer) => {
        ready.push(b)
        if (ready.length > 8) gunzip.pause()
        signal()
      })
      gunzip.on('error', (e: NodeJS.ErrnoException) => {
        problem = { code: e.code === 'Z_BUF_ERROR' ? 'gzip-truncated' : 'gzip-damaged', message: e.message, offset: inner.consumed }
      })
      gunzip.on('close', () => {
        done = true
        signal()
      })
      const closed = new Promise<void>(r => gunzip.once('close', r))
      const feed = (async () => {
        for await (const part of inner.chunks()) {
          if (gunzip.destroyed) return
          // The inner buffer is reused for the next chunk, so zlib gets a copy.
          if (!gunzip.write(part.slice())) await Promise.race([new Promise<void>(r => gunzip.once('drain', r)), closed])
        }
        if (!gunzip.destroyed) gunzip.end()
      })()
      try {
        for (;;) {
          const next = ready.shift()
          if (next) {
            if (ready.length < 4) gunzip.resume()
            emitted += next.length
            yield next
          } else if (done) break
          else await new Promise<void>(r => (wake = r))
        }
        await feed
        if (told()?.code === 'gzip-damaged') {
          const offset = yield* gunzipRest(inner, emitted)
          const message = told()?.message ?? ''
          // A header is two bytes, and the second one is found out.
          const behind = message === 'incorrect header check' && emitted > 0
          if (offset !== null)
            problem = {
              code: 'gzip-damaged',
              message: behind ? 'other bytes follow its end' : message,
              offset: behind ? offset - 1 : offset,
            }
        }
      } finally {
        gunzip.destroy()
      }
    },
  }
}
