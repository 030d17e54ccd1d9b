import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Utf8Check } from './utf8'

const check = (b: Uint8Array, chunk: number): { count: number; first: number } => {
  const c = new Utf8Check()
  for (let i = 0; i < b.length; i += chunk) c.feed(b.subarray(i, i + chunk))
  c.finish()
  return { count: c.count, first: c.first }
}
/** What TextDecoder replaces, by the text alone: valid replacement characters are taken out of the input first. */
const replaced = (b: Uint8Array): number => [...new TextDecoder('utf-8', { ignoreBOM: true }).decode(b)].filter(c => c === '\ufffd').length

it('counts what TextDecoder replaces, however the stream is cut', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }).map(s => new TextEncoder().encode(s.replaceAll('\ufffd', ''))),
    fc.uint8Array({ maxLength: 3 }),
    fc
      .constantFrom([0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xc0, 0xaf], [0xff])
      .map(a => new Uint8Array(a)),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 7 }), (parts, chunk) => {
      const data = Buffer.concat(parts)
      if (data.includes('\ufffd')) return
      const found = check(data, chunk)
      expect(found).toEqual(check(data, 1 << 20))
      expect(found.count).toBe(replaced(data))
      // The first place is where the longest valid beginning ends.
      if (found.count > 0) {
        expect(replaced(data.subarray(0, found.first))).toBe(0)
        expect(replaced(data.subarray(0, found.first + 1))).toBe(1)
      } else expect(found.first).toBe(-1)
    }),
    { numRuns: 1000 },
  )
})
