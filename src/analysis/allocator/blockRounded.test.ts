/** The block-rounded curve against a simulated allocator, and when it is shown. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  exampleSnapshot,
  snapshotBytes,
  type FixtureBlock,
  type FixtureEvent,
  type FixtureSnapshot,
} from '../../formats/memory-snapshot/fixture'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import type { PickleValue } from '../../formats/pickle/write'
import { bufferSource } from '../../formats/source'
import { AllocatorSimulator, type SimulatorOptions } from '../../testing/allocator-simulator'
import type { AllocatorModel } from './model'
import { replayAll } from './replay'
import { roundingSettings, roundSize } from './rounding'

async function modelOf(data: Uint8Array): Promise<AllocatorModel> {
  const { table, diagnostics } = await readSnapshot(bufferSource('fixture.pickle', data))
  const model = table && replayAll(table)[0]
  if (!model) throw new Error(JSON.stringify(diagnostics))
  return model
}

const KB = 1024
const MB = 1024 * KB
const sizes = fc.oneof(
  fc.integer({ min: 1, max: 4 * KB }),
  fc.integer({ min: 4 * KB, max: 1200 * KB }),
  fc.integer({ min: 1000 * KB, max: 12 * MB }),
  fc.integer({ min: 9 * MB, max: 70 * MB }),
)
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('alloc' as const), size: sizes, stream: fc.nat(1), pool: fc.nat(1) }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('free' as const), at: fc.nat(1000), done: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('complete' as const), at: fc.nat(1000) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('empty' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('checkpoint' as const) }) },
  ),
  { minLength: 1, maxLength: 120 },
)
type Steps = typeof steps extends fc.Arbitrary<infer T> ? T : never
const options: fc.Arbitrary<SimulatorOptions> = fc.record({
  expandable: fc.boolean(),
  maxSplit: fc.constantFrom(Infinity, Infinity, 20 * MB, 32 * MB),
  divisions: fc.constantFrom(0, 0, 0, 1, 2, 4, 8),
})

function simulate(list: Steps, o: SimulatorOptions): AllocatorSimulator {
  const sim = new AllocatorSimulator(o)
  for (const s of list) {
    if (s.do === 'alloc') sim.alloc(s.size, s.stream, s.pool)
    else if (s.do === 'empty') sim.emptyCache()
    else if (s.do === 'checkpoint') sim.checkpoint()
    else {
      const live = sim.live(s.do === 'free' ? 'used' : 'pending')
      const block = live[s.at % Math.max(1, live.length)]
      if (block && s.do === 'free') sim.free(block, s.done)
      else if (block) sim.complete(block)
    }
  }
  return sim
}

describe('the curve equals the allocated bytes of a simulated allocator after every event', () => {
  test('recorded from the start', async () => {
    let confirmed = 0
    await fc.assert(
      fc.asyncProperty(steps, options, async (list, o) => {
        const sim = simulate(list, o)
        fc.pre(sim.events.length > 0)
        const m = await modelOf(snapshotBytes(sim.snapshot()))
        const { blockRounded: b } = m.figures
        expect([...(m.rounded ?? [])]).toEqual(sim.allocated)
        expect(b.startBytes).toBe(0)
        expect(b.peakBytes).toBe(Math.max(0, ...sim.allocated))
        expect(b.endBytes).toBe(sim.allocated.at(-1))
        expect(b.checkedBlocks).toBe(sim.live('used').length + sim.live('pending').length)
        expect(b.status).toBe(b.checkedBlocks > 0 ? 'confirmed' : 'not-confirmed')
        if (b.status === 'confirmed') confirmed++
      }),
      { numRuns: 250 },
    )
    expect(confirmed).toBeGreaterThan(100)
  })

  test('recorded late: the start state too, where no block that is freed was left unsplit', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(steps, options, fc.double({ min: 0, max: 1, noNaN: true }), async (list, o, share) => {
        const sim = simulate(list, o)
        const from = Math.floor(share * sim.events.length)
        const allocs = new Set<unknown>()
        const settings = roundingSettings(JSON.stringify(sim.snapshot()['allocator_settings']))
        if (!settings) throw new Error('settings')
        // Blocks from before that are freed in the window: only their rounding can be known.
        for (let e = from; e < sim.events.length; e++) {
          const { action, addr } = sim.events[e] as FixtureEvent & { addr: number }
          const block = sim.blockOfEvent.get(e)
          if (action === 'alloc') allocs.add(addr)
          else if (block && !allocs.has(addr)) fc.pre(roundSize(block.requested, settings) === block.size)
        }
        fc.pre(from < sim.events.length)
        const m = await modelOf(snapshotBytes(sim.snapshot(from)))
        expect(m.figures.blockRounded.startBytes).toBe(from === 0 ? 0 : sim.allocated[from - 1])
        expect([...(m.rounded ?? [])]).toEqual(sim.allocated.slice(from))
        compared++
      }),
      { numRuns: 200 },
    )
    expect(compared).toBeGreaterThan(100)
  })
})

const events = (s: FixtureSnapshot): FixtureEvent[] => s.device_traces[1] as FixtureEvent[]
const blocks = (s: FixtureSnapshot): FixtureBlock[] => (s.segments[0] as FixtureSnapshot['segments'][number]).blocks
async function verdict(change: (s: FixtureSnapshot) => void, cut?: (data: Uint8Array) => Uint8Array) {
  const s = exampleSnapshot()
  change(s)
  const data = snapshotBytes(s)
  const m = await modelOf(cut ? cut(data) : data)
  return { ...m.figures.blockRounded, curve: m.rounded !== null }
}
const TABLE = 4_000_256 + 2_000_384
/** Makes a block of the recording another size in the segment table, with a request to match. */
function resize(s: FixtureSnapshot, requested: number, size: number): void {
  const kept = blocks(s)[1] as FixtureBlock
  kept.size = size
  kept['requested_size'] = requested
  ;(events(s)[1] as FixtureEvent).size = requested
  events(s).splice(6, 1)
}

describe('when it is shown', () => {
  test('every live block and checkpoint agrees: confirmed, with the counts', async () => {
    expect(await verdict(() => undefined)).toEqual({
      status: 'confirmed',
      reason: 'checked on 1 block; 1 checkpoint agrees; 1 block from before the recording, freed in it, is counted by the rounding alone',
      checkedBlocks: 1,
      checkpoints: [1, 1],
      startBytes: 4_500_480,
      peakBytes: 9_000_960,
      endBytes: TABLE,
      curve: true,
    })
  })

  test('nothing to check: shown, and said to be not confirmed', async () => {
    const v = await verdict(s => {
      events(s).splice(1, 1)
      events(s).splice(5, 1)
    })
    expect(v).toMatchObject({ status: 'not-confirmed', checkedBlocks: 0, curve: true, endBytes: TABLE })
    expect(v.reason).toMatch(/^not confirmed: no block/)
  })

  test('a block of another size than the rules give: no curve, the end from the table, the reason', async () => {
    const v = await verdict(s => ((blocks(s)[1] as FixtureBlock).size = 2_000_896))
    expect(v).toMatchObject({ status: 'refuted', checkedBlocks: 1, curve: false, startBytes: NaN, peakBytes: NaN, endBytes: TABLE + 512 })
    expect(v.reason).toContain('of 1 of the 1 block that can be checked')
    expect(v.reason).toContain('2,000,000 B requested would take 2,000,384 B, the segment table says 2,000,896 B')
  })

  test('a checkpoint that does not agree: no curve', async () => {
    const v = await verdict(s => ((events(s)[6] as FixtureEvent).size += 512))
    expect(v).toMatchObject({ status: 'refuted', checkpoints: [0, 1], curve: false, peakBytes: NaN, endBytes: TABLE })
    expect(v.reason).toContain('1 of the 1 checkpoint')
  })

  test('sizes as the Neuron guide describes them are named so', async () => {
    // 256 B steps below 16 MB, no rounding from there on.
    for (const [requested, size] of [
      [2_000_000, 2_000_128],
      [17_000_001, 17_000_001],
    ] as const)
      expect(await verdict(s => resize(s, requested, size))).toMatchObject({
        status: 'refuted',
        reason: expect.stringContaining('looks like the Neuron allocator') as unknown,
        curve: false,
      })
    // Neither a multiple of 256 nor a size that only Neuron would give.
    for (const [requested, size] of [
      [2_000_000, 2_000_001],
      [2_000_000, 2_097_152],
    ] as const)
      expect((await verdict(s => resize(s, requested, size))).reason).not.toContain('Neuron')
  })

  test('what the file does not tell is not known', async () => {
    const all = [
      ['not in the segment table', NaN, (s: FixtureSnapshot) => void blocks(s).splice(1, 1)],
      ['a size that does not fit', TABLE, (s: FixtureSnapshot) => void ((events(s)[5] as Record<string, PickleValue>)['size'] = null)],
      ['settings in the file', TABLE, (s: FixtureSnapshot) => void (s['allocator_settings'] = { roundup_power2_divisions: { '3': 4 } })],
    ] as const
    for (const [reason, endBytes, change] of all) {
      const v = await verdict(change)
      expect(v).toMatchObject({ status: 'unknown', curve: false, startBytes: NaN, peakBytes: NaN, endBytes })
      expect(v.reason).toContain(reason)
    }
    const v = await verdict(
      () => undefined,
      data => data.subarray(0, Buffer.from(data).indexOf('segment_free')),
    )
    expect(v).toMatchObject({ status: 'unknown', curve: false, endBytes: NaN })
    expect(v.reason).toContain('ends early')
  })
})

describe('rounding', () => {
  /** roundup_power2_next_division in 64-bit integers. */
  function next(size: bigint, divisions: bigint): bigint {
    if ((size & (size - 1n)) === 0n) return size
    const floor = 1n << BigInt(size.toString(2).length - 1)
    const division = floor >> BigInt(divisions.toString(2).length - 1)
    if (division === 0n) return floor << 1n
    const down = size & ~(division - 1n)
    return down === size ? size : down + division
  }
  const settings = (divisions: Record<string, number>) => {
    const s = roundingSettings(JSON.stringify({ roundup_power2_divisions: divisions }))
    if (!s) throw new Error('no settings')
    return s
  }
  test('to divisions of a power of two, as the C++ does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 45 }), fc.constantFrom(2, 4, 8, 16, 64), (size, d) => {
        const all = settings(Object.fromEntries(Array.from({ length: 16 }, (_, i) => [String(2 ** i), d])))
        const want = size < 512 ? 512 : size > 512 * d ? Number(next(BigInt(size), BigInt(d))) : Math.ceil(size / 512) * 512
        expect(roundSize(size, all)).toBe(want)
      }),
    )
  })
  test('each power of two has its own number; 0 and 1 round to 512 bytes', () => {
    const some = settings({ '1': 0, '2': 1, '4': 2, '32768': 4 })
    expect(roundSize(1_500_001, some)).toBe(Math.ceil(1_500_001 / 512) * 512)
    expect(roundSize(3 * MB - 1, some)).toBe(3 * MB)
    expect(roundSize(5 * MB, some)).toBe(6 * MB)
    expect(roundSize(9 * MB + 1, some)).toBe(9 * MB + 512)
    expect(roundSize(33 * 1024 * MB, some)).toBe(40 * 1024 * MB)
    expect(roundSize(300 * 1024 * MB, some)).toBe(320 * 1024 * MB)
    expect(roundSize(1, some)).toBe(512)
  })
  test('settings', () => {
    expect(roundingSettings(null)).toMatchObject({ maxSplit: Infinity, expandable: false })
    expect(roundingSettings('{"max_split_size": -1}')?.maxSplit).toBe(Infinity)
    expect(roundingSettings('{"max_split_size": 20971520, "expandable_segments": true}')).toMatchObject({
      maxSplit: 20 * MB,
      expandable: true,
    })
    for (const bad of ['[1]', '{"a": ', '{"roundup_power2_divisions": 4}', '{"roundup_power2_divisions": {"65536": 2}}'])
      expect([bad, roundingSettings(bad)]).toEqual([bad, null])
  })
})
