/** Options of `search`. */
import type { ParseArgsOptionsConfig } from 'node:util'

export const SEARCH_FIELDS = ['names', 'args', 'stacks'] as const
export type SearchField = (typeof SEARCH_FIELDS)[number]

export interface SearchOptions {
  readonly text: string
  readonly regex: boolean
  readonly matchCase: boolean
  readonly in: readonly SearchField[]
  /** Hits that are listed. */
  readonly limit: number
}

export const SEARCH_OPTIONS: ParseArgsOptionsConfig = {
  regex: { type: 'boolean' },
  case: { type: 'boolean' },
  in: { type: 'string' },
  limit: { type: 'string' },
}

/** As in the window. */
const LONGEST = 500
const MOST = 1_000_000

/** Checks what was typed. Throws what `refuse` makes. */
export function searchOptions(
  text: string | undefined,
  values: Readonly<Record<string, unknown>>,
  refuse: (message: string) => Error,
): SearchOptions {
  if (text === undefined || text === '') throw refuse('search needs TEXT after PATH')
  if (text.length > LONGEST) throw refuse(`TEXT is longer than ${LONGEST} characters`)
  const wanted = values['in'] === undefined ? SEARCH_FIELDS : String(values['in']).split(',')
  for (const w of wanted)
    if (!(SEARCH_FIELDS as readonly string[]).includes(w))
      throw refuse(`--in takes ${SEARCH_FIELDS.join(', ')} with commas between, not ${JSON.stringify(w.slice(0, 60))}`)
  const limit = values['limit'] ?? '1000'
  if (!/^\d{1,7}$/.test(String(limit)) || Number(limit) > MOST)
    throw refuse(`--limit takes a whole number up to ${MOST}, not ${JSON.stringify(String(limit).slice(0, 60))}`)
  return {
    text,
    regex: values['regex'] === true,
    matchCase: values['case'] === true,
    in: SEARCH_FIELDS.filter(f => wanted.includes(f)),
    limit: Number(limit),
  }
}
