import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Diagnostic } from '../../shared/diagnostics'
import type { FrameworkMappingTable } from '../../shared/tables'
import { probeBytes } from '../probe'
import { sniffProbe } from '../sniff'
import { bufferSource } from '../source'
import { entryText, mappingBytes, mappingText, type MappingEntry } from './fixture'
import { createdFromName, readFrameworkMapping } from './read'

const NAME = 'framework_mapping_20261026_101500_123.json'
interface Result {
  readonly table: FrameworkMappingTable | null
  readonly diagnostics: readonly Diagnostic[]
}
const read = (data: Uint8Array | string, chunk?: number): Promise<Result> =>
  readFrameworkMapping(bufferSource(NAME, typeof data === 'string' ? new TextEncoder().encode(data) : data, chunk))
const table = async (data: Uint8Array | string): Promise<FrameworkMappingTable> => {
  const { table } = await read(data)
  expect(table).not.toBeNull()
  return table as FrameworkMappingTable
}
const codes = (r: Result): string[] => r.diagnostics.map(d => d.code)
const found = (r: Result, code: string): Diagnostic | undefined => r.diagnostics.find(d => d.code === code)

/** The rows as the fixture writes them; what an operator lacks is left out. */
const rows = (t: FrameworkMappingTable): MappingEntry[] =>
  Array.from({ length: t.count }, (_, i) => ({
    nrta_seq_id: t.nrtaSeqId[i] as bigint,
    framework_op_exec_ids: Array.from({ length: (t.opStart[i + 1] as number) - (t.opStart[i] as number) }, (_, k) => {
      const at = (t.opStart[i] as number) + k
      const has = t.present[at] as number
      return {
        ...(has & 1 ? { seq_nr: t.seqNr[at] as bigint } : {}),
        ...(has & 2 ? { th_id: t.threadId[at] as bigint } : {}),
        ...(has & 4 ? { stream_id: t.streamId[at] as bigint } : {}),
      }
    }),
  }))

const entry = (id: bigint, ...ops: readonly [bigint, bigint, bigint][]): MappingEntry => ({
  nrta_seq_id: id,
  framework_op_exec_ids: ops.map(([seq_nr, th_id, stream_id]) => ({ seq_nr, th_id, stream_id })),
})
const A = entry(1n, [-1n, 2n ** 64n - 1n, 0n], [7n, 140_000_000_000_001n, 2n ** 63n - 1n])
const B = entry(2n ** 64n - 1n)
const C = entry(9007199254740993n, [-(2n ** 63n), 0n, -1n])

describe('whole files', () => {
  it('reads entries, operators and facts, exact to 64 bits', async () => {
    for (const space of ['', ' ', '\r\n\t']) {
      const r = await read(mappingBytes([A, B, C], { space }))
      expect(r.diagnostics).toEqual([])
      const t = r.table as FrameworkMappingTable
      expect(rows(t)).toEqual([A, B, C])
      expect([...t.opStart]).toEqual([0, 2, 2, 3])
      expect(t).toMatchObject({ kind: 'framework-mapping', version: 1, count: 3, operatorCount: 3, complete: true })
      expect(t.facts).toEqual({ version: 1, entries: 3, operators: 3, createdFromName: '2026-10-26T10:15:00.123' })
    }
  })
  it('members in any order, numbers in quotes, a byte order mark, gzip, an empty list', async () => {
    const text =
      '{"data":[{"framework_op_exec_ids":[{"stream_id":"3","th_id":2,"seq_nr":1}],"nrta_seq_id":"18446744073709551615"}],"version":1}'
    const want = [entry(2n ** 64n - 1n, [1n, 2n, 3n])]
    expect(rows(await table(text))).toEqual(want)
    expect(rows(await table('\ufeff' + text))).toEqual(want)
    expect(rows(await table(gzipSync(text)))).toEqual(want)
    expect((await table('{"version":1,"data":[]}')).count).toBe(0)
  })
  it('is what the sniffer knows it by', () => {
    for (const data of [mappingBytes([A, B]), mappingBytes([C], { space: '\n' })])
      expect(sniffProbe(probeBytes(data, 'any.json'))).toMatchObject({ kind: 'framework-mapping', state: 'complete' })
    expect(sniffProbe(probeBytes(mappingBytes([A, B]).subarray(0, 80), NAME))).toMatchObject({
      kind: 'framework-mapping',
      state: 'truncated',
    })
    expect(sniffProbe(probeBytes(mappingBytes([]), NAME))).toMatchObject({ kind: 'framework-mapping', state: 'complete' })
  })
  it.each([
    ['2', 2],
    ['null', null],
    ['"1"', null],
    ['1.5', null],
    [null, null],
  ])('version %s is kept and told', async (version, want) => {
    const r = await read(mappingText([A], { version }))
    expect(r.table?.version).toBe(want)
    expect(r.table?.count).toBe(1)
    expect(codes(r)).toEqual(['mapping-version'])
  })
  it('counts members that it does not know, and names some', async () => {
    const text =
      '{"version":1,"made_by":"x","data":[{"nrta_seq_id":1,"q":{"nrta":1},"framework_op_exec_ids":[{"seq_nr":1,"th_id":2,"stream_id":3,"name":"aten::add"}]}]}'
    const r = await read(text)
    expect(rows(r.table as FrameworkMappingTable)).toEqual([entry(1n, [1n, 2n, 3n])])
    const unknown = found(r, 'mapping-unknown-key')
    expect(unknown).toMatchObject({ count: 3, offset: text.indexOf('"made_by"') })
    expect(unknown?.message).toContain('made_by, data[].q, framework_op_exec_ids[].name')
  })
  it('cancels', async () => {
    const r = await readFrameworkMapping(bufferSource(NAME, mappingBytes([A])), { signal: AbortSignal.abort() })
    expect([r.table, codes(r)]).toEqual([null, ['cancelled']])
  })
  it.each([
    [NAME, '2026-10-26T10:15:00.123'],
    [`a/b/${NAME}`, '2026-10-26T10:15:00.123'],
    [`C:\\b\\${NAME}`, '2026-10-26T10:15:00.123'],
    [`${NAME}.gz`, '2026-10-26T10:15:00.123'],
    ['framework_mapping_20261326_101500_123.json', null],
    ['framework_mapping_20260230_101500_123.json', null],
    ['framework_mapping_20261026_241500_123.json', null],
    ['framework_mapping_20261026_101500.json', null],
    ['my_framework_mapping_20261026_101500_123.json', null],
    ['trace.json', null],
  ])('the time in the name %s is %s', (name, want) => expect(createdFromName(name)).toBe(want))
})

describe('values that do not fit', () => {
  it.each([['18446744073709551616'], ['-1'], ['1.0'], ['1e3'], ['null'], ['"x"'], ['{}'], ['9'.repeat(100)]])(
    'a sequence id of %s leaves the entry out',
    async id => {
      const bad = `{"nrta_seq_id":${id},"framework_op_exec_ids":[{"seq_nr":1,"th_id":1,"stream_id":1}]}`
      const text = mappingText([A, bad, C])
      const r = await read(text)
      expect(rows(r.table as FrameworkMappingTable)).toEqual([A, C])
      expect(found(r, 'mapping-no-sequence-id')).toMatchObject({ count: 1, offset: text.indexOf(bad) })
    },
  )
  it('ids of operators that are absent or do not fit are told, the operator stays', async () => {
    const ops = '{"seq_nr":9223372036854775808,"th_id":-1,"stream_id":"1"},{"th_id":5},{}'
    const r = await read(mappingText([`{"nrta_seq_id":1,"framework_op_exec_ids":[${ops},7]}`]))
    expect(rows(r.table as FrameworkMappingTable)[0]?.framework_op_exec_ids).toEqual([{ stream_id: 1n }, { th_id: 5n }, {}])
    expect(found(r, 'mapping-bad-number')?.count).toBe(2)
    expect(found(r, 'mapping-incomplete-operator')?.count).toBe(3)
    expect(found(r, 'mapping-not-an-operator')?.count).toBe(1)
  })
  it('an entry without operators keeps its id', async () => {
    const r = await read(mappingText(['{"nrta_seq_id":4}', '{"nrta_seq_id":5,"framework_op_exec_ids":null}', A]))
    expect(rows(r.table as FrameworkMappingTable)).toEqual([entry(4n), entry(5n), A])
    expect(found(r, 'mapping-no-operators')?.count).toBe(2)
  })
})

describe('damage', () => {
  const [a, b, c] = [A, B, C].map(e => entryText(e))
  it.each<[string, string, readonly MappingEntry[], string, number]>([
    ['a comma too few', `{"version":1 "data":[${a}${b} ${c}]}`, [A, B, C], 'mapping-missing-comma', 3],
    ['commas too many', `{,"version":1,"data":[,${a},,${b},],}`, [A, B], 'mapping-stray-comma', 5],
    ['a value is missing', `{"version":1,"data":[${a},{"nrta_seq_id":,"x":1},${c}]}`, [A, C], 'mapping-bad-entry', 1],
    [
      'an entry cut by another writer',
      `{"version":1,"data":[${a},${(b as string).slice(0, 9)}${c},${b}]}`,
      [A, C, B],
      'mapping-bad-entry',
      1,
    ],
    [
      'an entry cut in its list by another writer',
      `{"version":1,"data":[${(a as string).slice(0, 55)}${c},${b}]}`,
      [C, B],
      'mapping-bad-entry',
      1,
    ],
    ['the rest of a cut entry', `{"version":1,"data":[${a},${(a as string).slice(30)},${b}]}`, [A, B], 'mapping-debris', 1],
    ['zero bytes', `{"version":1,"data":[${a},${'\0'.repeat(99)}${b}]}`, [A, B], 'mapping-debris', 1],
    ['entries that are no objects', `{"version":1,"data":[1,${a},null,[2],${b}]}`, [A, B], 'mapping-not-an-entry', 3],
    ['two documents', `{"version":1,"data":[${a}]}{"version":1,"data":[${b}]}`, [A, B], 'mapping-trailing-data', 1],
    ['two lists', `{"version":1,"data":[${a}],"data":[${b}]}`, [A, B], 'mapping-second-list', 1],
    ['one document inside of the other', `{"version":1,"data":[${a},{"version":1,"data":[${b}]},${c}]}`, [A, B, C], 'mapping-bad-entry', 1],
    ['damage in front of the list', `{"version":"1"x,"data":[${a}]}`, [A], 'mapping-debris', 1],
  ])('%s', async (_, text, want, code, count) => {
    const r = await read(text)
    expect(rows(r.table as FrameworkMappingTable)).toEqual(want)
    expect(found(r, code)?.count).toBe(count)
    expect(found(r, code)?.offset).toBeGreaterThanOrEqual(0)
    for (const chunk of [1, 3, 50]) expect(await read(text, chunk)).toEqual(r)
  })
  it.each([
    ['', 'mapping-empty'],
    ['  ', 'mapping-truncated'],
    ['{"version":1,', 'mapping-truncated'],
    ['{}', 'mapping-not-a-mapping'],
    ['{"data":{"a":1}}', 'mapping-not-a-mapping'],
    ['[1]', 'mapping-not-json'],
    ['\ufffe', 'mapping-not-json'],
  ])('%j is no mapping', async (text, code) => {
    const r = await read(text)
    expect(r.table).toBeNull()
    expect(found(r, code)?.severity).toBe('error')
  })
  it('UTF-16 is refused', async () => {
    const r = await read(Buffer.from(`\ufeff${mappingText([A])}`, 'utf16le'))
    expect([r.table, r.diagnostics[0]?.message]).toEqual([null, expect.stringContaining('UTF-16')])
  })
  it('an entry beyond 16 MiB is left out and told', async () => {
    const op = '{"seq_nr":1,"th_id":1,"stream_id":1},'
    const long = `{"nrta_seq_id":1,"framework_op_exec_ids":[${op.repeat(Math.ceil((17 * 1024 * 1024) / op.length))}{}]}`
    const r = await read(mappingText([A, long, C]))
    expect(rows(r.table as FrameworkMappingTable)).toEqual([A, C])
    expect(found(r, 'mapping-long-entry')?.count).toBe(1)
  })
  it.each<[string, (n: number) => string]>([
    ['braces', n => '{"data":[' + '{'.repeat(n)],
    ['beginnings of entries', n => '{"data":[' + '{"nrta_seq_id":'.repeat(n / 15)],
    ['entries inside of lists', n => '{"data":[' + '{"nrta_seq_id":[1,'.repeat(n / 18)],
    ['lists', n => '{"data":['.repeat(n / 9)],
    ['one string', n => '{"data":[{"' + 'x'.repeat(n)],
    ['quotes', n => '{"data":[x' + '"'.repeat(n)],
    ['brackets', n => '{"data":[x' + ']'.repeat(n)],
    ['space', n => '{"data":[x{' + ' '.repeat(n)],
  ])('hostile input: %s (a quadratic reader would not end)', async (_, make) => {
    for (const chunk of [1 << 20, 4096]) expect((await read(make(1_000_000), chunk)).diagnostics.length).toBeGreaterThan(0)
  })
})

describe('properties', () => {
  const i64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
  const anyEntry = fc.tuple(u64, fc.array(fc.tuple(i64, u64, i64), { maxLength: 4 })).map(([id, ops]) => entry(id, ...ops))
  const anyText = fc.tuple(fc.array(anyEntry, { maxLength: 8 }), fc.constantFrom('', ' ', '\n'))

  it('what the fixture writes is read, and any cut gives a prefix of it', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.nat(), fc.integer({ min: 1, max: 40 }), async ([entries, space], cut, chunk) => {
        const data = mappingBytes(entries, { space })
        expect(rows(await table(data))).toEqual(entries)
        const part = data.subarray(0, cut % (data.length + 1))
        const r = await read(part, chunk)
        expect(await read(part)).toEqual(r)
        if (!r.table) {
          expect(r.diagnostics.some(d => d.severity === 'error')).toBe(true)
          return
        }
        // The entries whose text is whole before the cut, counted by their texts alone.
        let from = Buffer.from(data).indexOf('[') + 1
        let whole = 0
        for (const e of entries) {
          const text = Buffer.from(entryText(e, space))
          const at = Buffer.from(data).indexOf(text, from)
          if (at + text.length > part.length) break
          from = at + text.length
          whole++
        }
        expect(rows(r.table)).toEqual(entries.slice(0, whole))
        expect(codes(r).includes('mapping-truncated')).toBe(!r.table.complete)
      }),
      { numRuns: 300 },
    )
  })
  it('an entry that no change touches is read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(u64, { minLength: 2, maxLength: 8 }),
        fc.nat(),
        fc.constantFrom(...'{}[],:"\\/\0 x1-'),
        async (ids, at, to) => {
          const entries = ids.map((id, i) => entry(id, [BigInt(i), 1n, 2n]))
          const data = mappingBytes(entries)
          const o = data.indexOf('['.charCodeAt(0)) + 1 + (at % (data.length - data.indexOf('['.charCodeAt(0)) - 1))
          data[o] = to.charCodeAt(0)
          const text = new TextDecoder().decode(data)
          const want = entries.filter(e => text.includes(entryText(e)))
          const got = (await table(data)).nrtaSeqId
          expect([...got].filter(id => want.some(e => e.nrta_seq_id === id))).toEqual(want.map(e => e.nrta_seq_id))
          expect(got.length).toBeLessThanOrEqual(entries.length)
        },
      ),
      { numRuns: 500 },
    )
  })
  it('any bytes at all: no crash, and the same for every chunk size', async () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 12 }).map(x => Buffer.from(x)),
      fc
        .constantFrom(
          '{',
          '}',
          '[',
          ']',
          ',',
          ':',
          '"',
          '\\',
          '{"version":1',
          '"data":[',
          '{"nrta_seq_id":1',
          '"framework_op_exec_ids":[',
          '{"seq_nr":1',
          '\0\0\0\0',
          ' ',
          entryText(A),
        )
        .map(x => Buffer.from(x)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 24 }), async parts => {
        const data = Buffer.concat(parts)
        const r = await read(data)
        for (const chunk of [1, 5, 33]) expect(await read(data, chunk)).toEqual(r)
        if (r.table === null) expect(r.diagnostics.some(d => d.severity === 'error')).toBe(true)
      }),
      { numRuns: 800 },
    )
  })
})
