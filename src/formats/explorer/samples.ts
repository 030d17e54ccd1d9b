/** Sampled values of exports: host CPU, host memory, device memory. Times are absolute until the end. */
import type { CpuTable, HbmUsageTable, HostMemoryTable, SchemaVerdict } from '../../shared/system-tables'
import { f64, i32, i64, type Grown } from './grow'

const MAX_SAMPLES = 20_000_000
const MAX_CATEGORIES = 200

/** Rows by time, order of the file where equal. */
function order(time: BigInt64Array, n: number): Uint32Array {
  const rows = Uint32Array.from({ length: n }, (_, i) => i)
  for (let i = 1; i < n; i++)
    if (time[i] < time[i - 1]) return rows.sort((a, b) => (time[a] < time[b] ? -1 : time[a] > time[b] ? 1 : a - b))
  return rows
}

abstract class Samples {
  n = 0
  /** Samples that were left out: without a time or a value, or too many. */
  left = 0
  protected readonly time = i64()
  protected abstract readonly columns: readonly Grown<Float64Array | Int32Array>[]

  /** Row of a new sample; -1 where there is no room or no time. */
  protected row(time: bigint | null): number {
    if (time === null || this.n >= MAX_SAMPLES) {
      this.left++
      return -1
    }
    const row = this.n++
    for (const c of [this.time, ...this.columns]) c.room(this.n)
    this.time.a[row] = time
    return row
  }

  protected timing(): { rows: Uint32Array; epochNs: bigint; time: Float64Array; range: readonly [number, number] } {
    const rows = order(this.time.a, this.n)
    const epochNs = this.time.a[rows[0]]
    const time = Float64Array.from(rows, r => Number(this.time.a[r] - epochNs))
    return { rows, epochNs, time, range: [0, time[time.length - 1]] }
  }
}

export class CpuSamples extends Samples {
  readonly #cpu = i32()
  readonly #util = f64()
  protected readonly columns = [this.#cpu, this.#util]

  /** `cpu`: -1 for the average. A value that is no number is left out. */
  add(time: bigint | null, cpu: number, util: number): void {
    const row = this.row(Number.isFinite(util) ? time : null)
    if (row < 0) return
    this.#cpu.a[row] = cpu
    this.#util.a[row] = util
  }

  table(verdict: SchemaVerdict, complete: boolean, bytesRead: number): CpuTable | null {
    if (this.n === 0) return null
    const { rows, epochNs, time, range } = this.timing()
    const cpu = Int32Array.from(rows, r => this.#cpu.a[r])
    const util = Float64Array.from(rows, r => this.#util.a[r])
    const cores = Int32Array.from([...new Set(cpu)].filter(c => c >= 0)).sort()
    return { kind: 'cpu', verdict, epochNs, count: rows.length, time, cpu, util, cores, range, complete, bytesRead }
  }
}

export class HostMemorySamples extends Samples {
  readonly #usage = f64()
  readonly #percent = f64()
  protected readonly columns = [this.#usage, this.#percent]
  #percents = 0

  /** `percent` NaN: none. */
  add(time: bigint | null, usage: number, percent: number): void {
    const row = this.row(Number.isFinite(usage) ? time : null)
    if (row < 0) return
    this.#usage.a[row] = usage
    this.#percent.a[row] = percent
    if (!Number.isNaN(percent)) this.#percents++
  }

  table(verdict: SchemaVerdict, complete: boolean, bytesRead: number): HostMemoryTable | null {
    if (this.n === 0) return null
    const { rows, epochNs, time, range } = this.timing()
    const usage = Float64Array.from(rows, r => this.#usage.a[r])
    const percent = this.#percents > 0 ? Float64Array.from(rows, r => this.#percent.a[r]) : null
    return { kind: 'host-memory', verdict, epochNs, count: rows.length, time, usage, percent, range, complete, bytesRead }
  }
}

export class HbmSamples extends Samples {
  readonly #device = i32()
  readonly #hbm = i32()
  readonly #total = f64()
  protected readonly columns: Grown<Float64Array | Int32Array>[] = [this.#device, this.#hbm, this.#total]
  readonly #categories = new Map<string, Grown<Float64Array>>()

  /** Row of a new sample, for `category`; -1 where there is none. */
  add(time: bigint | null, device: number, hbm: number, total: number): number {
    const row = this.row(Number.isFinite(total) ? time : null)
    if (row < 0) return row
    this.#device.a[row] = device
    this.#hbm.a[row] = hbm
    this.#total.a[row] = total
    return row
  }

  /** Bytes of a category; `name` without `_bytes`. */
  category(row: number, name: string, bytes: number): void {
    if (row < 0 || Number.isNaN(bytes)) return
    let column = this.#categories.get(name)
    if (!column) {
      if (this.#categories.size >= MAX_CATEGORIES) {
        this.left++
        return
      }
      column = f64(NaN)
      this.#categories.set(name, column)
      this.columns.push(column)
    }
    column.room(this.n)
    column.a[row] = bytes
  }

  table(capacityBytes: number | null): HbmUsageTable | null {
    if (this.n === 0) return null
    const { rows, epochNs, time } = this.timing()
    return {
      epochNs,
      count: rows.length,
      time,
      device: Int32Array.from(rows, r => this.#device.a[r]),
      hbm: Int32Array.from(rows, r => this.#hbm.a[r]),
      total: Float64Array.from(rows, r => this.#total.a[r]),
      categories: [...this.#categories].map(([name, c]) => ({ name, bytes: Float64Array.from(rows, r => c.a[r]) })),
      capacityBytes,
    }
  }
}
