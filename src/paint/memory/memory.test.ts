import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RUN_SMALLER, type AllocatorInfo, type MemoryPicture } from '../../shared/api'
import { GIB, MIB } from '../../shared/units'
import { recordingContext, testTheme } from '../../testing/theme'
import { geometry } from '../geometry'
import { rgba } from '../theme'
import { factOf, hitTest, stretches } from './hit'
import { paintMemory, peakPosition, placeOf } from './paint'
import { areaFill, groupToken, rasterMemory } from './raster'
import { byteScale, byteTicks, inUnit, unitFor } from './scale'
import type { MemoryScene } from './scene'
import { afterLabel, beforeLabel, eventTick, groupNames, oomLabel, startLabel } from './words'

/** Three columns: start state and a large one; the same with two small ones of group 1 between; nothing known. */
const picture: MemoryPicture = {
  version: 1,
  width: 3,
  height: 10,
  yMax: 1000,
  columnStart: Uint32Array.of(0, 2, 5, 5),
  runRows: Uint16Array.of(2, 3, 2, 1, 3),
  runAllocation: Int32Array.of(0, 7, 0, RUN_SMALLER, 7),
  runGroup: Uint16Array.of(0, 2, 0, 1, 2),
  columnEvent: Int32Array.of(4, 9, -2),
  min: Float64Array.of(400, 500, NaN),
  max: Float64Array.of(500, 620, NaN),
  allocatedMax: Float64Array.of(500, 600, NaN),
  reservedMax: Float64Array.of(800, 900, NaN),
  roundedMax: Float64Array.of(520, 640, NaN),
  startBytes: Float64Array.of(200, 200, NaN),
  allocation: Uint32Array.of(0, 7),
  size: Float64Array.of(200, 300),
  group: Uint16Array.of(0, 2),
  start: Uint8Array.of(1, 0),
  label: Uint32Array.of(0, 1),
  labels: ['a', 'b'],
  from: Float64Array.of(NaN, 5),
  to: Float64Array.of(NaN, NaN),
}

const info: AllocatorInfo = {
  id: 0,
  source: 0,
  path: 'memory_snapshot_rank0.pickle',
  rank: 0,
  rankFromName: true,
  device: 0,
  group: 0,
  events: 100,
  allocations: 10,
  startActiveBytes: 200,
  peakActiveBytes: 620,
  peakActiveEvent: 9,
  peakTime: 15e6,
  endActiveBytes: 0,
  peakAllocatedBytes: 600,
  endAllocatedBytes: 0,
  startReservedBytes: 800,
  peakReservedBytes: 900,
  endReservedBytes: 900,
  startBlocks: 1,
  unknownFrees: 0,
  unknownFreeBytes: 0,
  ooms: [],
  checkpoints: [0, 0],
  blockRounded: { status: 'confirmed', reason: 'checked on 3 blocks', startBytes: 300, peakBytes: 640, endBytes: 520 },
  selfCheck: { ok: true, replayBytes: 0, tableBytes: 0 },
  timeRange: [0, 20e6],
  endsEarly: false,
  groups: ['x', 'y', 'z', 'other'].map(label => ({ label, file: '', line: 0, peakBytes: 0 })),
}

const scene = (over: Partial<MemoryScene> = {}): MemoryScene => ({
  geometry: geometry(1000, 0, 30e6),
  scale: byteScale(0, 300, 1000),
  axis: 'time',
  allocator: info,
  picture,
  pictureWindow: { start: 0, end: 30e6 },
  image: null,
  options: { reserved: true, allocated: true, startState: true, peak: true },
  steps: [],
  cursor: null,
  value: null,
  valueFlag: true,
  hovered: null,
  pinned: null,
  lifetime: null,
  range: null,
  flags: true,
  ...over,
})

const painted = (over: Partial<MemoryScene> = {}): readonly string[] => {
  const r = recordingContext()
  paintMemory(r.ctx, testTheme(), scene(over))
  return r.texts()
}

describe('hitTest', () => {
  it('finds the run of a row, with what memory.smaller has to be asked', () => {
    expect(hitTest(picture, 0, 0)).toEqual({ kind: 'allocation', allocation: 0, column: 0, row: 0, rows: 2 })
    expect(hitTest(picture, 0, 4)).toMatchObject({ kind: 'allocation', allocation: 7, row: 2 })
    expect(hitTest(picture, 0, 5)).toEqual({ kind: 'empty' })
    expect(hitTest(picture, 1, 2)).toEqual({ kind: 'smaller', column: 1, row: 2, rows: 1, group: 1, event: 9, from: 200, to: 300 })
    expect(hitTest(picture, 2, 0)).toEqual({ kind: 'nothing-known' })
    expect(hitTest(picture, 3, 0)).toEqual({ kind: 'nothing-known' })
    expect(hitTest(picture, -1, 0)).toEqual({ kind: 'nothing-known' })
    expect(hitTest(picture, 0, -1)).toEqual({ kind: 'empty' })
  })

  it('knows where an allocation is drawn', () => {
    expect(stretches(picture, 7)).toEqual([{ first: 0, bottom: [2, 3], top: [5, 6] }])
    expect(stretches(picture, 3)).toEqual([])
    expect([factOf(picture, 0), factOf(picture, 7), factOf(picture, 1), factOf(picture, 99)]).toEqual([0, 1, -1, -1])
  })
})

describe('rasterMemory', () => {
  it('colours every pixel by the group of its run, from the bottom, and leaves the rest clear', () => {
    const theme = testTheme('light')
    const px = rasterMemory(picture, theme, { groups: 4, only: null, scale: 100 })
    const at = (c: number, row: number): number[] => [...px.subarray(((9 - row) * 3 + c) * 4, ((9 - row) * 3 + c) * 4 + 4)]
    const fill = (g: number, smaller = false): number[] => [...rgba(areaFill(theme, groupToken(g), smaller)).slice(0, 3), 255]
    expect(at(0, 0)).toEqual(fill(0))
    expect(at(0, 2)).toEqual(fill(2))
    expect(at(1, 2)).toEqual(fill(1, true))
    expect(at(1, 5)).toEqual(fill(2))
    expect(at(0, 5)).toEqual([0, 0, 0, 0])
    expect(at(2, 0)).toEqual([0, 0, 0, 0])
  })

  it('draws an edge on top of allocations that are tall enough only', () => {
    const theme = testTheme()
    const a = rasterMemory(picture, theme, { groups: 4, only: null, scale: 1 })
    const b = rasterMemory(picture, theme, { groups: 4, only: null, scale: 100 })
    const differ = (row: number): boolean => a[((9 - row) * 3 + 0) * 4] !== b[((9 - row) * 3 + 0) * 4]
    expect([differ(0), differ(1), differ(4)]).toEqual([false, false, true])
  })

  it('gives the tenth group, "other", the neutral colour', () => {
    expect([groupToken(0), groupToken(8), groupToken(9), groupToken(10)]).toEqual(['--cat-1', '--cat-9', '--cat-10', '--cat-1'])
  })
})

describe('Y axis', () => {
  it('has round ticks in the unit that fits, far enough from each other', () => {
    expect(byteTicks(18 * GIB, 300).at.map(t => t.label)).toEqual(['0', '4', '8', '12', '16'])
    expect(byteTicks(1.5 * GIB, 300).at.map(t => t.label)).toEqual(['0', '0.25', '0.50', '0.75', '1.00', '1.25', '1.50'])
    expect(byteTicks(700 * MIB, 200).at.map(t => t.label)).toEqual(['0', '128', '256', '384', '512', '640'])
    fc.assert(
      fc.property(fc.double({ min: 1, max: 1e13, noNaN: true }), fc.integer({ min: 20, max: 2000 }), (max, height) => {
        const { at, unit } = byteTicks(max, height)
        expect(at[0]).toEqual({ bytes: 0, label: '0' })
        for (let i = 1; i < at.length; i++) {
          expect(((at[i].bytes - at[i - 1].bytes) / max) * height).toBeGreaterThanOrEqual(34 - 1e-9)
          // A label says its value exactly.
          expect(Number(at[i].label.replaceAll(',', '')) * unit.bytes).toBeCloseTo(at[i].bytes, 3)
        }
        expect(at.at(-1)?.bytes).toBeLessThanOrEqual(max)
      }),
    )
  })

  it('writes 0 only for 0', () => {
    expect([inUnit(0, unitFor(GIB)), inUnit(1, unitFor(GIB)), inUnit(2.63 * GIB, unitFor(GIB))]).toEqual(['0', '<0.01', '2.63'])
  })
})

describe('words', () => {
  it('say which bytes they count', () => {
    expect(startLabel({ startActiveBytes: 3.96 * GIB, startBlocks: 25 })).toBe('Allocated before recording  ·  3.96\u00a0GiB  ·  25 blocks')
    expect(startLabel({ startActiveBytes: 512, startBlocks: 1 })).toBe('Allocated before recording  ·  512\u00a0B  ·  1 block')
    expect(oomLabel(5308694528)).toBe('out of memory: 4.94\u00a0GiB requested')
    expect(beforeLabel('time', 1.24e9)).toBe('not recorded before 1,240.0\u00a0ms')
    expect(afterLabel('time', 1.24e9, true)).toBe('no data after 1,240.0\u00a0ms')
    expect(afterLabel('event', 100, true)).toBe('no data after event 99')
    expect(afterLabel('time', 1.24e9, false)).toBe('snapshot taken at 1,240.0\u00a0ms')
  })
})

describe('eventTick', () => {
  it('labels whole events only', () => {
    expect([-2, -1, -0.5, -0, 0, 0.5, 1200].map(eventTick)).toEqual(['', 'start', '', '0', '0', '', '1,200'])
  })
})

describe('groupNames', () => {
  it('names functions shortly and tells equal ones apart by their line', () => {
    const group = (label: string, file: string, line: number) => ({ label, file, line })
    expect(
      groupNames([
        group('forward model/block.py:74', '/a/block.py', 74),
        group('forward model/block.py:80', '/a/block.py', 80),
        group('main train.py:3', '/a/train.py', 3),
        group('no frames recorded', '', -1),
      ]),
    ).toEqual(['forward:74', 'forward:80', 'main', 'no frames recorded'])
  })
})

describe('paintMemory', () => {
  it('labels curve, peak and start state, and says where nothing is known', () => {
    const texts = painted()
    expect(texts).toContain('620\u00a0B')
    expect(texts).toContain('peak active, requested')
    expect(texts).toContain('Allocated before recording  ·  200\u00a0B  ·  1 block')
    expect(texts).toContain('reserved')
    expect(texts).toContain('allocated, requested')
    expect(texts).toContain('snapshot taken at 20.0\u00a0ms')
  })

  it('draws the block-rounded curve where it is known, and says when nothing confirmed it', () => {
    const options = { reserved: false, allocated: false, startState: false, peak: false, rounded: true }
    const told = (blockRounded: Partial<AllocatorInfo['blockRounded']>): readonly string[] =>
      painted({ options, allocator: { ...info, blockRounded: { ...info.blockRounded, ...blockRounded } } }).filter(t =>
        t.includes('rounded'),
      )
    expect(told({})).toEqual(['allocated, block-rounded'])
    expect(told({ status: 'not-confirmed' })).toEqual(['allocated, block-rounded (not confirmed)'])
    expect(told({ status: 'refuted', peakBytes: null })).toEqual([])
    expect(painted({ options: { ...options, rounded: false } })).not.toContain('allocated, block-rounded')
  })

  it('leaves out what is switched off', () => {
    const texts = painted({ options: { reserved: false, allocated: false, startState: false, peak: false } })
    for (const word of ['reserved', 'allocated, requested', 'peak active, requested']) expect(texts).not.toContain(word)
    expect(texts.some(t => t.startsWith('Allocated before'))).toBe(false)
  })

  it('lays the hatch of the start state on the colours while an owner is shown alone, so that its part is seen', () => {
    const fills = (only: number | null): { readonly boxes: number; readonly lines: number } => {
      const r = recordingContext()
      const s = scene({ options: { reserved: false, allocated: false, startState: true, peak: false, only } })
      paintMemory(r.ctx, testTheme(), s)
      const { gutter, plot } = s.geometry
      const whole = (args: readonly unknown[]): boolean => args[0] === gutter && args[2] === plot && args[3] === s.scale.height
      return {
        boxes: r.calls.filter(c => c.name === 'fillRect' && whole(c.args)).length,
        lines: r.calls.filter(c => c.name === 'lineTo').length,
      }
    }
    expect(fills(2)).toEqual({ boxes: fills(null).boxes - 1, lines: fills(null).lines })
  })

  it('writes the value beside the cursor with what it counts', () => {
    expect(painted({ cursor: 5e6, value: { at: 5e6, bytes: 500 } })).toContain('500\u00a0B active, requested')
    expect(painted({ cursor: 5e6, value: { at: 5e6, bytes: 500 }, valueFlag: false })).not.toContain('500\u00a0B active, requested')
  })

  it('marks out of memory with what was asked for', () => {
    const oom = { event: 5, time: 10e6, size: 4 * GIB, deviceFree: null }
    expect(painted({ allocator: { ...info, ooms: [oom] } })).toContain('out of memory: 4.00\u00a0GiB requested')
  })

  it('says that a snapshot has no times instead of drawing zero', () => {
    expect(painted({ picture: null, allocator: { ...info, timeRange: null } })).toContain('the snapshot has no times')
  })

  it('places the picture by its own window and scale, so that an older one is stretched', () => {
    const s = scene({ geometry: geometry(1000, 0, 15e6), scale: byteScale(0, 300, 500) })
    const place = placeOf(s)
    expect(place.x(0)).toBe(160)
    expect(place.x(3)).toBeCloseTo(160 + 2 * 828)
    expect(place.y(0)).toBe(300)
    expect(place.y(5)).toBeCloseTo(0)
  })

  it('finds the peak of the start state', () => {
    const start = { ...info, peakActiveEvent: -1, peakTime: null }
    expect(peakPosition({ axis: 'event', allocator: start })).toBe(-0.5)
    expect(peakPosition({ axis: 'time', allocator: start })).toBe(0)
    expect(peakPosition({ axis: 'time', allocator: { ...start, timeRange: null } })).toBeNull()
  })
})
