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
   * How far two neighbouring sync points of one core disagree about the same instant, the worst, ns: what drift and imprecision leave. null with fewer than two on any core; then
   * nothing tells how precise the only one is.
   */
  readonly residualNs: number | null
  /** Of the hardware events: with a sync point of their execution and core; with only another one of their core; without any (left as stored). */
  readonly own: number
  readonly nearest: number
  readonly without: number
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
  }
  if (rows.length === 0) return { table: t, clock: none }
  const points = new SyncPoints(t)
  const own: (Sync | null)[] = []
  const differences: number[] = []
  let nearest = 0
  let without = 0
  const used: (Sync | null)[] = []
  for (const i of rows) {
    const n = t.ncStart[i] as bigint
    const exact = n < 0n ? null : points.own(i)
    own.push(exact)
    // What lies near in device time is good for a correction, but not to tell whether one is needed.
    const any = n < 0n ? null : (exact ?? points.nearest(i, n))
    used.push(any)
    if (exact) differences.push(Number(computed(exact, n) - stored(t, i)))
    else if (any) nearest++
    else without++
  }
  const compared = differences.length
  const clock = {
    events: rows.length,
    syncPoints: points.count,
    offsetNs: compared === 0 ? null : median(differences),
    residualNs: points.residual(),
    own: compared,
    nearest,
    without,
  }
  if (compared === 0) return { table: t, clock: { ...clock, method: 'unchecked' } }
  if (differences.every(d => Math.abs(d) <= SAME_NS)) return { table: t, clock: { ...clock, method: 'stored' } }
  return { table: corrected(t, rows, used), clock: { ...clock, method: 'corrected' } }
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

  residual(): number | null {
    let worst: number | null = null
    for (const list of this.#byCore.values())
      for (let k = 1; k < list.length; k++) {
        const a = list[k - 1] as Sync
        const b = list[k] as Sync
        const off = Math.abs(Number(computed(a, b.nc) - b.cpu))
        if (worst === null || off > worst) worst = off
      }
    return worst
  }
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[sorted.length >> 1] as number
}

/** The table with the rows' times replaced and all rows in order of start again. */
function corrected(t: SystemTable, rows: readonly number[], syncs: readonly (Sync | null)[]): SystemTable {
  const start = t.start.slice()
  const duration = t.duration.slice()
  const times = new Map<number, readonly [bigint, number]>()
  let epochNs: bigint | null = null
  rows.forEach((row, k) => {
    const sync = syncs[k]
    if (!sync) return
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
    cores: t.cores.map(c => ({ ...c, firstNs: c.firstNs + shift, lastNs: c.lastNs + shift })),
  }
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
