/**
 * Which name an event number has. The numbering moves between releases: events are inserted, those after them move up. Numbers are therefore laid along the
 * catalogue in order, with a shift that may change from number to number but seldom does, so that the attribute keys fit best. Where the shift is 0 the catalogue's
 * number stands; elsewhere the keys have decided and the name is marked as inferred.
 */
import { CATALOGUE, entryNamed, entryOf, fit, type CatalogueEntry, SOURCE_HARDWARE, SOURCE_RUNTIME } from './catalogue'
import type { NameFrom } from '../../shared/system-tables'

/** What was seen of one event number. */
export interface SeenType {
  readonly number: number
  readonly messages: number
  /** Distinct attribute keys of its events, start and stop together. */
  readonly keys: ReadonlySet<string>
  /** The text of `hint` that nearly all its events have; null where there is none. */
  readonly hint: string | null
}

export interface NamedType {
  readonly number: number
  readonly name: string
  readonly nameFrom: NameFrom
  readonly inferred: boolean
  /** Index into EVENT_SOURCES. */
  readonly source: number
  /** The catalogue's entry, null for unknown events. */
  readonly entry: CatalogueEntry | null
}

const MAX_SHIFT = 8
/** What a change of the shift costs, in units of one type whose keys fit perfectly. */
const CHANGE = 0.6
/** A shifted reading must be better than the unshifted one by this much in all. */
const LEAVE_ZERO = 0.3
/** Keys that fit less than this contradict an entry. */
const CONTRADICTS = 0.4
const FITS = 0.8

/** Names for the seen numbers, in ascending order of the numbers. */
export function nameTypes(seen: readonly SeenType[]): readonly NamedType[] {
  const sorted = [...seen].sort((a, b) => a.number - b.number)
  const shifts = bestShifts(sorted)
  return sorted.map((t, i) => nameOf(t, shifts[i] as number | null))
}

const unknown = (t: SeenType): NamedType => ({
  number: t.number,
  name: `event ${t.number} (unknown)`,
  nameFrom: 'number',
  inferred: false,
  source: t.keys.has('nc_timestamp_ns') ? SOURCE_HARDWARE : SOURCE_RUNTIME,
  entry: null,
})

const named = (t: SeenType, e: CatalogueEntry, nameFrom: NameFrom, inferred: boolean): NamedType => ({
  number: t.number,
  name: e.name,
  nameFrom,
  inferred,
  source: e.hardware ? SOURCE_HARDWARE : SOURCE_RUNTIME,
  entry: e,
})

function nameOf(t: SeenType, shift: number | null): NamedType {
  // The runtime's own word, where it is one of the names that are known.
  const hinted = t.hint === null ? undefined : entryNamed(t.hint)
  if (hinted && !(fit(t.keys, hinted) < CONTRADICTS)) return named(t, hinted, 'stored', false)
  const e = shift === null ? undefined : entryOf(t.number + shift)
  const f = e ? fit(t.keys, e) : NaN
  if (e && !(f < CONTRADICTS)) return named(t, e, shift === 0 ? 'catalogue' : 'keys', shift !== 0)
  // Its number is contradicted: the keys alone, if they are those of one entry only.
  const scores = CATALOGUE.map(c => ({ c, f: fit(t.keys, c) })).filter(s => s.f >= FITS)
  scores.sort((a, b) => b.f - a.f)
  const [first, second] = scores
  if (first && (!second || first.f > second.f)) return named(t, first.c, 'keys', true)
  return unknown(t)
}

/**
 * Shift of each number (catalogue number = number + shift) on the path through all numbers with the highest sum of fits less the cost of its changes. null where another
 * path is as good and has another shift there: where exactly an event was inserted among others with the same keys, or none, cannot be told.
 */
function bestShifts(types: readonly SeenType[]): readonly (number | null)[] {
  if (types.length === 0) return []
  const gains = types.map(t => Float64Array.from({ length: WIDTH }, (_, k) => gain(t, k - MAX_SHIFT)))
  // Best sum up to and including each number, and from each number on, per shift.
  const before = sums(gains, true)
  const after = sums(gains.toReversed(), false).toReversed()
  return types.map((_, i) => {
    const marginal = Array.from({ length: WIDTH }, (_, k) => at(before, i, k) + at(after, i, k) - at(gains, i, k))
    const best = marginal.reduce((b, v, k) => (v > (marginal[b] as number) ? k : b), 0)
    const tied = marginal.some((v, k) => k !== best && v > (marginal[best] as number) - 1e-6)
    return tied ? null : best - MAX_SHIFT
  })
}

const WIDTH = 2 * MAX_SHIFT + 1
const at = (rows: readonly Float64Array[], i: number, k: number): number => (rows[i] as Float64Array)[k] as number

function gain(t: SeenType, shift: number): number {
  const e = entryOf(t.number + shift)
  const f = e ? fit(t.keys, e) : NaN
  return Number.isNaN(f) ? 0 : f
}

function sums(gains: readonly Float64Array[], start: boolean): readonly Float64Array[] {
  const out: Float64Array[] = []
  for (const g of gains) {
    const last = out.at(-1)
    const most = last ? Math.max(...last) - CHANGE : 0
    out.push(g.map((v, k) => v + (last ? Math.max(last[k] as number, most) : start && k !== MAX_SHIFT ? -LEAVE_ZERO : 0)))
  }
  return out
}
