import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EXCERPT, excerptOf } from './excerpt'
import { firstMatch, makeMatcher, type Matcher } from './matcher'
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

  it('refuses an expression that is too large, however it is written', () => {
    for (const query of ['(?:.?){1000}x', 'a{600}b{600}', '(\\pL{0,1000})Z', '(?:.?){900}'.repeat(40), '((((a{9}){9}){9})|b)*'.repeat(9)]) {
      const { matcher: m, error } = makeMatcher(query, { regex: true, matchCase: false })
      expect(m).toBeNull()
      expect(error).toMatch(/^Not a regular expression that can be searched for: too large: [\d,]+ steps/)
    }
    // What people write is not, and sees all of the longest args.
    for (const query of ['\\bfoo.*bar\\b', '(a+)+$', '^nccl:(all_reduce|broadcast)$', '\\d{4}-\\d{2}-\\d{2}']) {
      const m = matcher(query, true)
      expect(m.reach * m.cost).toBeGreaterThan(900_000)
    }
  })

  it('takes a bounded number of steps for a text, and never takes the cut for the end of it', () => {
    const patterns = ['a.{300}b', '[^b]{0,400}b', 'a{1,450}', '(a|b){0,200}x', 'x$', 'a$', 'a*$', 'ax\\b', '^a', 'a\\z', '\\Qax', '(?i)AX']
    fc.assert(
      fc.property(
        fc.constantFrom(...patterns),
        fc.nat(3_000),
        fc.nat(6_000),
        fc.constantFrom('x', 'b', 'ax', '\n'),
        (p, before, after, mark) => {
          const m = matcher(p, true, true)
          expect(m.reach * m.cost).toBeLessThanOrEqual(1 << 20)
          const text = 'a'.repeat(before) + mark + 'a'.repeat(m.reach + after)
          const found = m.find(text)
          expect(m.test(text)).toBe(found !== null)
          if (found) {
            expect(found.to).toBeLessThan(m.reach)
            // What stands before a `$` or a `\\b` of the whole text.
            if (p === 'ax\\b') expect(text[found.to]).not.toMatch(/\w/)
          }
          if (/(\$|\\z)$/.test(p)) expect(found).toBeNull()
          if (p === 'a{1,450}') expect(found?.from).toBe(text.indexOf('a'))
          if (p === '^a') expect(found?.from).toBe(text.startsWith('a') ? 0 : undefined)
          if ((p === '\\Qax' || p === '(?i)AX') && text.includes('ax')) expect(found?.from).toBe(text.toLowerCase().indexOf('ax'))
        },
      ),
      { numRuns: 60 },
    )
    const m = matcher('(a|b){0,200}x', true)
    expect(m.test(`${'a'.repeat(m.reach)}x`)).toBe(false)
    expect(m.test(`${'a'.repeat(m.reach - 2)}xa`)).toBe(true)
  })

  it('looks at the texts of one event no further than at one', () => {
    const m = matcher('[^b]{0,400}b', true)
    let seen = 0
    const counting: Matcher = { ...m, test: text => (seen += Math.min(text.length, m.reach)) < 0 }
    const texts = Array.from({ length: 500 }, () => 'a'.repeat(400))
    expect(firstMatch(counting, texts)).toEqual({ found: null, cut: true })
    expect(seen).toBeLessThanOrEqual(m.reach + 400)
    expect(firstMatch(m, ['a', 'ab', 'b'])).toEqual({ found: 'ab', cut: false })
    expect(firstMatch(m, ['a'.repeat(m.reach + 1), 'b'])).toEqual({ found: null, cut: true })
    expect(firstMatch(matcher('b'), texts)).toEqual({ found: null, cut: false })
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
