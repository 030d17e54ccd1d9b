/** What users type to find names: words, or a regular expression that runs in linear time whatever it is. */
import { RE2JS } from 're2js'

export type Matching = { readonly test: (text: string) => boolean; readonly error: null } | { readonly test: null; readonly error: string }

/** All words, in any order, upper and lower case alike; no word: everything. */
export function words(text: string): (text: string) => boolean {
  const all = text.toLowerCase().split(/\s+/).filter(Boolean)
  return candidate => {
    const lower = candidate.toLowerCase()
    return all.every(w => lower.includes(w))
  }
}

/** A regular expression (RE2 syntax: no backreferences, no look-around) that must be found somewhere in a text. Never throws: what is none is an error for people. */
export function pattern(text: string, matchCase = false): Matching {
  try {
    const re = RE2JS.compile(text, matchCase ? 0 : RE2JS.CASE_INSENSITIVE)
    return { test: candidate => re.matcher(candidate).find(), error: null }
  } catch (e) {
    return { test: null, error: e instanceof Error ? e.message : String(e) }
  }
}
