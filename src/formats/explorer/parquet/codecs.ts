/** Decompression of Parquet pages to a size that is known and bounded beforehand. Throws where the data is damaged. */
import zlib from 'node:zlib'
import type { CompressionCodec } from 'hyparquet'
import { compressors, decompressZstd } from 'hyparquet-compressors'

const bounded = (maxOutputLength: number): { maxOutputLength: number } => ({ maxOutputLength: Math.max(1, maxOutputLength) })

const CODECS: Partial<Record<CompressionCodec, (input: Uint8Array, length: number) => Uint8Array>> = {
  UNCOMPRESSED: input => input,
  SNAPPY: (input, length) => library('SNAPPY', input, length),
  GZIP: (input, length) => plain(zlib.gunzipSync(input, bounded(length))),
  BROTLI: (input, length) => plain(zlib.brotliDecompressSync(input, bounded(length))),
  ZSTD: zstd,
  LZ4: (input, length) => library('LZ4', input, length),
  LZ4_RAW: (input, length) => library('LZ4_RAW', input, length),
}

export const isKnownCodec = (codec: CompressionCodec): boolean => Object.hasOwn(CODECS, codec)

export function decompress(codec: CompressionCodec, input: Uint8Array, length: number): Uint8Array {
  const run = CODECS[codec]
  if (!run) throw new Error(`pages are compressed by ${codec}`)
  const out = length === 0 && input.length === 0 ? input : run(input, length)
  if (out.length !== length) throw new Error(`a page has ${out.length} bytes where its header says ${length}`)
  return out
}

function library(codec: 'SNAPPY' | 'LZ4' | 'LZ4_RAW', input: Uint8Array, length: number): Uint8Array {
  const run = compressors[codec]
  if (!run) throw new Error(`no decompressor of ${codec}`)
  return run(input, length)
}

/** Node's own where it has it: it checks sizes and checksums. */
function zstd(input: Uint8Array, length: number): Uint8Array {
  const native = (zlib as { readonly zstdDecompressSync?: (b: Uint8Array, o: { maxOutputLength: number }) => Buffer }).zstdDecompressSync
  return native ? plain(native(input, bounded(length))) : zstdByLibrary(input, length)
}

/**
 * For Node 20. Into a buffer of the right size, which bounds what the library makes. It does not tell when the data ends earlier, so the size that the frame declares is compared;
 * frames of writers that stream have none.
 */
export function zstdByLibrary(input: Uint8Array, length: number): Uint8Array {
  const flags = input[4] ?? 0
  const single = (flags >> 5) & 1
  const bytes = flags >> 6 > 0 ? 1 << (flags >> 6) : single
  const at = 6 - single + [0, 1, 2, 4][flags & 3]
  let declared = bytes === 2 ? 256 : 0
  for (let i = bytes - 1, scale = 256 ** i; i >= 0; i--, scale /= 256) declared += (input[at + i] ?? 0) * scale
  if (bytes > 0 && declared !== length) throw new Error(`a page has ${declared} bytes where its header says ${length}`)
  return decompressZstd(input, new Uint8Array(length))
}

/** Parts of a Buffer lie in a pool and at odd offsets; the Parquet library makes typed arrays over what it gets. */
const plain = (b: Buffer): Uint8Array => new Uint8Array(b.buffer, b.byteOffset, b.length)
