import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixtureTable, type FixtureEvent } from '../../formats/chrome-trace/fixture'
import { stringAt } from '../../shared/columns'
import { innermostSliceAt, placeOfRow, prettyArgs, sliceDetails, slicesAt } from './details'
import { buildTraceModel } from './tracks'

const x = (name: string, ts: number, dur: number, tid = 2): FixtureEvent => ({ ph: 'X', name, cat: 'c', pid: 1, tid, ts, dur })

describe('details of a slice', () => {
  it('tell parents outermost first, children and self time', async () => {
    const table = await fixtureTable([
      x('root', 0, 100),
      x('mid', 10, 50),
      x('leaf', 20, 10),
      x('leaf', 35, 5),
      x('over', 55, 20),
      { ...x('i', 22, 0), ph: 'i' },
    ])
    const model = buildTraceModel(table)
    expect(sliceDetails(table, model, 1)).toEqual({
      name: 'mid',
      category: 'c',
      track: 'PID:1/TID:2',
      phase: 'X',
      start: 10,
      startUnixNs: '1700000000000000010',
      duration: 50,
      selfTime: 35,
      args: null,
      argsNotice: null,
      parents: [{ name: 'root', row: 0, start: 0, duration: 100 }],
      children: 2,
    })
    // `mid` and `over` overlap from 55 to 60: what they cover together counts once.
    expect(sliceDetails(table, model, 0)).toMatchObject({ children: 2, selfTime: 35 })
    expect(sliceDetails(table, model, 2)).toMatchObject({ children: 1, selfTime: 10, parents: [{ name: 'root' }, { name: 'mid' }] })
    expect(sliceDetails(table, model, 5)).toMatchObject({
      name: 'i',
      duration: null,
      selfTime: null,
      phase: 'i',
      parents: [{ name: 'root' }, { name: 'mid' }, { name: 'leaf' }],
    })
  })
  it('of B/E and async slices; unknown durations stay unknown', async () => {
    const b = (ph: string, ts: number, more: object = {}): FixtureEvent => ({ ph, name: 'n', pid: 1, tid: 2, ts, ...more })
    const table = await fixtureTable([
      b('B', 0),
      b('E', 4),
      b('B', 5),
      b('b', 1, { id: 3, cat: 'q', tid: 9 }),
      b('e', 3, { id: 3, cat: 'q' }),
      { ph: 's', ts: 2 },
      x('last', 20, 1),
    ])
    const model = buildTraceModel(table)
    expect(sliceDetails(table, model, 0)).toMatchObject({ duration: 4, selfTime: 4, phase: 'B' })
    expect(sliceDetails(table, model, 2)).toMatchObject({ start: 5, duration: null, selfTime: null })
    expect(sliceDetails(table, model, 3)).toMatchObject({ track: 'PID:1/n', duration: 2, phase: 'b' })
    for (const row of [1, 4, 5, 99, -1]) expect(sliceDetails(table, model, row)).toBeNull()
  })
  it('every row of every track is found at its place', async () => {
    const event = fc.record({
      ph: fc.constantFrom('X', 'i', 'B', 'E'),
      name: fc.constantFrom('a', 'b'),
      pid: fc.constantFrom(1, 'p'),
      tid: fc.nat({ max: 2 }),
      ts: fc.nat({ max: 50 }),
      dur: fc.nat({ max: 20 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60 }), async events => {
        const table = await fixtureTable(events)
        const model = buildTraceModel(table)
        for (const track of model.tracks) track.row.forEach((row, at) => expect(placeOfRow(table, model, row)).toEqual({ track, at }))
      }),
    )
  })
})

describe('slices at a time', () => {
  it('are those with start <= t < start + duration, as a direct look finds them', async () => {
    const event = fc.record({
      ph: fc.constantFrom('X', 'X', 'i'),
      name: fc.constantFrom('a', 'b', 'c'),
      pid: fc.constant(1),
      tid: fc.nat({ max: 2 }),
      ts: fc.nat({ max: 60 }),
      dur: fc.nat({ max: 20 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 60 }), fc.integer({ min: -3, max: 80 }), async (events, t) => {
        const table = await fixtureTable(events)
        const model = buildTraceModel(table)
        const rows = events.flatMap((e, i) => (e.ph === 'X' && table.ts[i] <= t && t < table.ts[i] + e.dur ? [i] : []))
        const found = slicesAt(model, table, t)
        expect(found.map(s => s.row).sort((a, b) => a - b)).toEqual(rows)
        for (const s of found)
          expect(s).toMatchObject({
            track: `PID:1/TID:${events[s.row].tid}`,
            name: stringAt(table.strings, table.name[s.row]),
            start: table.ts[s.row],
            duration: table.dur[s.row],
          })
        const inner = innermostSliceAt(model, table, t)
        if (rows.length === 0) expect(inner).toBeNull()
        else expect(inner?.duration).toBe(Math.min(...rows.map(r => events[r].dur)))
      }),
      { numRuns: 300 },
    )
  })
  it('inside is found on host threads only', async () => {
    const table = await fixtureTable([x('op', 0, 100), { ...x('k', 10, 5, 7), cat: 'kernel' }])
    const model = buildTraceModel(table)
    expect(slicesAt(model, table, 12).map(s => s.track)).toEqual(['PID:1/TID:2', 'PID:1/Stream:7'])
    expect(innermostSliceAt(model, table, 12)).toMatchObject({ name: 'op', track: 'PID:1/TID:2' })
    expect(innermostSliceAt(model, table, 100)).toBeNull()
  })
})

describe('args', () => {
  it('are pretty JSON, or as they stand with the reason', () => {
    expect(prettyArgs('{"a":[1]}', 9)).toEqual({ args: '{\n  "a": [\n    1\n  ]\n}', notice: null })
    expect(prettyArgs('{"a": NaN}', 10)).toMatchObject({ args: '{"a": NaN}', notice: expect.stringContaining('not valid JSON') as string })
    expect(prettyArgs('{"a":12345678901234567890}', 26)).toEqual({ args: '{"a":12345678901234567890}', notice: null })
    const long = `{"a":"${'x'.repeat(100_000)}"}`
    expect(prettyArgs(long, long.length)).toMatchObject({ notice: expect.stringContaining('100,008 bytes') as string })
    expect(prettyArgs(long, long.length).args).toHaveLength(65536)
  })
})
