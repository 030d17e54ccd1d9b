/** Lifetimes of the runtime's allocations, by physical address. */
import { AddressIds, halvesOf } from '../allocator/addresses'
import { ALLOC, type HbmAllocations } from './model'

interface LifeInput {
  readonly kind: Uint8Array
  readonly category: Uint16Array
  readonly bytes: Float64Array
  readonly address: BigUint64Array
  readonly time: Float64Array
  readonly row: Uint32Array
  /** Start of an event. */
  readonly start: (i: number) => number
}

export interface Lives {
  readonly allocations: HbmAllocations
  readonly of: Int32Array
  readonly live: Uint32Array
  readonly liveBytes: Float64Array
  /** Allocations at a live address without a free that belongs to the old one. */
  readonly lostFrees: number
  readonly lostFreeRow: number
  /** Frees of another size than was allocated there. */
  readonly otherSize: number
  readonly otherSizeRow: number
}

/** Which allocation lives from when to when; events in the order of their stops. The rules stand in the head of build.ts. */
export function allocationsOf(e: LifeInput): Lives {
  const n = e.kind.length
  const ids = new AddressIds()
  const halves = halvesOf(e.address)
  /** Per address: recorded allocation r + 1 that lives there; 0: none. */
  let here = new Int32Array(1024)
  const of = new Int32Array(n).fill(-1)
  const starts: { size: number; category: number; address: bigint; event: number }[] = []
  const made: number[] = []
  const to: number[] = []
  const freeEvent: number[] = []
  /** The one that lived at the address before and was ended by this one's allocation; -1. */
  const before: number[] = []
  let lostFrees = 0
  let lostFreeRow = -1
  let otherSize = 0
  let otherSizeRow = -1
  for (let i = 0; i < n; i++) {
    if (e.address[i] === 0n) continue
    const id = ids.add(halves[2 * i], halves[2 * i + 1])
    if (id >= here.length) {
      const next = new Int32Array(here.length * 2)
      next.set(here)
      here = next
    }
    const r = here[id] - 1
    if (e.kind[i] === ALLOC) {
      if (r >= 0) to[r] = i
      before.push(r)
      of[i] = made.push(i) - 1
      to.push(-1)
      freeEvent.push(-1)
      here[id] = made.length
    } else if (r < 0) {
      // Not known which number it will have: start rows stand before all others.
      of[i] = -2 - starts.push({ size: e.bytes[i], category: e.category[i], address: e.address[i], event: i }) + 1
    } else {
      const old = before[r]
      if (old >= 0 && freeEvent[old] < 0 && e.start(i) < e.time[made[r]]) {
        // It had begun before the address was given out again: it frees the one before.
        freeEvent[old] = i
        of[i] = old
        continue
      }
      if (e.bytes[i] !== e.bytes[made[r]] && otherSize++ === 0) otherSizeRow = e.row[i]
      to[r] = i
      freeEvent[r] = i
      of[i] = r
      here[id] = 0
    }
  }
  before.forEach((old, r) => {
    if (old >= 0 && freeEvent[old] < 0 && lostFrees++ === 0) lostFreeRow = e.row[made[r]]
  })
  const startCount = starts.length
  const count = startCount + made.length
  const a = {
    count,
    startCount,
    size: new Float64Array(count),
    category: new Uint16Array(count),
    address: new BigUint64Array(count),
    from: new Int32Array(count).fill(-1),
    to: new Int32Array(count).fill(-1),
    allocRow: new Int32Array(count).fill(-1),
    freeRow: new Int32Array(count).fill(-1),
  }
  starts.forEach((s, k) => {
    a.size[k] = s.size
    a.category[k] = s.category
    a.address[k] = s.address
    a.to[k] = s.event
    a.freeRow[k] = e.row[s.event]
  })
  for (let r = 0; r < made.length; r++) {
    const k = startCount + r
    a.size[k] = e.bytes[made[r]]
    a.category[k] = e.category[made[r]]
    a.address[k] = e.address[made[r]]
    a.from[k] = made[r]
    a.to[k] = to[r]
    a.allocRow[k] = e.row[made[r]]
    a.freeRow[k] = freeEvent[r] < 0 ? -1 : e.row[freeEvent[r]]
  }
  for (let i = 0; i < n; i++) {
    if (of[i] <= -2) of[i] = -of[i] - 2
    else if (of[i] >= 0) of[i] += startCount
  }
  const { live, liveBytes } = liveTotals(n, a)
  return { allocations: a, of, live, liveBytes, lostFrees, lostFreeRow, otherSize, otherSizeRow }
}

function liveTotals(n: number, a: HbmAllocations): { readonly live: Uint32Array; readonly liveBytes: Float64Array } {
  const live = new Uint32Array(n)
  const liveBytes = new Float64Array(n)
  const change = new Int32Array(n)
  let count = 0
  let total = 0
  for (let k = 0; k < a.count; k++) {
    if (a.from[k] < 0) {
      count++
      total += a.size[k]
    } else {
      change[a.from[k]]++
      liveBytes[a.from[k]] += a.size[k]
    }
    if (a.to[k] >= 0) {
      change[a.to[k]]--
      liveBytes[a.to[k]] -= a.size[k]
    }
  }
  for (let i = 0; i < n; i++) {
    live[i] = count += change[i]
    liveBytes[i] = total += liveBytes[i]
  }
  return { live, liveBytes }
}
