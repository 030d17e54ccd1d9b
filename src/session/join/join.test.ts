import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildHbm } from '../../analysis/hbm/build'
import { parentRows } from '../../analysis/hbm/parents'
import { snapshotBytes, type FixtureEvent, type FixtureSegment } from '../../formats/memory-snapshot/fixture'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import { bufferSource } from '../../formats/source'
import type { SnapshotTable } from '../../shared/tables'
import { systemTable, TestHbm, type TestEvent } from '../../testing/system-table'
import { joinAllocations, LINK_ID, LINK_INFERRED, P_ALLOC, pytorchSide, runtimeSide, type Join, type PytorchRows } from './index'
import { idsInside } from './pytorch'

const EPOCH_US = 1_760_000_000_000_000
const MIB = 2 ** 20

interface Pair {
  /** ms since the epoch; distinct. */
  readonly ms: number
  readonly asked: number
  readonly given: number
}

/** Sizes and times as a run has them: irregular. */
function pairs(n: number, seed = 1): Pair[] {
  let x = seed * 2654435761
  const random = (): number => ((x = (Math.imul(x ^ (x >>> 15), 2246822519) + 374761393) >>> 0), x / 2 ** 32)
  let ms = 1
  return Array.from({ length: n }, () => {
    ms += 0.2 + random() * 300
    const asked = Math.ceil(2 ** (10 + random() * 20))
    return { ms, asked, given: Math.ceil(asked / (2 * MIB)) * 2 * MIB }
  })
}

interface Stamp {
  /** Keys of the snapshot's entry, and what the runtime's event has besides. */
  readonly entry: (i: number) => object
  readonly event: (i: number) => Partial<TestEvent>
  /** Events of the runtime without a partner. */
  readonly extra?: readonly TestEvent[]
  readonly action?: 'alloc' | 'segment_alloc'
  readonly around?: (i: number) => TestEvent['attributes']
  readonly addresses?: boolean
  readonly segments?: FixtureSegment[]
  /** Only these pairs' runtime events are there. */
  readonly keep?: (i: number) => boolean
}

async function tables(list: readonly Pair[], s: Stamp): Promise<{ snapshot: SnapshotTable; events: TestEvent[] }> {
  const address = (i: number): bigint => 0xffff_8000_0000_0000n + BigInt(i) * 0x1_0000_0000n
  const entries: FixtureEvent[] = list.map((p, i) => ({
    action: s.action ?? 'alloc',
    addr: s.addresses ? address(i) : 4096 * (i + 1),
    size: s.action === 'segment_alloc' ? p.given : p.asked,
    stream: 0,
    time_us: Math.round(EPOCH_US + p.ms * 1000) + 3,
    ...s.entry(i),
  }))
  const { table } = await readSnapshot(
    bufferSource('snapshot.pickle', snapshotBytes({ segments: s.segments ?? [], device_traces: [entries] })),
  )
  if (!table) throw new Error('no table')
  const h = new TestHbm()
  list.forEach((p, i) => h.alloc({ time: Math.round(p.ms * 1e6), bytes: p.given, address: address(i) }, { duration: 9000, ...s.event(i) }))
  const events = h.events.filter((_, i) => s.keep?.(i) ?? true)
  if (s.around)
    list.forEach((p, i) =>
      events.push({ name: 'nrt_tensor_allocate', start: Math.round(p.ms * 1e6) - 20_000, duration: 25_000, attributes: s.around?.(i) }),
    )
  return { snapshot: table, events: [...events, ...(s.extra ?? [])] }
}

async function run(list: readonly Pair[], stamp: Stamp): Promise<{ join: Join; rows: PytorchRows; runtimeCount: number }> {
  const { snapshot, events } = await tables(list, stamp)
  const t = systemTable(events, { epochNs: BigInt(EPOCH_US) * 1000n })
  const { models } = buildHbm(t, 'ntrace.pb')
  const hbms = models.flatMap(m =>
    m.allocations ? [{ time: m.time, allocations: m.allocations, parent: parentRows(t, m.allocations.allocRow) }] : [],
  )
  const p = pytorchSide([{ table: snapshot, shift: Number(snapshot.epochNs - t.epochNs) }])
  const r = runtimeSide(t, hbms)
  return { join: joinAllocations(p, r), rows: p.rows, runtimeCount: r.rows.count }
}

/** Every entry i is linked with the runtime's allocation i. */
function expectAll(join: Join, rows: PytorchRows, n: number): void {
  expect(join.matched).toBe(n)
  for (let i = 0; i < n; i++) {
    const p = join.pytorchOf[i]
    expect(rows.row[p]).toBe(i)
    expect(join.runtimeOf[p]).toBe(i)
    expect(join.how[i]).toBe(LINK_ID)
  }
}

const big = (i: number): bigint => 0x9e37_79b9_7f4a_0000n + BigInt(i) * 7919n
const N = 40
const list = pairs(N)

describe('the key of the join', () => {
  const entryKeys: readonly (readonly [string, (v: bigint) => Record<string, string | number | bigint>])[] = [
    ['trace_id of alloc entries', v => ({ trace_id: v })],
    ['correlation of alloc entries', v => ({ correlation: String(v) })],
    ['hex_key of alloc entries', v => ({ hex_key: '0x' + v.toString(16) })],
    ['user_metadata of alloc entries', v => ({ user_metadata: String(v) })],
    ['trace_id in user_metadata of alloc entries', v => ({ user_metadata: `{"step": 4, "trace_id": ${v}}` })],
    ['number 1 in user_metadata of alloc entries', v => ({ user_metadata: `from nrt <${v}>` })],
  ]
  const eventKeys: readonly (readonly [string, (v: bigint) => Partial<TestEvent>])[] = [
    ['trace_id', v => ({ attributes: { trace_id: v } })],
    ['@hint', v => ({ attributes: { '@hint': v } })],
    ['tracking id', v => ({ trackingId: v })],
    ['sequence id', v => ({ sequence: v })],
    ['id', v => ({ id: v })],
    ['parent id', v => ({ parentId: v })],
  ]
  for (const [pytorch, entry] of entryKeys)
    for (const [runtime, event] of eventKeys)
      it(`is found: ${pytorch} with ${runtime}`, async () => {
        const { join, rows } = await run(list, { entry: i => entry(big(i)), event: i => event(big(i)) })
        expect(join.key).toEqual({ pytorch, runtime })
        expectAll(join, rows, N)
        expect(join).toMatchObject({ pytorchOnly: 0, runtimeOnly: 0, inferred: 0, misfits: 0 })
        expect(join.candidates[0]).toMatchObject({ verdict: 'taken', matched: N, rate: 1, unique: 1, consistent: 1 })
      })

  it('may stand on the event around the allocation, and on segments', async () => {
    const { join, rows } = await run(list, {
      action: 'segment_alloc',
      entry: i => ({ trace_id: big(i) }),
      event: () => ({}),
      around: i => ({ tensor_id: big(i), size: 1 }),
    })
    expect(join.key).toEqual({ pytorch: 'trace_id of segment entries', runtime: 'tensor_id of the event around' })
    expectAll(join, rows, N)
  })

  it('may be a text', async () => {
    const uuid = (i: number): string => `0B1EA78C-A286-4FD3-8000-${String(i).padStart(12, '0')}`
    const { join, rows } = await run(list, {
      entry: i => ({ alloc_uuid: uuid(i) }),
      event: i => ({ attributes: { handle: uuid(i).toLowerCase() } }),
    })
    expect(join.key).toEqual({ pytorch: 'alloc_uuid of alloc entries', runtime: 'handle' })
    expectAll(join, rows, N)
  })

  it('is exact in all 64 bits', async () => {
    // Neighbours that no double tells apart.
    const id = (i: number): bigint => 18_446_744_073_709_551_000n + BigInt(i)
    const { join, rows } = await run(list, { entry: i => ({ trace_id: id(i) }), event: i => ({ trackingId: id(i) }) })
    expectAll(join, rows, N)
  })
})

describe('decoys lose', () => {
  it('counters in another order, although every value matches', async () => {
    const { join, rows } = await run(list, {
      entry: i => ({ trace_id: big(i), index: i + 1, user_metadata: String(((i * 7) % N) + 1) }),
      event: i => ({ attributes: { trace_id: big(i), slot: ((i * 11) % N) + 1 }, sequence: BigInt(((i * 3) % N) + 1) }),
    })
    expect(join.key).toEqual({ pytorch: 'trace_id of alloc entries', runtime: 'trace_id' })
    expectAll(join, rows, N)
    const decoys = join.candidates.filter(c => c.verdict !== 'taken')
    expect(decoys.length).toBeGreaterThanOrEqual(4)
    expect(decoys.every(c => c.verdict === 'inconsistent')).toBe(true)
  })

  it('and win nothing where there is no key at all', async () => {
    const { join } = await run(list, { entry: i => ({ index: i + 1 }), event: i => ({ attributes: { slot: ((i * 11) % N) + 1 } }) })
    expect(join).toMatchObject({ key: null, matched: 0 })
    expect(join.candidates).toMatchObject([{ matched: N, verdict: 'inconsistent' }])
    expect(join.text).toMatch(/do not fit/)
  })

  it('counters in another order, where all sizes are equal and all times near', async () => {
    const same = Array.from({ length: N }, (_, i) => ({ ms: 1 + i * 0.2, asked: MIB, given: 2 * MIB }))
    const { join } = await run(same, { entry: i => ({ index: i + 1 }), event: i => ({ attributes: { slot: ((i * 11) % N) + 1 } }) })
    expect(join).toMatchObject({ key: null, matched: 0 })
    expect(join.candidates).toMatchObject([{ matched: N, consistent: 1, verdict: 'inconsistent' }])
    const right = await run(same, {
      entry: i => ({ index: i + 1 }),
      event: i => ({ attributes: { index: i + 1, slot: ((i * 11) % N) + 1 } }),
    })
    expect(right.join.key).toEqual({ pytorch: 'index of alloc entries', runtime: 'index' })
  })

  it('a small counter is the key where it pairs what fits', async () => {
    const { join, rows } = await run(list, {
      entry: i => ({ trace_id: i + 1, step: (i % 4) + 1 }),
      event: i => ({ attributes: { trace_id: i + 1, exec: (i % 4) + 1, slot: ((i * 11) % N) + 1 } }),
    })
    expect(join.key).toEqual({ pytorch: 'trace_id of alloc entries', runtime: 'trace_id' })
    expectAll(join, rows, N)
    expect(join.candidates.find(c => c.pytorch.startsWith('step') && c.runtime === 'exec')?.verdict).toBe('not-unique')
  })

  it('one that is off by one has sizes and times of the neighbour', async () => {
    const { join, rows } = await run(list, {
      entry: i => ({ trace_id: i + 1 }),
      event: i => ({ attributes: { trace_id: i + 1, previous: i } }),
    })
    expect(join.key?.runtime).toBe('trace_id')
    expectAll(join, rows, N)
  })

  it('constants and flags are never keys', async () => {
    const { join } = await run(list, { entry: () => ({ rank: 7, pool: '0' }), event: () => ({ attributes: { rank: 7, zero: 0 } }) })
    expect(join).toMatchObject({ key: null, matched: 0 })
  })

  it('random pairings are refused whatever they look like', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(N - 1), { minLength: N, maxLength: N }), fc.boolean(), async (order, large) => {
        // Leave out orders that are nearly right.
        fc.pre(order.filter((v, i) => v === i).length < N / 4)
        const id = (i: number): bigint => (large ? big(i) : BigInt(i + 1))
        const { join } = await run(list, { entry: i => ({ trace_id: id(i) }), event: i => ({ attributes: { trace_id: id(order[i]) } }) })
        expect(join.key).toBeNull()
        expect(join.matched).toBe(0)
      }),
      { numRuns: 15 },
    )
  })
})

describe('what is left', () => {
  it('is counted on both sides', async () => {
    const h = new TestHbm()
    h.alloc({ time: 5_000_000, bytes: 5, address: 0x77n, usage: 'weights' })
    const { join, runtimeCount } = await run(list, {
      entry: i => (i < 30 ? { trace_id: big(i) } : {}),
      event: i => (i < 20 ? { attributes: { trace_id: big(i) } } : {}),
      keep: i => i !== 3,
      extra: h.events,
    })
    expect(runtimeCount).toBe(N)
    expect(join).toMatchObject({ matched: 19, pytorchOnly: 11, runtimeOnly: N - 19 })
  })

  it('a pair with equal ids whose sizes cannot be of one allocation is left out, and that is said', async () => {
    const odd = list.map((p, i) => (i === 5 ? { ...p, asked: 10 * 2 ** 30 } : p))
    const { join } = await run(odd, { entry: i => ({ trace_id: big(i) }), event: i => ({ attributes: { trace_id: big(i) } }) })
    expect(join).toMatchObject({ matched: N - 1, misfits: 1 })
    expect(join.text).toMatch(/left out/)
  })

  it('two keys that link the same rows differently are refused', async () => {
    const same = Array.from({ length: N }, (_, i) => ({ ms: 1 + i * 0.001, asked: MIB, given: 2 * MIB }))
    const { join } = await run(same, {
      entry: i => ({ one: big(i), two: big(1000 + i) }),
      event: i => ({ attributes: { a: big(i), b: big(1000 + ((i + 1) % N)) } }),
    })
    expect(join).toMatchObject({ key: null, matched: 0 })
    expect(join.candidates.map(c => c.verdict)).toEqual(['tie', 'tie'])
    expect(join.text).toMatch(/differently/)
  })

  it('two keys that link the same rows alike are no tie', async () => {
    const { join, rows } = await run(list, {
      entry: i => ({ trace_id: big(i) }),
      event: i => ({ attributes: { trace_id: big(i) }, trackingId: big(i) }),
    })
    expect(join.key).toEqual({ pytorch: 'trace_id of alloc entries', runtime: 'trace_id' })
    expect(join.candidates.map(c => c.verdict)).toEqual(['taken', 'weaker'])
    expectAll(join, rows, N)
  })

  it('too few small numbers prove nothing; one 64-bit id of an allocation that fits does', async () => {
    const two = pairs(2)
    expect(
      (await run(two, { entry: i => ({ trace_id: i + 1 }), event: i => ({ attributes: { trace_id: i + 1 } }) })).join.candidates[0].verdict,
    ).toBe('too-few')
    const one = pairs(1)
    expect((await run(one, { entry: i => ({ trace_id: big(i) }), event: i => ({ attributes: { trace_id: big(i) } }) })).join.matched).toBe(
      1,
    )
  })

  it('nothing at all is said', async () => {
    expect((await run(list, { entry: () => ({}), event: () => ({}) })).join.text).toMatch(/no keys/)
    expect((await run([], { entry: () => ({}), event: () => ({}) })).join.text).toMatch(/no device memory allocations/)
  })
})

describe('links without ids', () => {
  it('are made by address and size in overlapping time, and are inferred', async () => {
    const { join, rows } = await run(list, { action: 'segment_alloc', addresses: true, entry: () => ({}), event: () => ({}) })
    expect(join).toMatchObject({ key: null, matched: 0, inferred: N, runtimeOnly: 0 })
    for (let i = 0; i < N; i++) {
      expect(join.how[i]).toBe(LINK_INFERRED)
      expect(rows.row[join.pytorchOf[i]]).toBe(i)
    }
    expect(join.text).toMatch(/inferred/)
  })

  it('need a size and a time that fit', async () => {
    const wrong = list.map((p, i) => ({ ...p, given: i % 2 ? p.given : p.given + 64 * MIB }))
    const { snapshot } = await tables(list, { action: 'segment_alloc', addresses: true, entry: () => ({}), event: () => ({}) })
    const { events } = await tables(wrong, { action: 'segment_alloc', addresses: true, entry: () => ({}), event: () => ({}) })
    const t = systemTable(events, { epochNs: BigInt(EPOCH_US) * 1000n })
    const of = (shift: number): Join => {
      const hbms = buildHbm(t, 'n').models.map(m => {
        if (!m.allocations) throw new Error('no allocations')
        return { time: m.time, allocations: m.allocations, parent: parentRows(t, m.allocations.allocRow) }
      })
      return joinAllocations(pytorchSide([{ table: snapshot, shift }]), runtimeSide(t, hbms))
    }
    expect(of(Number(snapshot.epochNs - t.epochNs)).inferred).toBe(N / 2)
    // An hour apart: the addresses are those of another run.
    expect(of(Number(snapshot.epochNs - t.epochNs) + 3600e9).inferred).toBe(0)
  })

  it('are made for segments of the table that have no entry, and fill what ids left', async () => {
    const address = 0xffff_8000_0000_0000n
    const segment: FixtureSegment = { device: 0, address, total_size: list[0].given, blocks: [] }
    const { join, rows } = await run(list, {
      segments: [segment],
      entry: i => (i === 0 ? {} : { trace_id: big(i) }),
      event: i => (i === 0 ? {} : { trackingId: big(i) }),
    })
    expect(join).toMatchObject({ matched: N - 1, inferred: 1, runtimeOnly: 0 })
    expect(rows.kind[join.pytorchOf[0]]).toBe(3)
    expect(rows.kind[join.pytorchOf[1]]).toBe(P_ALLOC)
  })

  it('are not made where several are possible', async () => {
    const address = 0xffff_8000_0000_0000n
    const segment = (device: number): FixtureSegment => ({ device, address, total_size: list[0].given, blocks: [] })
    const { join } = await run(list.slice(0, 1), { segments: [segment(0), segment(1)], entry: () => ({}), event: () => ({}) })
    expect(join.inferred).toBe(0)
    expect(join.text).toMatch(/more than one/)
  })
})

describe('ids inside a text', () => {
  it.each([
    ['123456', [['user_metadata', '123456']]],
    ['trace_id=0xff', [['trace_id in user_metadata', '255']]],
    [
      '{"trace id": "77", "step": 3}',
      [
        ['trace id in user_metadata', '77'],
        ['step in user_metadata', '3'],
      ],
    ],
    [
      'alloc 99 of 12',
      [
        ['user_metadata', 'alloc 99 of 12'],
        ['number 1 in user_metadata', '99'],
        ['number 2 in user_metadata', '12'],
      ],
    ],
    ['N/A', []],
  ] as const)('%s', (text, expected) => {
    const found = idsInside(text)
    for (const e of expected) expect(found).toContainEqual(e)
    if (expected.length === 0) expect(found).toEqual([])
  })
})
