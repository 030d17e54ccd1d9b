/**
 * A Parquet file, read by ranges: the footer first, then the columns that are asked for, page by page. Decoding is hyparquet's; what it is given was looked at before
 * (gate.ts, thrift.ts), so that no file makes it use more memory than its pages need. Layout: https://parquet.apache.org/docs/file-format/.
 */
import {
  parquetMetadata,
  parquetSchema,
  type ColumnMetaData,
  type FileMetaData,
  type PageHeader,
  type ParquetParsers,
  type SchemaTree,
} from 'hyparquet'
import { parquetHeader, readPage } from 'hyparquet/src/column.js'
import { convert } from 'hyparquet/src/convert.js'
import { getMaxDefinitionLevel, getMaxRepetitionLevel, isFlatColumn } from 'hyparquet/src/schema.js'
import type { ByteSource } from '../../../shared/reader'
import { decompress, isKnownCodec } from './codecs'
import { checkLevelsV2, checkPage, checkValuesV2, PAGE_BYTES, PAGE_VALUES, PageFault } from './gate'
import { CUT, structEnd } from './thrift'

/** Bytes of a footer at most. Real ones are some hundred kB. */
export const FOOTER_BYTES = 16 * 1024 * 1024
const FOOTER_PARTS = 4_000_000
const SCHEMA_ELEMENTS = 4096
const ROW_GROUPS = 100_000
const PAGE_HEADER_BYTES = 1024 * 1024
const PAGE_HEADER_PARTS = 10_000
const READ_AHEAD = 1024 * 1024
/** Rows are believed up to this many per byte of the file, and a million in any case: runs cost nothing on disk, but memory here. */
const ROWS_PER_BYTE = 8
const ROWS_ALWAYS = 1_000_000
const maxRows = (bytes: number): number => Math.max(ROWS_ALWAYS, bytes * ROWS_PER_BYTE)

export interface ParquetFault {
  readonly code: 'parquet-no-range' | 'parquet-truncated' | 'parquet-footer' | 'parquet-limit'
  readonly message: string
  readonly offset: number | null
}

/** A column of the outermost level: a value per row, or a list of values per row. */
export interface Leaf {
  readonly name: string
  readonly path: readonly SchemaTree[]
  readonly list: boolean
  readonly type: string
}

export interface ParquetFile {
  readonly source: ByteSource
  readonly range: (from: number, to: number) => Promise<Uint8Array>
  readonly meta: FileMetaData
  /** Rows of each row group. */
  readonly groups: readonly number[]
  readonly rows: number
  readonly leaves: ReadonlyMap<string, Leaf>
  /** Columns that are neither a value nor a list of values per row. */
  readonly nested: readonly string[]
  readonly dataEnd: number
}

/** Reads the footer. */
export async function openParquet(source: ByteSource): Promise<ParquetFile | ParquetFault> {
  const range = source.range?.bind(source)
  if (!range) return { code: 'parquet-no-range', message: 'The Parquet file is compressed as a whole.', offset: null }
  const { size } = source
  const tail = await range(Math.max(0, size - 8), size)
  if (size < 12 || tail.length < 8 || String.fromCharCode(...tail.subarray(4)) !== 'PAR1')
    return { code: 'parquet-truncated', message: 'The file does not end with the footer of a Parquet file.', offset: size }
  const length = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true)
  const at = size - 8 - length
  if (at < 4) return { code: 'parquet-footer', message: `The footer claims ${length} bytes in a file of ${size}.`, offset: size - 8 }
  if (length > FOOTER_BYTES)
    return { code: 'parquet-limit', message: `The footer of ${length} bytes is longer than the ${FOOTER_BYTES} that are read.`, offset: at }
  const bytes = await range(at, size)
  if (bytes.length !== length + 8) return { code: 'parquet-truncated', message: 'The file became shorter while it was read.', offset: at }
  const bad = (message: string): ParquetFault => ({ code: 'parquet-footer', message, offset: at })
  const end = structEnd(bytes, 0, length, { parts: FOOTER_PARTS })
  if (end < 0)
    return bad(end === CUT ? 'The footer ends inside itself.' : 'The footer is no metadata of a Parquet file, or has too many parts.')
  try {
    const meta = parquetMetadata(bytes, { geoparquet: false, parsers: PARSERS })
    if (meta.schema.length > SCHEMA_ELEMENTS || meta.row_groups.length > ROW_GROUPS)
      return {
        code: 'parquet-limit',
        message: `The file has ${meta.schema.length} schema elements and ${meta.row_groups.length} row groups.`,
        offset: at,
      }
    const groups = meta.row_groups.map(g => Number(g.num_rows))
    const rows = groups.reduce((a, b) => a + b, 0)
    if (!groups.every(n => Number.isSafeInteger(n) && n >= 0) || rows !== Number(meta.num_rows))
      return bad(`The footer says ${meta.num_rows} rows, its row groups ${rows}.`)
    if (rows > maxRows(size)) return { code: 'parquet-limit', message: `The footer claims ${rows} rows in ${size} bytes.`, offset: at }
    return { source, range, meta, groups, rows, ...leavesOf(meta), dataEnd: at }
  } catch (e) {
    return bad(`The footer cannot be read: ${reason(e)}.`)
  }
}

export const isFault = (f: ParquetFile | ParquetFault): f is ParquetFault => 'code' in f
export const reason = (e: unknown): string => (e instanceof Error ? e.message.replace(/^parquet /, '') : String(e))

function leavesOf(meta: FileMetaData): Pick<ParquetFile, 'leaves' | 'nested'> {
  const root = parquetSchema(meta)
  const leaves = new Map<string, Leaf>()
  const nested: string[] = []
  for (const child of root.children) {
    if (typeof child.element.name !== 'string') continue
    const path = [root, child]
    let node = child
    while (node.children.length === 1) path.push((node = node.children[0]))
    const repeated = getMaxRepetitionLevel(path)
    if (node.children.length > 0 || repeated > 1 || (path.length > 2 && repeated === 0)) nested.push(child.element.name)
    else leaves.set(child.element.name, { name: child.element.name, path, list: !isFlatColumn(path), type: node.element.type ?? '' })
  }
  return { leaves, nested }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
/** Times stay integers of ns, dates and everything else what they are. */
const PARSERS: ParquetParsers = {
  timestampFromMilliseconds: v => v * 1_000_000n,
  timestampFromMicroseconds: v => v * 1000n,
  timestampFromNanoseconds: v => v,
  dateFromDays: v => v,
  stringFromBytes: v => decoder.decode(v),
  jsonFromBytes: v => decoder.decode(v),
  geometryFromBytes: () => null,
  geographyFromBytes: () => null,
  uuidFromBytes: v => Buffer.from(v).toString('hex'),
}

export type Visit = (row: number, value: unknown) => void

/**
 * Reads one column of one row group; `visit` gets every row of it in order, with null where there is no value and a list where the column is one. Answers null, or what was
 * wrong and where: the rows visited before are right. Rejects with what the system says.
 */
export async function readColumn(
  file: ParquetFile,
  group: number,
  leaf: Leaf,
  visit: Visit,
): Promise<{ readonly message: string; readonly offset: number } | null> {
  let at = file.dataEnd
  try {
    const pages = open(file, group, leaf)
    try {
      await pages.read(file.groups[group], visit)
    } finally {
      at = pages.pageAt
    }
    return null
  } catch (e) {
    // What the disk says is not about the file's content.
    if (e instanceof Error && 'code' in e && typeof e.code === 'string' && 'syscall' in e) throw e
    return { message: `column ${leaf.name}: ${reason(e)}`, offset: at }
  }
}

/** The pages of a column. Throws where the footer says what cannot be; members that should be there may be missing or of other types. */
function open(file: ParquetFile, group: number, leaf: Leaf): Pages {
  const names = leaf.path.slice(1).map(p => p.element.name)
  const chunk = file.meta.row_groups[group].columns.find(c => c.meta_data?.path_in_schema?.join('\0') === names.join('\0'))
  const meta = chunk?.meta_data
  if (!chunk || !meta) throw new PageFault(`row group ${group + 1} does not have it`)
  if (chunk.file_path) throw new PageFault('it stands in another file')
  const dictionary = meta.dictionary_page_offset
  const from = Number(dictionary && dictionary < meta.data_page_offset ? dictionary : meta.data_page_offset)
  const to = from + Number(meta.total_compressed_size)
  if (!(from >= 4 && to >= from && to <= file.dataEnd)) throw new PageFault(`it should lie at ${from} to ${to}, outside of the data`)
  if (!isKnownCodec(meta.codec)) throw new PageFault(`it is compressed by ${meta.codec}`)
  return new Pages(file, meta, leaf, from, to)
}

class Pages {
  pageAt: number
  readonly #file: ParquetFile
  readonly #meta: ColumnMetaData
  readonly #leaf: Leaf
  readonly #to: number
  /** Bytes read ahead, and the offset of the first. */
  #b: Uint8Array = new Uint8Array(0)
  #base: number
  #at: number
  #dictionary: ReturnType<typeof convert> | undefined

  constructor(file: ParquetFile, meta: ColumnMetaData, leaf: Leaf, from: number, to: number) {
    this.#file = file
    this.#meta = meta
    this.#leaf = leaf
    this.#base = from
    this.#at = from
    this.#to = to
    this.pageAt = from
  }

  /** Bytes from the current place, `n` of them or up to the end of the column. Kept ones are never overwritten: values may lie in them. */
  async #peek(n: number): Promise<Uint8Array> {
    const end = Math.min(this.#to, this.#at + n)
    if (end > this.#base + this.#b.length) {
      this.#b = await this.#file.range(this.#at, Math.min(this.#to, Math.max(end, this.#at + READ_AHEAD)))
      this.#base = this.#at
      if (this.#base + this.#b.length < end) throw new PageFault('the file became shorter while it was read')
    }
    return this.#b.subarray(this.#at - this.#base, end - this.#base)
  }

  async #header(): Promise<PageHeader> {
    for (let n = 4096; ; n *= 16) {
      const b = await this.#peek(Math.min(n, PAGE_HEADER_BYTES))
      const end = structEnd(b, 0, b.length, { parts: PAGE_HEADER_PARTS })
      if (end >= 0) {
        this.#at += end
        return parquetHeader({ view: new DataView(b.buffer, b.byteOffset, end), offset: 0 })
      }
      if (end !== CUT || n >= PAGE_HEADER_BYTES || this.#at + b.length >= this.#to) throw new PageFault('the header of a page is damaged')
    }
  }

  async read(rows: number, visit: Visit): Promise<void> {
    const { path, list } = this.#leaf
    const total = Number(this.#meta.num_values)
    if (!(total >= 0) || (list ? total > maxRows(this.#file.source.size) : total !== rows))
      throw new PageFault(`${total} values for ${rows} rows`)
    let values = 0
    let row = 0
    let pending: unknown[] = []
    const give = (v: unknown): void => {
      if (row >= rows) throw new PageFault('more values than rows')
      visit(row++, v)
    }
    while (values < total && this.#at < this.#to) {
      this.pageAt = this.#at
      const h = await this.#header()
      const { compressed_page_size: size, uncompressed_page_size: plain } = h
      if (!(size >= 0 && size <= this.#to - this.#at) || !(plain >= 0 && plain <= PAGE_BYTES))
        throw new PageFault(`a page of ${size} bytes, ${plain} uncompressed`)
      const body = await this.#peek(size)
      this.#at += size
      if (h.type === 'DICTIONARY_PAGE') {
        this.#dictionary = this.#decodeDictionary(body, h)
        continue
      }
      if (h.type !== 'DATA_PAGE' && h.type !== 'DATA_PAGE_V2') continue
      const n = (h.type === 'DATA_PAGE' ? h.data_page_header?.num_values : h.data_page_header_v2?.num_values) ?? -1
      if (!(n >= 0 && n <= PAGE_VALUES && n <= total - values))
        throw new PageFault(`a page of ${n} values where ${total - values} are left`)
      values += n
      if (n === 0) continue
      const data = this.#decode(body, h, list ? pending : undefined)
      if (!list) {
        if (data.length !== n) throw new PageFault(`${data.length} values where the header of the page says ${n}`)
        for (let i = 0; i < n; i++) give(present(data[i]))
      } else {
        // The last row may go on in the next page.
        for (let i = 0; i < data.length - 1; i++) give(leafValues(data[i]))
        pending = data.length > 0 ? [data[data.length - 1]] : []
      }
    }
    for (const v of pending) give(leafValues(v))
    if (values < total || row < rows) throw new PageFault(`${list ? row : values} values where there should be ${list ? rows : total}`)
    if (path.length === 0) throw new PageFault('no column')
  }

  #decoder(h: PageHeader): Parameters<typeof readPage>[2] {
    const { path } = this.#leaf
    const { element } = path[path.length - 1]
    const fixed = element.type_length ?? 0
    const levels = { maxRepetition: getMaxRepetitionLevel([...path]), maxDefinition: getMaxDefinitionLevel([...path]) }
    const { codec, type } = this.#meta
    return {
      pathInSchema: this.#meta.path_in_schema,
      type,
      element,
      schemaPath: [...path],
      parsers: PARSERS,
      // The library calls the decompressor of a codec on every page, but not where the codec is "none". By another name it does, and the pages are looked at there.
      codec: 'LZO',
      compressors: {
        LZO: (input, length) => {
          const page = decompress(codec, input, length)
          if (h.type === 'DATA_PAGE_V2') checkValuesV2(page, h, type, fixed)
          else checkPage(page, h, type, fixed, levels)
          return page
        },
      },
    }
  }

  #decode(body: Uint8Array, h: PageHeader, previous: unknown[] | undefined): ArrayLike<unknown> {
    const decoder = this.#decoder(h)
    const v2 = h.type === 'DATA_PAGE_V2' ? h.data_page_header_v2 : undefined
    if (v2) {
      const { path } = this.#leaf
      checkLevelsV2(body, h, { maxRepetition: getMaxRepetitionLevel([...path]), maxDefinition: getMaxDefinitionLevel([...path]) })
      const levels = v2.definition_levels_byte_length + v2.repetition_levels_byte_length
      if (h.uncompressed_page_size < levels) throw new PageFault('levels are longer than their page')
      if (v2.is_compressed === false) checkValuesV2(body.subarray(levels), h, this.#meta.type, decoder.element.type_length ?? 0)
    }
    const encoding = v2?.encoding ?? h.data_page_header?.encoding
    if (encoding?.endsWith('_DICTIONARY') && !this.#dictionary) throw new PageFault('indices without a dictionary')
    const reader = { view: new DataView(body.buffer, body.byteOffset, body.length), offset: 0 }
    return readPage(reader, h, decoder, this.#dictionary, previous, 0).data ?? []
  }

  #decodeDictionary(body: Uint8Array, h: PageHeader): ReturnType<typeof convert> {
    const decoder = this.#decoder(h)
    const { data } = readPage(
      { view: new DataView(body.buffer, body.byteOffset, body.length), offset: 0 },
      h,
      decoder,
      undefined,
      undefined,
      0,
    )
    return convert(data ?? [], decoder)
  }
}

/** A place of a dictionary that it doesn't have gives undefined. */
function present(v: unknown): unknown {
  if (v === undefined) throw new PageFault('an index beyond its dictionary')
  return v
}

/** Values of a row of a list column, which the library nests by levels; null where the row has no list. */
function leafValues(v: unknown): unknown {
  if (!Array.isArray(v)) return v ?? null
  const out: unknown[] = []
  const walk = (x: unknown): void => {
    if (Array.isArray(x)) for (const y of x) walk(y)
    else if (x !== null) out.push(present(x))
  }
  walk(v)
  return out
}
