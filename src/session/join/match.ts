/**
 * Which pair of keys links PyTorch's rows with the runtime's. Every pair is tested on the data:
 * - matched: values that stand on both sides, and what share of the rows of the smaller side they are;
 * - unique: a value names one row on each side, otherwise it is no id;
 * - consistent: a pair of rows that are one allocation has sizes and times that fit. The runtime never gives less than was asked for, and gives not much more; both write the
 *   allocation down at nearly the same moment. Small counters match by chance, but then pair rows at random, which sizes and times show.
 * Small numbers, which may be counters, must also fit better than a pairing that is wrong on purpose.
 * Two pairs of keys that pass and link the same rows differently are a tie: then none is taken.
 */
import { MIB } from '../../shared/units'
import { LINK_ID, LINK_NONE, P_ALLOC, P_SEGMENT, type Candidate, type Join, type Key, type PytorchSide, type RuntimeSide } from './model'
import { inferByAddress } from './infer'

/** A value must be unique for this share of the matched ones, and pairs consistent for this share. */
const ENOUGH = 0.9
/** Bytes that the runtime may give beyond the request: a segment rounded up, or a small block's whole segment. */
const SLACK = 64 * MIB
/** ns between both sides' times of one allocation, around their median difference. */
const NEAR = 20e6
/** ns by which both clocks may differ when both are Unix time. */
const APART = 1e9
/** A number below this may be a counter. */
const SMALL = 2 ** 32
/** Runtime rows that are tried first to see whether a key has anything in common with the other side. */
const SAMPLE = 4096
/** A counter's pairs must fit in this much larger a share than wrong ones, or their times be this much tighter. */
const BEATS_SHARE = 0.25
const BEATS_SPREAD = 4
const MOST_CANDIDATES = 12

interface Values {
  readonly key: Key
  /** Rows with a value. */
  readonly present: number
  /** Per value of the universe: how many rows have it, and the last of them. */
  readonly count: Uint32Array
  readonly row: Uint32Array
}

interface Tried {
  readonly candidate: Omit<Candidate, 'verdict'>
  readonly pytorch: Values
  readonly runtime: Values
  /** Unique pairs that fit (or could not be compared): PyTorch row, runtime row, alternating. */
  readonly pairs: readonly number[]
  /** Most values are small numbers, which meet by chance. */
  readonly counter: boolean
  /** Median distance of the pairs' time differences from their median, ns; NaN where times cannot be compared. */
  readonly spread: number
  readonly misfits: number
  readonly verdict: Candidate['verdict'] | 'passed'
}

/** Joins both sides. Linear in rows for each key that has anything in common with the other side. */
export function joinAllocations(p: PytorchSide, r: RuntimeSide): Join {
  const universe = new Map<string, number>()
  const ids = p.keys.map(key => internAll(key, p.rows.count, universe))
  const pytorch = p.keys.map((key, i) => ({ key, ...tally(ids[i], universe.size) }))
  const runtime: Values[] = []
  for (const key of r.keys) {
    if (universe.size === 0 || !overlaps(key, r.rows.count, universe)) continue
    const found = new Int32Array(r.rows.count).fill(-1)
    let present = 0
    for (let row = 0; row < r.rows.count; row++) {
      const v = key.value(row)
      if (v === null) continue
      present++
      found[row] = universe.get(v) ?? -1
    }
    const t = tally({ rows: null, value: found }, universe.size)
    runtime.push({ key, ...t, present })
  }
  const small = smallValues(universe)
  const tried: Tried[] = []
  for (const a of pytorch) for (const b of runtime) tryPair(a, b, p, r, small, tried)
  return decide(p, r, tried)
}

interface Interned {
  readonly rows: Uint32Array | null
  /** Per row of `rows`, or per row: value; -1 without. */
  readonly value: Int32Array
}

function internAll(key: Key, count: number, universe: Map<string, number>): Interned {
  const n = key.rows ? key.rows.length : count
  const value = new Int32Array(n).fill(-1)
  for (let i = 0; i < n; i++) {
    const v = key.value(key.rows ? key.rows[i] : i)
    if (v === null) continue
    let id = universe.get(v)
    if (id === undefined) universe.set(v, (id = universe.size))
    value[i] = id
  }
  return { rows: key.rows, value }
}

function tally({ rows, value }: Interned, size: number): Omit<Values, 'key'> {
  const count = new Uint32Array(size)
  const row = new Uint32Array(size)
  let present = 0
  for (let i = 0; i < value.length; i++) {
    const v = value[i]
    if (v < 0) continue
    present++
    count[v]++
    row[v] = rows ? rows[i] : i
  }
  return { present, count, row }
}

function overlaps(key: Key, count: number, universe: ReadonlyMap<string, number>): boolean {
  const stride = Math.max(1, Math.floor(count / SAMPLE))
  for (let row = 0; row < count; row += stride) {
    const v = key.value(row)
    if (v !== null && universe.has(v)) return true
  }
  return false
}

/** 1 for values that may be counters. */
function smallValues(universe: ReadonlyMap<string, number>): Uint8Array {
  const out = new Uint8Array(universe.size)
  for (const [text, id] of universe) if (/^\d+$/.test(text) ? Number(text) < SMALL : text.length < 8) out[id] = 1
  return out
}

function tryPair(a: Values, b: Values, p: PytorchSide, r: RuntimeSide, small: Uint8Array, into: Tried[]): void {
  let matched = 0
  let counters = 0
  const pairs: number[] = []
  for (let v = 0; v < a.count.length; v++) {
    if (a.count[v] === 0 || b.count[v] === 0) continue
    matched++
    counters += small[v]
    if (a.count[v] === 1 && b.count[v] === 1) pairs.push(a.row[v], b.row[v])
  }
  if (matched === 0) return
  const rate = matched / Math.max(1, Math.min(a.present, b.present))
  const unique = pairs.length / 2 / matched
  const { share, fitting, spread } = consistency(pairs, p, r)
  const candidate = { pytorch: a.key.name, runtime: b.key.name, matched, rate: Math.min(1, rate), unique, consistent: share }
  const n = fitting.length / 2
  // Counters need many matches and most of the rows; ids of 64 bits or texts hardly meet by chance.
  const counter = counters * 2 > matched
  const verdict =
    unique < ENOUGH
      ? 'not-unique'
      : (share !== null && share < ENOUGH) || (counter && n >= 3 && !beatsChance(pairs, share, spread, p, r))
        ? 'inconsistent'
        : n < (counter ? 3 : 1) || (counter && (share === null || rate < 0.5))
          ? 'too-few'
          : 'passed'
  into.push({ candidate, pytorch: a, runtime: b, pairs: fitting, misfits: pairs.length / 2 - n, counter, spread, verdict })
}

/** Share of pairs that may be one allocation, and those pairs; a pair of which nothing can be compared fits and does not count. */
function consistency(
  pairs: readonly number[],
  { rows: p }: PytorchSide,
  { rows: r }: RuntimeSide,
): { readonly share: number | null; readonly fitting: readonly number[]; readonly spread: number } {
  const differences: number[] = []
  for (let i = 0; i < pairs.length; i += 2) {
    const d = r.time[pairs[i + 1]] - p.time[pairs[i]]
    if (!Number.isNaN(d)) differences.push(d)
  }
  differences.sort((x, y) => x - y)
  const median = differences.length > 0 ? differences[differences.length >> 1] : NaN
  const center = Math.abs(median) > APART ? NaN : median
  const far = differences.map(d => Math.abs(d - median)).sort((x, y) => x - y)
  const spread = far.length > 1 ? far[far.length >> 1] : NaN
  let compared = 0
  let fits = 0
  const fitting: number[] = []
  for (let i = 0; i < pairs.length; i += 2) {
    const a = pairs[i]
    const b = pairs[i + 1]
    const asked = p.size[a]
    const given = r.size[b]
    const sized = asked > 0 && given > 0
    const sizeFits = !sized || (given >= asked && given <= asked + Math.max(asked, SLACK))
    const d = r.time[b] - p.time[a]
    const timed = !Number.isNaN(d)
    // A median that is far off fits nothing: both write Unix time.
    const timeFits = !timed || Math.abs(d - center) <= NEAR
    if (sized || timed) compared++
    if (sizeFits && timeFits) {
      if (sized || timed) fits++
      fitting.push(a, b)
    }
  }
  return { share: compared > 0 ? fits / compared : null, fitting, spread }
}

/** Whether pairs fit clearly better than the same rows paired wrongly: each with the partner half the list away. */
function beatsChance(pairs: readonly number[], share: number | null, spread: number, p: PytorchSide, r: RuntimeSide): boolean {
  const n = pairs.length / 2
  const half = n >> 1
  const wrong = pairs.map((v, i) => (i % 2 === 0 ? v : pairs[2 * (((i - 1) / 2 + half) % n) + 1]))
  const chance = consistency(wrong, p, r)
  return (share ?? 0) - (chance.share ?? 0) >= BEATS_SHARE || spread * BEATS_SPREAD < chance.spread
}

/** Shares that differ by less say nothing; nor do spreads of which neither is four times the other, or that differ by less than the clocks' grain (ns). */
const SAME_SHARE = 0.02
const SAME_SPREAD = 4
const GRAIN = 10_000

/** > 0 where `a` pairs rows that fit each other clearly better: by ids that do not meet by chance, sizes and times, and how tight the times are. */
function quality(a: Tried, b: Tried): number {
  if (a.counter !== b.counter) return a.counter ? -1 : 1
  const shares = (a.candidate.consistent ?? 0) - (b.candidate.consistent ?? 0)
  if (Math.abs(shares) > SAME_SHARE) return shares
  if (Number.isNaN(a.spread) || Number.isNaN(b.spread) || Math.abs(a.spread - b.spread) < GRAIN) return 0
  return a.spread * SAME_SPREAD < b.spread ? 1 : b.spread * SAME_SPREAD < a.spread ? -1 : 0
}

const LIKELY = /trace[ _-]?id/i
const likely = (t: Tried): number => (LIKELY.test(t.candidate.pytorch) ? 1 : 0) + (LIKELY.test(t.candidate.runtime) ? 1 : 0)
/** More pairs, then the likelier name. */
const larger = (a: Tried, b: Tried): number =>
  a.pairs.length - b.pairs.length || likely(a) - likely(b) || a.candidate.rate - b.candidate.rate

function decide(p: PytorchSide, r: RuntimeSide, tried: readonly Tried[]): Join {
  const passed = tried.filter(t => t.verdict === 'passed').sort((a, b) => larger(b, a))
  // Quality has tolerances, so it is no order to sort by: a candidate takes the place of the best so far when it is clearly better.
  let best = passed[0] as Tried | undefined
  for (const t of passed) if (best && quality(t, best) > 0 && contradicts(best, t)) best = t
  const rivals = passed.filter(
    t => best && t !== best && t.pairs.length >= 0.8 * best.pairs.length && quality(best, t) <= 0 && contradicts(best, t),
  )
  const key = best && rivals.length === 0 ? best : null
  const pytorchOf = new Int32Array(r.rows.count).fill(-1)
  const runtimeOf = new Int32Array(p.rows.count).fill(-1)
  const how = new Uint8Array(r.rows.count)
  const helpers: Tried[] = []
  if (key) {
    take(key, pytorchOf, runtimeOf, how)
    // The same property of other kinds of rows: blocks of the table beside entries of the history, segments beside allocations.
    for (const t of passed)
      if (t !== key && t.runtime === key.runtime && t.pytorch.key.property === key.pytorch.key.property) {
        take(t, pytorchOf, runtimeOf, how)
        helpers.push(t)
      }
  }
  let matched = 0
  for (let i = 0; i < how.length; i++) if (how[i] === LINK_ID) matched++
  const inferred = inferByAddress(p.rows, r.rows, pytorchOf, runtimeOf, how)
  let runtimeOnly = 0
  for (let i = 0; i < how.length; i++) if (how[i] === LINK_NONE) runtimeOnly++
  const verdictOf = (t: Tried): Candidate['verdict'] =>
    t.verdict !== 'passed' ? t.verdict : t === key ? 'taken' : t === best || rivals.includes(t) ? 'tie' : 'weaker'
  passed.sort((a, b) => (a === best ? -1 : b === best ? 1 : 0))
  const order = [...passed, ...tried.filter(t => t.verdict !== 'passed').sort((a, b) => b.candidate.matched - a.candidate.matched)]
  return {
    key: key ? { pytorch: key.candidate.pytorch, runtime: key.candidate.runtime } : null,
    matched,
    inferred: inferred.linked,
    pytorchOnly: key ? leftOf(p, [key, ...helpers], runtimeOf) : 0,
    runtimeOnly,
    misfits: key ? key.misfits : 0,
    candidates: order.slice(0, MOST_CANDIDATES).map(t => ({ ...t.candidate, verdict: verdictOf(t) })),
    text: words(p, r, key, best, rivals, tried, inferred),
    pytorchOf,
    runtimeOf,
    how,
  }
}

/** Rows with the key and without a link. Blocks and segments of the table are counted where the key is theirs alone: most of them are entries of the history as well. */
function leftOf({ rows }: PytorchSide, taken: readonly Tried[], runtimeOf: Int32Array): number {
  let left = 0
  const entries = taken.some(t => isEntry(t))
  for (const t of taken) {
    if (entries && !isEntry(t)) continue
    const { key } = t.pytorch
    const n = key.rows ? key.rows.length : rows.count
    for (let i = 0; i < n; i++) {
      const row = key.rows ? key.rows[i] : i
      if (runtimeOf[row] < 0 && key.value(row) !== null) left++
    }
  }
  return left

  function isEntry(t: Tried): boolean {
    const first = t.pairs[0]
    return rows.kind[first] === P_ALLOC || rows.kind[first] === P_SEGMENT
  }
}

/** Whether two pairs of keys link a row of either side to different ones of the other, for more than a tenth of the rows that both link. */
function contradicts(a: Tried, b: Tried): boolean {
  const of = new Map<number, number>()
  const back = new Map<number, number>()
  for (let i = 0; i < a.pairs.length; i += 2) {
    of.set(a.pairs[i], a.pairs[i + 1])
    back.set(a.pairs[i + 1], a.pairs[i])
  }
  let same = 0
  let other = 0
  for (let i = 0; i < b.pairs.length; i += 2) {
    const r = of.get(b.pairs[i])
    if (r === b.pairs[i + 1]) same++
    else if (r !== undefined || (back.has(b.pairs[i + 1]) && sameKind(a, b))) other++
  }
  return other > 0 && other * 10 > same + other
}

/** An entry and the block of the table at the end are two rows of one allocation; two rows of one kind are two allocations. */
const sameKind = (a: Tried, b: Tried): boolean => a.pytorch.key.name.split(' of ').at(-1) === b.pytorch.key.name.split(' of ').at(-1)

function take(t: Tried, pytorchOf: Int32Array, runtimeOf: Int32Array, how: Uint8Array): void {
  for (let i = 0; i < t.pairs.length; i += 2) {
    const a = t.pairs[i]
    const b = t.pairs[i + 1]
    runtimeOf[a] = b
    if (pytorchOf[b] < 0) pytorchOf[b] = a
    how[b] = LINK_ID
  }
}

function words(
  p: PytorchSide,
  r: RuntimeSide,
  key: Tried | null,
  best: Tried | undefined,
  rivals: readonly Tried[],
  tried: readonly Tried[],
  inferred: { readonly linked: number; readonly ambiguous: number },
): string {
  const byAddress = inferred.linked > 0 ? ` ${inferred.linked} were linked by address and size in overlapping time (inferred).` : ''
  const ambiguous = inferred.ambiguous > 0 ? ` ${inferred.ambiguous} could be linked by address to more than one and were not.` : ''
  if (r.rows.count === 0) return 'The runtime trace has no device memory allocations with an address.'
  if (p.rows.count === 0) return 'The snapshot has neither a history nor segments.'
  if (key) {
    const left =
      key.misfits > 0 ? ` ${key.misfits} pairs with equal ids were left out: their sizes or times cannot be of one allocation.` : ''
    return `${key.candidate.pytorch} equals ${key.candidate.runtime} of the runtime.${left}${byAddress}${ambiguous}`
  }
  if (best)
    return `Several keys link the same allocations differently (${[best, ...rivals]
      .map(t => `${t.candidate.pytorch} with ${t.candidate.runtime}`)
      .slice(0, 3)
      .join('; ')}); none is taken.${byAddress}${ambiguous}`
  if (p.keys.length === 0)
    return `The snapshot has no keys that could be ids.${byAddress || ' No segment has the address of a runtime allocation.'}${ambiguous}`
  return `${tried.length === 0 ? 'No id of the snapshot stands in the runtime trace.' : 'Ids that stand on both sides pair allocations that do not fit, or too few of them.'}${byAddress}${ambiguous}`
}
