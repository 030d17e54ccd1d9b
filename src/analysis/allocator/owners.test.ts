import { describe, expect, test } from 'vitest'
import {
  EXAMPLE,
  exampleSnapshot,
  frame,
  snapshotBytes,
  type FixtureEvent,
  type FixtureFrame,
  type FixtureSnapshot,
} from '../../formats/memory-snapshot/fixture'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import { Tuple, type PickleValue } from '../../formats/pickle/write'
import { bufferSource } from '../../formats/source'
import type { AllocationDetails } from '../../shared/api'
import type { SnapshotTable } from '../../shared/tables'
import { allocationDetails, isTraceIdKey, traceIdOf } from './details'
import { isLibraryFrame, shortPath } from './library'
import type { AllocatorModel } from './model'
import { isLiveAtPeak, owners, type Owners } from './owners'
import { replay } from './replay'

async function modelOf(
  s: FixtureSnapshot,
  device: number,
): Promise<{ readonly table: SnapshotTable; readonly model: AllocatorModel; readonly own: Owners }> {
  const { table } = await readSnapshot(bufferSource('f.pickle', snapshotBytes(s)))
  const model = replay(table as SnapshotTable, device)
  return { table: table as SnapshotTable, model, own: owners(model, table as SnapshotTable) }
}
const events = (s: FixtureSnapshot): FixtureEvent[] => s.device_traces[1] as FixtureEvent[]

describe('library frames', () => {
  const library: readonly (readonly [string, string])[] = [
    ['/usr/lib/python3.11/threading.py', 'run'],
    ['/opt/conda/lib/python3.10/site-packages/torch/nn/modules/module.py', '_call_impl'],
    ['/usr/local/lib/python3/dist-packages/numpy/core.py', 'f'],
    ['C:\\Python311\\Lib\\threading.py', 'run'],
    ['C:\\env\\Lib\\site-packages\\torch\\_ops.py', 'f'],
    ['<frozen importlib._bootstrap>', '_find'],
    ['<eval_with_key>.12', 'forward'],
    ['/opt/pytorch/torch/nn/functional.py', 'linear'],
    ['/src/pytorch/torch/_tensor.py', 'backward'],
    ['../torch/csrc/autograd/engine.cpp', 'run'],
    ['/build/aten/src/ATen/Functions.h', 'at::empty'],
    ['??', 'c10::cuda::malloc'],
    ['', 'torch::autograd::Engine::execute'],
    ['', 'void at::meta::common_checks_baddbmm_bmm<at::meta::structured_bmm>(at::meta::structured_bmm&)'],
    ['', 'dynamo__custom_eval_frame'],
    ['', 'main'],
    ['/usr/lib/libcudart.so.12', ''],
    ['cu_malloc.cu', 'x'],
  ]
  const own: readonly (readonly [string, string])[] = [
    ['/home/u/train.py', 'main'],
    ['train.py', 'main'],
    ['/home/u/torch/train.py', 'main'],
    ['/home/u/mytorch/nn/block.py', 'forward'],
    ['/tmp/ipykernel_12/3.py', '<module>'],
    ['<stdin>', '<module>'],
    ['<ipython-input-3-abc>', 'f'],
    ['/home/u/lib/model.py', 'f'],
  ]
  for (const [file, name] of library) test(`${file || '(none)'} ${name}`, () => expect(isLibraryFrame(file)).toBe(true))
  for (const [file, name] of own) test(`not ${file || '(none)'} ${name}`, () => expect(isLibraryFrame(file)).toBe(false))
  test('short paths', () =>
    expect([shortPath('/a/b/c/d.py'), shortPath('d.py'), shortPath('C:\\a\\b.py')]).toEqual(['c/d.py', 'd.py', 'a/b.py']))
})

describe('groups', () => {
  test('of the example: by bytes at the peak', async () => {
    const { model, own } = await modelOf(exampleSnapshot(), 1)
    // The first two have the same bytes, at the peak and over all: then the frame that the file has first comes first.
    expect(own.groups).toEqual([
      { label: 'Block.forward model/block.py:74', file: '/home/u/model/block.py', line: 74, peakBytes: 5_000_000 },
      { label: 'train_step u/train.py:12', file: '/home/u/train.py', line: 12, peakBytes: 5_000_000 },
      { label: 'no frames recorded', file: '', line: -1, peakBytes: 0 },
    ])
    // Weights and the pending block come from the step, what was only freed has no owner, the recorded ones belong to the block (its own linear is torch).
    expect([...own.groupOf].map(g => own.groups[g]?.label.split(' ')[0])).toEqual([
      'train_step',
      'train_step',
      'no',
      'no',
      'Block.forward',
      'Block.forward',
    ])
    expect(Array.from({ length: model.count }, (_, i) => own.label(i))).toEqual([
      'train_step u/train.py:12',
      'train_step u/train.py:12',
      'allocated before the recording',
      'allocated before the recording',
      'Block.forward model/block.py:74',
      'Block.forward model/block.py:74',
    ])
    expect(own.groups.reduce((n, g) => n + g.peakBytes, 0)).toBe(model.figures.peakActiveBytes)
  })

  test('ten owners stay ten groups, eleven become nine and "other"', async () => {
    const make = (n: number): FixtureSnapshot => ({
      segments: [],
      device_traces: [
        Array.from({ length: n }, (_, i) => ({ action: 'alloc', addr: i * 512, size: 1000 + i, frames: [frame(`f${i}`, 'm.py', i)] })),
      ],
    })
    const ten = (await modelOf(make(10), 0)).own
    expect(ten.groups.map(g => g.label)).toEqual(Array.from({ length: 10 }, (_, i) => `f${9 - i} m.py:${9 - i}`))
    const { own, model } = await modelOf(make(13), 0)
    expect(own.groups).toHaveLength(10)
    expect(own.groups[9]).toEqual({ label: 'other', file: '', line: -1, peakBytes: 1000 + 1001 + 1002 + 1003 })
    expect([...own.groupOf].slice(0, 5)).toEqual([9, 9, 9, 9, 8])
    expect(own.label(0)).toBe('f0 m.py:0')
    expect(own.groups.reduce((n, g) => n + g.peakBytes, 0)).toBe(model.figures.peakActiveBytes)
  })

  test('a stack of library frames only', async () => {
    const lib = frame('_call_impl', '/x/site-packages/torch/nn/modules/module.py', 5)
    const { own } = await modelOf({ segments: [], device_traces: [[{ action: 'alloc', addr: 1, size: 2, frames: [lib] }]] }, 0)
    expect(own.groups).toEqual([{ label: 'library code only', file: '', line: -1, peakBytes: 2 }])
    expect(own.label(0)).toBe('_call_impl modules/module.py:5')
  })

  test('live at the peak', async () => {
    const { model } = await modelOf(exampleSnapshot(), 1)
    expect(Array.from({ length: model.count }, (_, i) => isLiveAtPeak(model, i))).toEqual([true, true, false, false, true, true])
  })
})

describe('details', () => {
  const detailsOf = async (
    change: (s: FixtureSnapshot) => void,
    pick: (m: AllocatorModel) => number,
    shift = 0,
  ): Promise<Omit<AllocationDetails, 'inside'>> => {
    const s = exampleSnapshot()
    change(s)
    const { table, model, own } = await modelOf(s, 1)
    return allocationDetails(model, table, own, pick(model), shift)
  }
  const at = (address: number) => (m: AllocatorModel) => m.address.indexOf(BigInt(address))

  test('of a recorded allocation', async () => {
    const d = await detailsOf(
      s =>
        Object.assign(events(s)[5] as FixtureEvent, {
          trace_id: 'op-17',
          note: 5,
          user_metadata: 'layer1',
          compile_context: 'Region 0/1',
          category: 'activation',
          pool_id: new Tuple([1, 0]),
        }),
      at(EXAMPLE.temporary),
      1000,
    )
    const frames = [
      { name: 'forward', file: '/usr/lib/python3.11/site-packages/torch/nn/modules/linear.py', line: 116, library: true },
      { name: 'Block.forward', file: '/home/u/model/block.py', line: 74, library: false },
      { name: 'train_step', file: '/home/u/train.py', line: 12, library: false },
    ]
    expect(d).toEqual({
      allocation: 5,
      size: 3_000_000,
      address: '0x' + EXAMPLE.temporary.toString(16),
      label: 'Block.forward model/block.py:74',
      group: d.group,
      start: false,
      blockBytes: null,
      allocEvent: 5,
      freeRequestedEvent: 8,
      freeCompletedEvent: 11,
      allocTime: 51_000,
      freeRequestedTime: 81_000,
      freeCompletedTime: 111_000,
      origin: 'recorded',
      stream: '0',
      pool: '1,0',
      segment: { address: '0x' + EXAMPLE.base.toString(16), bytes: 20 * 1024 * 1024, type: 'large', offset: 7_001_088, expandable: false },
      traceId: 'op-17',
      compileContext: 'Region 0/1',
      userMetadata: 'layer1',
      category: 'activation',
      extras: [
        { key: 'trace_id', value: 'op-17' },
        { key: 'note', value: '5' },
      ],
      frames,
      framesFrom: 'alloc',
      freeFrames: frames.slice(1),
      sameLine: { count: 2, liveAtPeak: 2, liveAtPeakBytes: 5_000_000 },
    })
  })
  test('of a block of the start state', async () => {
    const d = await detailsOf(s => ((s.segments[0]?.blocks[0] as Record<string, PickleValue>)['Trace ID'] = 9), at(EXAMPLE.weights))
    expect(d).toMatchObject({
      origin: 'live-at-start',
      start: true,
      allocEvent: -1,
      allocTime: null,
      freeCompletedEvent: null,
      blockBytes: 4_000_256,
      framesFrom: 'block',
      freeFrames: [],
      traceId: '9',
      pool: '0,0',
    })
    expect(d.segment?.offset).toBe(0)
  })
  test('of a pending block, and of one that was only freed', async () => {
    expect(await detailsOf(() => undefined, at(EXAMPLE.pending))).toMatchObject({
      origin: 'pending-free',
      freeRequestedEvent: null,
      blockBytes: 1_000_448,
    })
    const d = await detailsOf(() => undefined, at(EXAMPLE.requested))
    expect(d).toMatchObject({
      origin: 'unknown-free',
      allocEvent: -1,
      freeRequestedEvent: 3,
      freeCompletedEvent: 4,
      framesFrom: 'free',
      blockBytes: null,
      sameLine: null,
    })
    expect(d.frames).toEqual(d.freeFrames)
    expect(d.frames.map(f => f.name)).toEqual(['Block.forward', 'train_step'])
    expect(await detailsOf(() => undefined, at(EXAMPLE.unknown))).toMatchObject({
      framesFrom: 'none',
      frames: [],
      label: 'allocated before the recording',
    })
  })
  test('a pending block whose request is recorded knows when and where', async () => {
    const d = await detailsOf(
      s =>
        events(s).push({
          action: 'free_requested',
          addr: EXAMPLE.pending,
          size: 1_000_000,
          time_us: EXAMPLE.timeUs + 200,
          frames: [frame('del_', 'z.py', 1)],
        }),
      at(EXAMPLE.pending),
    )
    expect(d).toMatchObject({ origin: 'pending-free', freeRequestedEvent: 12, freeRequestedTime: 190_000, freeCompletedEvent: null })
    expect(d.freeFrames.map(f => f.name)).toEqual(['del_'])
  })
  test('no segment where it came or went since', async () => {
    const d = await detailsOf(
      s => events(s).splice(9, 0, { action: 'segment_alloc', addr: EXAMPLE.base, size: 20 << 20 }),
      at(EXAMPLE.temporary),
    )
    expect(d.segment).toBeNull()
    expect(d.pool).toBeNull()
  })
  test('without times', async () => {
    const d = await detailsOf(s => events(s).forEach(e => delete (e as Record<string, PickleValue>)['time_us']), at(EXAMPLE.temporary))
    expect(d).toMatchObject({ allocEvent: 5, allocTime: null, freeCompletedTime: null })
  })
  test('an index outside the model', async () => {
    await expect(detailsOf(() => undefined, () => 99)).rejects.toThrow(RangeError) // prettier-ignore
  })
})

test('keys that look like a trace id', async () => {
  for (const k of ['trace_id', 'traceid', 'trace id', 'traceId', 'TraceID', 'trace-id', 'neuron_trace_id', 'neuronTraceId'])
    expect([k, isTraceIdKey(k)]).toEqual([k, true])
  for (const k of ['trace', 'id', 'trace_ids', 'backtrace_idx', 'retraceid_x', 'device', 'contraceid'])
    expect([k, isTraceIdKey(k)]).toEqual([k, false])
  const { table, model } = await modelOf(exampleSnapshot(), 1)
  expect(traceIdOf(table, model, 5)).toBeNull()
})

test('C++ frames first: the owner is found below them', async () => {
  const stack: FixtureFrame[] = [
    frame('c10::cuda::CUDACachingAllocator::malloc', '??', 0),
    frame('at::empty', '/build/aten/Functions.h', 3),
    frame('init', '/home/u/opt.py', 8),
  ]
  const { own } = await modelOf({ segments: [], device_traces: [[{ action: 'alloc', addr: 1, size: 2, frames: stack as PickleValue }]] }, 0)
  expect(own.groups[0]?.label).toBe('init u/opt.py:8')
})
