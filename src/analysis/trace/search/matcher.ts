/**
 * Whether a text holds what the user looks for. Regular expressions run on RE2, which never tries a text over and over: its time is at most that of the text times the instructions
 * of the expression. Nothing can pause within one text, so that both are bounded: large expressions are refused, and of a text no more is looked at than MOST_STEPS allow. Who
 * matches many texts pauses between them. What RE2 cannot do (look-around, back references) is told as an error.
 */
import { RE2JS } from 're2js'
import { tooLarge } from '../../../shared/expression'

export interface Matcher {
  test(text: string): boolean
  /** First place in `text` (UTF-16 positions, `to` behind the last); null where there is none. */
  find(text: string): { readonly from: number; readonly to: number } | null
  /** Characters of a text that are looked at; what matches lies before. Infinity: all. */
  readonly reach: number
  /** Steps that a character may take. */
  readonly cost: number
}

/** Steps (characters times instructions) for one text; about a tenth of a second at worst. */
const MOST_STEPS = 1 << 20

export interface MatcherOptions {
  readonly regex: boolean
  readonly matchCase: boolean
}

/** `query` must not be empty. An expression that RE2 does not take gives the words of what is wrong. */
export function makeMatcher(
  query: string,
  { regex, matchCase }: MatcherOptions,
): { readonly matcher: Matcher; readonly error: null } | { readonly matcher: null; readonly error: string } {
  if (!regex) return { matcher: matchCase ? exact(query) : folded(query), error: null }
  try {
    const flags = matchCase ? 0 : RE2JS.CASE_INSENSITIVE
    const re = RE2JS.compile(query, flags)
    const large = tooLarge(re.programSize())
    return large === null ? { matcher: expression(re, query, flags), error: null } : refused(large)
  } catch (e) {
    return refused(e instanceof Error ? e.message.replace(/^error parsing regexp:\s*/, '') : String(e))
  }
}

const refused = (words: string): { readonly matcher: null; readonly error: string } => ({
  matcher: null,
  error: `Not a regular expression that can be searched for: ${words}`,
})

/** Texts of one event: the first that matches. Together no more of them is looked at than of one text; `cut`: not all was. */
export function firstMatch(matcher: Matcher, texts: readonly string[]): { readonly found: string | null; readonly cut: boolean } {
  let left = matcher.reach
  let cut = false
  for (const text of texts) {
    if (left <= 0) return { found: null, cut: true }
    if (matcher.test(text)) return { found: text, cut }
    cut ||= text.length > matcher.reach
    left -= text.length + 1
  }
  return { found: null, cut }
}

/** Steps of plain text are much cheaper than those of an expression. */
const PLAIN = { reach: Infinity, cost: 1 } as const

const exact = (query: string): Matcher => ({
  ...PLAIN,
  test: text => text.includes(query),
  find: text => {
    const from = text.indexOf(query)
    return from < 0 ? null : { from, to: from + query.length }
  },
})

/** Upper and lower case count as one, by the simple rules of `toLowerCase`. */
function folded(query: string): Matcher {
  const wanted = query.toLowerCase()
  return {
    ...PLAIN,
    test: text => text.toLowerCase().includes(wanted),
    find: text => {
      const low = text.toLowerCase()
      const at = low.indexOf(wanted)
      if (at < 0) return null
      if (low.length === text.length) return { from: at, to: Math.min(text.length, at + wanted.length) }
      // A few letters change their length (İ): places are then counted in the text as it stands.
      const from = placeIn(text, at)
      return { from, to: Math.max(from, placeIn(text, at + wanted.length)) }
    },
  }
}

/** Position in `text` of which the lower-case text before is `length` long. */
function placeIn(text: string, length: number): number {
  let at = 0
  let low = 0
  for (const c of text) {
    if (low >= length) break
    low += c.toLowerCase().length
    at += c.length
  }
  return at
}

function expression(re: RE2JS, query: string, flags: number): Matcher {
  const cost = re.programSize()
  const reach = Math.floor(MOST_STEPS / cost)
  let within: RE2JS | null | undefined
  const inCut = (): RE2JS | null => (within === undefined ? (within = followed(query, flags)) : within)
  return {
    reach,
    cost,
    test: text => (text.length <= reach ? re.test(text) : (inCut()?.test(text.slice(0, reach)) ?? false)),
    find: text => {
      if (text.length <= reach) {
        const m = re.matcher(text)
        return m.find() ? { from: m.start(), to: m.end() } : null
      }
      const m = inCut()?.matcher(text.slice(0, reach))
      return m?.find() ? { from: m.start(1), to: m.end(1) } : null
    },
  }
}

/**
 * The expression, as group 1, before one more character: within a text that is cut, its end is not the end that `$` means, nor the edge of a word. Null where it cannot be had.
 */
function followed(query: string, flags: number): RE2JS | null {
  // The second ends a quotation (\Q…) that the expression leaves open.
  for (const q of [query, `${query}\\E`])
    try {
      return RE2JS.compile(`(${q})(?s:.)`, flags)
    } catch {
      continue
    }
  return null
}
