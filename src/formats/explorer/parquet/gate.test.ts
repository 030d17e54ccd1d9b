import type { PageHeader } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { checkLevelsV2, checkPage, PageFault } from './gate'
import { BAD, CUT, structEnd, TOO_MANY } from './thrift'

const varint = (v: number): number[] => (v < 128 ? [v] : [(v % 128) | 128, ...varint(Math.floor(v / 128))])
const u32 = (v: number): number[] => [...new Uint8Array(new Uint32Array([v]).buffer)]
const flat = { maxRepetition: 0, maxDefinition: 0 }
const optional = { maxRepetition: 0, maxDefinition: 1 }
const page = (
  num_values: number,
  encoding: 'PLAIN' | 'RLE_DICTIONARY' | 'DELTA_BINARY_PACKED' | 'DELTA_BYTE_ARRAY' | 'BYTE_STREAM_SPLIT',
): PageHeader => ({
  type: 'DATA_PAGE',
  uncompressed_page_size: 0,
  compressed_page_size: 0,
  data_page_header: { num_values, encoding, definition_level_encoding: 'RLE', repetition_level_encoding: 'RLE' },
})
const levels = (...runs: number[]): number[] => [...u32(runs.length), ...runs]

describe('pages that claim more than they hold', () => {
  const refuse = (bytes: number[], h: PageHeader, type: 'INT64' | 'BYTE_ARRAY' = 'INT64', of = flat): void =>
    expect(() => checkPage(Uint8Array.from(bytes), h, type, 0, of)).toThrow(PageFault)
  const pass = (bytes: number[], h: PageHeader, type: 'INT64' | 'BYTE_ARRAY' = 'INT64', of = flat): void =>
    expect(() => checkPage(Uint8Array.from(bytes), h, type, 0, of)).not.toThrow()

  it('runs of levels', () => {
    pass(levels(...varint(4 * 2), 0), page(4, 'PLAIN'), 'INT64', optional)
    refuse(levels(...varint(2 ** 30 * 2), 0), page(4, 'PLAIN'), 'INT64', optional)
    refuse(levels(...varint(2 ** 29 * 2 + 1), 0), page(4, 'PLAIN'), 'INT64', optional)
    refuse(levels(...varint(3 * 2), 0), page(4, 'PLAIN'), 'INT64', optional) // too few
    refuse([...u32(2 ** 31), 8, 0], page(4, 'PLAIN'), 'INT64', optional)
  })
  it('values behind levels: as many as the levels have', () => {
    // Bit-packed 0b0101: two of four are there.
    const bits = levels(3, 0b0101)
    pass([...bits, ...Array(16).fill(1)], page(4, 'PLAIN'), 'INT64', optional)
    refuse([...bits, ...Array(15).fill(1)], page(4, 'PLAIN'), 'INT64', optional)
  })
  it('runs of indices', () => {
    pass([3, ...varint(100 * 2), 1], page(100, 'RLE_DICTIONARY'))
    refuse([3, ...varint(2 ** 31 * 2), 1], page(100, 'RLE_DICTIONARY'))
    refuse([40, ...varint(100 * 2), 1], page(100, 'RLE_DICTIONARY'))
    pass([0], page(100, 'RLE_DICTIONARY'))
    refuse([], page(100, 'RLE_DICTIONARY'))
  })
  it('counts', () => {
    for (const n of [2 ** 30, -1, NaN]) refuse([1, 2, 3], page(n, 'PLAIN'))
    refuse([1, 2, 3], page(2 ** 30, 'BYTE_STREAM_SPLIT'))
    refuse(u32(2 ** 31), page(1, 'PLAIN'), 'BYTE_ARRAY')
    refuse([...varint(128), ...varint(2 ** 31), 4, 0], page(1000, 'DELTA_BINARY_PACKED'))
    refuse([...varint(0), ...varint(4), 4, 0], page(1000, 'DELTA_BINARY_PACKED'))
  })
  it('texts that share ever longer beginnings', () => {
    // 100,000 prefixes that grow by one each, all from a block without bits: 5 GB of text.
    const n = 100_000
    const delta = (first: number, step: number): number[] => {
      const out = [...varint(1024), ...varint(1), ...varint(n), ...varint(first * 2)]
      for (let i = 0; i < n; i += 1024) out.push(...varint(step * 2), 0)
      return out
    }
    pass([...delta(0, 0), ...delta(0, 0)], page(n, 'DELTA_BYTE_ARRAY'), 'BYTE_ARRAY')
    refuse([...delta(0, 1), ...delta(0, 0)], page(n, 'DELTA_BYTE_ARRAY'), 'BYTE_ARRAY')
  })
  it('levels of version 2 with members missing', () => {
    const h = {
      type: 'DATA_PAGE_V2',
      data_page_header_v2: { num_values: 2, num_nulls: 2, num_rows: 2, definition_levels_byte_length: 2 },
    } as unknown as PageHeader
    expect(() => checkLevelsV2(Uint8Array.from([4, 0]), h, optional)).toThrow(PageFault)
  })
})

describe('structs', () => {
  const end = (bytes: number[], parts = 1000): number => structEnd(Uint8Array.from(bytes), 0, bytes.length, { parts })
  it('are passed over whole, and lists have the elements that they claim', () => {
    expect(end([0x15, 4, 0x00])).toBe(3)
    expect(end([0x15, 4])).toBe(CUT)
    expect(end([0x19, 0xf5, ...varint(2 ** 31), 1, 0])).toBe(TOO_MANY)
    expect(end([0x19, 0xf5, ...varint(900), 1, 0])).toBe(CUT)
    expect(end([0x19, 0x35, 1, 2, 3, 0])).toBe(6)
    expect(end([0x1b, 0])).toBe(BAD) // a map
    expect(end(Array(100).fill(0x1c))).toBe(BAD) // nested too deeply
  })
})
