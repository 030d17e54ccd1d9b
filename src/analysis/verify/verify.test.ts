/** The program's figures against those of the second reader, on real, made and random snapshots, and that a difference is told. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exampleSnapshot, snapshotBytes, type FixtureEvent, type FixtureSnapshot } from '../../formats/memory-snapshot/fixture'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import { pickleDumps, type PickleValue } from '../../formats/pickle/write'
import { secondReading } from '../../formats/second-reader/read'
import { bufferSource } from '../../formats/source'
import type { Diagnostic } from '../../shared/diagnostics'
import type { SecondReading, Verification } from '../../shared/verify'
import { AllocatorSimulator } from '../../testing/allocator-simulator'
import { samplesDir } from '../../testing/samples'
import { replayAll } from '../allocator/replay'
import { naiveReplay } from './naive'
import { verify, type Readings } from './verify'

async function readings(data: Uint8Array, change: Partial<Readings> = {}): Promise<Readings> {
  const { table, diagnostics } = await readSnapshot(bufferSource('x.pickle', data))
  if (!table) throw new Error(JSON.stringify(diagnostics))
  const bytes = () => Promise.resolve({ data, changed: false })
  return { table, models: replayAll(table), diagnostics, bytes, second: secondReading, ...change }
}
const verified = async (data: Uint8Array, change: Partial<Readings> = {}): Promise<Verification> => verify(await readings(data, change))
const odd = (v: Verification) => v.rows.filter(r => r.verdict !== 'equal')

const dir = samplesDir()
describe.runIf(dir !== null)('samples', () => {
  for (const folder of ['snapshots', 'synthetic-snapshots'])
    for (const name of dir === null ? [] : readdirSync(join(dir, folder)).filter(n => n.endsWith('.pickle')))
      test(`${folder}/${name}`, async () => {
        const v = await verified(readFileSync(join(dir ?? '', folder, name)))
        expect([v.verdict, v.reader]).toEqual(['equal', 'pickleparser 0.2.1'])
        expect(v.rows.length).toBeGreaterThan(12)
        // What pickleparser is known to get wrong: addresses beyond 2^53, one setting of 2^64 - 1.
        if (name.startsWith('xpu')) {
          expect(new Set(odd(v).map(r => r.reason))).toEqual(new Set(['sizes or addresses beyond 2^53 are rounded']))
          expect(odd(v).map(r => r.figure)).toContain('peakActiveBytes')
        } else expect(odd(v)).toEqual([])
        expect(v.limits.length).toBe(/^(xpu|trimmed)/.test(name) ? 1 : 0)
      })
})

describe('agreement', () => {
  test('on the fixture in every protocol, and as a list', async () => {
    for (const protocol of [2, 4, 5] as const) expect(odd(await verified(snapshotBytes(exampleSnapshot(), protocol)))).toEqual([])
    const v = await verified(pickleDumps(exampleSnapshot().segments as PickleValue, 2))
    expect([v.verdict, odd(v)]).toEqual(['equal', []])
  })

  test('on the same snapshot as JSON and inside a page', async () => {
    const s = exampleSnapshot()
    for (const g of s.segments) g['segment_pool_id'] = [0, 0]
    const json = await verified(Buffer.from(JSON.stringify(s)))
    expect([json.verdict, json.reader, odd(json)]).toEqual(['equal', 'JSON.parse', []])
    const base64 = Buffer.from(snapshotBytes(s)).toString('base64')
    const page = await verified(
      Buffer.from(
        `<!DOCTYPE html>\n<html><head></head><body>\n<script type="module">\nimport {add_local_files} from "https://cdn.example/MemoryViz.js"\n` +
          `const local_files = [{"name": "snapshot.pickle", "base64": "${base64}"}]\nadd_local_files(local_files, "Active Memory Timeline")\n</script>\n</body></html>`,
      ),
    )
    expect([page.verdict, page.reader, odd(page)]).toEqual(['equal', 'pickleparser 0.2.1', []])
    expect(page.rows.map(r => r.ours)).toEqual(json.rows.map(r => r.ours))
  })

  test('on what a simulated allocator writes, from any event on', async () => {
    const step = fc.record({ kind: fc.nat(9), size: fc.integer({ min: 1, max: 30e6 }), at: fc.nat(1000) })
    const options = fc.record({ expandable: fc.boolean(), maxSplit: fc.constant(Infinity), divisions: fc.constant(0) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), options, fc.nat(60), async (steps, o, from) => {
        const sim = new AllocatorSimulator(o)
        for (const { kind, size, at } of steps) {
          const block = sim.live(kind < 6 ? 'used' : 'pending')[at % 7]
          if (kind < 4) sim.alloc(size, at % 2, 0)
          else if (kind === 9) sim.emptyCache()
          else if (block && kind < 6) sim.free(block, kind === 4)
          else if (block) sim.complete(block)
        }
        const v = await verified(snapshotBytes(sim.snapshot(from)))
        expect(odd(v)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  test('on events in any order, with frees of nothing, live addresses that are given again, actions of the future', async () => {
    const event = fc.record({
      action: fc.constantFrom(
        'alloc',
        'alloc',
        'free_requested',
        'free_completed',
        'free',
        'segment_alloc',
        'segment_unmap',
        'oom',
        'defrag',
      ),
      addr: fc.integer({ min: 1, max: 6 }).map(a => a * 512),
      size: fc.integer({ min: 0, max: 2 ** 40 }),
    })
    const block = fc.record({
      address: fc.integer({ min: 1, max: 6 }).map(a => a * 512),
      size: fc.constant(512),
      requested_size: fc.integer({ min: 1, max: 512 }),
      state: fc.constantFrom('active_allocated', 'active_pending_free', 'active_awaiting_free', 'inactive'),
    })
    const segment = fc.record({
      device: fc.nat(1),
      address: fc.constant(512),
      total_size: fc.integer({ min: 0, max: 2 ** 40 }),
      blocks: fc.array(block, { minLength: 1, maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(event, { maxLength: 30 }), { maxLength: 2 }),
        fc.array(segment, { maxLength: 3 }),
        async (device_traces, segments) => {
          const v = await verified(snapshotBytes({ segments, device_traces } as FixtureSnapshot))
          expect(odd(v)).toEqual([])
        },
      ),
      { numRuns: 150 },
    )
  })
})

describe('differences', () => {
  const second =
    (change: (s: FixtureSnapshot) => void): Readings['second'] =>
    (_, form) => {
      const s = exampleSnapshot()
      change(s)
      return secondReading(snapshotBytes(s), form)
    }
  const told = async (change: (s: FixtureSnapshot) => void) => {
    const v = await verified(snapshotBytes(exampleSnapshot()), { second: second(change) })
    return { verdict: v.verdict, rows: odd(v).map(r => [r.device, r.figure, r.ours, r.second, r.verdict]) }
  }
  const events = (s: FixtureSnapshot): FixtureEvent[] => s.device_traces[1] as FixtureEvent[]

  test('none on the same bytes', async () => expect(await told(() => undefined)).toEqual({ verdict: 'equal', rows: [] }))
  test('an event more', async () =>
    expect(await told(s => events(s).push({ action: 'defrag', addr: 0, size: 1 }))).toEqual({
      verdict: 'differs',
      rows: [
        [1, 'events', 12, 13, 'differs'],
        [1, 'events.defrag', null, 1, 'differs'],
      ],
    }))
  test('a size of one byte more', async () =>
    expect(await told(s => (events(s)[5] as FixtureEvent).size++)).toEqual({
      verdict: 'differs',
      rows: [
        [1, 'peakActiveBytes', 10_000_000, 10_000_001, 'differs'],
        [1, 'peakAllocatedBytes', 9_000_000, 9_000_001, 'differs'],
      ],
    }))
  test('a segment less, a device more', async () => {
    expect((await told(s => s.segments.pop())).rows).toEqual([
      [null, 'segments', 2, 1, 'differs'],
      [null, 'blocks', 5, 4, 'differs'],
      [1, 'segments', 2, 1, 'differs'],
      [1, 'blocks', 5, 4, 'differs'],
      [1, 'startReservedBytes', 20 * 2 ** 20, 18 * 2 ** 20, 'differs'],
      [1, 'peakReservedBytes', 26 * 2 ** 20, 24 * 2 ** 20, 'differs'],
      [1, 'endReservedBytes', 22 * 2 ** 20, 20 * 2 ** 20, 'differs'],
    ])
    expect((await told(s => (s.device_traces[0] as FixtureEvent[]).push({ action: 'oom', size: 1 }))).rows).toContainEqual([
      0,
      'events.oom',
      null,
      1,
      'differs',
    ])
    expect((await told(s => s.segments.forEach(g => (g.device = 3)))).rows).toContainEqual([1, 'segments', 2, 0, 'differs'])
  })
  test('a device that only our reader has', async () => {
    const only = (await told(s => ((s.device_traces[1] = []), s.segments.forEach(g => (g.device = 3))))).rows
    expect(only).toContainEqual([1, 'events', 12, null, 'differs'])
    expect(only).toContainEqual([3, 'segments', null, 2, 'differs'])
  })
  test('a figure that the misread integers may have changed is no difference; a count is one', async () => {
    const misread = { negative: 1, large: 0 }
    const change: Readings['second'] = async (data, form): Promise<SecondReading> => {
      const r = await second(s => ((events(s)[5] as FixtureEvent).size++, events(s).splice(7, 1)))(data, form)
      return r.ok ? { ...r, misread } : r
    }
    const v = await verified(snapshotBytes(exampleSnapshot()), { second: change })
    expect(odd(v).map(r => [r.figure, r.verdict])).toEqual([
      ['events', 'differs'],
      ['events.oom', 'differs'],
      ['peakActiveBytes', 'cannot-tell'],
      ['peakAllocatedBytes', 'cannot-tell'],
    ])
    expect(v.limits).toEqual(['pickleparser 0.2.1 takes 1 integer of this file below 0 for large ones.'])
  })
})

describe('what is not compared', () => {
  const data = snapshotBytes(exampleSnapshot())
  const never: Readings['second'] = () => {
    throw new Error('the second reader was started')
  }
  test('a file with what our reader refuses', async () => {
    const refused = { code: 'pickle-global' } as Diagnostic
    const v = await verified(data, { second: never, diagnostics: [refused] })
    expect(v).toMatchObject({ verdict: 'not-tried', reader: 'none' })
    expect(v.limits[0]).toContain('pickle-global')
    expect(v.rows.every(r => r.verdict === 'cannot-tell' && r.second === null && r.reason !== null)).toBe(true)
    expect(v.rows.find(r => r.figure === 'peakActiveBytes')?.ours).toBe(10_000_000)
  })
  test('a snapshot that asks for a name in one of its values', async () => {
    const plain = snapshotBytes(exampleSnapshot(), 2)
    const asking = Buffer.concat([plain.subarray(0, -1), Buffer.from('X\u0001\0\0\0zcos\nsystem\ns.', 'latin1')])
    const v = await verified(asking, { second: never })
    expect([v.verdict, v.limits[0]]).toEqual(['not-tried', expect.stringContaining('(pickle-global)')])
    // And if it were given to the second reader, that one would stop at the name.
    const r = await secondReading(asking, 'pickle')
    expect(r.ok ? 'read' : r.reason).toContain('asks for a name, which is refused')
  })
  test('a large file, one that changes, one that is cut', async () => {
    const large = await verified(data, { second: never, bytes: () => Promise.resolve({ data: null, changed: false }) })
    expect([large.verdict, large.limits[0]]).toEqual(['not-tried', expect.stringContaining('up to 64.0\u00a0MB')])
    const moved = await verified(data, { second: never, bytes: () => Promise.resolve({ data, changed: true }) })
    expect([moved.verdict, moved.limits[0]]).toEqual(['not-tried', 'The file changed while it was read.'])
    const cut = await verified(data.subarray(0, data.length - 900))
    expect([cut.verdict, cut.limits[0]]).toEqual(['cannot-tell', expect.stringMatching(/^pickleparser 0\.2\.1 stops/)])
  })
  test('lists that stand in a file by reference thousands of times', () => {
    const one = Array.from({ length: 1000 }, () => ({ action: 'alloc', addr: 1, size: 1 }))
    expect(() => naiveReplay({ segments: [], device_traces: new Array(1000).fill(one) }, 100_000)).toThrow('more items')
  })
  test('a figure that our report does not tell', async () => {
    const s = exampleSnapshot()
    ;((s.device_traces[1] as FixtureEvent[])[5] as Record<string, PickleValue>)['size'] = null
    const v = await verified(snapshotBytes(s))
    expect(v.rows.find(r => r.figure === 'peakActiveBytes')).toMatchObject({
      ours: null,
      verdict: 'cannot-tell',
      reason: 'our reader does not tell this figure',
    })
    expect(v.verdict).toBe('equal')
  })
})
