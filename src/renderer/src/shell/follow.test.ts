import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AllocatorInfo, Bridge, RootState, SessionView, SourceInfo, TimeGroup } from '../../../shared/api'
import type { CatalogSession } from '../../../shared/catalog'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { follow, showAllocator, switchGroup } from './follow'
import { useUi } from './ui'

const source = (index: number, kind: SourceInfo['kind'], group: number | null, file = `f${index}`): SourceInfo =>
  ({ index, kind, group, file, path: file, events: 10 }) as SourceInfo
const group = (id: number, sources: readonly number[], durationNs: number, originNs = 0n): TimeGroup =>
  ({ id, sources, durationNs, originNs, calibrated: true, label: '' }) as TimeGroup
const allocator = (id: number, g: number | null, events = 10, o: Partial<AllocatorInfo> = {}): AllocatorInfo =>
  ({ id, group: g, events, path: `p${id}`, device: 0, timeRange: g === null ? null : [0, 1], ...o }) as AllocatorInfo
const view = (
  version: number,
  groups: readonly TimeGroup[],
  sources: readonly SourceInfo[],
  allocators: readonly AllocatorInfo[] = [],
): SessionView => ({ session: 's', version, groups, sources, tracks: [], steps: [], allocators, jobs: [], diagnostics: [], notice: null })
const show = (v: SessionView | null): void => useSession.setState({ session: 's', view: v })

const session = (id: string, timestamp: string, state = 'complete'): CatalogSession =>
  ({
    id,
    timestamp,
    dir: id,
    pid: 7,
    ranks: [1],
    files: [{ kind: 'chrome-trace', bytes: 1, mtimeMs: 0, state }],
  }) as unknown as CatalogSession
const root = (sessions: readonly CatalogSession[], o: Partial<RootState> = {}): RootState =>
  ({
    name: 'r',
    version: 1,
    catalog: { root: '/r', sessions, diagnostics: [] },
    watching: true,
    scanning: false,
    watchNotice: null,
    ...o,
  }) as RootState

let stop = (): void => undefined
let asked: string[] = []
beforeEach(() => {
  asked = []
  const bridge = { request: (name: string, a: { session: string }) => (asked.push(`${name} ${a.session}`), new Promise(() => undefined)) }
  useSession.setState({ bridge: bridge as unknown as Bridge, root: null, session: null, view: null, error: null })
  useView.getState().reset()
  useUi.setState({ notices: [] })
  stop = follow()
})
afterEach(() => {
  useSession.setState({ root: null, session: null, view: null })
  stop()
})

describe('a root', () => {
  it('opens its newest session once the walk has ended, without a notice', () => {
    const [a, b] = [session('a', '2026_01_01'), session('b', '2026_01_02')]
    useSession.setState({ root: root([a], { scanning: true }) })
    expect(asked).toEqual([])
    useSession.setState({ root: root([a, b]) })
    expect(asked).toEqual(['session.open b'])
    expect(useUi.getState().notices).toEqual([])
  })
  it('keeps the session when a newer one appears, and says so quietly', () => {
    useSession.setState({ root: root([session('a', '2026_01_01')]) })
    useSession.setState({ root: root([session('a', '2026_01_01'), session('b', '2026_01_02', 'growing')]) })
    expect(asked).toEqual(['session.open a'])
    expect(useUi.getState().notices).toMatchObject([{ title: 'Rank 1 started recording', detail: '2026_01_02, pid 7' }])
    useUi.getState().notices[0].action?.run()
    expect(asked).toEqual(['session.open a', 'session.open b'])
  })
  it('opens the first session of a folder that was empty', () => {
    useSession.setState({ root: root([]) })
    expect(asked).toEqual([])
    useSession.setState({ root: root([session('a', '2026_01_01')]) })
    expect(asked).toEqual(['session.open a'])
    expect(useUi.getState().notices).toEqual([])
  })
  it('does not open another session by itself when the open one is removed', () => {
    const [a, b] = [session('a', '2026_01_02'), session('b', '2026_01_01')]
    useSession.setState({ root: root([a, b]) })
    useSession.setState({ root: root([b]), session: null, view: null })
    expect(asked).toEqual(['session.open a'])
  })
  it('opens a session that appears while none is shown: the removed one written again, or a new one', () => {
    const [a, b, c] = [session('a', '2026_01_02'), session('b', '2026_01_01'), session('c', '2026_01_03')]
    useSession.setState({ root: root([a, b]) })
    useSession.setState({ root: root([b]), session: null, view: null })
    useSession.setState({ root: root([b], { version: 2 }) }) // b was there before
    expect(asked).toEqual(['session.open a'])
    useSession.setState({ root: root([a, b]) })
    expect(asked).toEqual(['session.open a', 'session.open a'])
    expect(useSession.getState().session).toBe('a')
    useSession.setState({ root: root([b]), session: null, view: null })
    useSession.setState({ root: root([b, c]) })
    expect(asked.at(-1)).toBe('session.open c')
    expect(useUi.getState().notices).toEqual([])
  })
  it('opens the only session again when it is written again', () => {
    const a = session('a', '2026_01_02')
    useSession.setState({ root: root([a]) })
    useSession.setState({ root: root([]), session: null, view: null })
    useSession.setState({ root: root([a]) })
    expect(asked).toEqual(['session.open a', 'session.open a'])
  })
})

describe('a view', () => {
  it('shows its best group and allocator from end to end', () => {
    show(view(1, [group(3, [0, 1], 500)], [source(0, 'chrome-trace', 3), source(1, 'memory-snapshot', 3)], [allocator(4, 3, 77)]))
    expect(useView.getState()).toMatchObject({
      group: 3,
      window: { start: 0, end: 500 },
      extent: { start: 0, end: 500 },
      allocator: 4,
      eventExtent: { start: -1, end: 77 },
      memoryAxis: 'time',
    })
  })
  it('draws a snapshot without times over its events', () => {
    show(view(1, [], [source(0, 'memory-snapshot', null)], [allocator(0, null, 9)]))
    expect(useView.getState()).toMatchObject({ allocator: 0, memoryAxis: 'event', eventWindow: { start: -1, end: 9 } })
  })
  it('waits with its choice until something was read', () => {
    show(view(1, [], []))
    show(view(2, [group(1, [0], 80)], [source(0, 'chrome-trace', 1)]))
    expect(useView.getState()).toMatchObject({ group: 1, window: { start: 0, end: 80 } })
  })
  it('grows with the data while the whole range is shown', () => {
    show(view(1, [group(0, [0], 100)], [source(0, 'chrome-trace', 0)]))
    show(view(2, [group(0, [0], 250)], [source(0, 'chrome-trace', 0)]))
    expect(useView.getState()).toMatchObject({ window: { start: 0, end: 250 }, extent: { start: 0, end: 250 } })
  })
  it('keeps window, cursor, selection and pin when the data grows', () => {
    const one = [source(0, 'chrome-trace', 0), source(1, 'memory-snapshot', 0)]
    show(view(1, [group(0, [0, 1], 1000)], one, [allocator(0, 0, 10)]))
    const v = useView.getState()
    v.setWindow({ start: 100, end: 300 })
    v.setCursor(150)
    v.pin({ allocator: 0, allocation: 5 })
    show(view(2, [group(0, [0, 1], 2000)], one, [allocator(0, 0, 20)]))
    expect(useView.getState()).toMatchObject({
      window: { start: 100, end: 300 },
      extent: { start: 0, end: 2000 },
      cursor: 150,
      selection: { type: 'allocation', allocation: 5 },
      pinned: { allocator: 0, allocation: 5 },
      eventExtent: { start: -1, end: 20 },
    })
  })
  it('stays at the same instant when an earlier source moves the origin', () => {
    show(view(1, [group(0, [0], 1000, 5_000n)], [source(0, 'memory-snapshot', 0, 'snap')]))
    const v = useView.getState()
    v.setWindow({ start: 100, end: 300 })
    v.setCursor(150)
    v.select({ type: 'range', start: 120, end: 130 })
    show(view(2, [group(0, [0, 1], 1600, 4_400n)], [source(0, 'chrome-trace', 0, 'trace'), source(1, 'memory-snapshot', 0, 'snap')]))
    expect(useView.getState()).toMatchObject({
      window: { start: 700, end: 900 },
      cursor: 750,
      selection: { start: 720, end: 730 },
    })
  })
  it('goes to a better group only while nothing was touched', () => {
    const first = view(1, [group(0, [0], 100)], [source(0, 'chrome-trace', 0, 'x')])
    const better = view(
      2,
      [group(0, [0], 100), group(1, [1, 2], 50)],
      [source(0, 'chrome-trace', 0, 'x'), source(1, 'chrome-trace', 1, 'y'), source(2, 'memory-snapshot', 1, 'z')],
      [allocator(0, 1)],
    )
    show(first)
    show(better)
    expect(useView.getState()).toMatchObject({ group: 1, allocator: 0 })
    show(null)
    show(first)
    useView.getState().setWindow({ start: 10, end: 40 })
    show(better)
    expect(useView.getState()).toMatchObject({ group: 0, window: { start: 10, end: 40 } })
  })
  it('does not leave what is shown for a range that is only larger', () => {
    show(view(1, [group(0, [0], 100)], [source(0, 'memory-snapshot', 0, 'x')], [allocator(0, 0)]))
    const larger = { ...source(1, 'chrome-trace', 1, 'y'), events: 1e6 }
    show(view(2, [group(0, [0], 100), group(1, [1], 9000)], [source(0, 'memory-snapshot', 0, 'x'), larger], [allocator(0, 0)]))
    expect(useView.getState()).toMatchObject({ group: 0, window: { start: 0, end: 100 }, allocator: 0 })
  })
  it('lets the user choose a group, and keeps it', () => {
    const v = view(
      1,
      [group(0, [0], 100), group(1, [1], 50)],
      [source(0, 'chrome-trace', 0), source(1, 'memory-snapshot', 1)],
      [allocator(0, 0), allocator(1, 1, 33)],
    )
    show(v)
    switchGroup(1)
    expect(useView.getState()).toMatchObject({ group: 1, window: { start: 0, end: 50 }, allocator: 1 })
    show({ ...v, version: 2 })
    expect(useView.getState()).toMatchObject({ group: 1, allocator: 1 })
  })
  it('shows an allocator together with its range', () => {
    const other = allocator(1, 1, 33)
    const none = allocator(2, null, 5)
    show(
      view(
        1,
        [group(0, [0], 100), group(1, [1], 50)],
        [source(0, 'chrome-trace', 0), source(1, 'memory-snapshot', 1)],
        [allocator(0, 0), other, none],
      ),
    )
    showAllocator(other)
    expect(useView.getState()).toMatchObject({ group: 1, allocator: 1, memoryAxis: 'time' })
    showAllocator(none)
    expect(useView.getState()).toMatchObject({ group: 1, allocator: 2, memoryAxis: 'event', eventExtent: { start: -1, end: 5 } })
  })
  it('keeps a selected file when another session opens', () => {
    show(view(1, [group(0, [0], 100)], [source(0, 'chrome-trace', 0)]))
    useView.getState().select({ type: 'file', file: 'f9' })
    show(null)
    expect(useView.getState().selection).toEqual({ type: 'file', file: 'f9' })
  })
})
