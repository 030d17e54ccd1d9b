import { describe, expect, it } from 'vitest'
import { recordingContext, testTheme } from '../../testing/theme'
import { fullHeight, paintOverlay, paintStatic, paintTrace, sections, type TraceScene } from './scene'
import type { CounterColumns } from './columns'
import type { CanvasFactory } from './scratch'
import { columns, rowsOf, scene, track } from './testing'

const canvas: CanvasFactory = (width, height) => ({
  width,
  height,
  getContext: () =>
    ({
      createImageData: (w: number, h: number) => ({ data: new Uint8ClampedArray(w * h * 4) }) as ImageData,
      putImageData: () => undefined,
    }) as unknown as CanvasRenderingContext2D,
})

const events = [
  { from: 100, duration: 300, name: 'aten::linear' },
  { from: 500, duration: 8, name: 'aten::tiny' },
  { from: 600, duration: 40, name: 'nn.Module: Block_3' },
]
const base = (more: Partial<TraceScene> = {}): TraceScene =>
  scene({ rows: rowsOf([track(1, { note: 'main' })]), slices: new Map([[1, columns(events)]]), canvas, ...more })

const texts = (s: TraceScene, paint: typeof paintTrace): readonly string[] => {
  const { ctx, texts } = recordingContext()
  paint(ctx, testTheme('dark'), s)
  return texts()
}

describe('the painted trace', () => {
  it('names what is wide enough, short names where room is short', () => {
    const said = texts(base(), paintStatic)
    expect(said).toContain('aten::linear')
    expect(said.some(t => t.startsWith('Blo'))).toBe(true)
    expect(said.some(t => t.includes('tiny'))).toBe(false)
    expect(said).toEqual(expect.arrayContaining(['TID:1', 'main', 'PID:10', 'Session']))
  })

  it('says what has not arrived, but not at once', () => {
    const waiting = base({ slices: new Map() })
    expect(texts(waiting, paintStatic).filter(t => t === 'Reading…')).toHaveLength(1) // the navigator
    expect(texts({ ...waiting, sayPending: true }, paintStatic).filter(t => t === 'Reading…')).toHaveLength(2)
  })

  it('hatches what lies beyond the end of a truncated file, and only that', () => {
    const source = {
      index: 0,
      file: '',
      path: 'trace.json',
      kind: 'chrome-trace',
      group: 0,
      clock: '',
      rank: 0,
      events: 1,
      range: [0, 700],
    } as const
    const until = (complete: boolean): readonly string[] =>
      texts(base({ rows: rowsOf([track(1)], { sources: [{ ...source, complete }] }) }), paintStatic)
    expect(until(false).filter(t => t.startsWith('no data after'))).toHaveLength(1)
    expect(until(true).filter(t => t.startsWith('no data'))).toHaveLength(0)
  })

  it('shows the cursor, and the length of a range', () => {
    expect(texts(base({ cursor: 500 }), paintOverlay)).toContain('0.000500\u00a0ms')
    expect(texts(base({ cursor: 5000 }), paintOverlay).some(t => t.startsWith('0.005'))).toBe(false)
    expect(texts(base({ range: { start: 200, end: 450 } }), paintOverlay)).toContain('Δ 250\u00a0ns')
  })

  it('draws the handles of a range, but none over the time of the cursor', () => {
    const handles = (cursor: number | null): number => {
      const { ctx, calls } = recordingContext()
      paintOverlay(ctx, testTheme('dark'), base({ range: { start: 200, end: 450 }, cursor }))
      return calls.filter(c => c.name === 'roundRect' && c.args[2] === 5 && c.args[3] === 12).length
    }
    expect([handles(null), handles(900), handles(450)]).toEqual([2, 2, 1])
  })

  it('gives the value of a counter at the cursor, and a dash where it is not known', () => {
    const mem = track(2, { kind: 'counter', name: 'memory', note: 'B', max: 2048 })
    const data = {
      start: 0,
      end: 1000,
      columns: 2,
      version: 1,
      min: Float64Array.of(1024, NaN),
      max: Float64Array.of(1024, NaN),
      last: Float64Array.of(1024, NaN),
    }
    const at = (cursor: number): readonly string[] =>
      texts(base({ rows: rowsOf([mem]), counters: new Map([[2, data]]), cursor }), paintOverlay)
    expect(at(100)).toContain('1.0\u00a0KiB')
    expect(at(700)).toContain('—')
  })

  it('gives the range of a counter where its column covers several values', () => {
    const work = track(2, { kind: 'counter', name: 'Device work in flight', note: 'executions', max: 8 })
    const data = (low: number, high: number, last: number): CounterColumns => ({
      start: 0,
      end: 1000,
      columns: 1,
      version: 1,
      min: Float64Array.of(low),
      max: Float64Array.of(high),
      last: Float64Array.of(last),
    })
    const says = (d: CounterColumns, t = work): readonly string[] =>
      texts(base({ rows: rowsOf([t]), counters: new Map([[2, d]]), cursor: 100 }), paintOverlay)
    expect(says(data(6, 8, 6))).toContain('6–8\u00a0executions')
    expect(says(data(8, 8, 8))).toContain('8\u00a0executions')
    expect(says(data(1024, 2048, 1024), { ...work, note: 'B' })).toContain('1.0\u00a0KiB–2.0\u00a0KiB')
    // Two values that read the same are one.
    expect(says(data(1024, 1025, 1024), { ...work, note: 'B' })).toContain('1.0\u00a0KiB')
  })

  it('outlines a selected slice only where its track is shown', () => {
    const selected = { track: 1, lane: 0, start: 100, duration: 300 }
    const strokes = (s: TraceScene): number => {
      const { ctx, calls } = recordingContext()
      paintOverlay(ctx, testTheme('light'), s)
      return calls.filter(c => c.name === 'stroke').length
    }
    const plain = strokes(base())
    expect(strokes(base({ selected }))).toBe(plain + 2)
    expect(strokes(base({ selected: { ...selected, track: 9 } }))).toBe(plain)
    expect(strokes(base({ selected: { ...selected, start: 5000 } }))).toBe(plain)
  })

  it('leaves out the row of steps and the navigator where there are none', () => {
    expect(sections({ height: 400, steps: [], navigator: true })).toEqual({ navigator: 0, axis: 36, notes: 58, steps: 58, rows: 58 })
    expect(sections({ height: 200, steps: [{ name: '', start: 0, duration: 1 }], navigator: true }).rows).toBe(28 + 22 + 20)
    expect(fullHeight({ steps: [], navigator: false, rows: rowsOf([track(1)]) })).toBe(22 + 22 + 21)
  })

  it('draws only what is in sight of thousands of tracks', () => {
    const many = Array.from({ length: 5000 }, (_, i) => track(i, { pid: String(i >> 3) }))
    const s = base({ rows: rowsOf(many), scroll: 20_000 })
    expect(s.rows.height).toBeGreaterThan(100_000)
    expect(texts(s, paintTrace).filter(t => t.startsWith('TID:')).length).toBeLessThan(20)
  })
})
