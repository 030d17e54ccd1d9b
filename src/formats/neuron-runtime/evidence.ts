/**
 * What a sample of messages says for and against a field having a role. Each test answers on any field, so that it can be asked for the field that a schema names and
 * for every other one: a role is only known when the others fail.
 */
import { CATALOGUE, entryOf, fit, KNOWN_KEYS } from './catalogue'
import type { FieldSeen, Sample } from './sample'

/** 2015 and 2100 in Unix ns: a time outside is no time of a profile. */
export const FIRST_NS = 1_420_070_400_000_000_000n
export const LAST_NS = 4_102_444_800_000_000_000n

/** A numeric field with its distinct values numbered. A message without it has the value 0, as protobuf means it. */
export interface Column {
  readonly field: number
  readonly value: BigUint64Array
  readonly has: Uint8Array
  readonly code: Int32Array
  readonly distinct: number
  readonly max: bigint
  /** Messages with a value other than 0. */
  readonly nonZero: number
}

export interface Pairing {
  /** Message of the other half; -1. */
  readonly partner: Int32Array
  readonly starts: number
  readonly stops: number
  readonly matched: number
  /** Starts whose key was open already. */
  readonly clashes: number
  /** Distinct keys among the pairs. */
  readonly keys: number
}

export const START = 1n
export const STOP = 2n

export class Evidence {
  readonly sample: Sample
  readonly count: number
  /** Attribute keys per message that the catalogue knows, sorted and joined; '' where there are none. */
  #keySets: readonly string[] = []
  readonly #columns = new Map<number, Column>()
  readonly #pairings = new Map<string, Pairing>()
  readonly #orders = new Map<number, Uint32Array>()
  readonly #purities = new Map<string, number>()
  #cores: readonly (string | null)[] = []
  attributes: FieldSeen | null = null

  constructor(sample: Sample) {
    this.sample = sample
    this.count = sample.count
  }

  /** The field that holds the attributes; what depends on keys is computed for it. */
  useAttributes(field: FieldSeen | null): void {
    this.attributes = field
    this.#keySets = Array.from({ length: this.count }, (_, i) =>
      [...new Set((field?.pairs[i] ?? []).map(p => p[0]).filter(k => KNOWN_KEYS.has(k)))].sort().join(' '),
    )
    this.#cores = Array.from({ length: this.count }, (_, i) => field?.pairs[i]?.find(p => p[0] === 'device_core_idx')?.[1] ?? null)
    this.#purities.clear()
  }

  /** Messages with attributes that the catalogue knows. */
  get keyed(): number {
    return this.#keySets.filter(k => k !== '').length
  }

  column(field: number): Column {
    let c = this.#columns.get(field)
    if (c) return c
    const seen = this.sample.fields.get(field)
    const value = seen?.value ?? new BigUint64Array(this.count)
    const codes = new Map<bigint, number>()
    const code = Int32Array.from(value, v => {
      let k = codes.get(v)
      if (k === undefined) codes.set(v, (k = codes.size))
      return k
    })
    c = {
      field,
      value,
      has: seen?.has ?? new Uint8Array(this.count),
      code,
      distinct: codes.size,
      max: [...codes.keys()].reduce((a, b) => (b > a ? b : a), 0n),
      nonZero: value.reduce((n, v) => n + Number(v !== 0n), 0),
    }
    this.#columns.set(field, c)
    return c
  }

  // ── times ──

  /** Messages whose value is a Unix time in ns. */
  plausible(c: Column): number {
    let n = 0
    for (const v of c.value) if (v >= FIRST_NS && v <= LAST_NS) n++
    return n
  }

  /** Share of steps from message to message that go back in time; 0.5 is no order at all. */
  descents(c: Column): number {
    let n = 0
    for (let i = 1; i < this.count; i++) if ((c.value[i] as bigint) < (c.value[i - 1] as bigint)) n++
    return this.count < 2 ? 0 : n / (this.count - 1)
  }

  /** Messages by time, in the order of the file where equal. */
  order(time: Column): Uint32Array {
    let o = this.#orders.get(time.field)
    if (!o) {
      const { value } = time
      o = Uint32Array.from({ length: this.count }, (_, i) => i).sort((a, b) => {
        const x = value[a] as bigint
        const y = value[b] as bigint
        return x < y ? -1 : x > y ? 1 : a - b
      })
      this.#orders.set(time.field, o)
    }
    return o
  }

  // ── pairs ──

  /** Pairs starts with stops of the same key and, where `type` is given, the same type. The last start that is open counts. */
  pairing(time: Column, phase: Column, tracking: Column, type: Column | null): Pairing {
    const name = `${time.field}/${phase.field}/${tracking.field}/${type?.field ?? ''}`
    let p = this.#pairings.get(name)
    if (p) return p
    const partner = new Int32Array(this.count).fill(-1)
    const open = new Map<number, number[]>()
    const keys = new Set<number>()
    let starts = 0
    let stops = 0
    let matched = 0
    let clashes = 0
    for (const i of this.order(time)) {
      const v = phase.value[i]
      if (v !== START && v !== STOP) continue
      const key = (tracking.code[i] as number) * 65536 + (type ? (type.code[i] as number) : 0)
      const list = open.get(key)
      if (v === START) {
        starts++
        if (list?.length) {
          clashes++
          list.push(i)
        } else open.set(key, [i])
      } else {
        stops++
        const start = list?.pop()
        if (start === undefined) continue
        partner[i] = start
        partner[start] = i
        matched++
        keys.add(tracking.code[i] as number)
      }
    }
    p = { partner, starts, stops, matched, clashes, keys: keys.size }
    this.#pairings.set(name, p)
    return p
  }

  /** Share of the pairs whose halves have the same value; NaN without pairs. */
  equalInPairs(p: Pairing, c: Column): number {
    let same = 0
    for (let i = 0; i < this.count; i++) {
      const other = p.partner[i] as number
      if (other > i && c.code[i] === c.code[other]) same++
    }
    return p.matched === 0 ? NaN : same / p.matched
  }

  // ── event numbers ──

  /** How far the field decides which keys a message has: share of the messages with keys that have those most common for their value and phase. NaN without keys. */
  purity(c: Column, phase: Column): number {
    const name = `${c.field}/${phase.field}`
    let share = this.#purities.get(name)
    if (share !== undefined) return share
    const sets = new Map<string, Map<string, number>>()
    let keyed = 0
    for (let i = 0; i < this.count; i++) {
      const keys = this.#keySets[i] as string
      if (keys === '') continue
      keyed++
      const group = `${c.code[i]}/${phase.value[i]}`
      let counts = sets.get(group)
      if (!counts) sets.set(group, (counts = new Map()))
      counts.set(keys, (counts.get(keys) ?? 0) + 1)
    }
    let pure = 0
    for (const counts of sets.values()) pure += Math.max(...counts.values())
    share = keyed === 0 ? NaN : pure / keyed
    this.#purities.set(name, share)
    return share
  }

  /** Share of the messages with keys whose value names an event of the catalogue with such keys, at the best of the shifts -most..most. NaN without keys. */
  agreement(c: Column, most: number): number {
    let best = NaN
    const groups = new Map<string, { readonly number: bigint; readonly keys: ReadonlySet<string>; n: number }>()
    for (let i = 0; i < this.count; i++) {
      const keys = this.#keySets[i] as string
      if (keys === '') continue
      const name = `${c.code[i]}/${keys}`
      const g = groups.get(name)
      if (g) g.n++
      else groups.set(name, { number: c.value[i] as bigint, keys: new Set(keys.split(' ')), n: 1 })
    }
    for (let shift = -most; shift <= most; shift++) {
      let n = 0
      let all = 0
      for (const g of groups.values()) {
        all += g.n
        const e = g.number < BigInt(CATALOGUE.length + most) ? entryOf(Number(g.number) + shift) : undefined
        if (e && fit(g.keys, e) >= 0.5) n += g.n
      }
      if (all > 0 && !(best > n / all)) best = n / all
    }
    return best
  }

  /** Share of the values other than 0 that are values of `id`; NaN where all are 0. */
  names(c: Column, id: Column): number {
    const ids = new Set(id.value)
    let found = 0
    for (const v of c.value) if (v !== 0n && ids.has(v)) found++
    return c.nonZero === 0 ? NaN : found / c.nonZero
  }

  // ── places ──

  /** Share of messages with a tracking id whose bits from 50 on are the value; NaN where all those bits are 0. */
  inTracking(c: Column, tracking: Column): number {
    let same = 0
    let all = 0
    let any = false
    for (let i = 0; i < this.count; i++) {
      const t = tracking.value[i] as bigint
      if (t === 0n) continue
      all++
      if (t >> 50n) any = true
      if (t >> 50n === c.value[i]) same++
    }
    return any ? same / all : NaN
  }

  /** True where each value of `from` goes with one value of `to` only. */
  determines(from: Column, to: Column): boolean {
    const seen = new Map<number, number>()
    for (let i = 0; i < this.count; i++) {
      const a = from.code[i] as number
      const b = to.code[i] as number
      if ((seen.get(a) ?? b) !== b) return false
      seen.set(a, b)
    }
    return true
  }

  /** Physical cores (attribute device_core_idx) seen, and whether each goes with one value of the field only. */
  ofCores(c: Column): { readonly cores: number; readonly one: boolean; readonly values: number } {
    const seen = new Map<string, number>()
    let one = true
    for (let i = 0; i < this.count; i++) {
      const core = this.#cores[i]
      if (core === null || core === undefined) continue
      const v = c.code[i] as number
      if ((seen.get(core) ?? v) !== v) one = false
      seen.set(core, v)
    }
    return { cores: seen.size, one, values: new Set(seen.values()).size }
  }
}
