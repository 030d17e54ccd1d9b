import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import * as v from 'valibot'
import { NOTE, type Note } from '../../../shared/trace-api'
import { keptTimes, MOST_TEXT, nameOf, nextColor, notesCsv, notesIn, notesJson, placed } from './model'

const ORIGIN = 1_793_628_127_100_000_123n
const note = (more: Partial<Note> = {}): Note => ({ id: 'a', startNs: String(ORIGIN), endNs: null, text: '', color: 0, ...more })

it('keeps every ns of a time, on whatever origin it is shown', () => {
  const day = 86_400e9
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 * day }), fc.integer({ min: -day, max: day }), (t, moved) => {
      const kept = note(keptTimes(t, null, ORIGIN))
      expect(kept.startNs).toBe(String(ORIGIN + BigInt(t)))
      expect(placed(kept, ORIGIN).start).toBe(t)
      // An earlier source moves the origin: the mark stays at its instant.
      expect(placed(kept, ORIGIN - BigInt(moved)).start).toBe(t + moved)
      expect(v.is(NOTE, kept)).toBe(true)
    }),
  )
})

it('puts the ends of a range in order', () => {
  expect(keptTimes(20.4, 10.6, 0n)).toEqual({ startNs: '11', endNs: '20' })
  expect(keptTimes(-5, 5, 0n)).toEqual({ startNs: '-5', endNs: '5' })
})

describe('the notes of a time group', () => {
  const extent = { start: 0, end: 1000 }
  const at = (id: string, start: number, end: number | null = null): Note => note({ id, ...keptTimes(start, end, ORIGIN) })
  it('are those that touch its data, by start', () => {
    const notes = [at('late', 900), at('early', 100), at('far', 5000), at('across', -400, 50), at('before', -400), at('edge', 1050)]
    expect(notesIn(notes, ORIGIN, extent).map(n => n.id)).toEqual(['across', 'early', 'late', 'edge'])
  })
  it('are none of another range', () => {
    expect(notesIn([at('a', 10)], ORIGIN + 3_600_000_000_000n, extent)).toEqual([])
  })
})

it('takes the colours in turn', () => {
  expect(nextColor([])).toBe(0)
  expect(nextColor([note({ color: 0 }), note({ color: 1 })])).toBe(2)
  expect(nextColor([note({ color: 1 })])).toBe(0)
})

it('has a name without words', () => {
  expect(nameOf(note(), 3)).toBe('Mark 3')
  expect(nameOf(note({ endNs: '5', text: '  ' }), 2)).toBe('Range 2')
  expect(nameOf(note({ text: ' warm-up ' }), 2)).toBe('warm-up')
})

describe('on the way out', () => {
  const notes = [
    note({ id: 'b', text: 'slow, "again"', startNs: String(ORIGIN + 5n), endNs: String(ORIGIN + 12n), color: 1 }),
    note({ id: 'a', text: '=cmd', startNs: String(ORIGIN) }),
  ]
  it('writes exact times as CSV, in order, and nothing that a spreadsheet would run', () => {
    expect(notesCsv(notes)).toBe(
      'text,start_ns,end_ns,duration_ns,start_utc\r\n' +
        `'=cmd,${ORIGIN},,,2026-11-02T14:02:07.100000123Z\r\n` +
        `"slow, ""again""",${ORIGIN + 5n},${ORIGIN + 12n},7,2026-11-02T14:02:07.100000128Z\r\n`,
    )
  })
  it('writes exact times as JSON', () => {
    const read = JSON.parse(notesJson(notes)) as { readonly notes: readonly Note[] }
    expect(read.notes.map(n => [n.text, n.startNs, n.endNs])).toEqual([
      ['=cmd', String(ORIGIN), null],
      ['slow, "again"', String(ORIGIN + 5n), String(ORIGIN + 12n)],
    ])
  })
  it('has no date for a clock of its own', () => {
    expect(notesCsv([note({ startNs: '1000' })])).toContain('\r\n,1000,,,\r\n')
  })
})

it('holds as much text as the host takes', () => {
  expect(v.is(NOTE, note({ text: 'x'.repeat(MOST_TEXT) }))).toBe(true)
  expect(v.is(NOTE, note({ text: 'x'.repeat(MOST_TEXT + 1) }))).toBe(false)
})
