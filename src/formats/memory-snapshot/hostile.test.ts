/** Files built to exhaust time or memory. Each must end with a diagnostic or a small table; none may take more than work in proportion to its size (the test's time limit is the only clock). */
import { describe, expect, test } from 'vitest'
import { bufferSource } from '../source'
import { readPickleValue } from '../pickle/value'
import { pickleDumps, type PickleValue } from '../pickle/write'
import { readSnapshot } from './read'

const op = (...parts: (string | number[] | Uint8Array)[]): Uint8Array =>
  Buffer.concat(parts.map(p => (typeof p === 'string' ? Buffer.from(p, 'latin1') : Buffer.from(p))))
const repeat = (n: number, ...parts: (string | number[])[]): Uint8Array => {
  const one = op(...parts)
  const out = new Uint8Array(one.length * n)
  for (let i = 0; i < n; i++) out.set(one, i * one.length)
  return out
}
const u32 = (n: number): number[] => [n & 255, (n >>> 8) & 255, (n >>> 16) & 255, n >>> 24]
const text = (s: string): Uint8Array => op('X', u32(s.length), s)
const P4 = [0x80, 4]

async function outcome(
  data: Uint8Array,
): Promise<{ readonly codes: readonly string[]; readonly tables: boolean; readonly message: string }> {
  const { table, diagnostics } = await readSnapshot(bufferSource('hostile.pickle', data))
  return { codes: diagnostics.map(d => d.code), tables: table !== null, message: diagnostics.map(d => d.message).join(' ') }
}
/** The general interpreter must end as well. */
const general = async (data: Uint8Array): Promise<readonly string[]> =>
  (await readPickleValue(bufferSource('h', data))).diagnostics.map(d => d.code)

const N = 1_000_000

describe('declared sizes', () => {
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    ['LONG4 of 2 GB', op(P4, [0x8b], u32(0x7fffffff), 'xx'), 'pickle-truncated'],
    ['LONG4 of -1 bytes', op(P4, [0x8b], u32(0xffffffff), 'xx'), 'pickle-bad-value'],
    ['an integer of 100 KB', op(P4, [0x8b], u32(100_000), new Uint8Array(100_000), '.'), 'pickle-limit'],
    ['a text of 4 GB', op(P4, 'X', u32(0xffffffff), 'xx'), 'pickle-truncated'],
    ['a text of 2^63 bytes', op(P4, [0x8d], u32(0), u32(0x80000000), 'xx'), 'pickle-truncated'],
    ['bytes of 2^60', op(P4, [0x8e], u32(0), u32(0x10000000), 'xx'), 'pickle-truncated'],
    ['a frame of 2^62 bytes around nothing', op(P4, [0x95], u32(0), u32(0x40000000), ']'), 'pickle-truncated'],
    ['memo index 2^32 - 1', op(P4, ']r', u32(0xffffffff), 'j', u32(7), '.'), 'pickle-memo'],
    ['memo index of text, negative', op(']p-1\n.'), 'pickle-memo'],
    ['memo index of text, huge', op(']p99999999999999999999\n.'), 'pickle-memo'],
    ['digits without end', op('I', '9'.repeat(100_000), '\n.'), 'pickle-limit'],
    ['a line without end', op('V', 'x'.repeat(3 << 20)), 'pickle-limit'],
    ['nothing to pop', op(P4, 'e.'), 'pickle-stack'],
    ['a mark and nothing below it', op(P4, '(e.'), 'pickle-stack'],
    ['items below the mark of another list', op(P4, ']((K', [1], 'ea.'), 'pickle-stack'],
  ]
  for (const [name, data, code] of cases)
    test(name, async () => {
      const { codes, tables } = await outcome(data)
      expect(tables).toBe(false)
      expect(codes).toContain(code)
      expect(await general(data)).toContain(code)
    })
  test('scattered memo indices', async () => {
    const parts = Array.from({ length: 100_000 }, (_, i) => op('r', u32(100_000_000 + i * 40_000)))
    expect((await outcome(op(P4, ']', ...parts, '.'))).codes).toContain('pickle-limit')
  })
  test('a scattered index may be used', async () => {
    const data = op(P4, 'K', [5], 'r', u32(4_000_000_000), '0j', u32(4_000_000_000), '.')
    expect((await readPickleValue(bufferSource('m', data))).table?.value).toBe(5)
  })
})

describe('depth', () => {
  test('a million nested lists', async () => {
    const data = op(P4, repeat(N, ']'), repeat(N - 1, 'a'), '.')
    expect((await outcome(data)).codes).toEqual(['not-a-snapshot'])
    expect(await general(data)).toEqual([])
  })
  test('two million marks', async () => {
    expect((await outcome(op(P4, repeat(2 * N, '(')))).codes).toEqual(['pickle-limit'])
  })
  test('nested tuples in an unknown key', async () => {
    const data = op(P4, '}(', text('segments'), ']', text('x'), 'K', [1], repeat(N, [0x85]), 'u.')
    const { table } = await readSnapshot(bufferSource('h', data))
    expect(table?.unknown['x']?.length).toBeLessThan(200)
  })
})

describe('many small things', () => {
  test('a million APPENDS to one list of integers', async () => {
    const data = op(P4, ']', repeat(N, '(K', [1], 'e'), '.')
    expect((await outcome(data)).codes).toEqual(['not-a-snapshot'])
    expect(((await readPickleValue(bufferSource('h', data))).table?.value as unknown[]).length).toBe(N)
  })
  test('a million different keys', async () => {
    const parts: Uint8Array[] = []
    for (let i = 0; i < 200_000; i++) parts.push(op(text('k' + i), 'K', [1]))
    const { table, diagnostics } = await readSnapshot(
      bufferSource('h', op(P4, '}(', text('segments'), '](}(', text('blocks'), ']', Buffer.concat(parts), 'ueu.')),
    )
    expect(table?.segments.extras).toHaveLength(64)
    expect(diagnostics.find(d => d.code === 'snapshot-unknown-keys-left-out')?.count).toBe(200_000 - 64)
  })
  test('a million globals', async () => {
    const { codes } = await outcome(op(P4, repeat(N, 'cos\nsystem\n0'), ']', '.'))
    expect(codes.filter(c => c === 'pickle-global')).toHaveLength(1)
    expect(codes).toContain('pickle-limit')
  })
  test('a telling global after thousands of harmless ones is named', async () => {
    const harmless = Array.from({ length: 30 }, () => op('ccollections\nOrderedDict\n0'))
    expect((await outcome(op(P4, ...harmless, 'cposix\nsystem\n.'))).message).toContain('posix.system')
  })
})

/** `n` levels, each a list of ten references to the one before: 10^n leaves when it is spread out. */
function laughs(n: number): PickleValue {
  let v: PickleValue = ['ha']
  for (let i = 0; i < n; i++) v = Array.from({ length: 10 }, () => v)
  return v
}

describe('sharing', () => {
  test('billion laughs as a value, as an unknown key, as a key of every entry', async () => {
    const v = laughs(30)
    expect(await general(pickleDumps(v))).toEqual([])
    const { table } = await readSnapshot(bufferSource('h', pickleDumps({ segments: [], device_traces: [], x: v })))
    expect(table?.unknown['x']?.length).toBeLessThan(70_000)
    const entries = Array.from({ length: 20_000 }, (_, i) => ({ action: 'alloc', addr: i, size: 1, x: [v, i] }))
    const r = await readSnapshot(bufferSource('h', pickleDumps({ segments: [], device_traces: [entries] })))
    expect(r.table?.devices[0]?.count).toBe(20_000)
    expect(r.diagnostics.map(d => d.code)).toContain('snapshot-text-budget')
  })
  test('cycles', async () => {
    const list: PickleValue[] = []
    list.push(list)
    const dict: Record<string, PickleValue> = {}
    dict['self'] = dict
    expect((await outcome(pickleDumps(list))).codes).toEqual(['not-a-snapshot'])
    const { table } = await readSnapshot(bufferSource('h', pickleDumps({ segments: list, device_traces: [list], x: dict })))
    expect(table?.unknown['x']).toMatch(/^\{"self": \{"self": /)
  })
  test('one long list of entries as a thousand devices', async () => {
    const entries = Array.from({ length: 20_000 }, (_, i) => ({ action: 'alloc', addr: i, size: 1 }))
    const r = await readSnapshot(
      bufferSource('h', pickleDumps({ segments: [], device_traces: Array.from({ length: 1000 }, () => entries) })),
    )
    expect(r.diagnostics.map(d => d.code)).toContain('pickle-limit')
    expect(r.table?.devices.length).toBeLessThan(10)
  })
  test('one long list of blocks in a thousand segments', async () => {
    const blocks = Array.from({ length: 20_000 }, (_, i) => ({ address: i, size: 1, requested_size: 1, state: 'inactive' }))
    const segments = Array.from({ length: 1000 }, (_, i) => ({ device: 0, address: i, total_size: 1, blocks }))
    const r = await readSnapshot(bufferSource('h', pickleDumps({ segments, device_traces: [] })))
    expect(r.diagnostics.map(d => d.code)).toContain('pickle-limit')
    expect(r.table?.blocks.count).toBeLessThan(60_000)
  })
  test('a stack that grows while events refer to it', async () => {
    const frame = op('}(', text('name'), text('f'), text('filename'), text('x.py'), 'u', [0x94])
    const event = op('}(', text('action'), text('alloc'), text('size'), 'K', [1], text('frames'), 'h', [0], 'u')
    // Memo 0: the list of frames, 1: a frame. Each round appends the frame to the list once more and makes an event with it.
    const rounds = Array.from({ length: 20_000 }, () => op('h', [0], 'h', [1], 'a0', event))
    const r = await readSnapshot(
      bufferSource(
        'h',
        op(
          P4,
          '}(',
          text('x'),
          ']',
          [0x94],
          text('y'),
          frame,
          text('segments'),
          ']',
          text('device_traces'),
          '](](',
          Buffer.concat(rounds),
          'eeu.',
        ),
      ),
    )
    expect(r.table?.devices[0]?.count).toBe(20_000)
    expect(r.diagnostics.map(d => d.code)).toContain('snapshot-late-change')
    expect(r.table?.stacks.frames.length).toBeLessThan(10)
  })
  test('one large plain dict put into a list again and again', async () => {
    const big: Record<string, PickleValue> = {}
    for (let i = 0; i < 50_000; i++) big['k' + i] = i
    const r = await readSnapshot(
      bufferSource('h', pickleDumps({ segments: [], device_traces: [Array.from({ length: 200_000 }, () => big)] })),
    )
    expect(r.diagnostics.find(d => d.code === 'snapshot-odd-item')?.count).toBe(200_000)
  })
  test('a list turned from one kind to another', async () => {
    const mixed = [
      ...Array.from({ length: 5000 }, (_, i) => ({ action: 'alloc', addr: i, size: 1 })),
      'x',
      { name: 'f', filename: 'g', line: 1 },
      { size: 1, state: 'inactive' },
    ]
    const r = await readSnapshot(bufferSource('h', pickleDumps({ segments: mixed, device_traces: [mixed] } as PickleValue)))
    expect(r.table?.devices[0]?.count).toBe(5000)
    expect(r.diagnostics.filter(d => d.code === 'snapshot-odd-item').map(d => d.count)).toEqual([3, 5003])
  })
})

describe('an early end above a tuple', () => {
  const event = op('}(', text('action'), text('alloc'), text('addr'), 'K', [1], text('size'), 'K', [2], 'u')
  const segment = op('}(', text('total_size'), 'K', [2], 'u')
  test('a device list that is a tuple takes no events', async () => {
    const data = op(P4, '}(', text('segments'), ']', text('device_traces'), '](', ')', event)
    const { table, diagnostics } = await readSnapshot(bufferSource('h', data))
    expect(diagnostics.map(d => d.code)).toEqual(['pickle-truncated'])
    expect(table?.complete).toBe(false)
    expect(table?.devices.map(d => d.count)).toEqual([0])
  })
  test('a tuple of segments takes no segment', async () => {
    const { table, diagnostics } = await readSnapshot(bufferSource('h', op(P4, '}(', text('segments'), ')', segment)))
    expect(diagnostics.map(d => d.code)).toEqual(['pickle-truncated'])
    expect(table?.segments.count).toBe(0)
  })
  test('a tuple as the whole value takes no segment', async () => {
    const { table, diagnostics } = await readSnapshot(bufferSource('h', op(P4, ')', segment)))
    expect(diagnostics.map(d => d.code)).toContain('pickle-truncated')
    expect(table?.segments.count ?? 0).toBe(0)
  })
  test('device_traces as a tuple', async () => {
    const data = op(P4, '}(', text('segments'), ']', text('device_traces'), ')', event)
    expect((await outcome(data)).codes).toEqual(['pickle-truncated'])
  })
})
