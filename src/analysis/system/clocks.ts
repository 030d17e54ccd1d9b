/**
 * The clock of the hardware. Events of a NeuronCore carry a time of the device's own clock (`nc_timestamp_ns`). A `timestamp_sync_point` of the same execution and core says which
 * host time belongs to which device time, so that `t = cpu_timestamp_ns + (nc_timestamp_ns - sync.nc_timestamp_ns)` (Neuron's documentation of system traces). The runtime may have
 * stored that already; whether it has is seen by comparing. Times are corrected here once, before anything else sees the table, and what was done is told.
 */
import { attributeBigint, EVENT_SOURCES, ROW_SLICE, typesNamed, type SystemTable } from '../../shared/system-tables'
import { mergeSort } from '../trace/lanes'

export interface HardwareClock {
  /** stored: the file's times are those of the formula. corrected: they were not, and were replaced. unchecked: nothing to compare with. none: no hardware events. */
  readonly method: 'stored' | 'corrected' | 'unchecked' | 'none'
  readonly events: number
  readonly syncPoints: number
  /** Median of computed time minus stored time, ns; null where nothing could be compared. */
  readonly offsetNs: number | null
  /**
   * How far two neighbouring sync points of one core disagree about the same instant, ns: what drift and imprecision leave. The worst of all; of 40 and more the 95th percentile.
   * null with fewer than two on any core; then nothing tells how precise the only one is.
   */
  readonly residualNs: number | null
  /** Of the hardware events: with a sync point of their execution and core; with only another one of their core; without any (left as stored). */
  readonly own: number
  readonly nearest: number
  readonly without: number
  /** Events whose difference is far from that of the others of their core: a damaged time of their own or of their sync point. They are moved as the others of their core are. */
  readonly outliers: number
}

/** Largest difference that is taken for the same time: the formula works in whole nanoseconds on both sides, roundings stay below. */
export const SAME_NS = 1000

interface Sync {
  readonly nc: bigint
  readonly cpu: bigint
}

export interface Calibrated {
  readonly table: SystemTable
  readonly clock: HardwareClock
}

const HARDWARE = EVENT_SOURCES.indexOf('neuron_hw')

/** Compares and, where they differ, corrects the times of hardware events. Answers the same table where nothing changes. Pure. */
export function calibrateHardware(t: SystemTable): Calibrated {
  const rows: number[] = []
  for (let i = 0; i < t.count; i++) if (t.types.source[t.type[i] as number] === HARDWARE) rows.push(i)
  const none: HardwareClock = {
    method: 'none',
    events: rows.length,
    syncPoints: 0,
    offsetNs: null,
    residualNs: null,
    own: 0,
    nearest: 0,
    without: 0,
    outliers: 0,
  }
  if (rows.length === 0) return { table: t, clock: none }
  const points = new SyncPoints(t)
  const compared: Compared[] = []
  let nearest = 0
  let without = 0
  const used: (Sync | null)[] = []
  rows.forEach((row, k) => {
    const n = t.ncStart[row] as bigint
    const exact = n < 0n ? null : points.own(row)
    // What lies near in device time is good for a correction, but not to tell whether one is needed.
    const any = n < 0n ? null : (exact ?? points.nearest(row, n))
    used.push(any)
    if (exact) compared.push({ k, core: points.core(row), difference: Number(computed(exact, n) - stored(t, row)) })
    else if (any) nearest++
    else without++
  })
  const far = outliers(compared)
  const good = compared.filter(c => !far.has(c.k))
  const clock = {
    events: rows.length,
    syncPoints: points.count,
    offsetNs: good.length === 0 ? null : median(good.map(c => c.difference)),
    residualNs: points.residual(),
    own: compared.length,
    nearest,
    without,
    outliers: far.size,
  }
  if (compared.length === 0) return { table: t, clock: { ...clock, method: 'unchecked' } }
  // One damaged time must not move all the others: what most events say decides.
  if (good.every(c => Math.abs(c.difference) <= SAME_NS)) return { table: t, clock: { ...clock, method: 'stored' } }
  return { table: corrected(t, rows, used, far), clock: { ...clock, method: 'corrected' } }
}

interface Compared {
  /** Place among the hardware rows. */
  readonly k: number
  readonly core: string
  /** Computed minus stored time, ns. */
  readonly difference: number
}

/** Fewer events of a core than this cannot outvote one of them. */
const ENOUGH = 5

/**
 * Events whose difference is far from what most of their core have, by their place among the hardware rows, with that core's median: a time that was damaged, of the event or of its
 * sync point. Far is more than a millisecond and more than ten times the usual spread (median of the deviations).
 */
function outliers(all: readonly Compared[]): ReadonlyMap<number, number> {
  const byCore = new Map<string, Compared[]>()
  for (const c of all) {
    const list = byCore.get(c.core)
    if (list) list.push(c)
    else byCore.set(c.core, [c])
  }
  const far = new Map<number, number>()
  for (const list of byCore.values()) {
    if (list.length < ENOUGH) continue
    const middle = median(list.map(c => c.difference))
    const spread = median(list.map(c => Math.abs(c.difference - middle)))
    const limit = Math.max(1e6, 10 * spread)
    for (const c of list) if (Math.abs(c.difference - middle) > limit) far.set(c.k, middle)
  }
  return far
}

const stored = (t: SystemTable, row: number): bigint => t.epochNs + BigInt(Math.round(t.start[row] as number))
const computed = (s: Sync, nc: bigint): bigint => s.cpu + (nc - s.nc)

/** Sync points by execution and core. */
class SyncPoints {
  readonly #t: SystemTable
  readonly #own = new Map<string, Sync>()
  readonly #byCore = new Map<string, Sync[]>()
  count = 0

  constructor(t: SystemTable) {
    this.#t = t
    const types = new Set(typesNamed(t, 'timestamp_sync_point'))
    for (let i = 0; i < t.count; i++) {
      if (!types.has(t.type[i] as number)) continue
      const cpu = attributeBigint(t, i, 'cpu_timestamp_ns')
      const nc = (t.ncStart[i] as bigint) >= 0n ? (t.ncStart[i] as bigint) : attributeBigint(t, i, 'nc_timestamp_ns')
      if (cpu === null || nc === null || cpu <= 0n || nc < 0n) continue
      this.count++
      const sync = { nc, cpu }
      for (const key of this.#cores(i)) {
        const exec = t.exec[i] as bigint
        if (exec >= 0n && !this.#own.has(`${key} ${exec}`)) this.#own.set(`${key} ${exec}`, sync)
        const list = this.#byCore.get(key)
        if (list) list.push(sync)
        else this.#byCore.set(key, [sync])
      }
    }
    for (const list of this.#byCore.values()) list.sort((a, b) => (a.nc < b.nc ? -1 : a.nc > b.nc ? 1 : 0))
  }

  /** The physical core where the event names one, else the logical one; a sync point of a physical core stands for its logical core too. */
  #cores(row: number): readonly string[] {
    const { device, nc, core } = this.#t.places
    const p = this.#t.place[row] as number
    const logical = `${device[p] as number}/${nc[p] as number}`
    return (core[p] as number) >= 0 ? [`${logical}/${core[p] as number}`, logical] : [logical]
  }

  own(row: number): Sync | null {
    const exec = this.#t.exec[row] as bigint
    if (exec < 0n) return null
    for (const key of this.#cores(row)) {
      const sync = this.#own.get(`${key} ${exec}`)
      if (sync) return sync
    }
    return null
  }

  nearest(row: number, nc: bigint): Sync | null {
    for (const key of this.#cores(row)) {
      const list = this.#byCore.get(key)
      if (!list) continue
      let lo = 0
      let hi = list.length
      while (lo < hi) {
        const mid = (lo + hi) >> 1
        if ((list[mid] as Sync).nc < nc) lo = mid + 1
        else hi = mid
      }
      const before = list[lo - 1]
      const after = list[lo]
      if (!before || !after) return before ?? after ?? null
      return nc - before.nc <= after.nc - nc ? before : after
    }
    return null
  }

  /** Name of the core that the sync points of a row belong to. */
  core(row: number): string {
    return this.#cores(row)[0] as string
  }

  residual(): number | null {
    const all: number[] = []
    for (const list of this.#byCore.values())
      for (let k = 1; k < list.length; k++) {
        const a = list[k - 1] as Sync
        const b = list[k] as Sync
        all.push(Math.abs(Number(computed(a, b.nc) - b.cpu)))
      }
    if (all.length === 0) return null
    // A damaged sync point disagrees with both neighbours: where there are many, the few worst say nothing about the others.
    const sorted = Float64Array.from(all).sort()
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * (sorted.length >= 40 ? 0.95 : 1)))] as number
  }
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[sorted.length >> 1] as number
}

/** The table with the rows' times replaced and all rows in order of start again. */
function corrected(
  t: SystemTable,
  rows: readonly number[],
  syncs: readonly (Sync | null)[],
  far: ReadonlyMap<number, number>,
): SystemTable {
  const start = t.start.slice()
  const duration = t.duration.slice()
  const times = new Map<number, readonly [bigint, number]>()
  let epochNs: bigint | null = null
  rows.forEach((row, k) => {
    const sync = syncs[k]
    if (!sync) return
    const moved = far.get(k)
    if (moved !== undefined) {
      times.set(row, [stored(t, row) + BigInt(Math.round(moved)), t.duration[row] as number])
      return
    }
    const from = computed(sync, t.ncStart[row] as bigint)
    const stop = t.ncStop[row] as bigint
    const length = t.state[row] === ROW_SLICE && stop >= 0n ? Number(stop - (t.ncStart[row] as bigint)) : (t.duration[row] as number)
    times.set(row, [from, length])
  })
  // A zero that no time lies before keeps all columns exact.
  for (let i = 0; i < t.count; i++) {
    const at = times.get(i)?.[0] ?? stored(t, i)
    if (epochNs === null || at < epochNs) epochNs = at
  }
  const zero = epochNs ?? t.epochNs
  const shift = Number(t.epochNs - zero)
  let first = Infinity
  let last = -Infinity
  for (let i = 0; i < t.count; i++) {
    const at = times.get(i)
    start[i] = at ? Number(at[0] - zero) : (t.start[i] as number) + shift
    if (at) duration[i] = at[1]
    first = Math.min(first, start[i] as number)
    last = Math.max(last, (start[i] as number) + ((duration[i] as number) > 0 ? (duration[i] as number) : 0))
  }
  const order = mergeSort(t.count, (a, b) => (start[a] as number) - (start[b] as number))
  return {
    ...reordered({ ...t, start, duration }, order),
    epochNs: zero,
    range: t.count === 0 ? null : [first, last],
    cores: t.cores.map(c => ({ ...c, ...spanOfCore(t, c, start, duration, shift) })),
  }
}

/** First and last message of a core at the new times: its own where hardware events set them, else the old ones. */
function spanOfCore(
  t: SystemTable,
  c: SystemTable['cores'][number],
  start: Float64Array,
  duration: Float64Array,
  shift: number,
): { readonly firstNs: number; readonly lastNs: number } {
  let firstNs = Infinity
  let lastNs = -Infinity
  for (let i = 0; i < t.count; i++) {
    const p = t.place[i] as number
    if (t.places.device[p] !== c.device || t.places.nc[p] !== c.nc) continue
    firstNs = Math.min(firstNs, start[i] as number)
    lastNs = Math.max(lastNs, (start[i] as number) + ((duration[i] as number) > 0 ? (duration[i] as number) : 0))
  }
  return firstNs <= lastNs ? { firstNs, lastNs } : { firstNs: c.firstNs + shift, lastNs: c.lastNs + shift }
}

type Column = Float64Array | Int32Array | Uint8Array | BigUint64Array | BigInt64Array

function reordered(t: SystemTable, order: Uint32Array): SystemTable {
  const pick = <C extends Column>(column: C): C => {
    const out = new (column.constructor as new (n: number) => C)(order.length)
    for (let i = 0; i < order.length; i++) out[i] = column[order[i] as number] as never
    return out
  }
  const attrStart = new Uint32Array(order.length + 1)
  const attrKey = new Int32Array(t.attrKey.length)
  const attrText = new Int32Array(t.attrText.length)
  const attrNumber = new Float64Array(t.attrNumber.length)
  let n = 0
  for (let i = 0; i < order.length; i++) {
    const from = t.attrStart[order[i] as number] as number
    const to = t.attrStart[(order[i] as number) + 1] as number
    attrKey.set(t.attrKey.subarray(from, to), n)
    attrText.set(t.attrText.subarray(from, to), n)
    attrNumber.set(t.attrNumber.subarray(from, to), n)
    attrStart[i + 1] = n += to - from
  }
  return {
    ...t,
    start: pick(t.start),
    duration: pick(t.duration),
    state: pick(t.state),
    type: pick(t.type),
    place: pick(t.place),
    trackingId: pick(t.trackingId),
    id: pick(t.id),
    parentId: pick(t.parentId),
    sequence: pick(t.sequence),
    hasSequence: pick(t.hasSequence),
    model: pick(t.model),
    modelName: pick(t.modelName),
    exec: pick(t.exec),
    ncStart: pick(t.ncStart),
    ncStop: pick(t.ncStop),
    attrStart,
    attrKey,
    attrText,
    attrNumber,
  }
}
