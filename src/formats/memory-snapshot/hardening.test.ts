/** What must hold for every form of a snapshot: pickle, JSON, page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ReadResult } from '../../shared/reader'
import type { SnapshotTable } from '../../shared/tables'
import { samplesDir } from '../../testing/samples'
import { FloatValue, readPickleValue, TupleValue, type ReadValue } from '../pickle/value'
import { Float, Tuple, type PickleValue } from '../pickle/write'
import { bufferSource } from '../source'
import { exampleSnapshot, jsonText, snapshotBytes, snapshotJson, snapshotPage } from './fixture'
import { readSnapshot } from './read'

const read = (data: Uint8Array, chunk?: number): Promise<ReadResult<SnapshotTable>> => readSnapshot(bufferSource('s', data, chunk))
const sum = (t: SnapshotTable | null): number => t?.devices.reduce((n, d) => n + d.count, 0) ?? 0

/** The rows of `t` are the first rows of `whole`, device by device and segment by segment. */
function isPrefix(t: SnapshotTable, whole: SnapshotTable): boolean {
  const same = (a: Float64Array | Uint8Array | BigUint64Array, b: typeof a | undefined): boolean => {
    for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b?.[i])) return false
    return true
  }
  return (
    t.devices.every((d, i) => {
      const w = whole.devices[i]
      return d.count <= (w?.count ?? 0) && same(d.size, w?.size) && same(d.address, w?.address) && same(d.action, w?.action)
    }) &&
    t.segments.count <= whole.segments.count &&
    same(t.segments.totalSize, whole.segments.totalSize) &&
    same(t.blocks.size, whole.blocks.size) &&
    same(t.blocks.state, whole.blocks.state)
  )
}

/** A value that was read as one that can be written. */
function again(v: ReadValue): PickleValue {
  if (v === null || typeof v !== 'object') return v
  if (v instanceof FloatValue) return new Float(v.value)
  if (v instanceof TupleValue) return new Tuple(v.items.map(again))
  if (v instanceof Map) return new Map([...v].map(([k, x]) => [again(k), again(x)]))
  if (Array.isArray(v)) return v.map(again)
  throw new TypeError('no JSON for this')
}

const dir = samplesDir()
const SAMPLES = ['allocator-settings', 'forward-fp32', 'inference', 'late-start-222-unknown-frees', 'state-only', 'torch20-history-a', 'torch20-history-b', 'train-step'] // prettier-ignore

describe.runIf(dir !== null)('real snapshots cut at 20 places', () => {
  async function check(data: Uint8Array): Promise<void> {
    const whole = (await read(data)).table as SnapshotTable
    expect(whole.complete).toBe(true)
    const counts: number[] = []
    for (let i = 1; i <= 20; i++) {
      // Spread over the file, and not at round numbers.
      const at = Math.min(data.length - 1, Math.floor((data.length * i) / 20.3) + ((i * 7919) % 13))
      const { table, diagnostics } = await read(data.subarray(0, at))
      const told = diagnostics.filter(d => d.code.endsWith('-truncated'))
      expect([at, told.length > 0, told.every(d => d.offset !== null && d.offset <= at)]).toEqual([at, true, true])
      if (!table) continue
      expect([at, table.complete, isPrefix(table, whole)]).toEqual([at, false, true])
      counts.push(sum(table))
    }
    expect(counts.length).toBeGreaterThan(10)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  }
  const bytes = (name: string): Uint8Array => readFileSync(join(dir ?? '', `snapshots/${name}.pickle`))
  test.each(SAMPLES)('%s as pickle', name => check(bytes(name)))
  test.each(['forward-fp32', 'torch20-history-a', 'state-only'])('%s as JSON', async name => {
    const value = (await readPickleValue(bufferSource('s', bytes(name)))).table?.value
    await check(Buffer.from(jsonText(again(value as ReadValue))))
  })
  test.each(['inference', 'torch20-history-b'])('%s as a page', name => check(snapshotPage(bytes(name)).subarray(0, -30)))
})

const FORMS: readonly (readonly [string, Uint8Array])[] = [
  ['pickle', snapshotBytes(exampleSnapshot())],
  ['pickle of protocol 2', snapshotBytes(exampleSnapshot(), 2)],
  ['JSON', snapshotJson(exampleSnapshot())],
  ['page', snapshotPage(snapshotBytes(exampleSnapshot()))],
]

describe.each(FORMS)('%s', (_, data) => {
  test('any cut gives the first events and a word about it, whatever the pieces', async () => {
    const whole = (await read(data)).table as SnapshotTable
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: data.length - 1 }), fc.integer({ min: 1, max: 200 }), async (at, chunk) => {
        const cut = await read(data.subarray(0, at))
        if (cut.table) expect(isPrefix(cut.table, whole)).toBe(true)
        if (cut.table?.complete !== true) expect(cut.diagnostics.some(d => d.severity !== 'info')).toBe(true)
        const pieces = await read(data.subarray(0, at), chunk)
        expect(pieces.diagnostics).toEqual(cut.diagnostics)
        expect(sum(pieces.table)).toBe(sum(cut.table))
      }),
      { numRuns: 200 },
    )
  })
  test('parts moved, doubled, left out or overwritten never throw and never grow', async () => {
    const place = fc.nat({ max: data.length })
    const change = fc.record({ from: place, to: place, into: place, noise: fc.uint8Array({ maxLength: 20 }), how: fc.nat({ max: 3 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async changes => {
        let b = Buffer.from(data)
        for (const c of changes) {
          const [from, to] = [Math.min(c.from, c.to), Math.max(c.from, c.to)]
          const part = b.subarray(from, to)
          if (c.how === 0) b = Buffer.concat([b.subarray(0, from), b.subarray(to)])
          else if (c.how === 1) b = Buffer.concat([b.subarray(0, c.into), part, b.subarray(c.into)])
          else if (c.how === 2) b = Buffer.concat([b.subarray(0, from), Buffer.from(c.noise), b.subarray(to)])
          else b = Buffer.concat([b.subarray(0, c.into), Buffer.from(c.noise), b.subarray(c.into)])
        }
        const { table, diagnostics } = await read(b)
        if (table === null || !table.complete) expect(diagnostics.length).toBeGreaterThan(0)
        // A record takes more than ten bytes of any form.
        expect(sum(table)).toBeLessThan(b.length / 10 + 1)
      }),
      { numRuns: 400 },
    )
  })
})

test('bytes of any kind, also behind the first bytes of each form', async () => {
  const heads = FORMS.map(([, data]) => data)
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: heads.length - 1 }), fc.nat({ max: 400 }), fc.uint8Array({ maxLength: 400 }), async (form, n, noise) => {
      const { table, diagnostics } = await read(Buffer.concat([(heads[form] as Uint8Array).subarray(0, n), noise]), 64)
      if (table === null) expect(diagnostics.length).toBeGreaterThan(0)
    }),
    { numRuns: 1500 },
  )
})

describe('a length of 2 GB that the file only declares is refused at once', () => {
  const u32 = (n: number): number[] => [n & 255, (n >>> 8) & 255, (n >>> 16) & 255, n >>> 24]
  const GB2 = 0x7fffffff
  const cases: readonly (readonly [name: string, opcode: number[]])[] = [
    ['BINUNICODE', [0x58, ...u32(GB2)]],
    ['BINUNICODE8', [0x8d, ...u32(GB2), ...u32(0)]],
    ['BINBYTES', [0x42, ...u32(GB2)]],
    ['BINBYTES8', [0x8e, ...u32(GB2), ...u32(0)]],
    ['BYTEARRAY8', [0x96, ...u32(GB2), ...u32(0)]],
    ['BINSTRING', [0x54, ...u32(GB2)]],
    ['LONG4', [0x8b, ...u32(GB2)]],
    ['FRAME', [0x95, ...u32(GB2), ...u32(0)]],
  ]
  /** The example up to its last events, then the opcode, then a megabyte more. */
  const head = snapshotBytes(exampleSnapshot())
  const at = Buffer.from(head).indexOf('segment_free') - 2
  const hostile = (opcode: number[]): Uint8Array => Buffer.concat([head.subarray(0, at), Buffer.from(opcode), Buffer.alloc(1 << 20)])
  test.each(cases)('%s', async (_, opcode) => {
    const data = hostile(opcode)
    // Where the size of the stream is not known, the bound of one value refuses it: nothing waits for bytes that may never come.
    for (const [bytes, code] of [
      [data, 'pickle-truncated'],
      [gzipSync(data), 'pickle-limit'],
      [snapshotPage(data), 'pickle-limit'],
    ] as const) {
      const before = process.memoryUsage().arrayBuffers
      const { table, diagnostics } = await read(bytes, 4096)
      expect(diagnostics.map(d => [d.code, d.offset])).toEqual([[code, at]])
      expect(table?.devices.map(d => d.count)).toEqual([0, 10])
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 << 20)
    }
  })
  test('a frame that is longer than its file but not absurd reads on', async () => {
    const { table, diagnostics } = await read(Buffer.concat([Buffer.from([0x80, 4, 0x95, ...u32(1 << 20), ...u32(0)]), head.subarray(2)]))
    expect([table?.complete, diagnostics]).toEqual([true, []])
  })
})
