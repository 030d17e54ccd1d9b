import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Lanes, Turn } from '../../main/host/engine/lanes'
import { systemTable, type TestEvent } from '../../testing/system'
import { arrange } from '../trace/lanes'
import { innermostByName } from '../trace/innermost'
import type { TrackModel } from '../trace/model'
import { coreIdle, idleInRange, type CoreIdle } from './gaps'
import { buildSystemModel } from './tracks'

const PLAIN = new Turn()
const END = 60

const hw: fc.Arbitrary<TestEvent> = fc.record({
  name: fc.constantFrom('nc_exec_running', 'cc_running'),
  source: fc.constant('neuron_hw' as const),
  at: fc.nat(END),
  dur: fc.nat(8),
  nc: fc.constant(0),
  core: fc.constant(4),
  state: fc.constantFrom('slice' as const, 'slice' as const, 'slice' as const, 'instant' as const),
})

function trackOf(events: readonly TestEvent[]): TrackModel | null {
  const plain = events.map(e => (e.state === 'slice' ? e : { ...e, dur: undefined }))
  return buildSystemModel(systemTable([...plain].sort((a, b) => a.at - b.at) as readonly TestEvent[])).tracks[0] ?? null
}
async function idleOf(track: TrackModel): Promise<CoreIdle> {
  const idle = await coreIdle(track, PLAIN)
  if (!idle) throw new Error('given up')
  return idle
}

/** ns by ns: what runs. Only for complete slices. */
function bruteForce(
  events: readonly TestEvent[],
  from: number,
  to: number,
): { readonly busy: number; readonly gaps: readonly (readonly [number, number])[] } {
  const slices = events.filter(e => e.state === 'slice' && (e.dur ?? 0) > 0)
  if (slices.length === 0) return { busy: 0, gaps: [] }
  const first = Math.max(from, Math.min(...slices.map(e => e.at)))
  const last = Math.min(to, Math.max(...slices.map(e => e.at + (e.dur ?? 0))))
  let busy = 0
  const gaps: [number, number][] = []
  for (let t = first; t < last; t++) {
    if (slices.some(e => e.at <= t && t < e.at + (e.dur ?? 0))) busy++
    else if (gaps[gaps.length - 1]?.[1] === t) (gaps[gaps.length - 1] as [number, number])[1] = t + 1
    else gaps.push([t, t + 1])
  }
  return { busy, gaps }
}

describe('gaps of a core', () => {
  it('are what no slice covers between the first and the last, in any range', () =>
    fc.assert(
      fc.asyncProperty(fc.array(hw, { maxLength: 25 }), fc.nat(END), fc.nat(END), fc.nat(6), async (events, a, n, least) => {
        const track = trackOf(events)
        if (!track) return
        const idle = await idleOf(track)
        for (const [from, to] of [
          [-Infinity, Infinity],
          [a, a + n],
        ] as const) {
          const wanted = bruteForce(events, from, to)
          const got = idleInRange(idle, from, to, least)
          expect(got.gaps.map(g => [g.start, g.end])).toEqual(wanted.gaps.filter(([x, y]) => y - x >= least))
          expect(got.busyNs).toBe(wanted.busy)
          expect(got.idleNs).toBe(wanted.gaps.reduce((sum, [x, y]) => sum + y - x, 0))
          expect(got.knownNs).toBe(got.busyNs + got.idleNs)
          for (const g of got.gaps) {
            expect(track.start[g.before] + track.duration[g.before]).toBeLessThanOrEqual(g.start)
            expect(track.start[g.after]).toBeGreaterThanOrEqual(g.end)
          }
        }
      }),
    ))

  const at = (state: TestEvent['state'], start: number, dur?: number): TestEvent => ({
    name: 'x',
    source: 'neuron_hw',
    nc: 0,
    core: 4,
    at: start,
    ...(dur === undefined ? { state } : { dur }),
  })
  const all = async (events: readonly TestEvent[], knownFrom: number | null = null): Promise<unknown> => {
    const track = buildSystemModel(systemTable(events)).tracks[0]
    const r = idleInRange(await idleOf(track), -Infinity, Infinity, 0, knownFrom)
    return { gaps: r.gaps.map(g => [g.start, g.end]), busy: r.busyNs, idle: r.idleNs, known: r.known }
  }

  it('are not told where an end is missing: after a start without its stop, before a stop without its start', async () => {
    expect(await all([at('slice', 0, 10), at('open', 20), at('slice', 30, 10), at('slice', 50, 10)])).toEqual({
      gaps: [[10, 20], [40, 50]], // prettier-ignore
      busy: 30,
      idle: 20,
      known: [0, 60],
    })
    expect(await all([at('slice', 0, 10), at('tail', 20), at('slice', 30, 10)])).toEqual({
      gaps: [[20, 30]],
      busy: 20,
      idle: 10,
      known: [0, 40],
    })
    // Both at once, and a stop at the very time of a start.
    expect(await all([at('slice', 0, 10), at('slice', 20, 5), at('tail', 20)])).toEqual({ gaps: [], busy: 15, idle: 0, known: [0, 25] })
    // A start within a slice may still run after it.
    expect(await all([at('slice', 0, 10), at('open', 5), at('slice', 20, 5), at('slice', 30, 5)])).toEqual({
      gaps: [[25, 30]],
      busy: 20,
      idle: 5,
      known: [0, 35],
    })
  })

  it('are not told before the first event, after the last, or in what is lost', async () => {
    expect(await all([at('slice', 50, 10)])).toEqual({ gaps: [], busy: 10, idle: 0, known: [50, 60] })
    expect(await all([at('tail', 5)])).toEqual({ gaps: [], busy: 0, idle: 0, known: null })
    expect(await all([at('slice', 0, 10), at('slice', 20, 10), at('slice', 40, 10)], 15)).toEqual({ gaps: [[15, 20], [30, 40]], busy: 20, idle: 15, known: [15, 50] }) // prettier-ignore
  })

  it('of overlapping and nested work are those of all of it together', async () => {
    expect(await all([at('slice', 0, 30), at('slice', 5, 5), at('slice', 20, 20), at('slice', 50, 1)])).toEqual({
      gaps: [[40, 50]],
      busy: 41,
      idle: 10,
      known: [0, 51],
    })
  })

  it('are given up when a newer question has come, and found by the next', async () => {
    const track = buildSystemModel(systemTable(Array.from({ length: 40_000 }, (_, i) => at('slice', i * 10, 5)))).tracks[0]
    const lanes = new Lanes()
    const old = lanes.begin('gaps')
    lanes.begin('gaps')
    expect(await coreIdle(track, { due: true, pause: () => old.pause() })).toBeNull()
    expect((await idleOf(track)).start.length).toBe(39_999)
  })
})

describe('what a thread was in', () => {
  const slice = fc.record({ start: fc.nat(50), duration: fc.nat(30), name: fc.nat(3), flag: fc.constantFrom(0, 0, 0, 0, 1, 2) })
  it('is the innermost slice, ns by ns', () =>
    fc.assert(
      fc.asyncProperty(fc.array(slice, { maxLength: 25 }), fc.nat(60), fc.nat(40), async (slices, from, n) => {
        const lanes = arrange({
          count: slices.length,
          start: Float64Array.from(slices, s => s.start),
          duration: Float64Array.from(slices, s => (s.flag === 1 ? 0 : s.duration)),
          row: Uint32Array.from(slices, (_, i) => i),
          flags: Uint8Array.from(slices, s => s.flag),
          within: null,
        })
        const track = { ...lanes, kind: 'slices', nameId: Int32Array.from(lanes.row, r => slices[r].name) } as unknown as TrackModel
        const wanted = new Map<number, number>()
        for (let t = from; t < from + n; t++)
          for (let lane = lanes.depth - 1; lane >= 0; lane--) {
            let hit = -1
            for (let i = lanes.laneStart[lane]; i < lanes.laneStart[lane + 1]; i++)
              if (lanes.flags[i] === 0 && lanes.start[i] <= t && t < lanes.start[i] + lanes.duration[i]) hit = i
            if (hit < 0) continue
            wanted.set(track.nameId[hit], (wanted.get(track.nameId[hit]) ?? 0) + 1)
            break
          }
        const got = (await innermostByName(track, from, from + n, PLAIN)) ?? []
        expect(new Map(got.map(g => [g.name, g.ns]))).toEqual(wanted)
        expect(got.map(g => g.ns)).toEqual(got.map(g => g.ns).sort((a, b) => b - a))
        for (const g of got) expect(track.nameId[g.longest]).toBe(g.name)
      }),
    ))
})
