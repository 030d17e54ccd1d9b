/** The table of live allocations at an instant: sorted, filtered, a page at a time, and as CSV. */
import { csvCell } from '../../shared/csv'
import { HBM_CSV_ROWS, type HbmLive, type HbmRow, type HbmSort, type PytorchLink } from '../../shared/hbm-api'
import { num } from '../../shared/format'
import { knownState, liveRows } from './at'
import { NO_CATEGORY, type HbmModel } from './model'

/** What the model itself does not know of an allocation. Called for rows that are shown, sorted by it or filtered. */
export interface RowFacts {
  readonly model: (allocation: number) => string | null
  readonly traceId: (allocation: number) => string | null
  readonly link: (allocation: number) => PytorchLink | null
  /** How `link` was found; asked for every live row. */
  readonly how: (allocation: number) => PytorchLink['how'] | null
  readonly label: (allocation: number) => string | null
}

export interface LiveQuery {
  /** ns relative to the table's epoch. */
  readonly at: number
  readonly sort: HbmSort
  readonly descending: boolean
  readonly filter: string
}

interface Sorted {
  readonly key: string
  readonly live: Uint32Array
  /** Those that pass the filter, in order. */
  readonly rows: Uint32Array
}
/** The last answer of each model: pages and the CSV of one question follow each other. */
const last = new WeakMap<HbmModel, { readonly facts: RowFacts; readonly sorted: Sorted }>()

const categoryName = (m: HbmModel, a: number): string => {
  const c = m.allocations?.category[a] ?? NO_CATEGORY
  return c === NO_CATEGORY ? '' : m.categories[c].name
}

export const addressText = (m: HbmModel, a: number): string | null =>
  m.allocations && m.allocations.address[a] !== 0n ? '0x' + m.allocations.address[a].toString(16) : null

/** ns since it was made; null for one of before the recording. */
const ageOf = (m: HbmModel, a: number, at: number): number | null => {
  const from = m.allocations?.from[a] ?? -1
  return from < 0 ? null : at - m.time[from]
}

function sortedRows(m: HbmModel, facts: RowFacts, q: LiveQuery): Sorted {
  const state = knownState(m, q.at)
  const words = q.filter.toLowerCase().split(/\s+/).filter(Boolean)
  const key = JSON.stringify([state, q.sort, q.descending, words])
  const known = last.get(m)
  if (known && known.facts === facts && known.sorted.key === key) return known.sorted
  const live = liveRows(m, state)
  const rows = words.length === 0 ? live.slice() : live.filter(a => words.every(w => haystack(m, facts, a).includes(w)))
  sort(m, facts, rows, q)
  const sorted = { key, live, rows }
  last.set(m, { facts, sorted })
  return sorted
}

const haystack = (m: HbmModel, facts: RowFacts, a: number): string =>
  [categoryName(m, a), addressText(m, a), facts.model(a), facts.traceId(a), facts.label(a)].join('\n').toLowerCase()

/** In place. Rows without a value stand last in either direction; equal ones in the order of their allocation. */
function sort(m: HbmModel, facts: RowFacts, rows: Uint32Array, { sort: by, descending }: LiveQuery): void {
  const a = m.allocations
  if (!a) return
  const sign = descending ? -1 : 1
  if (by === 'size') rows.sort((x, y) => sign * (a.size[x] - a.size[y]) || x - y)
  else if (by === 'age') {
    // Made later is younger; those of before the recording have no age.
    rows.sort(
      (x, y) => (a.from[x] < 0 || a.from[y] < 0 ? Number(a.from[x] < 0) - Number(a.from[y] < 0) : sign * (a.from[y] - a.from[x])) || x - y,
    )
  } else if (by === 'address')
    rows.sort((x, y) => {
      const p = a.address[x]
      const q = a.address[y]
      if (p === 0n || q === 0n) return Number(p === 0n) - Number(q === 0n) || x - y
      return p === q ? x - y : p < q ? -sign : sign
    })
  else {
    const text =
      by === 'category'
        ? (r: number) => categoryName(m, r) || null
        : by === 'model'
          ? facts.model
          : by === 'traceId'
            ? facts.traceId
            : facts.label
    const keys = new Map<number, string | null>()
    for (const r of rows) keys.set(r, text(r))
    rows.sort((x, y) => {
      const p = keys.get(x) ?? null
      const q = keys.get(y) ?? null
      if (p === null || q === null) return Number(p === null) - Number(q === null) || x - y
      return p === q ? x - y : sign * compareTexts(p, q)
    })
  }
}

/** Numbers by value, texts by letters. */
function compareTexts(a: string, b: string): number {
  if (/^\d+$/.test(a) && /^\d+$/.test(b)) return a.length - b.length || (a < b ? -1 : 1)
  return a < b ? -1 : 1
}

export function rowOf(m: HbmModel, facts: RowFacts, allocation: number, at: number): HbmRow {
  const c = m.allocations?.category[allocation] ?? NO_CATEGORY
  return {
    allocation,
    size: m.allocations?.size[allocation] ?? NaN,
    category: c === NO_CATEGORY ? null : c,
    address: addressText(m, allocation),
    age: ageOf(m, allocation, at),
    model: facts.model(allocation),
    traceId: facts.traceId(allocation),
    link: facts.link(allocation),
    label: facts.label(allocation),
  }
}

/** One page of the table. */
export function hbmLive(
  m: HbmModel,
  facts: RowFacts,
  q: LiveQuery & { readonly offset: number; readonly limit: number },
): Omit<HbmLive, 'version'> {
  const { live, rows } = sortedRows(m, facts, q)
  const state = knownState(m, q.at)
  let linked = 0
  let inferred = 0
  for (const a of live) {
    const how = facts.how(a)
    if (how === 'id') linked++
    else if (how === 'inferred') inferred++
  }
  let passedBytes = 0
  for (const a of rows) passedBytes += m.allocations?.size[a] ?? 0
  return {
    total: live.length,
    passed: rows.length,
    passedBytes,
    linked,
    inferred,
    rows: [...rows.subarray(q.offset, q.offset + q.limit)].map(a => rowOf(m, facts, a, q.at)),
    missingBytes: state < 0 || !m.events || m.totals !== 'runtime' ? null : Math.max(0, m.total[state] - m.events.liveBytes[state]),
  }
}

const CSV_HEAD = 'category,size_bytes,address,age_ns,model,trace_id,link,python_frame'

/** All rows of a question as CSV (RFC 4180, CR LF), at most HBM_CSV_ROWS. */
export function hbmCsv(
  m: HbmModel,
  facts: RowFacts,
  q: LiveQuery,
): { readonly text: string; readonly rows: number; readonly notice: string | null } {
  const { rows } = sortedRows(m, facts, q)
  const shown = rows.subarray(0, HBM_CSV_ROWS)
  const lines = [CSV_HEAD]
  for (const a of shown) {
    const r = rowOf(m, facts, a, q.at)
    const how = r.link === null ? '' : r.link.how === 'id' ? 'trace id' : 'inferred'
    lines.push(
      [categoryName(m, a), r.size, r.address ?? '', r.age ?? '', r.model ?? '', r.traceId ?? '', how, r.label ?? ''].map(csvCell).join(','),
    )
  }
  return {
    text: lines.join('\r\n') + '\r\n',
    rows: shown.length,
    notice: rows.length > shown.length ? `${num(rows.length - shown.length)} of ${num(rows.length)} rows were left out.` : null,
  }
}
