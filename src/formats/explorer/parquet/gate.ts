/**
 * Looks at an uncompressed page before the Parquet library decodes it. The library trusts counts: a run that claims a thousand million values is written out, wherever the
 * page ends. What passes here has no more values than its header says, and that number is bounded by what the rows need.
 */
import type { Encoding, PageHeader, ParquetType } from 'hyparquet'
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'

/** Values of one page at most. */
export const PAGE_VALUES = 8 * 1024 * 1024
/** Bytes of an uncompressed page at most, and of the texts that front coding makes of one. */
export const PAGE_BYTES = 256 * 1024 * 1024

/** What the page says is not so; the text goes into the diagnostic. */
export class PageFault extends Error {
  override readonly name = 'PageFault'
}

export interface Levels {
  readonly maxRepetition: number
  readonly maxDefinition: number
}

/** `page`: the uncompressed bytes of a data page of version 1, or of a dictionary. Throws PageFault. */
export function checkPage(page: Uint8Array, h: PageHeader, type: ParquetType, fixed: number, levels: Levels): void {
  if (h.type === 'DICTIONARY_PAGE') {
    const n = h.dictionary_page_header?.num_values ?? -1
    bound(n, page.length)
    checkPlain(page, 0, n, type, fixed)
    return
  }
  const d = h.data_page_header
  if (!d) throw new PageFault('a page without its header')
  const view = viewOf(page)
  let at = 0
  let nulls = 0
  if (levels.maxRepetition > 0) at = prefixed(view, at, levels.maxRepetition, d.num_values).end
  if (levels.maxDefinition > 0) {
    const found = prefixed(view, at, levels.maxDefinition, d.num_values)
    at = found.end
    nulls = d.num_values - found.top
  }
  checkValues(page, at, d.num_values - nulls, d.encoding, type, fixed, false)
}

/** The levels of a data page of version 2, which are never compressed. Throws PageFault. */
export function checkLevelsV2(body: Uint8Array, h: PageHeader, levels: Levels): void {
  const d = h.data_page_header_v2
  if (!d) throw new PageFault('a page without its header')
  const { repetition_levels_byte_length: r, definition_levels_byte_length: f } = d
  // Written so that members that are not there are refused too.
  if (!(r >= 0 && f >= 0 && r + f <= body.length)) throw new PageFault('levels are longer than their page')
  if (!(d.num_nulls >= 0 && d.num_nulls <= d.num_values && d.num_rows >= 0 && d.num_rows <= d.num_values))
    throw new PageFault('a page has more nulls or rows than values')
  const view = viewOf(body)
  if (levels.maxRepetition > 0) hybrid(view, 0, r, levels.maxRepetition, d.num_values)
  if (levels.maxDefinition > 0) hybrid(view, r, r + f, levels.maxDefinition, d.num_values)
}

/** The values of a data page of version 2. Throws PageFault. */
export function checkValuesV2(page: Uint8Array, h: PageHeader, type: ParquetType, fixed: number): void {
  const d = h.data_page_header_v2
  if (d) checkValues(page, 0, d.num_values - d.num_nulls, d.encoding, type, fixed, true)
}

const viewOf = (b: Uint8Array): DataView => new DataView(b.buffer, b.byteOffset, b.byteLength)

function bound(n: number, bytes: number): void {
  if (!(n >= 0) || n > PAGE_VALUES) throw new PageFault(`a page of ${n} values in ${bytes} bytes`)
}

function checkValues(page: Uint8Array, at: number, n: number, encoding: Encoding, type: ParquetType, fixed: number, v2: boolean): void {
  bound(n, page.length)
  if (n === 0) return
  const view = viewOf(page)
  switch (encoding) {
    case 'PLAIN':
      checkPlain(page, at, n, type, fixed)
      return
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY': {
      const width = page[at]
      if (at >= page.length || width > 31) throw new PageFault('indices without a width')
      // Of width 0 nothing need follow: all are the first. The library looks for runs in pages of version 2 only.
      if (width > 0 || v2) runs(view, at + 1, page.length, width, n, 0)
      return
    }
    case 'RLE':
      if (type !== 'BOOLEAN') throw new PageFault('run lengths of what is no boolean')
      prefixed(view, at, 1, n)
      return
    case 'DELTA_BINARY_PACKED':
    case 'DELTA_LENGTH_BYTE_ARRAY':
      deltaHeader(page, at)
      return
    case 'DELTA_BYTE_ARRAY': {
      const reader = { view, offset: at }
      const lengths = [new Int32Array(n), new Int32Array(n)]
      let bytes = 0
      for (const l of lengths) {
        deltaHeader(page, reader.offset)
        deltaBinaryUnpack(reader, n, l)
        for (const v of l) {
          if (v < 0) throw new PageFault('a text of negative length')
          bytes += v
        }
      }
      if (bytes > PAGE_BYTES) throw new PageFault(`texts of ${bytes} bytes in a page of ${page.length}`)
      return
    }
    case 'BYTE_STREAM_SPLIT':
      if (n * widthOf(type, fixed) > page.length - at) throw new PageFault('values beyond the end of their page')
      return
    default:
      throw new PageFault(`values encoded as ${encoding}`)
  }
}

/** Bytes that a value takes at least. */
const widthOf = (type: ParquetType, fixed: number): number =>
  type === 'INT64' || type === 'DOUBLE' ? 8 : type === 'INT96' ? 12 : type === 'FIXED_LEN_BYTE_ARRAY' ? Math.max(1, fixed) : 4

function checkPlain(page: Uint8Array, at: number, n: number, type: ParquetType, fixed: number): void {
  const needed = type === 'BOOLEAN' ? Math.ceil(n / 8) : n * widthOf(type, fixed)
  if (needed > page.length - at) throw new PageFault(`${n} values need more than the ${page.length - at} bytes of their page`)
  if (type !== 'BYTE_ARRAY') return
  const view = viewOf(page)
  for (let i = 0; i < n; i++) {
    if (at + 4 > page.length) throw new PageFault('texts beyond the end of their page')
    at += 4 + view.getUint32(at, true)
  }
  if (at > page.length) throw new PageFault('texts beyond the end of their page')
}

/** Levels (or booleans) with their length before them. */
function prefixed(view: DataView, at: number, max: number, n: number): { readonly end: number; readonly top: number } {
  if (at + 4 > view.byteLength) throw new PageFault('levels beyond the end of their page')
  const end = at + 4 + view.getUint32(at, true)
  if (end > view.byteLength) throw new PageFault('levels beyond the end of their page')
  return { end, top: hybrid(view, at + 4, end, max, n) }
}

const hybrid = (view: DataView, at: number, end: number, max: number, n: number): number =>
  runs(view, at, end, 32 - Math.clz32(max), n, max)

/** Goes over runs of `width` bits until `n` values are seen; answers how many of them are `wanted`. */
function runs(view: DataView, at: number, end: number, width: number, n: number, wanted: number): number {
  const bytes = (width + 7) >> 3
  let seen = 0
  let found = 0
  while (seen < n) {
    let head = 0
    for (let k = 0; ; k++) {
      if (at >= end || k > 4) throw new PageFault('runs end before their values')
      const b = view.getUint8(at++)
      head += (b & 127) * 2 ** (7 * k)
      if (b < 128) break
    }
    const count = Math.floor(head / 2)
    if (head % 2 === 0) {
      if (count > n - seen || at + bytes > end) throw new PageFault(`a run of ${count} values where ${n - seen} are left`)
      let v = 0
      for (let k = 0; k < bytes; k++) v |= view.getUint8(at + k) << (8 * k)
      if (v === wanted) found += count
      at += bytes
      seen += count
    } else {
      // Groups of eight; the last may hold more than are left.
      if (count === 0 || (count - 64) * 8 > n - seen || at + count * width > view.byteLength)
        throw new PageFault(`a run of ${count * 8} values where ${n - seen} are left`)
      const values = Math.min(count * 8, n - seen)
      if (at + Math.ceil((values * width) / 8) > end) throw new PageFault('runs beyond the end of their page')
      if (wanted > 0) for (let i = 0; i < values; i++) if (bits(view, at, i * width, width) === wanted) found++
      at += count * width
      seen += values
    }
  }
  return found
}

/** Levels are a few bits wide. */
function bits(view: DataView, at: number, bit: number, width: number): number {
  const byte = at + (bit >> 3)
  const low = view.getUint8(byte) | ((byte + 1 < view.byteLength ? view.getUint8(byte + 1) : 0) << 8)
  return (low >> (bit & 7)) & ((1 << width) - 1)
}

/** Block sizes of delta coding: the library makes room for as many widths as are claimed. */
function deltaHeader(page: Uint8Array, at: number): void {
  const values: number[] = []
  for (let i = 0; i < 2; i++) {
    let v = 0
    for (let k = 0; ; k++) {
      if (at >= page.length || k > 4) throw new PageFault('a delta block without its header')
      const b = page[at++]
      v += (b & 127) * 2 ** (7 * k)
      if (b < 128) break
    }
    values.push(v)
  }
  const [block, mini] = values
  if (block < 8 || block > 2 ** 20 || mini < 1 || mini > 2 ** 12 || block % mini !== 0)
    throw new PageFault(`a delta block of ${block} values in ${mini} parts`)
}
