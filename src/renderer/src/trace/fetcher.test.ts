import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TrackInfo } from '../../../shared/api'
import { answer, track } from '../../../paint/timeline/testing'
import { TraceFetcher, type Ask, type FetchInput } from './fetcher'

interface Sent {
  readonly name: string
  readonly args: { readonly tracks: readonly number[]; readonly start: number; readonly end: number; readonly width: number }
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
  const slices = (): Sent[] => sent.filter(s => s.name === 'trace.slices')
  const reply = async (s: Sent, version = 1): Promise<void> => {
    s.ok(
      answer(
        s.args.tracks.map(() => [{ from: 1, duration: 2 }]),
        version,
      ),
    )
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

  it('asks once for what is in sight, keeps it and asks no more while it does', async () => {
    f.update(input())
    expect(slices().map(s => s.args.tracks)).toEqual([[1, 2]])
    expect(f.missing()).toBe(true)
    await reply(slices()[0])
    expect([...f.slices.keys()]).toEqual([1, 2])
    expect(f.missing()).toBe(false)
    expect(changes).toBe(1)
    f.update(input({ window: { start: 4.1e8, end: 5.1e8 } }))
    expect(slices()).toHaveLength(1)
  })

  it('asks for the newest window once the running request has landed, and keeps drawing the old data meanwhile', async () => {
    f.update(input())
    await reply(slices()[0])
    f.update(input({ window: { start: 4.4e8, end: 4.5e8 } }))
    expect(slices()).toHaveLength(2)
    f.update(input({ window: { start: 4.44e8, end: 4.45e8 } }))
    expect(slices()).toHaveLength(2)
    expect(f.slices.size).toBe(2)
    await reply(slices()[1])
    expect(slices()).toHaveLength(3)
    expect(slices()[2].args.end - slices()[2].args.start).toBeLessThan(4e6)
  })

  it('has at most four requests on the way, in batches of at most twelve levels', async () => {
    const deep = Array.from({ length: 100 }, (_, i) => track(i, { depth: 3 }))
    f.update(input({ visible: deep }))
    expect(slices().map(s => s.args.tracks.length)).toEqual([4, 4, 4, 4])
    await reply(slices()[0])
    expect(slices()).toHaveLength(5)
    expect(new Set(slices().flatMap(s => s.args.tracks)).size).toBe(20)
  })

  it('fetches rows out of sight once the window rests', async () => {
    const near = [track(3)]
    f.update(input({ near }))
    await reply(slices()[0])
    await vi.advanceTimersByTimeAsync(100)
    f.update(input({ near, window: { start: 4.1e8, end: 5.1e8 } }))
    await vi.advanceTimersByTimeAsync(100)
    expect(slices().map(s => s.args.tracks)).toEqual([[1, 2]])
    await vi.advanceTimersByTimeAsync(60)
    expect(slices().map(s => s.args.tracks)).toEqual([[1, 2], [3]])
  })

  it('drops an answer that belongs to another session', async () => {
    f.update(input())
    const old = slices()[0]
    f.update(input({ session: 't' }))
    await reply(old)
    expect(f.slices.size).toBe(0)
    await reply(slices()[1])
    expect(f.slices.size).toBe(2)
  })

  it('forgets everything when the origin of the times moves', async () => {
    f.update(input())
    await reply(slices()[0])
    f.update(input({ version: 2, originNs: 5n }))
    expect(f.slices.size).toBe(0)
  })

  it('drops an answer of other tables and asks again when their view is there', async () => {
    f.update(input())
    await reply(slices()[0], 2)
    expect(f.slices.size).toBe(0)
    expect(slices()).toHaveLength(1)
    f.update(input({ version: 2 }))
    expect(slices()).toHaveLength(2)
    await reply(slices()[1], 2)
    expect(f.slices.size).toBe(2)
  })

  it('refreshes what is older than the view, drawing it until then', async () => {
    f.update(input())
    await reply(slices()[0])
    f.update(input({ version: 2 }))
    expect(slices()).toHaveLength(2)
    expect(f.slices.size).toBe(2)
    expect(f.missing()).toBe(false)
  })

  it('says what went wrong and tries again after a while', async () => {
    f.update(input())
    slices()[0].no(new Error('the engine ended'))
    await vi.advanceTimersByTimeAsync(0)
    expect(f.error).toBe('the engine ended')
    expect(slices()).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(2_100)
    expect(slices()).toHaveLength(2)
    await reply(slices()[1])
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
