import { expect, it } from 'vitest'
import { readTarget } from './target'

const context = { originNs: 1_790_000_000_000_000_000n, calibrated: true, from: 5e6 }
const extent = { start: 0, end: 100e6 }
const read = (text: string) => readTarget(text, context, extent)

it('reads a moment', () => {
  expect(read('12.5 ms')).toEqual({ ok: true, start: 12.5e6, end: null })
  expect(read('+1ms')).toEqual({ ok: true, start: 6e6, end: null })
})

it('reads a range in any order, and a length', () => {
  expect(read('10 ms .. 20 ms')).toEqual({ ok: true, start: 10e6, end: 20e6 })
  expect(read('20ms..10ms')).toEqual({ ok: true, start: 10e6, end: 20e6 })
  expect(read('10 ms .. +5 ms')).toEqual({ ok: true, start: 10e6, end: 15e6 })
  expect(read('1790000000010000000..1790000000020000000')).toEqual({ ok: true, start: 10e6, end: 20e6 })
})

it('says what is wrong', () => {
  for (const text of ['10ms..10ms', '1..2..3', '10ms..', '..', 'x', '200 ms', '1690000000000000000', '200ms..300ms'])
    expect(read(text).ok, text).toBe(false)
  expect(read('90 ms .. 300 ms')).toEqual({ ok: true, start: 90e6, end: 300e6 })
  expect(read('200 ms')).toMatchObject({ error: expect.stringMatching(/after the end of the data/) as string })
})
