import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HBM_KNOWN, HBM_UNKNOWN, HBM_UNSURE, type HbmInfo, type HbmPicture } from '../../shared/hbm-api'
import { GIB, MIB } from '../../shared/units'
import { recordingContext, testTheme } from '../../testing/theme'
import { geometry } from '../geometry'
import { byteScale } from '../memory/scale'
import { rgba } from '../theme'
import { groupAt, highest, stepGroup, unknownRuns } from './hit'
import { paintHbm } from './paint'
import { bandFill, hbmToken, rasterHbm } from './raster'
import type { HbmScene } from './scene'
import { capacityLines, oomWords, rounded, totalName } from './words'

/** Nothing known; 6 GiB of which 2 GiB of weights were there before; the same with 4 GiB of tensors more. */
const picture: HbmPicture = {
  version: 1,
  width: 3,
  grouping: 'family',
  groups: [
    { label: 'Weights', color: 'weights', unattributed: false },
    { label: 'Scratchpad', color: 'shared-scratchpad', unattributed: false },
    { label: 'Tensors', color: 'tensors', unattributed: false },
  ],
  bytes: [Float64Array.of(NaN, 2 * GIB, 2 * GIB), Float64Array.of(NaN, 0, 0), Float64Array.of(NaN, 4 * GIB, 8 * GIB)],
  startBytes: [Float64Array.of(NaN, 2 * GIB, 2 * GIB), Float64Array.of(NaN, 0, 0), Float64Array.of(NaN, 0, 0)],
  min: Float64Array.of(NaN, 5 * GIB, 6 * GIB),
  max: Float64Array.of(NaN, 6 * GIB, 10 * GIB),
  time: Float64Array.of(NaN, 12e6, 21e6),
  known: Uint8Array.of(HBM_UNKNOWN, HBM_KNOWN, HBM_UNSURE),
  reserved: Float64Array.of(NaN, 7 * GIB, NaN),
}

const info: HbmInfo = {
  ...{ id: 3, source: 0, path: 'ntrace.pb', device: 0, hbm: 1, instance: null, pid: 7, rank: 0, label: 'ND:0 HBM:1', group: 0 },
  ...{ from: 'events', totals: 'runtime', events: 10, allocations: 8, frees: 2, liveAtEnd: 6, peakBytes: 10 * GIB, peakTime: 21e6 },
  timeRange: [10e6, 30e6],
  capacity: { bytes: 24 * GIB, perCoreBytes: null, reason: 'Trn2' },
  categories: [],
  families: [],
  runtimeRows: [],
  startBytes: 2 * GIB,
  gaps: [],
  ooms: [],
  oomCount: 0,
  join: null,
  pytorch: { allocators: [], how: '' },
}

const scene = (over: Partial<HbmScene> = {}): HbmScene => ({
  geometry: geometry(1000, 0, 30e6),
  scale: byteScale(0, 300, 26 * GIB),
  info,
  picture,
  pictureWindow: { start: 0, end: 30e6 },
  image: null,
  options: { capacity: true, peak: true, reserved: false, ooms: true },
  steps: [],
  cursor: null,
  value: null,
  valueFlag: true,
  lifetime: null,
  range: null,
  flags: true,
  ...over,
})
const painted = (over: Partial<HbmScene> = {}): readonly string[] => {
  const r = recordingContext()
  paintHbm(r.ctx, testTheme(), scene(over))
  return r.texts()
}

describe('what lies under a point', () => {
  it('is the group whose band holds it', () => {
    expect(groupAt(picture, 1, 0)).toBe(0)
    expect(groupAt(picture, 1, 2 * GIB - 1)).toBe(0)
    expect(groupAt(picture, 1, 2 * GIB)).toBe(2) // the empty group between has no band
    expect(groupAt(picture, 1, 6 * GIB)).toBe(-1)
    expect(groupAt(picture, 0, 0)).toBe(-1)
    expect(groupAt(picture, 3, 0)).toBe(-1)
    expect(groupAt(picture, 1, -1)).toBe(-1)
  })
  it('is stepped through without the empty ones', () => {
    expect(stepGroup(picture, 1, -1, 1)).toBe(0)
    expect(stepGroup(picture, 1, 0, 1)).toBe(2)
    expect(stepGroup(picture, 1, 2, 1)).toBe(2)
    expect(stepGroup(picture, 1, 2, -1)).toBe(0)
    expect(stepGroup(picture, 1, -1, -1)).toBe(2)
    expect(stepGroup(picture, 0, -1, 1)).toBe(-1)
  })
  it('highest counts the reserved line only where it is drawn', () => {
    expect(highest(picture, true)).toBe(10 * GIB)
    expect(highest({ ...picture, reserved: Float64Array.of(NaN, 11 * GIB, NaN) }, true)).toBe(11 * GIB)
    expect(highest({ ...picture, reserved: Float64Array.of(NaN, 11 * GIB, NaN) }, false)).toBe(10 * GIB)
  })
  it('runs of unknown columns are exactly those columns', () => {
    fc.assert(
      fc.property(fc.uint8Array({ max: 2, maxLength: 40 }), known => {
        const runs = unknownRuns(known)
        const set = new Set(runs.flatMap(([a, b]) => Array.from({ length: b - a }, (_, i) => a + i)))
        expect([...set]).toEqual([...known.keys()].filter(c => known[c] === HBM_UNKNOWN))
        for (let i = 1; i < runs.length; i++) expect(runs[i][0]).toBeGreaterThan(runs[i - 1][1])
      }),
    )
  })
})

describe('rasterHbm', () => {
  const theme = testTheme()
  const at = (px: Uint8ClampedArray, c: number, rowFromBottom: number, height: number): readonly number[] => [
    ...px.slice(((height - 1 - rowFromBottom) * 3 + c) * 4, ((height - 1 - rowFromBottom) * 3 + c) * 4 + 4),
  ]
  const solid = (color: string): readonly number[] => [...rgba(bandFill(theme, color)).slice(0, 3), 255]

  it('fills each band in its colour up to the total, and nothing above it or where nothing is known', () => {
    const px = rasterHbm(picture, theme, { height: 26, yMax: 26 * GIB, only: null, scale: 1 })
    expect(at(px, 1, 3, 26)).toEqual(solid('tensors'))
    expect(at(px, 2, 8, 26)).toEqual(solid('tensors'))
    expect(at(px, 1, 6, 26)).toEqual([0, 0, 0, 0])
    expect(at(px, 2, 10, 26)).toEqual([0, 0, 0, 0])
    for (let r = 0; r < 26; r++) expect(at(px, 0, r, 26)).toEqual([0, 0, 0, 0])
  })
  it('hatches what was there before the recording and nothing else', () => {
    const wide: HbmPicture = { ...picture, bytes: picture.bytes.map(b => b.map(v => v)), width: 3 }
    const px = rasterHbm(wide, theme, { height: 260, yMax: 26 * GIB, only: null, scale: 1 })
    const colours = (c: number, from: number, to: number): ReadonlySet<string> =>
      new Set(Array.from({ length: to - from }, (_, i) => at(px, c, from + i, 260).join()))
    expect(colours(1, 0, 19).size).toBe(2)
    expect(colours(1, 20, 58)).toEqual(new Set([solid('tensors').join()]))
  })
  it('dims all groups but the one asked for', () => {
    const px = rasterHbm(picture, theme, { height: 26, yMax: 26 * GIB, only: 'Weights', scale: 1 })
    expect(at(px, 1, 3, 26)).not.toEqual(solid('tensors'))
  })
  it('has a colour in both themes for every category colour', () => {
    for (const name of ['dark', 'light'] as const)
      for (const c of ['tensors', 'io', 'xt-cc', 'dma-rings-runtime', 'generic', 'unknown'])
        expect(rgba(testTheme(name).token(hbmToken(c)))).toHaveLength(4)
  })
})

describe('paintHbm', () => {
  it('names capacity, peak and what was not recorded', () => {
    const texts = painted()
    expect(texts).toContain('capacity 24\u00a0GiB')
    expect(texts).toContain('10.00\u00a0GiB')
    expect(texts).toContain('peak total')
    expect(texts).toContain('not recorded before 10.0\u00a0ms')
    expect(texts).not.toContain('PyTorch reserved')
    expect(painted({ options: { capacity: false, peak: false, reserved: true, ooms: true } })).toEqual(
      expect.arrayContaining(['PyTorch reserved']),
    )
    expect(painted({ options: { capacity: false, peak: false, reserved: false, ooms: true } }).join()).not.toMatch(/capacity|peak/)
  })
  it('says a capacity that lies above the range, and that of one core', () => {
    expect(painted({ scale: byteScale(0, 300, 12 * GIB) })).toContain('capacity 24\u00a0GiB, above this range')
    const lnc1 = { ...info, capacity: { bytes: 24 * GIB, perCoreBytes: 12 * GIB, reason: '' } }
    expect(painted({ info: lnc1 })).toContain('one core 12\u00a0GiB, LNC 1')
    expect(painted({ info: { ...info, capacity: { bytes: null, perCoreBytes: null, reason: '' } } }).join()).not.toContain('capacity')
  })
  it('marks refused allocations and stretches whose events were lost', () => {
    const oom = { time: 20e6, bytes: 64 * MIB, category: null, returnCode: '4', row: 1, totalBytes: null }
    const bad: HbmInfo = { ...info, ooms: [oom], oomCount: 1, gaps: [{ start: 21e6, end: 29e6, kind: 'lost', reason: 'NC:0 lost events' }] }
    expect(painted({ info: bad })).toEqual(expect.arrayContaining(['out of memory: 64.0\u00a0MiB requested', 'NC:0 lost events']))
    expect(painted({ info: bad, options: { ...scene().options, ooms: false } })).not.toContain('out of memory: 64.0\u00a0MiB requested')
    expect(oomWords(null)).toContain('not told')
    const long: HbmInfo = { ...bad, gaps: [{ start: 0, end: 14e6, kind: 'lost', reason: 'the oldest events of NC:0 were overwritten' }] }
    expect(painted({ info: long })).toContain('events lost')
    // What lies before the first event is not drawn as a stretch of lost events.
    expect(painted({ info: { ...long, timeRange: [14e6, 30e6] } })).not.toContain('events lost')
  })
  it('writes the value at the cursor with what it counts', () => {
    const at = { cursor: 20e6, value: { at: 20e6, bytes: 6 * GIB } }
    expect(painted(at)).toContain('6.00\u00a0GiB total')
    expect(painted({ ...at, valueFlag: false })).not.toContain('6.00\u00a0GiB total')
    expect(painted({ ...at, info: { ...info, totals: 'running-sum' } })).toContain('6.00\u00a0GiB since the recording began')
    expect(totalName({ totals: 'runtime' })).toBe('total')
  })
  it('draws no bands, peak or hatch before the first picture', () => {
    const r = recordingContext()
    paintHbm(r.ctx, testTheme(), scene({ picture: null }))
    expect(r.calls.some(c => c.name === 'drawImage')).toBe(false)
    expect(r.texts().join()).not.toMatch(/peak|not recorded/)
  })
})

it('writes capacities without decimals where there are none', () => {
  expect(rounded(24 * GIB)).toBe('24\u00a0GiB')
  expect(rounded(24.5 * GIB)).toBe('24.50\u00a0GiB')
  expect(capacityLines({ bytes: null, perCoreBytes: null, reason: '' })).toEqual([])
})
