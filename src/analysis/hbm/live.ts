/** The table of live allocations at an instant: sorted, filtered, a page at a time, and as CSV. */
import { csvCell } from '../../shared/csv'
import { HBM_CSV_ROWS, type HbmLive, type HbmRow, type HbmSort, type PytorchLink } from '../../shared/hbm-api'
import { num } from '../../shared/format'
import { knownState } from './at'
import { liveAllocations } from './index-of'
import { NO_CATEGORY, type HbmModel } from './model'
import { orderOf, textKey, type Keys } from './order'

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
  /** Those that pass the filter; the first `sorted` of them in order, and the first ones. */
  rows: Uint32Array
  sorted: number
  readonly keys: Keys
  readonly passedBytes: number
  readonly linked: number
  readonly inferred: number
}
/** The last answer of each model: pages and the CSV of one question follow each other. */
const last = new WeakMap<HbmModel, { readonly facts: RowFacts; readonly sorted: Sorted }>()

/** Texts of allocations that were asked for: most of those that are live now were live where the cursor was before. */
type Texts = Record<'model' | 'traceId' | 'label' | 'search', Map<number, string | null>>
const texts = new WeakMap<HbmModel, { readonly facts: RowFacts; readonly texts: Texts }>()
/** More than this are not kept. */
const MAX_TEXTS = 200_000

function textsOf(m: HbmModel, facts: RowFacts): Texts {
  const known = texts.get(m)
  if (known && known.facts === facts) return known.texts
  const none: Texts = { model: new Map(), traceId: new Map(), label: new Map(), search: new Map() }
  texts.set(m, { facts, texts: none })
  return none
}

function textOf(kept: Map<number, string | null>, allocation: number, find: (allocation: number) => string | null): string | null {
  let t = kept.get(allocation)
  if (t === undefined) {
    if (kept.size >= MAX_TEXTS) kept.clear()
    kept.set(allocation, (t = find(allocation)))
  }
  return t
}

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

/** The rows of a question, the first `wanted` of them in order. */
function sortedRows(m: HbmModel, facts: RowFacts, q: LiveQuery, wanted: number): Sorted {
  const state = knownState(m, q.at)
  const words = q.filter.toLowerCase().split(/\s+/).filter(Boolean)
  const key = JSON.stringify([state, q.sort, q.descending, words])
  const known = last.get(m)
  const sorted = known && known.facts === facts && known.sorted.key === key ? known.sorted : ask(m, facts, q, state, words, key)
  if (sorted !== known?.sorted) last.set(m, { facts, sorted })
  if (sorted.sorted < Math.min(wanted, sorted.rows.length)) {
    // A second page is hardly ever the last one that is asked for.
    const upTo = sorted.sorted === 0 ? wanted : sorted.rows.length
    const { rows } = sorted.keys
    sorted.rows = orderOf(sorted.keys, upTo).map(i => rows[i])
    sorted.sorted = Math.min(upTo, rows.length)
  }
  return sorted
}

function ask(m: HbmModel, facts: RowFacts, q: LiveQuery, state: number, words: readonly string[], key: string): Sorted {
  const live = liveAllocations(m, state)
  const kept = textsOf(m, facts)
  const passes = (a: number): boolean => {
    const hay = textOf(kept.search, a, k => haystack(m, facts, k)) ?? ''
    return words.every(w => hay.includes(w))
  }
  const rows = words.length === 0 ? live : live.filter(passes)
  let linked = 0
  let inferred = 0
  for (const a of live) {
    const how = facts.how(a)
    if (how === 'id') linked++
    else if (how === 'inferred') inferred++
  }
  const size = m.allocations?.size
  let passedBytes = 0
  if (size) for (const a of rows) passedBytes += size[a]
  return { key, live, rows, sorted: 0, keys: keysOf(m, facts, kept, rows, q), passedBytes, linked, inferred }
}

const haystack = (m: HbmModel, facts: RowFacts, a: number): string =>
  [categoryName(m, a), addressText(m, a), facts.model(a), facts.traceId(a), facts.label(a)].join('\n').toLowerCase()

const HIGH = 1n << 32n

function keysOf(m: HbmModel, facts: RowFacts, kept: Texts, rows: Uint32Array, { sort: by, descending }: LiveQuery): Keys {
  const n = rows.length
  const first = new Float64Array(n).fill(NaN)
  const a = m.allocations
  const keys = { rows, first, second: null, text: null, descending }
  if (!a) return keys
  if (by === 'size') {
    for (let i = 0; i < n; i++) first[i] = a.size[rows[i]]
    return keys
  }
  if (by === 'age') {
    // Made later is younger; those of before the recording have no age.
    for (let i = 0; i < n; i++) if (a.from[rows[i]] >= 0) first[i] = -a.from[rows[i]]
    return keys
  }
  const second = new Float64Array(n)
  if (by === 'address') {
    for (let i = 0; i < n; i++) {
      const address = a.address[rows[i]]
      if (address === 0n) continue
      first[i] = Number(address / HIGH)
      second[i] = Number(address % HIGH)
    }
    return { ...keys, second }
  }
  const text: string[] = Array.from({ length: n }, () => '')
  const find = by === 'category' ? null : facts[by]
  for (let i = 0; i < n; i++) {
    const t = find ? textOf(kept[by as 'model' | 'traceId' | 'label'], rows[i], find) : categoryName(m, rows[i]) || null
    if (t === null) continue
    text[i] = t
    ;[first[i], second[i]] = textKey(t)
  }
  return { ...keys, second, text }
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
  const { live, rows, passedBytes, linked, inferred } = sortedRows(m, facts, q, q.offset + q.limit)
  const state = knownState(m, q.at)
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
  const { rows } = sortedRows(m, facts, q, HBM_CSV_ROWS)
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
