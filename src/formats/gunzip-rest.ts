/**
 * What a damaged gzip stream gives out before the damage. zlib forgets what it decoded in the call that meets the damage, up to a whole output chunk; here the place is
 * narrowed down to one byte of input by decoding again with smaller and smaller pieces around it.
 */
import { createGunzip } from 'node:zlib'
import type { ByteSource } from '../shared/reader'

/** Input pieces per narrowing: two passes take 4 MiB to single bytes. */
const PIECES = 4096

interface Failure {
  /** Offset in the input of the piece whose decoding failed, and of its end. */
  readonly from: number
  readonly to: number
}

/**
 * The decoded bytes from offset `emitted` on, up to the damage. `inner` is read again from its beginning, up to three times.
 * Yields nothing more where the damage does not show again (the file changed). The result is the offset in the input at which decoding fails; null then.
 */
export async function* gunzipRest(inner: ByteSource, emitted: number): AsyncGenerator<Uint8Array, number | null> {
  let around: Failure | null = { from: 0, to: 0 }
  for (;;) {
    const size: number = around.to > 0 ? Math.max(1, Math.ceil((around.to - around.from) / PIECES)) : Infinity
    const out: Uint8Array[] = []
    const last: boolean = size === 1
    let at = 0
    around = await decode(inner, around, size, bytes => {
      const from = Math.max(0, emitted - at)
      if (last && from < bytes.length) out.push(bytes.subarray(from))
      at += bytes.length
    })
    if (around === null) return null
    if (!last) continue
    yield* out
    return around.from
  }
}

/** Decodes from the beginning, in pieces of `size` bytes within `around`; the piece that fails, or null. */
async function decode(inner: ByteSource, around: Failure, size: number, take: (bytes: Uint8Array) => void): Promise<Failure | null> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 })
  let failed = false
  const closed = new Promise<void>(r => gunzip.once('close', r))
  gunzip.on('error', () => (failed = true))
  gunzip.on('data', take)
  try {
    let at = 0
    for await (const chunk of inner.chunks()) {
      for (let i = 0; i < chunk.length;) {
        const from = at + i
        const to = Math.min(at + chunk.length, from < around.from ? around.from : from < around.to ? from + size : Infinity)
        const piece = chunk.slice(i, to - at)
        await Promise.race([new Promise<void>(r => gunzip.write(piece, () => r())), closed])
        // The error may be told only after the callback.
        if (gunzip.errored) failed = true
        if (failed) return { from, to }
        i += piece.length
      }
      at += chunk.length
    }
    return null
  } finally {
    gunzip.destroy()
  }
}
