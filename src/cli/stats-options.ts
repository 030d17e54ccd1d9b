/** Options of `stats`. */
import type { ParseArgsOptionsConfig } from 'node:util'
import { STATS_COLUMNS, type StatsBy, type StatsColumn } from '../shared/trace-api'

const BY: readonly StatsBy[] = ['name', 'track', 'category']

export interface StatsOptions {
  readonly by: StatsBy
  /** Unix ns; null: from the beginning, to the end. */
  readonly from: bigint | null
  readonly to: bigint | null
  readonly column: StatsColumn
  /** Rows that are listed; null: all of them for programs, the first ones for people. */
  readonly limit: number | null
  readonly csv: boolean
}

export const STATS_OPTIONS: ParseArgsOptionsConfig = {
  by: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  sort: { type: 'string' },
  limit: { type: 'string' },
  csv: { type: 'boolean' },
}

/** Checks what was typed. Throws what `refuse` makes. */
export function statsOptions(values: Readonly<Record<string, unknown>>, refuse: (message: string) => Error): StatsOptions {
  const quoted = (v: unknown): string => JSON.stringify(String(v).slice(0, 60))
  const by = BY.find(b => b === (values['by'] ?? 'name'))
  if (!by) throw refuse(`--by takes one of ${BY.join(', ')}, not ${quoted(values['by'])}`)
  const time = (name: 'from' | 'to'): bigint | null => {
    const text = values[name]
    if (text === undefined) return null
    if (typeof text !== 'string' || !/^-?\d{1,20}$/.test(text))
      throw refuse(`--${name} takes nanoseconds as a whole number, not ${quoted(text)}`)
    return BigInt(text)
  }
  const from = time('from')
  const to = time('to')
  if (from !== null && to !== null && from >= to) throw refuse('--from must be before --to')
  const wanted = String(values['sort'] ?? 'totalNs')
  const column = STATS_COLUMNS.find(c => c === wanted || c === `${wanted}Ns`)
  if (!column) throw refuse(`--sort takes one of ${STATS_COLUMNS.map(c => c.replace(/Ns$/, '')).join(', ')}, not ${quoted(wanted)}`)
  const limit = values['limit']
  if (limit !== undefined && !/^[1-9]\d{0,6}$/.test(String(limit)))
    throw refuse(`--limit takes a whole number from 1, not ${quoted(limit)}`)
  const csv = values['csv'] === true
  if (csv && values['json'] === true) throw refuse('--csv and --json are two forms of the same; take one of them')
  return { by, from, to, column, limit: limit === undefined ? null : Number(limit), csv }
}
