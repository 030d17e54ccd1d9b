/** Device memory as `buildHbm` would give it, made in memory: an HBM of any number of events. */
import { allocationsOf } from '../src/analysis/hbm/lives'
import { categoryOf, compareCategories, USAGE_TYPES } from '../src/analysis/hbm/categories'
import { ALLOC, FREE, type HbmModel } from '../src/analysis/hbm/model'
import { sequence } from './synthetic'

/** `n` allocations and frees of all categories; a third of the `live` ones stay to the end, as weights do. */
export function hbmOf(n: number, live = 6000): Omit<HbmModel, 'index'> {
  const r = sequence(11)
  const categories = USAGE_TYPES.map(name => categoryOf(name)).sort(compareCategories)
  const kind = new Uint8Array(n)
  const category = new Uint16Array(n)
  const bytes = new Float64Array(n)
  const address = new BigUint64Array(n)
  const time = new Float64Array(n)
  const total = new Float64Array(n)
  const categoryTotal = new Float64Array(n)
  const now = new Float64Array(categories.length)
  const alive: { address: bigint; bytes: number; category: number }[] = []
  const free: bigint[] = []
  let next = 0x10_0000_0000n
  let t = 0
  let sum = 0
  for (let i = 0; i < n; i++) {
    const end = alive.length > live / 3 && (alive.length > live || r() < 0.49)
    if (end) {
      // The first third stays.
      const k = Math.floor(live / 3 + r() * (alive.length - live / 3))
      const block = alive[k]
      alive[k] = alive[alive.length - 1]
      alive.pop()
      free.push(block.address)
      kind[i] = FREE
      category[i] = block.category
      bytes[i] = block.bytes
      address[i] = block.address
      now[block.category] -= block.bytes
      sum -= block.bytes
    } else {
      const block = {
        address: (r() < 0.7 ? free.pop() : undefined) ?? (next += 1n << 21n),
        bytes: 512 * (1 + Math.floor(r() ** 4 * 4096)),
        category: Math.floor(r() * categories.length),
      }
      alive.push(block)
      kind[i] = ALLOC
      category[i] = block.category
      bytes[i] = block.bytes
      address[i] = block.address
      now[block.category] += block.bytes
      sum += block.bytes
    }
    time[i] = t += 500 + Math.floor(r() * 40_000)
    total[i] = sum
    categoryTotal[i] = now[category[i]]
  }
  const row = Uint32Array.from({ length: n }, (_, i) => i)
  const lives = allocationsOf({ kind, category, bytes, address, time, row, start: i => time[i] })
  let peakEvent = 0
  for (let i = 0; i < n; i++) if (total[i] > total[peakEvent]) peakEvent = i
  return {
    kind: 'events',
    device: 0,
    hbm: 0,
    instance: '',
    process: NaN,
    count: n,
    time,
    total,
    totals: 'runtime',
    until: t,
    categories: categories.map(c => ({ ...c, startBytes: 0, startKnown: true, peakBytes: 0, peakTime: 0 })),
    startBytes: 0,
    unattributed: false,
    events: { row, kind, category, bytes, categoryTotal, allocation: lives.of, live: lives.live, liveBytes: lives.liveBytes },
    usage: null,
    allocations: lives.allocations,
    peakBytes: total[peakEvent],
    peakEvent,
    allocs: kind.reduce((k, v) => k + (v === ALLOC ? 1 : 0), 0),
    frees: kind.reduce((k, v) => k + (v === FREE ? 1 : 0), 0),
    liveAtEnd: lives.live[n - 1],
    failures: [],
    failureCount: 0,
    gaps: [],
  }
}
