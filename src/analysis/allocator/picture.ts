/**
 * The allocator timeline as pixels: which live set each pixel column shows and how it is stacked.
 *
 * **Instants.** State i is the state after event i; state -1 is the start state. On the event axis state i stands on [i, i + 1). On the time axis it
 * stands from the event's time to the next one's; the start state stands at the time of the first event (what was before the recording is not known).
 * Times never step back in any file seen; where one does, or has none, the running maximum is taken (see `positions`), so that the order of
 * events is always kept. Events of the same microsecond keep their order.
 *
 * **Column.** A column [a, b) shows the first instant of the highest active total among the states that begin in it, and the state that comes in
 * from the left unless an event stands exactly at a. The last column is closed on the right, so that a window that ends with the recording shows its
 * last event. So the highest total over all columns of a full window is the peak, at any width, and no setting changes that.
 *
 * **Row.** A pixel row shows the allocation that covers its centre. One that is thinner than a row is RUN_SMALLER and gives its row its owner group;
 * every one that is at least a row high covers a centre, so none of those is missing.
 *
 * **Cost.** Allocations stand in order of their alloc event, so the live set of a column is that of the column before without what was freed, plus a
 * contiguous stretch of new rows: one pass over compact arrays per column, O(columns x live + allocations), and a zoomed window starts with one scan.
 */
import { RUN_SMALLER, type Axis, type MemoryPicture } from '../../shared/api'
import type { AllocatorModel } from './model'
import { positions, type Positions } from './picturePositions'

/** What is asked of a picture. Times are ns in the caller's frame: model time + `offset`. Events are indices of the device's own list. */
export interface PictureQuery {
  readonly axis: Axis
  readonly start: number
  readonly end: number
  /** Columns. */
  readonly width: number
  /** Pixel rows. */
  readonly height: number
  /** Top of the Y axis in bytes; null fits it to the window. */
  readonly yMax: number | null
  /** Whether a fitted Y axis makes room for the reserved curve. */
  readonly withReserved: boolean
  /** Whether it makes room for the block-rounded curve. Default false. */
  readonly withRounded?: boolean
  /** Added to the model's times (offset between the snapshot's epoch and the group's origin), ns. Default 0. */
  readonly offset?: number
}

/** Who owns an allocation, as the views show it. */
export interface PictureOwners {
  /** Group of each allocation (row of the model): index into AllocatorInfo.groups. */
  readonly groupOf: Uint16Array
  /** Label of the top frame of an allocation. */
  readonly label: (allocation: number) => string
}

/** Share of the height that a fitted Y axis leaves to the data; the rest holds the peak's mark and value. */
export const FIT = 0.88

/** The picture of a window without `version`, which the engine adds. All byte columns count requested bytes except reservedMax and roundedMax. */
export function memoryPicture(model: AllocatorModel, query: PictureQuery, owners: PictureOwners): Omit<MemoryPicture, 'version'> {
  const { width, height } = query
  const offset = query.axis === 'time' ? (query.offset ?? 0) : 0
  const cols = columns(model, positions(model, query.axis), query.start - offset, query.end - offset, width)
  const yMax = query.yMax ?? fit(cols, query)
  const runs = stack(model, owners.groupOf, cols.event, height, yMax / height)

  const seen = new Uint8Array(model.count)
  for (const a of runs.allocation) if (a >= 0) seen[a] = 1
  let n = 0
  for (let i = 0; i < seen.length; i++) n += seen[i]
  const allocation = new Uint32Array(n)
  const size = new Float64Array(n)
  const group = new Uint16Array(n)
  const start = new Uint8Array(n)
  const label = new Uint32Array(n)
  const from = new Float64Array(n)
  const to = new Float64Array(n)
  const labels: string[] = []
  const labelIds = new Map<string, number>()
  const at = (event: number): number => (event < 0 ? NaN : query.axis === 'event' ? event : model.time[event] + offset)
  for (let a = 0, k = 0; k < n; a++) {
    if (!seen[a]) continue
    allocation[k] = a
    size[k] = model.size[a]
    group[k] = owners.groupOf[a]
    start[k] = a < model.startCount ? 1 : 0
    const text = owners.label(a)
    let id = labelIds.get(text)
    if (id === undefined) {
      id = labels.push(text) - 1
      labelIds.set(text, id)
    }
    label[k] = id
    from[k] = at(model.allocEvent[a])
    to[k] = at(model.freeEvent[a])
    k++
  }
  return {
    width,
    height,
    yMax,
    columnStart: runs.columnStart,
    runRows: runs.rows,
    runAllocation: runs.allocation,
    runGroup: runs.group,
    columnEvent: cols.event,
    min: cols.min,
    max: cols.max,
    allocatedMax: cols.allocated,
    reservedMax: cols.reserved,
    roundedMax: cols.rounded,
    startBytes: runs.startBytes,
    allocation,
    size,
    group,
    start,
    label,
    labels,
    from,
    to,
  }
}

interface Columns {
  /** State that each column shows; -2 outside the recorded range. */
  readonly event: Int32Array
  readonly min: Float64Array
  readonly max: Float64Array
  readonly allocated: Float64Array
  readonly reserved: Float64Array
  readonly rounded: Float64Array
}

function columns(model: AllocatorModel, pos: Positions, start: number, end: number, width: number): Columns {
  const out = {
    event: new Int32Array(width).fill(-2),
    min: new Float64Array(width).fill(NaN),
    max: new Float64Array(width).fill(NaN),
    allocated: new Float64Array(width).fill(NaN),
    reserved: new Float64Array(width).fill(NaN),
    rounded: new Float64Array(width).fill(NaN),
  }
  if (!(pos.first <= pos.last)) return out
  const f = model.figures
  const span = end - start
  // `next`: the first state that does not begin left of the column.
  let next = pos.lowerBound(start)
  for (let c = 0; c < width; c++) {
    const a = start + (c / width) * span
    const b = c === width - 1 ? end : start + ((c + 1) / width) * span
    const closed = c === width - 1
    const lo = next
    next = closed ? pos.upperBound(b) : pos.lowerBound(b)
    if (a > pos.last || (pos.open && a >= pos.last)) continue
    // The state that comes in from the left counts unless another one begins exactly at the column's edge.
    const comesIn = lo > -1 && !(lo < next && pos.at(lo) === a)
    let i = comesIn ? lo - 1 : lo
    if (i >= next) continue
    let best = i
    let max = -1
    let min = Infinity
    // NaN where it is not known (reserved of a file whose segment table was cut off): never 0.
    let allocated = NaN
    let reserved = NaN
    let rounded = NaN
    if (i === -1) {
      max = min = f.startActiveBytes
      allocated = f.startAllocatedBytes
      reserved = f.startReservedBytes
      rounded = f.blockRounded.startBytes
      i = 0
    }
    for (; i < next; i++) {
      const v = model.active[i]
      if (v > max) {
        max = v
        best = i
      }
      if (v < min) min = v
      allocated = larger(allocated, model.allocated[i])
      reserved = larger(reserved, model.reserved[i])
      if (model.rounded) rounded = larger(rounded, model.rounded[i])
    }
    out.event[c] = best
    out.min[c] = min
    out.max[c] = max
    out.allocated[c] = allocated
    out.reserved[c] = reserved
    out.rounded[c] = rounded
  }
  return out
}

/** The larger of two, NaN only where both are. */
const larger = (a: number, b: number): number => (b > a || a !== a ? b : a)

function fit(cols: Columns, { withReserved, withRounded }: PictureQuery): number {
  let max = 0
  for (let c = 0; c < cols.event.length; c++) {
    if (cols.event[c] === -2) continue
    if (cols.max[c] > max) max = cols.max[c]
    if (withReserved && cols.reserved[c] > max) max = cols.reserved[c]
    if (withRounded && cols.rounded[c] > max) max = cols.rounded[c]
  }
  return Math.max(1, max / FIT)
}

interface Runs {
  readonly columnStart: Uint32Array
  readonly rows: Uint16Array
  readonly allocation: Int32Array
  readonly group: Uint16Array
  readonly startBytes: Float64Array
}

/** Stacks the live set of each column's state. States never step back from column to column. */
function stack(model: AllocatorModel, groupOf: Uint16Array, events: Int32Array, height: number, perRow: number): Runs {
  const width = events.length
  const columnStart = new Uint32Array(width + 1)
  const startBytes = new Float64Array(width).fill(NaN)
  const runs = new RunList(Math.max(1024, width * 16))
  const live = new LiveSet(model)
  let shown = -1
  for (let c = 0; c < width; c++) {
    const e = events[c]
    columnStart[c] = runs.count
    if (e === -2) continue
    if (shown >= 0 && e === events[shown]) {
      // The same state as in the column before it: the same runs.
      runs.repeat(columnStart[shown], columnStart[shown + 1])
      startBytes[c] = startBytes[shown]
    } else {
      live.moveTo(e)
      startBytes[c] = live.startBytes()
      runs.reserve(height)
      fillRows(live, groupOf, height, perRow, runs)
    }
    shown = c
  }
  columnStart[width] = runs.count
  return { columnStart, ...runs.columns(), startBytes }
}

/** Fills the rows of one column from the bottom. */
function fillRows(live: LiveSet, groupOf: Uint16Array, height: number, perRow: number, runs: RunList): void {
  const { size, row: ids, count } = live
  const first = runs.count
  let top = 0
  let row = 0
  let centre = perRow / 2
  for (let k = 0; k < count; k++) {
    top += size[k]
    if (top <= centre) continue
    // Rows whose centre lies below the top. The loops guard the quotient's rounding.
    let covered = Math.min(height, Math.ceil(top / perRow - 0.5))
    while (covered > row && (covered - 0.5) * perRow >= top) covered--
    while (covered < height && (covered + 0.5) * perRow < top) covered++
    runs.add(first, covered - row, size[k] >= perRow ? ids[k] : RUN_SMALLER, groupOf[ids[k]])
    if (covered === height) return
    row = covered
    centre = (row + 0.5) * perRow
  }
}

/** Runs of all columns, one after the other. */
class RunList {
  count = 0
  #rows: Uint16Array
  #allocation: Int32Array
  #group: Uint16Array

  constructor(capacity: number) {
    this.#rows = new Uint16Array(capacity)
    this.#allocation = new Int32Array(capacity)
    this.#group = new Uint16Array(capacity)
  }

  /** Makes room for `n` more runs. */
  reserve(n: number): void {
    const need = this.count + n
    if (need <= this.#rows.length) return
    this.#rows = grown(this.#rows, need, Uint16Array)
    this.#allocation = grown(this.#allocation, need, Int32Array)
    this.#group = grown(this.#group, need, Uint16Array)
  }

  /** Adds rows on top of the column that begins at run `first`; the same run as the last one grows. */
  add(first: number, rows: number, allocation: number, group: number): void {
    const last = this.count - 1
    if (last >= first && this.#allocation[last] === allocation && this.#group[last] === group) this.#rows[last] += rows
    else {
      this.#rows[this.count] = rows
      this.#allocation[this.count] = allocation
      this.#group[this.count] = group
      this.count++
    }
  }

  repeat(from: number, to: number): void {
    this.reserve(to - from)
    this.#rows.copyWithin(this.count, from, to)
    this.#allocation.copyWithin(this.count, from, to)
    this.#group.copyWithin(this.count, from, to)
    this.count += to - from
  }

  columns(): { readonly rows: Uint16Array; readonly allocation: Int32Array; readonly group: Uint16Array } {
    const n = this.count
    return { rows: this.#rows.slice(0, n), allocation: this.#allocation.slice(0, n), group: this.#group.slice(0, n) }
  }
}

/** The allocations that are live in a state, in order of allocation, as compact columns. It only moves forward. */
class LiveSet {
  row = new Int32Array(4096)
  size = new Float64Array(4096)
  #free = new Int32Array(4096)
  count = 0
  /** First row that has not joined yet. */
  #next = 0
  readonly #model: AllocatorModel

  constructor(model: AllocatorModel) {
    this.#model = model
  }

  /** Drops what is freed by event `e` and takes in what is allocated by then: rows stand in order of their alloc event. */
  moveTo(e: number): void {
    this.#drop(e)
    const { allocEvent, freeEvent, size, count, startCount } = this.#model
    let next = this.#next
    for (; next < count && (next < startCount || allocEvent[next] <= e); next++) {
      const free = freeEvent[next]
      if (free >= 0 && free <= e) continue
      if (this.count === this.row.length) {
        this.row = grown(this.row, this.count + 1, Int32Array)
        this.size = grown(this.size, this.count + 1, Float64Array)
        this.#free = grown(this.#free, this.count + 1, Int32Array)
      }
      this.row[this.count] = next
      this.size[this.count] = size[next]
      this.#free[this.count] = free < 0 ? 0x7fffffff : free
      this.count++
    }
    this.#next = next
  }

  #drop(e: number): void {
    const { row, size, count } = this
    const free = this.#free
    let kept = 0
    // Written without a branch: which entries leave cannot be predicted.
    for (let k = 0; k < count; k++) {
      const f = free[k]
      row[kept] = row[k]
      size[kept] = size[k]
      free[kept] = f
      kept += f > e ? 1 : 0
    }
    this.count = kept
  }

  /** Bytes of the start state in the set: its rows are the first. */
  startBytes(): number {
    const { startCount } = this.#model
    let sum = 0
    for (let k = 0; k < this.count && this.row[k] < startCount; k++) sum += this.size[k]
    return sum
  }
}

function grown<T extends Uint16Array | Int32Array | Float64Array>(old: T, need: number, make: new (n: number) => T): T {
  const next = new make(Math.max(need, old.length * 2))
  next.set(old as never)
  return next
}
