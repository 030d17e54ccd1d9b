import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemTable, TestHbm } from '../../testing/system-table'
import { buildHbm } from './build'
import { Categories, firstAfter, firstAt, stateAt } from './curve'
import { Extremes, liveAllocations } from './index-of'
import type { HbmModel } from './model'
import { orderOf, textKey } from './order'

const USAGES = ['tensors', 'io', 'weights', 'XT CC', 'something new']

/** Some thousand events, so that there are blocks of blocks; many at one time, some that free what was there before the recording. */
function long(seed: number, n: number): HbmModel {
  let s = seed >>> 0
  const r = (k: number): number => (s = (Math.imul(s, 1664525) + 1013904223) >>> 0) % k
  const h = new TestHbm(Object.fromEntries(USAGES.map(u => [u, 1_000_000])))
  const live: { address: bigint; bytes: number; usage: string }[] = []
  let now = 5
  for (let i = 0; i < n; i++) {
    now += r(3) === 0 ? r(20) : 0
    const usage = USAGES[r(USAGES.length)]
    if (live.length > 40 || (live.length > 0 && r(2) === 0)) h.free({ time: now, ...live.splice(r(live.length), 1)[0] }, { duration: 0 })
    else if (r(12) === 0) h.free({ time: now, bytes: 1 + r(9), address: BigInt(1e9 + i), usage }, { duration: 0 })
    else {
      const block = { address: BigInt(1 + i), bytes: 1 + r(50), usage }
      live.push(block)
      h.alloc({ time: now, ...block }, { duration: 0 })
    }
  }
  return buildHbm(systemTable(h.events), 'n').models[0]
}

const models = fc.tuple(fc.nat(), fc.constantFrom(1, 15, 16, 17, 33, 300, 2500)).map(([seed, n]) => long(seed, n))
const places = fc.array(fc.nat(), { minLength: 1, maxLength: 60 })

describe('the index of a model', () => {
  it('finds the first highest and the lowest total of any range', () => {
    fc.assert(
      fc.property(models, places, (m, list) => {
        const e = new Extremes(m)
        for (let k = 0; k + 1 < list.length; k += 2) {
          const from = list[k] % m.count
          const to = from + 1 + (list[k + 1] % (m.count - from))
          e.find(from, to)
          const range = m.total.subarray(from, to)
          expect([e.max, e.min, e.at]).toEqual([Math.max(...range), Math.min(...range), from + range.indexOf(Math.max(...range))])
        }
      }),
      { numRuns: 60 },
    )
  })

  it('finds the categories of any state, whatever was asked before', () => {
    fc.assert(
      fc.property(models, places, (m, list) => {
        const after: { bytes: number[]; start: number[] }[] = []
        const bytes = m.categories.map(c => c.startBytes)
        const start = m.categories.map(c => (c.startKnown ? c.startBytes : NaN))
        const { events, allocations } = m
        if (!events || !allocations) throw new Error('no events')
        for (let i = 0; i < m.count; i++) {
          const c = events.category[i]
          bytes[c] = events.categoryTotal[i]
          const a = events.allocation[i]
          if (a >= 0 && a < allocations.startCount) start[c] = Math.max(0, start[c] - allocations.size[a])
          after.push({ bytes: [...bytes], start: [...start] })
        }
        const categories = new Categories(m)
        for (const p of [...list, ...list.map(x => list[0] + (x % 40))]) {
          const state = p % m.count
          categories.read(state)
          expect({ bytes: [...categories.bytes], start: [...categories.start] }).toEqual(after[state])
        }
      }),
      { numRuns: 60 },
    )
  })

  it('finds the allocations that are live after any event, in their order', () => {
    fc.assert(
      fc.property(models, places, (m, list) => {
        const a = m.allocations
        if (!a) throw new Error('no allocations')
        for (const p of list) {
          const state = (p % (m.count + 1)) - 1
          const all = Array.from({ length: a.count }, (_, k) => k)
          const live = state < 0 ? [] : all.filter(k => a.from[k] <= state && (a.to[k] < 0 || a.to[k] > state))
          expect([...liveAllocations(m, state)]).toEqual(live)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('finds the first event at or after a time, many of which may have one time', () => {
    fc.assert(
      fc.property(models, places, (m, list) => {
        for (const p of list) {
          const time = m.time[0] - 2 + (p % (m.time[m.count - 1] - m.time[0] + 5))
          const at = m.time.findIndex(t => t >= time)
          const after = m.time.findIndex(t => t > time)
          const end = (i: number): number => (i < 0 ? m.count : i)
          expect([firstAt(m, time), firstAfter(m, time), stateAt(m, time)]).toEqual([end(at), end(after), end(after) - 1])
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('the order of rows', () => {
  const text = fc.oneof(
    fc.constant(null),
    fc.integer({ min: 0, max: 2000 }).map(String),
    fc.bigInt(0n, 2n ** 70n).map(String),
    fc.constantFrom('', '007', '7', 'graph 1', 'graph 10', 'graph 2'),
    fc.string({ maxLength: 6 }),
  )
  it('is that of a sort by value, for the rows that are wanted', () => {
    const number = /^\d+$/
    fc.assert(
      fc.property(fc.array(text, { maxLength: 200 }), fc.boolean(), fc.nat(220), (texts, descending, wanted) => {
        const rows = Uint32Array.from(texts, (_, i) => 7 * i)
        const keys = texts.map(t => (t === null ? [NaN, 0] : textKey(t)))
        const order = orderOf(
          {
            ...{ rows, first: Float64Array.from(keys, k => k[0]), second: Float64Array.from(keys, k => k[1]) },
            ...{ text: texts.map(t => t ?? ''), descending },
          },
          wanted,
        )
        const sign = descending ? -1 : 1
        const value = (a: string, b: string): number => {
          if (number.test(a) !== number.test(b)) return number.test(a) ? -1 : 1
          if (number.test(a) && a.length !== b.length) return a.length - b.length
          return a < b ? -1 : a > b ? 1 : 0
        }
        const expected = texts
          .map((t, i) => ({ t, i }))
          .sort((x, y) => {
            if (x.t === null || y.t === null) return Number(x.t === null) - Number(y.t === null) || x.i - y.i
            return sign * value(x.t, y.t) || x.i - y.i
          })
          .map(x => x.i)
        expect([...order].slice(0, wanted)).toEqual(expected.slice(0, wanted))
        expect([...order].sort((a, b) => a - b)).toEqual([...expected].sort((a, b) => a - b))
      }),
      { numRuns: 300 },
    )
  })
})
