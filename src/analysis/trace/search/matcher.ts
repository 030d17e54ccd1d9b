/**
 * Whether a text holds what the user looks for. Regular expressions run on RE2, whose time is linear in the text: no expression can hang the engine. What RE2 cannot do
 * (look-around, back references) is told as an error.
 */
import { RE2JS } from 're2js'

export interface Matcher {
  test(text: string): boolean
  /** First place in `text` (UTF-16 positions, `to` behind the last); null where there is none. */
  find(text: string): { readonly from: number; readonly to: number } | null
}

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
    return { matcher: expression(RE2JS.compile(query, matchCase ? 0 : RE2JS.CASE_INSENSITIVE)), error: null }
  } catch (e) {
    const words = e instanceof Error ? e.message.replace(/^error parsing regexp:\s*/, '') : String(e)
    return { matcher: null, error: `Not a regular expression that can be searched for: ${words}` }
  }
}

const exact = (query: string): Matcher => ({
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

const expression = (re: RE2JS): Matcher => ({
  test: text => re.test(text),
  find: text => {
    const m = re.matcher(text)
    return m.find() ? { from: m.start(), to: m.end() } : null
  },
})
