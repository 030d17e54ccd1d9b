/** The text around a hit, short enough for a row of a table. */

export interface Excerpt {
  readonly text: string
  readonly from: number
  readonly to: number
}

export const EXCERPT = 200
/** Characters kept before the hit. */
const BEFORE = 40

const SURROGATE = /[\udc00-\udfff]/

/** At most EXCERPT characters of `text` that begin a little before `from`; the hit is cut where it does not fit. White space of several lines becomes one line. */
export function excerptOf(text: string, from: number, to: number): Excerpt {
  let start = from <= BEFORE || text.length <= EXCERPT ? 0 : from - BEFORE
  let end = Math.min(text.length, start + EXCERPT)
  // Neither half of a pair stands alone.
  if (start > 0 && SURROGATE.test(text[start] as string)) start++
  if (end < text.length && SURROGATE.test(text[end] as string)) end--
  return {
    text: text.slice(start, end).replace(/[\n\r\t]/g, ' '),
    from: Math.min(from, end) - start,
    to: Math.min(Math.max(to, from), end) - start,
  }
}
