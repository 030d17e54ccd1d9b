import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Answers, Bridge, RequestArgs, TrackInfo } from '../../../shared/api'
import type { SearchHit } from '../../../shared/trace-api'
import { useDrawer } from '../drawer/state'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { SearchMarks } from './marks'
import { accept, goTo, LISTED, step, useSearch } from './state'

/** Hit k starts at 10 k. */
const hit = (k: number): SearchHit => ({
  source: 0,
  row: k,
  track: 7,
  start: k * 10,
  duration: 5,
  name: `n${k}`,
  trackName: 'TID:7',
  where: 'name',
  excerpt: `n${k}`,
  from: 0,
  to: 1,
})
const hits = (from: number, to: number): readonly SearchHit[] => Array.from({ length: Math.max(0, to - from) }, (_, i) => hit(from + i))
const asked: RequestArgs<'trace.searchPage'>[] = []

/** A host with `total` hits. */
function host(total: number): void {
  const request = (name: string, args: RequestArgs<'trace.searchPage'>): Promise<Answers['trace.searchPage']> => {
    expect(name).toBe('trace.searchPage')
    asked.push(args)
    const offset = args.from === null ? args.offset : Math.min(Math.max(0, Math.ceil(args.from / 10)), total - 1)
    return Promise.resolve({ version: 1, known: true, offset, hits: hits(offset, Math.min(total, offset + args.limit)) })
  }
  useSession.setState({ bridge: { shell: 'browser', request } as unknown as Bridge, session: 's' })
}
const answer = (total: number): Answers['trace.search'] => ({
  version: 1,
  cancelled: false,
  search: 3,
  hits: hits(0, Math.min(total, LISTED)),
  total,
  byTrack: [[7, total]],
  error: null,
  incomplete: null,
})
const at = (): number => useSearch.getState().current
const selectedRow = (): number | null => {
  const s = useView.getState().selection
  return s?.type === 'slice' ? s.row : null
}
const settle = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0))

beforeEach(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: true }))
  vi.stubGlobal('requestAnimationFrame', () => 0)
  vi.stubGlobal('cancelAnimationFrame', () => undefined)
  asked.length = 0
  useView.getState().showGroup(0, { start: 0, end: 100_000 })
  useView.getState().select(null)
  useDrawer.setState({ tab: 'search' })
  useSearch.setState({ query: 'n', found: null, current: -1, pending: false, wish: null })
})
afterEach(() => vi.unstubAllGlobals())

describe('steps through hits', () => {
  it('begin at the window, go on behind the last with the first', async () => {
    host(20)
    accept('s', 0, answer(20))
    useView.getState().setWindow({ start: 95, end: 155 })
    for (const wanted of [10, 11]) {
      step(1)
      await settle()
      expect([at(), selectedRow()]).toEqual([wanted, wanted])
    }
    useSearch.setState({ current: 19 })
    step(1)
    await settle()
    expect(at()).toBe(0)
    step(-1)
    await settle()
    expect([at(), selectedRow()]).toEqual([19, 19])
    useSearch.setState({ current: -1 })
    useView.getState().setWindow({ start: 95, end: 155 })
    step(-1)
    await settle()
    expect(at()).toBe(15)
    expect(asked).toEqual([])
  })

  it('go on over pages of the host', async () => {
    host(5000)
    accept('s', 0, answer(5000))
    useView.getState().setWindow({ start: 30_004, end: 30_100 })
    step(1)
    await settle()
    expect([at(), selectedRow(), useSearch.getState().found?.offset]).toEqual([3001, 3001, 2501])
    const found = useSearch.getState().found
    if (found) await goTo(found, 4999)
    expect([at(), selectedRow(), useSearch.getState().found?.offset]).toEqual([4999, 4999, 4000])
    step(1)
    await settle()
    expect([at(), selectedRow(), useSearch.getState().found?.offset]).toEqual([0, 0, 0])
  })

  it('wait for the hits, once; a new answer keeps the hit that was gone to', async () => {
    host(20)
    useSearch.setState({ pending: true })
    step(1)
    expect(at()).toBe(-1)
    useSearch.setState({ pending: false })
    accept('s', 0, answer(20))
    await settle()
    expect(at()).toBe(0)
    accept('s', 0, answer(12))
    expect(at()).toBe(0)
    // Of another session nothing is gone to.
    useSession.setState({ session: 't' })
    step(1)
    await settle()
    expect(at()).toBe(0)
  })
})

describe('marks of hits', () => {
  const track: TrackInfo = { id: 7, kind: 'slices' } as TrackInfo
  const input = {
    session: 's',
    group: 0,
    window: { start: 0, end: 1000 },
    extent: { start: 0, end: 1000 },
    plot: 100,
    visible: [track, { id: 8, kind: 'counter' } as TrackInfo],
  }
  const marked = (args: RequestArgs<'trace.searchMarks'>, known = true): Answers['trace.searchMarks'] => ({
    version: 1,
    known,
    trackStart: Uint32Array.from([0, ...args.tracks.map((_, i) => i + 1)]),
    lane: new Uint16Array(args.tracks.length),
    from: Float64Array.from(args.tracks, () => args.search),
    to: Float64Array.from(args.tracks, () => args.search + 1),
  })
  const first = (m: SearchMarks): number | undefined => m.shown?.get(7)?.from[0]

  it('are asked once for what is in sight; the old ones stay until the new are there', async () => {
    const calls: RequestArgs<'trace.searchMarks'>[] = []
    accept('s', 0, answer(20))
    useSession.setState({ session: 's' })
    const marks = new SearchMarks(
      (_, args) => {
        calls.push(args)
        return Promise.resolve(marked(args))
      },
      () => undefined,
    )
    marks.update(input)
    marks.update(input)
    expect(calls.map(c => c.tracks)).toEqual([[7]])
    expect(first(marks)).toBeUndefined()
    await settle()
    marks.update(input)
    expect([calls.length, first(marks)]).toEqual([1, 3])
    accept('s', 0, { ...answer(20), search: 4 })
    expect(first(marks)).toBe(3)
    marks.update(input)
    await settle()
    expect([calls.length, first(marks)]).toEqual([2, 4])
    useDrawer.setState({ tab: 'gaps' })
    expect(marks.shown).toBeNull()
    useDrawer.setState({ tab: 'search' })
    accept('s', 0, { ...answer(0), search: 0 })
    expect(marks.shown).toBeNull()
    marks.close()
  })

  it('that an answer had no room for are asked again', async () => {
    const calls: (readonly number[])[] = []
    accept('s', 0, answer(20))
    const marks = new SearchMarks(
      (_, args) => {
        calls.push(args.tracks)
        return Promise.resolve(marked({ ...args, tracks: args.tracks.slice(0, 1) }))
      },
      () => undefined,
    )
    const two = { ...input, visible: [track, { id: 9, kind: 'slices' } as TrackInfo] }
    marks.update(two)
    await settle()
    expect([...(marks.shown?.keys() ?? [])]).toEqual([7])
    marks.update(two)
    await settle()
    marks.update(two)
    expect(calls).toEqual([[7, 9], [9]])
    expect([...(marks.shown?.keys() ?? [])]).toEqual([7, 9])
    marks.close()
  })

  it('of a search that the host knows no more are not asked again at once', async () => {
    let calls = 0
    accept('s', 0, answer(20))
    const marks = new SearchMarks(
      (_, args) => {
        calls++
        return Promise.resolve(marked(args, false))
      },
      () => undefined,
    )
    marks.update(input)
    await settle()
    marks.update(input)
    expect([calls, first(marks)]).toEqual([1, undefined])
    marks.close()
  })
})
