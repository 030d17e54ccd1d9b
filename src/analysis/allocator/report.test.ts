/** For each field of the report: a fixture with a value that is not zero, and a twin (the fixture with that aspect changed) in which the field must follow. */
import { describe, expect, test } from 'vitest'
import {
  EXAMPLE,
  exampleSnapshot,
  frame,
  MIB,
  snapshotBytes,
  type FixtureBlock,
  type FixtureEvent,
  type FixtureSnapshot,
} from '../../formats/memory-snapshot/fixture'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import { pickleDumps, type PickleValue } from '../../formats/pickle/write'
import { bufferSource } from '../../formats/source'
import { replayAll } from './replay'
import { snapshotReport, type DeviceReport, type SnapshotReport } from './report'

async function reportOf(data: Uint8Array, rank = 0): Promise<SnapshotReport> {
  const { table, diagnostics } = await readSnapshot(bufferSource('fixture.pickle', data))
  if (!table) throw new Error(JSON.stringify(diagnostics))
  return snapshotReport(table, replayAll(table), rank, diagnostics)
}

const WANT: SnapshotReport = {
  format: 'pickle',
  pickleProtocol: 4,
  rank: 3,
  segments: 2,
  blocks: 5,
  stacks: 2,
  timeUs: ['1700000000000010', '1700000000000120'],
  annotations: [{ text: 'step 1', stage: 'START', device: 1, timeUs: '1700000000000005' }],
  devices: [
    {
      device: 1,
      events: 12,
      eventsByAction: { alloc: 2, free_requested: 2, free_completed: 3, segment_alloc: 2, segment_free: 1, snapshot: 1, oom: 1 },
      startActiveBytes: 5_800_000,
      peakActiveBytes: 10_000_000,
      peakActiveEvent: 5,
      peakActiveNs: '1700000000000060000',
      endActiveBytes: 7_000_000,
      peakAllocatedBytes: 9_000_000,
      endAllocatedBytes: 6_000_000,
      peakBlockRoundedBytes: 9_000_960,
      endBlockRoundedBytes: 6_000_640,
      startReservedBytes: 20 * MIB,
      peakReservedBytes: 26 * MIB,
      endReservedBytes: 22 * MIB,
      unknownFrees: 2,
      unknownFreeBytes: 800_000,
      liveAtStart: 1,
      liveAtStartBytes: 4_000_000,
      pools: { '0,0': 20 * MIB, '1,0': 2 * MIB },
      ooms: [{ event: 7, size: 9_000_000_000, deviceFree: 12_345 }],
      checkpoints: [1, 1],
      maxStack: 3,
      entriesWithoutFrames: 2,
      selfCheck: { ok: true, replayBytes: 7_000_000, tableBytes: 7_000_000 },
      blockRounded: {
        checkedBlocks: 1,
        checkpoints: [1, 1],
        status: 'confirmed',
        reason: 'checked on 1 block; 1 checkpoint agrees; 1 block from before the recording, freed in it, is counted by the rounding alone',
      },
    },
  ],
  hostSegments: null,
  diagnostics: [],
}

test('the whole document, in its order', async () => {
  const doc = await reportOf(snapshotBytes(exampleSnapshot()), 3)
  expect(doc).toEqual(WANT)
  expect(Object.keys(doc)).toEqual(Object.keys(WANT))
  expect(Object.keys(doc.devices[0] as DeviceReport)).toEqual(Object.keys(WANT.devices[0] as DeviceReport))
})

const events = (s: FixtureSnapshot): FixtureEvent[] => s.device_traces[1] as FixtureEvent[]
const drop = (s: FixtureSnapshot, from: number, n = 1): void => void events(s).splice(from, n)
const blocks = (s: FixtureSnapshot) => (s.segments[0] as FixtureSnapshot['segments'][number]).blocks

/** Field, what is changed in the twin, and what the field must then be. */
const TWINS: readonly (readonly [keyof DeviceReport, string, (s: FixtureSnapshot) => void, unknown])[] = [
  ['device', 'one list less before it', s => (s.device_traces.shift(), s.segments.forEach(g => (g.device = 0))), 0],
  ['events', 'an entry less', s => drop(s, 6), 11],
  [
    'eventsByAction',
    'no OOM',
    s => drop(s, 7),
    { alloc: 2, free_requested: 2, free_completed: 3, segment_alloc: 2, segment_free: 1, snapshot: 1 },
  ],
  [
    'eventsByAction',
    'an action of the future',
    s => (events(s)[7] = { action: 'defrag', addr: 0, size: 1 }),
    { ...WANT.devices[0]?.eventsByAction, oom: undefined, defrag: 1 },
  ],
  ['startActiveBytes', 'no pending block', s => blocks(s).splice(2, 1), 4_800_000],
  [
    'startActiveBytes',
    'the alloc of the unknown free is recorded',
    s => events(s).unshift({ action: 'alloc', addr: EXAMPLE.unknown, size: 300_000 }),
    5_500_000,
  ],
  ['peakActiveBytes', 'a larger temporary', s => (events(s)[5] as FixtureEvent).size++, 10_000_001],
  ['peakActiveEvent', 'the temporary is smaller than what is freed before it', s => ((events(s)[5] as FixtureEvent).size = 100_000), 1],
  ['peakActiveEvent', 'nothing is allocated: the start state is the peak', s => (drop(s, 11), drop(s, 8), drop(s, 5), drop(s, 1)), -1],
  ['endActiveBytes', 'the temporary is not freed', s => (drop(s, 11), drop(s, 8)), 10_000_000],
  [
    'peakAllocatedBytes',
    'the request of the unknown block comes after the peak',
    s => events(s).splice(6, 0, ...events(s).splice(3, 2)),
    9_500_000,
  ],
  [
    'endAllocatedBytes',
    'the kept block is pending at the end',
    s => (
      events(s).push({ action: 'free_requested', addr: EXAMPLE.kept, size: 2_000_000 }),
      ((blocks(s)[1] as { state: string }).state = 'active_pending_free')
    ),
    4_000_000,
  ],
  [
    'peakBlockRoundedBytes',
    'a larger temporary, no checkpoint',
    s => (((events(s)[5] as FixtureEvent).size = 3_000_500), drop(s, 6)),
    9_001_472,
  ],
  ['peakBlockRoundedBytes', 'another value in the checkpoint', s => ((events(s)[6] as FixtureEvent).size += 512), null],
  ['endBlockRoundedBytes', 'another block size in the table', s => ((blocks(s)[1] as FixtureBlock).size = 2_000_896), 6_001_152],
  ['endBlockRoundedBytes', 'a block is missing from the table', s => blocks(s).splice(1, 1), null],
  ['startReservedBytes', 'the pool segment is older', s => drop(s, 0), 22 * MIB],
  ['peakReservedBytes', 'no segment in between', s => drop(s, 9, 2), 22 * MIB],
  [
    'peakReservedBytes',
    'mapped and unmapped instead',
    s => (
      ((events(s)[9] as FixtureEvent).action = 'segment_map'),
      ((events(s)[10] as FixtureEvent).action = 'segment_unmap'),
      ((events(s)[9] as FixtureEvent).size = 8 * MIB),
      ((events(s)[10] as FixtureEvent).size = 8 * MIB)
    ),
    30 * MIB,
  ],
  ['endReservedBytes', 'without the pool', s => s.segments.pop(), 20 * MIB],
  ['unknownFrees', 'one less', s => drop(s, 2), 1],
  ['unknownFrees', 'a merged free without alloc', s => events(s).push({ action: 'free', addr: 0x1000, size: 7 }), 3],
  ['peakActiveNs', 'without times', s => events(s).forEach(e => delete (e as Record<string, PickleValue>)['time_us']), null],
  ['peakActiveNs', 'later', s => ((events(s)[5] as FixtureEvent)['time_us'] = 1_700_000_000_000_061), '1700000000000061000'],
  ['unknownFreeBytes', 'a larger one', s => (events(s)[2] as FixtureEvent).size++, 800_001],
  ['liveAtStart', 'its alloc is recorded', s => events(s).push({ action: 'alloc', addr: EXAMPLE.weights, size: 4_000_000 }), 0],
  ['liveAtStartBytes', 'a larger block', s => ((blocks(s)[0] as Record<string, PickleValue>)['requested_size'] = 4_000_001), 4_000_001],
  ['pools', 'no private pool', s => s.segments.pop(), { '0,0': 20 * MIB }],
  [
    'ooms',
    'device_free is not stored',
    s => delete (events(s)[7] as Record<string, PickleValue>)['device_free'],
    [{ event: 7, size: 9_000_000_000, deviceFree: null }],
  ],
  ['ooms', 'no OOM', s => drop(s, 7), []],
  ['checkpoints', 'another value in the entry', s => ((events(s)[6] as FixtureEvent).size += 512), [0, 1]],
  ['checkpoints', 'no entry', s => drop(s, 6), [0, 0]],
  [
    'maxStack',
    'without the deep stack',
    s =>
      events(s).forEach(
        e => ((e as Record<string, PickleValue>)['frames'] = (events(s)[0] as Record<string, PickleValue>)['frames'] as PickleValue),
      ),
    2,
  ],
  ['entriesWithoutFrames', 'frames are null', s => ((events(s)[0] as Record<string, PickleValue>)['frames'] = null), 3],
  [
    'selfCheck',
    'a block is missing from the table',
    s => blocks(s).splice(1, 1),
    { ok: false, replayBytes: 7_000_000, tableBytes: 5_000_000 },
  ],
  [
    'blockRounded',
    'another value in the checkpoint',
    s => ((events(s)[6] as FixtureEvent).size += 512),
    {
      checkedBlocks: 1,
      checkpoints: [0, 1],
      status: 'refuted',
      reason: '1 of the 1 checkpoint in the history does not agree with the rounding of the CUDA allocator',
    },
  ],
]

describe('twins of a device', () => {
  test('every field has one', () => {
    expect([...new Set(TWINS.map(t => t[0]))].sort()).toEqual(Object.keys(WANT.devices[0] as DeviceReport).sort())
  })
  for (const [field, what, change, value] of TWINS)
    test(`${field}: ${what}`, async () => {
      const twin = exampleSnapshot()
      change(twin)
      const doc = await reportOf(snapshotBytes(twin))
      const got = (doc.devices[0] as DeviceReport)[field]
      expect(got).toEqual(value)
      expect(got).not.toEqual((WANT.devices[0] as DeviceReport)[field])
    })
})

describe('twins of the document', () => {
  const twin = async (change: (s: FixtureSnapshot) => void): Promise<SnapshotReport> => {
    const s = exampleSnapshot()
    change(s)
    return reportOf(snapshotBytes(s))
  }
  test('format and protocol', async () => {
    expect(await reportOf(pickleDumps(exampleSnapshot().segments as PickleValue, 2))).toMatchObject({
      format: 'pickle-list',
      pickleProtocol: 2,
      segments: 2,
      blocks: 5,
    })
    expect((await reportOf(snapshotBytes(exampleSnapshot(), 5))).pickleProtocol).toBe(5)
  })
  test('rank', async () => expect((await twin(() => undefined)).rank).toBe(0))
  test('segments and blocks', async () => expect(await twin(s => s.segments.pop())).toMatchObject({ segments: 1, blocks: 4 }))
  test('stacks: those of blocks do not count, those of events do', async () => {
    expect((await twin(s => ((blocks(s)[0] as Record<string, PickleValue>)['frames'] = [frame('other', 'x.py', 1)]))).stacks).toBe(2)
    expect((await twin(s => ((events(s)[0] as Record<string, PickleValue>)['frames'] = [frame('other', 'x.py', 1)]))).stacks).toBe(3)
    // Distinct by content: an equal list that is another object is the same stack.
    const copy = (s: FixtureSnapshot): void =>
      void ((events(s)[0] as Record<string, PickleValue>)['frames'] = [
        frame('Block.forward', '/home/u/model/block.py', 74),
        frame('train_step', '/home/u/train.py', 12),
      ])
    expect((await twin(copy)).stacks).toBe(2)
  })
  test('timeUs', async () => {
    expect((await twin(s => ((events(s)[11] as FixtureEvent)['time_us'] = 1_800_000_000_000_000))).timeUs[1]).toBe('1800000000000000')
    expect((await twin(s => events(s).forEach(e => delete (e as Record<string, PickleValue>)['time_us']))).timeUs).toEqual([null, null])
  })
  test('annotations', async () => {
    expect((await twin(s => (s['external_annotations'] = []))).annotations).toEqual([])
    const doc = await twin(s =>
      events(s).push({ action: 'annotate', addr: EXAMPLE.kept, size: 0, time_us: EXAMPLE.timeUs + 999, user_metadata: 'saved' }),
    )
    expect(doc.annotations[1]).toEqual({ text: 'saved', stage: 'annotate', device: 1, timeUs: '1700000000000999' })
  })
  test('devices: a list without events and segments is left out, one with either is there', async () => {
    expect((await twin(s => s.device_traces.push([]))).devices.map(d => d.device)).toEqual([1])
    expect((await twin(s => s.device_traces.push([{ action: 'alloc', addr: 1, size: 1 }]))).devices.map(d => d.device)).toEqual([1, 2])
    expect(
      (await twin(s => ((s.segments[1] as { device: number }).device = 5))).devices.map(d => [d.device, d.events, d.endReservedBytes]),
    ).toEqual([
      [1, 12, 20 * MIB],
      [5, 0, 2 * MIB],
    ])
  })
  test('active and allocated bytes are not known where the size of an alloc or a free does not fit; reserved bytes and other devices are', async () => {
    const totals = (d: DeviceReport | undefined): unknown[] =>
      d ? [d.startActiveBytes, d.peakActiveBytes, d.endActiveBytes, d.peakAllocatedBytes, d.endAllocatedBytes] : []
    for (const [at, size] of [
      [1, -5],
      [2, 2n ** 70n],
      [3, null],
      [5, 2 ** 60],
    ] as const) {
      const doc = await twin(s => {
        ;(events(s)[at] as Record<string, PickleValue>)['size'] = size
        s.device_traces.push([{ action: 'alloc', addr: 1, size: 10 }])
      })
      expect([size, totals(doc.devices[0])]).toEqual([size, [null, null, null, null, null]])
      expect(doc.devices[0]?.peakReservedBytes).toBe(26 * MIB)
      expect(totals(doc.devices[1])).toEqual([0, 10, 10, 10, 10])
      expect(doc.diagnostics.map(d => d.code)).toContain('snapshot-bad-value')
    }
    // No total needs the size of an OOM.
    const oom = await twin(s => ((events(s)[7] as { size: number }).size = -1))
    expect(totals(oom.devices[0])).toEqual(totals(WANT.devices[0]))
  })
  test('diagnostics', async () =>
    expect((await twin(s => (s['host_traces'] = []))).diagnostics.map(d => d.code)).toEqual(['snapshot-host-memory']))
})
