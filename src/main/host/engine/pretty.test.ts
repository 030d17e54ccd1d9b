import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prettyJson } from './pretty'

describe('prettyJson', () => {
  it('indents as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), v => {
        expect(prettyJson(JSON.stringify(v), 1e9)).toEqual({ text: JSON.stringify(v, null, 2), cut: false })
      }),
    )
  })
  it('keeps numbers as they stand, and is not confused by space between tokens', () => {
    expect(prettyJson('{ "a" : 18446744073709551615 , "b":[ ] ,"c": 1.50e2}', 999).text).toBe(
      '{\n  "a": 18446744073709551615,\n  "b": [],\n  "c": 1.50e2\n}',
    )
  })
  it('keeps values apart where the comma between them is missing', () => {
    expect(prettyJson('{"a":[1 2\n "x"] "b":{} "c":3}', 999).text).toBe('{\n  "a": [\n    1 2 "x"\n  ] "b": {} "c": 3\n}')
  })
  it('never throws and keeps to the limit, whatever the text is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json().map(s => s.slice(0, s.length / 2)),
        ),
        fc.nat(200),
        (s, limit) => {
          const { text, cut } = prettyJson(s, limit)
          expect(text.length).toBeLessThanOrEqual(limit)
          if (cut) expect(text.length).toBe(limit)
        },
      ),
    )
    expect(prettyJson('['.repeat(10000), 1000).text.length).toBeLessThanOrEqual(1000)
    expect(prettyJson('"' + '\\'.repeat(1001), 99)).toEqual({ text: '"' + '\\'.repeat(98), cut: true })
  })
})
