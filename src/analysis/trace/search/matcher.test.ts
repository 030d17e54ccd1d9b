import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EXCERPT, excerptOf } from './excerpt'
import { makeMatcher, type Matcher } from './matcher'
import { stackValues, unescaped } from './args-text'

const matcher = (query: string, regex = false, matchCase = false): Matcher => {
  const { matcher: m, error } = makeMatcher(query, { regex, matchCase })
  if (!m) throw new Error(error)
  return m
}
const foundIn = (m: Matcher, text: string): string | null => {
  const at = m.find(text)
  return at && text.slice(at.from, at.to)
}

describe('matching', () => {
  it('takes words as they stand unless they are a regular expression', () => {
    expect(matcher('a.b').test('axb')).toBe(false)
    expect(matcher('a.b', true).test('axb')).toBe(true)
    expect(matcher('MatMul').test('aten::matmul')).toBe(true)
    expect(matcher('MatMul', false, true).test('aten::matmul')).toBe(false)
    expect(matcher('^mm', true).test('aten::mm')).toBe(false)
    expect(matcher('É').test('xé')).toBe(true)
    expect(matcher('É', true).test('xé')).toBe(true)
  })

  it('an expression that makes others try forever ends with the text', () => {
    // Were it tried the usual way, the age of the universe would not do.
    for (const [expression, end] of [
      ['(a+)+$', '!'],
      ['(a|aa)+$', '!'],
      ['(.*a){20}$', '!'],
      ['^(([a-z])+.)+[A-Z]([a-z])+$', '0'],
    ] as const)
      expect(matcher(expression, true, true).test('a'.repeat(50_000) + end)).toBe(false)
    expect(foundIn(matcher('(a+)+b', true), 'é' + 'a'.repeat(9) + 'b!')).toBe('a'.repeat(9) + 'b')
  })

  it('says what is wrong with an expression, and what it cannot do', () => {
    for (const query of ['(', 'a**', '[z-a]', '\\', '(?=a)', '(?<!a)b', '(a)\\1', '((a{100}){100}){100}']) {
      const { matcher: m, error } = makeMatcher(query, { regex: true, matchCase: false })
      expect(m).toBeNull()
      expect(error).toMatch(/^Not a regular expression that can be searched for: ./)
    }
  })

  it('finds where it tests, also where letters change their length', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'B', 'é', 'İ', 'ß', '😀', ' ') }),
        fc.nat(),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        (text, at, n, matchCase) => {
          const units = [...text]
          if (units.length === 0) return
          const from = at % units.length
          const query = units.slice(from, from + n).join('')
          const m = matcher(query, false, matchCase)
          expect(m.test(text)).toBe(true)
          expect(foundIn(m, text)?.toLowerCase()).toBe(query.toLowerCase())
          // The same by an expression, where no letter means something there.
          if (matchCase) expect(matcher(query, true, true).find(text)).toEqual(m.find(text))
        },
      ),
    )
  })

  it('agrees with the usual expressions where these are harmless', () => {
    const pattern = fc.constantFrom('a.c', 'a+b', '[ab]c|d', '^a', 'b$', 'a?b', '\\d+', '(ab|c)d', 'a{2}', '\\bab\\b')
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', '1', ' ', '\n') }), (p, text) => {
        const usual = new RegExp(p).exec(text)
        expect(matcher(p, true, true).find(text)).toEqual(usual && { from: usual.index, to: usual.index + usual[0].length })
      }),
    )
  })
})

/** No half of a pair of surrogates stands alone. */
const whole = (s: string): boolean => new TextDecoder().decode(new TextEncoder().encode(s)) === s

describe('excerpts', () => {
  it('hold the hit, or its beginning, on one line, without half letters', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '😀', 'é'), maxLength: 600 }), fc.nat(), fc.nat(300), (text, a, n) => {
        const from = a % (text.length + 1)
        const to = Math.min(text.length, from + n)
        const e = excerptOf(text, from, to)
        expect(e.text.length).toBeLessThanOrEqual(EXCERPT)
        expect(whole(e.text) || !whole(text.slice(from, to))).toBe(true)
        const hit = text.slice(from, to).replace(/[\n\r\t]/g, ' ')
        expect(hit.startsWith(e.text.slice(e.from, e.to))).toBe(true)
        if (n > 0 && from < text.length - 1 && to > from)
          expect(e.to - e.from).toBeGreaterThanOrEqual(Math.min(to - from, EXCERPT - 41) - 1)
      }),
    )
  })
})

describe('text of args', () => {
  const json = fc.dictionary(
    fc.constantFrom('Call stack', 'stack_trace', 'Backtrace', 'Ev Idx', 'Input Dims', 'a"b', 'x\\stack'),
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.array(fc.string()),
      fc.constant({ stack: 'inner, not its own' }),
      fc.constant(null),
    ),
  )

  it('escapes of strings are resolved', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(unescaped(JSON.stringify(text)).slice(1, -1)).toBe(text)
      }),
    )
    expect(unescaped('"C:\\\\x\\u00e9\\/"')).toBe('"C:\\xé/"')
  })

  it('stacks are the values of keys that say so, at the top only', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 2), (args, indent) => {
        const wanted = Object.entries(args)
          .filter(([k]) => /stack|backtrace/i.test(k))
          .map(([, v]) => (typeof v === 'string' ? v : unescaped(JSON.stringify(v, null, indent))))
        const got = stackValues(JSON.stringify(args, null, indent))
        const plain = (s: string): string => s.replace(/\s/g, '')
        expect(got.map(plain)).toEqual(wanted.map(plain))
      }),
    )
  })

  it('cut or broken JSON gives what it has', () => {
    fc.assert(
      fc.property(json, fc.nat(), (args, n) => {
        const text = JSON.stringify(args)
        for (const s of stackValues(text.slice(0, n % (text.length + 1)))) expect(typeof s).toBe('string')
      }),
    )
    expect(stackValues('{"Call stack": "a.py(1): f\\n b')).toEqual(['a.py(1): f\n b'])
    expect(stackValues('{"stack"')).toEqual([])
    expect(stackValues('{"stack":')).toEqual([''])
  })
})
