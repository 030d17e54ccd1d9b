import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RUN_SMALLER, type Axis, type MemoryPicture } from '../../shared/api'
import type { AllocatorModel } from './model'
import { memoryPicture, type PictureOwners, type PictureQuery } from './picture'
import { memoryAt, peakTime, smallerAt } from './pictureAt'
import { monotoneTime } from './picturePositions'

type Step = { readonly alloc: number } | { readonly free: number } | { readonly request: number } | { readonly other: true }

/** A replay result made directly from steps: `alloc` bytes, `free`/`request` pick a live allocation, `other` changes nothing. */
function modelOf(start: readonly number[], steps: readonly Step[], time: readonly number[]): AllocatorModel {
  const size = [...start]
  const allocEvent = start.map(() => -1)
  const freeEvent = start.map(() => -1)
  const requested = start.map(() => -1)
  const active: number[] = []
  const allocated: number[] = []
  const reserved: number[] = []
  const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0)
  steps.forEach((s, e) => {
    const live = size.map((_, i) => i).filter(i => freeEvent[i] < 0)
    if ('alloc' in s) {
      size.push(s.alloc)
      allocEvent.push(e)
      freeEvent.push(-1)
      requested.push(-1)
    } else if ('free' in s && live.length) freeEvent[live[s.free % live.length]] = e
    else if ('request' in s && live.length) {
      const i = live[s.request % live.length]
      if (requested[i] < 0) requested[i] = e
    }
    active.push(sum(size.filter((_, i) => freeEvent[i] < 0)))
    allocated.push(sum(size.filter((_, i) => freeEvent[i] < 0 && requested[i] < 0)))
    reserved.push(active[e] * 2)
  })
  const total = sum(start)
  let peak = total
  let peakEvent = -1
  active.forEach((v, i) => {
    if (v > peak) [peak, peakEvent] = [v, i]
  })
  return {
    device: 0,
    traceIndex: 0,
    events: steps.length,
    count: size.length,
    startCount: start.length,
    size: Float64Array.from(size),
    address: BigUint64Array.from(size, (_, i) => BigInt(4096 * (i + 1))),
    origin: new Uint8Array(size.length),
    allocEvent: Int32Array.from(allocEvent),
    freeRequestedEvent: Int32Array.from(requested),
    freeEvent: Int32Array.from(freeEvent),
    stack: new Int32Array(size.length).fill(-1),
    freeStack: new Int32Array(size.length).fill(-1),
    stream: new Int32Array(size.length),
    block: new Int32Array(size.length).fill(-1),
    active: Float64Array.from(active),
    allocated: Float64Array.from(allocated),
    reserved: Float64Array.from(reserved),
    rounded: Float64Array.from(allocated, b => b + 512),
    time: Float64Array.from(time),
    figures: {
      startActiveBytes: total,
      peakActiveBytes: peak,
      peakActiveEvent: peakEvent,
      endActiveBytes: active.at(-1) ?? total,
      startAllocatedBytes: total,
      peakAllocatedBytes: Math.max(total, ...allocated),
      endAllocatedBytes: allocated.at(-1) ?? total,
      startReservedBytes: total * 2,
      peakReservedBytes: peak * 2,
      endReservedBytes: 0,
      unknownFrees: 0,
      unknownFreeBytes: 0,
      liveAtStart: start.length,
      liveAtStartBytes: total,
      eventsByAction: {},
      pools: {},
      ooms: [],
      checkpoints: [0, 0],
      blockRounded: {
        status: 'confirmed',
        reason: '',
        checkedBlocks: 1,
        checkpoints: [0, 0],
        startBytes: total + 512,
        peakBytes: Math.max(total, ...allocated) + 512,
        endBytes: (allocated.at(-1) ?? total) + 512,
      },
      maxStack: 0,
      entriesWithoutFrames: 0,
      selfCheck: { ok: true, replayBytes: 0, tableBytes: 0 },
      retired: 0,
    },
  }
}

const ownersOf = (m: AllocatorModel): PictureOwners => ({
  groupOf: Uint16Array.from({ length: m.count }, (_, i) => i % 3),
  label: a => `line ${a % 4}`,
})

const draw = (m: AllocatorModel, q: Partial<PictureQuery> & { axis: Axis; start: number; end: number }): Omit<MemoryPicture, 'version'> =>
  memoryPicture(m, { width: 16, height: 20, yMax: null, withReserved: false, ...q }, ownersOf(m))

/** The picture as its definition reads, state by state and row by row. */
function brute(m: AllocatorModel, axis: Axis, start: number, end: number, width: number, height: number, yMax: number) {
  const n = m.events
  const times: number[] = []
  let latest = [...m.time].find(t => !Number.isNaN(t)) ?? NaN
  for (const t of m.time) {
    if (t > latest) latest = t
    times.push(latest)
  }
  const at = (i: number): number => (axis === 'event' ? i : i < 0 ? (times[0] ?? NaN) : times[i])
  const ends = (i: number): number => (i + 1 < n ? at(i + 1) : axis === 'event' ? n : Infinity)
  const active = (i: number): number => (i < 0 ? m.figures.startActiveBytes : m.active[i])
  const columns: { event: number; max: number; min: number; rows: string[]; startBytes: number }[] = []
  for (let c = 0; c < width; c++) {
    const a = start + (c / width) * (end - start)
    const last = c === width - 1
    const b = last ? end : start + ((c + 1) / width) * (end - start)
    const states: number[] = []
    for (let i = -1; i < n; i++) {
      const begins = at(i) >= a && (last ? at(i) <= b : at(i) < b)
      const holds = at(i) < a && ends(i) > a
      const known = axis === 'event' ? a < n : a <= times[n - 1]
      if (known && (begins || holds)) states.push(i)
    }
    if (!states.length) {
      columns.push({ event: -2, max: NaN, min: NaN, rows: [], startBytes: NaN })
      continue
    }
    const max = Math.max(...states.map(active))
    const event = states.find(i => active(i) === max) as number
    const live: number[] = []
    for (let r = 0; r < m.count; r++)
      if ((r < m.startCount || m.allocEvent[r] <= event) && (m.freeEvent[r] < 0 || m.freeEvent[r] > event)) live.push(r)
    const rows: string[] = []
    for (let y = 0; y < height; y++) {
      const centre = (y + 0.5) * (yMax / height)
      let base = 0
      for (const r of live) {
        if (centre >= base && centre < base + m.size[r])
          rows.push(m.size[r] >= yMax / height ? `${r} of ${r % 3}` : `${RUN_SMALLER} of ${r % 3}`)
        base += m.size[r]
      }
    }
    const startBytes = live.filter(r => r < m.startCount).reduce((s, r) => s + m.size[r], 0)
    columns.push({ event, max, min: Math.min(...states.map(active)), rows, startBytes })
  }
  return columns
}

const rowsOf = (p: Omit<MemoryPicture, 'version'>, c: number): string[] => {
  const out: string[] = []
  for (let r = p.columnStart[c]; r < p.columnStart[c + 1]; r++)
    for (let k = 0; k < p.runRows[r]; k++) out.push(`${p.runAllocation[r]} of ${p.runGroup[r]}`)
  return out
}

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 5000 }).map(alloc => ({ alloc })) },
    { weight: 3, arbitrary: fc.nat(1000).map(free => ({ free })) },
    { weight: 1, arbitrary: fc.nat(1000).map(request => ({ request })) },
    { weight: 1, arbitrary: fc.constant({ other: true as const }) },
  ),
  { maxLength: 60 },
)
const anyModel = fc
  .tuple(fc.array(fc.integer({ min: 1, max: 4000 }), { maxLength: 6 }), steps, fc.array(fc.nat(3), { minLength: 60, maxLength: 60 }))
  .map(([start, list, gaps]) => {
    let t = 100
    return modelOf(
      start,
      list,
      list.map((_, i) => (t += gaps[i])),
    )
  })

describe('memoryPicture', () => {
  it('equals the definition, row by row, on both axes', () => {
    fc.assert(
      fc.property(
        anyModel,
        fc.constantFrom<Axis>('time', 'event'),
        fc.integer({ min: -20, max: 220 }),
        fc.integer({ min: 1, max: 240 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 60_000 }),
        (m, axis, start, span, width, height, yMax) => {
          const p = draw(m, { axis, start, end: start + span, width, height, yMax })
          brute(m, axis, start, start + span, width, height, yMax).forEach((want, c) => {
            expect({ event: p.columnEvent[c], max: p.max[c], min: p.min[c], startBytes: p.startBytes[c], rows: rowsOf(p, c) }).toEqual(want)
          })
        },
      ),
      { numRuns: 400 },
    )
  })

  it('shows the peak exactly in a full window, at any width', () => {
    fc.assert(
      fc.property(
        anyModel.filter(m => m.events > 0),
        fc.integer({ min: 1, max: 64 }),
        fc.boolean(),
        (m, width, withReserved) => {
          for (const axis of ['time', 'event'] as const) {
            const [start, end] = axis === 'time' ? [m.time[0], m.time[m.events - 1]] : [-1, m.events]
            const p = draw(m, { axis, start, end, width, withReserved })
            const top = Math.max(...p.max.filter(v => !Number.isNaN(v)))
            expect(top).toBe(m.figures.peakActiveBytes)
            expect(p.columnEvent[p.max.indexOf(top)]).toBe(m.figures.peakActiveEvent)
            expect(p.yMax).toBeGreaterThan(top)
          }
        },
      ),
    )
  })

  it('keeps the peak in the column that holds its instant, whatever the zoom', () => {
    fc.assert(
      fc.property(
        anyModel.filter(m => m.figures.peakActiveEvent >= 0),
        fc.nat(50),
        fc.nat(50),
        fc.integer({ min: 1, max: 64 }),
        (m, left, right, width) => {
          const e = m.figures.peakActiveEvent
          const p = draw(m, { axis: 'event', start: e - left, end: e + 1 + right, width })
          expect(Math.max(...p.max.filter(v => !Number.isNaN(v)))).toBe(m.figures.peakActiveBytes)
          expect([...p.columnEvent]).toContain(e)
        },
      ),
    )
  })

  it('lists the facts of every allocation in a run, sorted, with the times of the axis', () => {
    const m = modelOf([1000], [{ alloc: 2000 }, { free: 0 }, { alloc: 3000 }], [10, 20, 30])
    const p = draw(m, { axis: 'time', start: 500, end: 530, offset: 500, width: 30, height: 60, yMax: 6000 })
    expect([...p.allocation]).toEqual([0, 1, 2])
    expect([...p.size]).toEqual([1000, 2000, 3000])
    expect([...p.start]).toEqual([1, 0, 0])
    expect([...p.from]).toEqual([NaN, 510, 530])
    expect([...p.to]).toEqual([520, NaN, NaN])
    expect([...p.group]).toEqual([0, 1, 2])
    expect([...p.label].map(i => p.labels[i])).toEqual(['line 0', 'line 1', 'line 2'])
    // Columns before the first event are unknown, not empty.
    expect([...p.columnEvent.subarray(0, 10)]).toEqual(new Array(10).fill(-2))
    expect(p.max[0]).toBeNaN()
    expect(p.startBytes[0]).toBeNaN()
  })

  it('knows nothing on the time axis when no event has a time, and everything on the event axis', () => {
    const m = modelOf([64], [{ alloc: 512 }], [NaN])
    expect([...draw(m, { axis: 'time', start: 0, end: 10 }).columnEvent]).toEqual(new Array(16).fill(-2))
    expect(Math.max(...draw(m, { axis: 'event', start: -1, end: 1 }).max)).toBe(576)
  })

  it('draws a snapshot without events as its start state on the event axis', () => {
    const m = modelOf([64, 128], [], [])
    const p = draw(m, { axis: 'event', start: -1, end: 0, width: 4 })
    expect([...p.columnEvent]).toEqual([-1, -1, -1, -1])
    expect([...p.max]).toEqual([192, 192, 192, 192])
  })

  it('keeps the order of events whose times step back or are missing', () => {
    const m = modelOf([], [{ alloc: 10 }, { alloc: 20 }, { alloc: 40 }, { alloc: 80 }], [NaN, 50, 30, NaN])
    expect([...monotoneTime(m)]).toEqual([50, 50, 50, 50])
    const p = draw(m, { axis: 'time', start: 50, end: 60, width: 2 })
    expect([...p.columnEvent]).toEqual([3, -2])
    expect([...p.min]).toEqual([0, NaN])
  })

  it('leaves reserved bytes that are not known unknown, and fits the axis without them', () => {
    const m = modelOf([], [{ alloc: 100 }, { alloc: 100 }], [1, 2])
    const unknown: AllocatorModel = { ...m, reserved: Float64Array.of(NaN, NaN), figures: { ...m.figures, startReservedBytes: NaN } }
    const p = draw(unknown, { axis: 'event', start: -1, end: 2, width: 3, withReserved: true })
    expect([...p.reservedMax]).toEqual([NaN, NaN, NaN])
    expect(p.yMax).toBeCloseTo(200 / 0.88)
    const late = draw(
      { ...unknown, reserved: Float64Array.of(NaN, 700) },
      { axis: 'event', start: -1, end: 2, width: 1, withReserved: true },
    )
    expect([...late.reservedMax]).toEqual([700])
  })

  it('carries the highest block-rounded bytes of each column, nothing where the curve is not shown', () => {
    const m = modelOf([100], [{ alloc: 50 }, { free: 1 }, { alloc: 20 }], [1, 2, 3])
    const q = { axis: 'event', start: -1, end: 3, width: 2, withReserved: false } as const
    expect([...draw(m, q).roundedMax]).toEqual([150 + 512, 120 + 512])
    expect([draw(m, q).yMax, draw(m, { ...q, withRounded: true }).yMax]).toEqual([150 / 0.88, 662 / 0.88])
    expect([-1, 0, 1].map(at => memoryAt(m, 'event', at, new Uint16Array(3), 1).blockRoundedBytes)).toEqual([612, 662, 612])
    const { figures: f } = m
    const hidden: AllocatorModel = { ...m, rounded: null, figures: { ...f, blockRounded: { ...f.blockRounded, startBytes: NaN } } }
    expect([...draw(hidden, { ...q, withRounded: true }).roundedMax]).toEqual([NaN, NaN])
    expect(draw(hidden, { ...q, withRounded: true }).yMax).toBe(150 / 0.88)
    expect(memoryAt(hidden, 'event', -1, new Uint16Array(3), 1).blockRoundedBytes).toBeNull()
  })

  it('takes the first of several highest instants', () => {
    const m = modelOf([], [{ alloc: 100 }, { free: 0 }, { alloc: 100 }, { free: 0 }], [1, 2, 3, 4])
    expect([...draw(m, { axis: 'event', start: -1, end: 4, width: 1 }).columnEvent]).toEqual([0])
  })
})

describe('memoryAt', () => {
  it('gives the totals of the last event at or before an instant, groups adding up to them', () => {
    fc.assert(
      fc.property(anyModel, fc.integer({ min: -5, max: 230 }), fc.constantFrom<Axis>('time', 'event'), (m, at, axis) => {
        const owners = ownersOf(m)
        const a = memoryAt(m, axis, axis === 'time' ? at + 7 : at, owners.groupOf, 3, 7)
        let event = -1
        for (let i = 0; i < m.events; i++) if ((axis === 'event' ? i : m.time[i]) <= at) event = i
        expect(a.event).toBe(event)
        expect(a.activeBytes).toBe(event < 0 ? m.figures.startActiveBytes : m.active[event])
        expect(a.groups.reduce((x, y) => x + y, 0)).toBe(a.activeBytes)
        expect(a.startGroups.reduce((x, y) => x + y, 0)).toBe(a.startBytes)
        expect(a.time).toBe(event < 0 ? null : m.time[event] + 7)
      }),
    )
  })
})

describe('smallerAt', () => {
  it('lists what a run of small ones stands for, and never one that is drawn', () => {
    fc.assert(
      fc.property(anyModel, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 60_000 }), (m, height, yMax) => {
        const p = draw(m, { axis: 'event', start: -1, end: m.events, width: 8, height, yMax })
        for (let c = 0; c < 8; c++) {
          let row = 0
          for (let r = p.columnStart[c]; r < p.columnStart[c + 1]; r++) {
            const from = row * (yMax / height)
            row += p.runRows[r]
            if (p.runAllocation[r] !== RUN_SMALLER) continue
            const s = smallerAt(m, p.columnEvent[c], from, row * (yMax / height), 3, ownersOf(m))
            expect(s.total).toBeGreaterThan(0)
            expect(s.list.length).toBe(Math.min(3, s.total))
            for (const a of s.list) expect(a.size).toBeLessThan(yMax / height)
            expect([...s.list].sort((a, b) => b.size - a.size)).toEqual(s.list)
          }
        }
      }),
    )
  })

  it('counts all of them in the totals', () => {
    const m = modelOf([10, 20, 30, 40], [{ alloc: 1000 }], [1])
    const s = smallerAt(m, 0, 0, 100, 2, ownersOf(m))
    expect(s).toMatchObject({ total: 4, totalBytes: 100 })
    expect(s.list.map(a => [a.allocation, a.size, a.address, a.start])).toEqual([
      [3, 40, '0x4000', true],
      [2, 30, '0x3000', true],
    ])
  })
})

describe('peakTime', () => {
  it('is null for a start state that is the peak', () => {
    expect(peakTime(modelOf([100], [{ free: 0 }], [5]))).toBeNull()
    expect(peakTime(modelOf([], [{ alloc: 1 }], [5]), 10)).toBe(15)
  })
})
