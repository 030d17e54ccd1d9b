import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { fixtureTable, type FixtureEvent } from '../../formats/chrome-trace/fixture'
import { annotationBands, bandsBetween, NO_BANDS, snapshotBands, type Bands } from './bands'
import { buildTraceModel } from './tracks'
import type { AnnotationTable } from '../../shared/tables'
import type { StringTable } from '../../shared/columns'

const WORDS = ['START', 'END', 'forward', 'backward', 'ProfilerStep#1', 'annotate']
const strings = ((): StringTable => {
  const bytes = new TextEncoder().encode(WORDS.join(''))
  const offsets = [0]
  for (const w of WORDS) offsets.push((offsets[offsets.length - 1] as number) + w.length)
  return { bytes, offsets: Uint32Array.from(offsets) }
})()
const id = (w: string): number => WORDS.indexOf(w)
const table = (rows: readonly (readonly [text: string, stage: string, time: number, device?: number])[]): AnnotationTable => ({
  count: rows.length,
  text: Int32Array.from(rows, r => id(r[0])),
  stage: Int32Array.from(rows, r => id(r[1])),
  device: Int32Array.from(rows, r => r[3] ?? -1),
  time: Float64Array.from(rows, r => r[2]),
})
const told = (b: Bands): readonly (readonly [string, number, number])[] => b.name.map((n, i) => [n, b.start[i], b.start[i] + b.duration[i]])

describe('annotations of a trace', () => {
  const at = (name: string, ts: number, dur: number, tid = 2, cat = 'user_annotation'): FixtureEvent => ({
    ph: 'X',
    name,
    ts,
    dur,
    cat,
    pid: 1,
    tid,
  })
  const bands = async (events: readonly FixtureEvent[]): Promise<Bands> => {
    const table = await fixtureTable(events)
    return annotationBands(table.strings, buildTraceModel(table).tracks)
  }
  it('are the outermost of the thread that has most, without the steps', async () => {
    const b = await bands([
      at('ProfilerStep#1', 0, 100),
      at('forward', 0, 40),
      at('attention', 5, 10),
      at('aten::mm', 6, 2, 2, 'cpu_op'),
      at('backward', 40, 50),
      at('other thread', 0, 100, 3),
    ])
    expect(told(b)).toEqual([
      ['forward', 0, 40],
      ['backward', 40, 90],
    ])
  })
  it('are not those that the device repeats, and none where there are none', async () => {
    expect(await bands([at('forward', 0, 40, 7, 'gpu_user_annotation'), at('aten::mm', 0, 5, 2, 'cpu_op')])).toBe(NO_BANDS)
  })
})

describe('annotations of a snapshot', () => {
  it('are pairs of START and END, without the steps, outermost only', () => {
    const b = snapshotBands(
      strings,
      table([
        ['ProfilerStep#1', 'START', 0],
        ['forward', 'START', 10],
        ['backward', 'START', 20],
        ['backward', 'END', 30],
        ['forward', 'END', 40],
        ['ProfilerStep#1', 'END', 100],
        ['forward', 'START', 110],
        ['annotate', 'annotate', 120],
        ['forward', 'END', 130],
      ]),
    )
    expect(told(b)).toEqual([
      ['forward', 10, 40],
      ['forward', 110, 130],
    ])
  })
  it('without their other half, or without a time, are none', () => {
    expect(told(snapshotBands(strings, table([['forward', 'START', 10]])))).toEqual([])
    expect(told(snapshotBands(strings, table([['forward', 'END', 10]])))).toEqual([])
    expect(
      told(
        snapshotBands(
          strings,
          table([
            ['forward', 'START', NaN],
            ['forward', 'END', 10],
          ]),
        ),
      ),
    ).toEqual([])
  })
  it('of two devices are told apart', () => {
    const b = snapshotBands(
      strings,
      table([
        ['forward', 'START', 10, 0],
        ['forward', 'START', 20, 1],
        ['forward', 'END', 30, 0],
        ['forward', 'END', 40, 1],
      ]),
    )
    expect(told(b)).toEqual([
      ['forward', 10, 30],
      ['forward', 30, 40],
    ])
  })
})

it('finds the bands of a window as looking at each does', () => {
  const lengths = fc.array(fc.record({ gap: fc.integer({ min: 0, max: 20 }), length: fc.integer({ min: 1, max: 30 }) }), { maxLength: 40 })
  fc.assert(
    fc.property(lengths, fc.integer({ min: -50, max: 500 }), fc.nat(300), fc.nat(25), (list, start, span, least) => {
      let at = 0
      const s = list.map(l => {
        const from = at + l.gap
        at = from + l.length
        return from
      })
      const b: Bands = {
        name: list.map(() => 'x'),
        start: Float64Array.from(s),
        duration: Float64Array.from(list, l => l.length),
      }
      const end = start + span
      expect(bandsBetween(b, start, end, least)).toEqual(
        list.flatMap((l, i) => (s[i] <= end && s[i] + l.length >= start && l.length >= least ? [i] : [])),
      )
    }),
  )
})
