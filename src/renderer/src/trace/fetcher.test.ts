import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TrackInfo } from '../../../shared/api'
import { answer, track } from '../../../paint/timeline/testing'
import { TILE_COLUMNS } from '../../../shared/tiles'
import { BATCH_TILES, TraceFetcher, type Ask, type FetchInput } from './fetcher'

interface Sent {
  readonly name: string
  readonly args: {
    readonly tracks: readonly number[]
    readonly column: number
    readonly first: number
    readonly count: number
    readonly width: number
  }
  readonly ok: (a: unknown) => void
  readonly no: (e: Error) => void
}

describe('fetcher', () => {
  let sent: Sent[]
  let changes: number
  let f: TraceFetcher
  const ask = ((name: string, args: Sent['args']) => new Promise((ok, no) => sent.push({ name, args, ok, no }))) as unknown as Ask
  const input = (more: Partial<FetchInput> = {}): FetchInput => ({
    session: 's',
    version: 1,
    group: 0,
    originNs: 0n,
    window: { start: 4e8, end: 5e8 },
    extent: { start: 0, end: 1e9 },
    plot: 1000,
    visible: [track(1), track(2)],
    near: [],
    ...more,
  })
  const slices = (): Sent[] => sent.filter(s => s.name === 'trace.tiles')
  const reply = async (s: Sent, version = 1): Promise<void> => {
    const span = s.args.column * TILE_COLUMNS
    const tiles = s.args.tracks.flatMap(() =>
      Array.from({ length: s.args.count }, (_, k) => [{ from: (s.args.first + k) * span, duration: span / 2 }]),
    )
    s.ok({ ...answer(tiles, version), stamps: Uint32Array.from(s.args.tracks, () => version) })
    await vi.advanceTimersByTimeAsync(0)
  }

  beforeEach(() => {
    vi.useFakeTimers()
    sent = []
    changes = 0
    f = new TraceFetcher(ask, () => changes++)
  })
  afterEach(() => {
    f.close()
    vi.useRealTimers()
  })

  const spanOf = (s: Sent): readonly [number, number] => {
    const span = s.args.column * TILE_COLUMNS
    return [s.args.first * span, (s.args.first + s.args.count) * span]
  }

  it('asks for what is in sight, then for a screen on both sides, and no more while that does', async () => {
    f.update(input())
    expect(slices().map(s => s.args.tracks)).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ])
    const [from, to] = spanOf(slices()[0])
    expect(slices()[0].args.column).toBe(65_536)
    expect(from).toBeLessThanOrEqual(4e8)
    expect(to).toBeGreaterThanOrEqual(5e8)
    expect(f.missing()).toBe(true)
    await reply(slices()[0])
    expect([...f.slices.keys()]).toEqual([1, 2])
    expect(f.missing()).toBe(false)
    expect(changes).toBe(1)
    while (slices().length > changes) await reply(slices()[changes])
    const sides = slices().map(spanOf)
    expect(Math.min(...sides.map(s => s[0]))).toBeLessThanOrEqual(3e8)
    expect(Math.max(...sides.map(s => s[1]))).toBeGreaterThanOrEqual(6e8)
    const before = slices().length
    f.update(input({ window: { start: 4.01e8, end: 5.01e8 } }))
    f.update(input())
    expect(slices()).toHaveLength(before)
    expect(f.missing()).toBe(false)
  })

  it('asks again for nothing that it had: back at a scale and place, everything is there', async () => {
    const windows = [
      { start: 4e8, end: 5e8 },
      { start: 4.4e8, end: 4.5e8 },
      { start: 0, end: 1e9 },
    ]
    for (const window of windows) {
      f.update(input({ window }))
      for (let k = 0; k < slices().length; k++) await reply(slices()[k])
    }
    const before = slices().length
    for (const window of windows) {
      f.update(input({ window }))
      expect(f.missing()).toBe(false)
      const c = f.slices.get(1)
      expect(c && (c.end - c.start) / c.columns).toBeLessThanOrEqual((window.end - window.start) / 1000)
    }
    expect(slices()).toHaveLength(before)
  })

  it('draws the coarser scale, stretched, while the finer one is on its way', async () => {
    f.update(input({ window: { start: 0, end: 1e9 } }))
    for (let k = 0; k < slices().length; k++) await reply(slices()[k])
    f.update(input({ window: { start: 4.4e8, end: 4.5e8 } }))
    expect(f.missing()).toBe(false)
    f.update(input({ window: { start: 8e8, end: 8.1e8 } }))
    expect(f.missing()).toBe(false)
    const c = f.slices.get(1)
    expect(c && (c.end - c.start) / c.columns).toBeGreaterThan(1e4)
  })

  it('has at most four requests on the way, of few levels each', async () => {
    const deep = Array.from({ length: 100 }, (_, i) => track(i, { depth: 3 }))
    f.update(input({ visible: deep }))
    expect(slices()).toHaveLength(4)
    for (const s of slices()) expect(s.args.tracks.length * 3 * s.args.count).toBeLessThanOrEqual(BATCH_TILES)
    await reply(slices()[0])
    expect(slices()).toHaveLength(5)
    const seen = slices().flatMap(s => s.args.tracks)
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('fetches rows out of sight once the window rests', async () => {
    const near = [track(3)]
    f.update(input({ near }))
    for (let k = 0; k < slices().length; k++) await reply(slices()[k])
    await vi.advanceTimersByTimeAsync(100)
    f.update(input({ near, window: { start: 4.1e8, end: 5.1e8 } }))
    for (let k = 0; k < slices().length; k++) await reply(slices()[k])
    await vi.advanceTimersByTimeAsync(100)
    expect(slices().flatMap(s => s.args.tracks)).not.toContain(3)
    await vi.advanceTimersByTimeAsync(60)
    expect(slices().flatMap(s => s.args.tracks)).toContain(3)
  })

  it('drops an answer that belongs to another session', async () => {
    f.update(input())
    const old = slices()[0]
    f.update(input({ session: 't' }))
    const news = slices().slice(3)
    await reply(old)
    expect(f.slices.size).toBe(0)
    await reply(news[0])
    expect(f.slices.size).toBe(2)
  })

  it('forgets everything when the origin of the times moves', async () => {
    f.update(input())
    await reply(slices()[0])
    f.update(input({ version: 2, originNs: 5n }))
    expect(f.slices.size).toBe(0)
    expect(f.kept).toBe(0)
  })

  it('drops an answer of other tables and asks again when their view is there', async () => {
    f.update(input())
    await reply(slices()[0], 2)
    expect(f.slices.size).toBe(0)
    const before = slices().length
    f.update(input({ version: 2 }))
    expect(slices().length).toBeGreaterThan(before)
    await reply(slices()[before], 2)
    expect(f.slices.size).toBe(2)
  })

  it('refreshes what is older than the view, drawing it until then', async () => {
    f.update(input())
    for (let k = 0; k < slices().length; k++) await reply(slices()[k])
    const before = slices().length
    f.update(input({ version: 2 }))
    expect(slices().length).toBeGreaterThan(before)
    expect(f.slices.size).toBe(2)
    expect(f.missing()).toBe(false)
    const old = f.slices.get(1)
    for (let k = before; k < slices().length; k++) await reply(slices()[k], 2)
    expect(f.slices.get(1)).not.toBe(old)
  })

  it('keeps tracks whose stamp has not changed when others have', async () => {
    const visible = (stamp: number): readonly TrackInfo[] => [track(1, { stamp: 1 }), track(2, { stamp })]
    f.update(input({ visible: visible(1) }))
    for (let k = 0; k < slices().length; k++) await reply(slices()[k])
    const before = slices().length
    f.update(input({ version: 2, visible: visible(2) }))
    expect(
      new Set(
        slices()
          .slice(before)
          .flatMap(s => s.args.tracks),
      ),
    ).toEqual(new Set([2]))
  })

  it('says what went wrong and tries again after a while', async () => {
    f.update(input())
    slices()[0].no(new Error('the engine ended'))
    await vi.advanceTimersByTimeAsync(0)
    expect(f.error).toBe('the engine ended')
    const before = slices().length
    await vi.advanceTimersByTimeAsync(2_100)
    expect(slices().length).toBeGreaterThan(before)
    await reply(slices()[before])
    expect(f.error).toBeNull()
  })

  it('asks for counters apart from slices, and for the overview once per width and version', async () => {
    const mem: TrackInfo = track(3, { kind: 'counter' })
    f.update(input({ visible: [track(1), mem] }))
    expect(sent.filter(s => s.name === 'trace.counter').map(s => s.args.tracks)).toEqual([[3]])
    await vi.advanceTimersByTimeAsync(200)
    f.update(input({ visible: [track(1), mem] }))
    await vi.advanceTimersByTimeAsync(200)
    expect(sent.filter(s => s.name === 'trace.overview')).toHaveLength(1)
    f.update(input({ visible: [], plot: 700 }))
    await vi.advanceTimersByTimeAsync(200)
    expect(sent.filter(s => s.name === 'trace.overview').map(s => s.args.width)).toEqual([1000, 700])
  })
})
