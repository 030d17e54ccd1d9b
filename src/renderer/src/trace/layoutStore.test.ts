import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Bridge, SessionView } from '../../../shared/api'
import type { TrackLayout } from '../../../shared/trace-api'
import { change, DEFAULT_LAYOUT } from '../../../paint/timeline'
import { useSession } from '../state/session'
import { changeLayout, followLayout, useLayout } from './layoutStore'

/** A host that keeps layouts by session and answers when it is told to. */
function host(kept: Record<string, TrackLayout> = {}) {
  const waiting: { readonly session: string; readonly answer: () => void }[] = []
  const written: [string, TrackLayout][] = []
  const bridge = {
    shell: 'browser',
    request: (name: string, args: { session: string; layout: TrackLayout }) => {
      if (name === 'layout.set') {
        written.push([args.session, args.layout])
        return Promise.resolve(null)
      }
      return new Promise(ok => waiting.push({ session: args.session, answer: () => ok({ layout: kept[args.session] ?? null }) }))
    },
    onEvent: () => () => {},
  } as unknown as Bridge
  useSession.setState({ bridge })
  return { waiting, written }
}
const show = (session: string | null): void =>
  useSession.setState({ session, view: session === null ? null : ({ session } as SessionView) })
const flush = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await Promise.resolve()
}
let stop = (): void => {}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('removeEventListener', () => {})
})
afterEach(() => {
  stop()
  show(null)
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the kept layout', () => {
  it('is read when a session is shown and written once, a moment after the last of several changes', async () => {
    const { waiting, written } = host({ a: { ...DEFAULT_LAYOUT, grouping: 'thread', pinned: ['gone'] } })
    stop = followLayout()
    show('a')
    waiting[0]?.answer()
    await flush()
    expect(useLayout.getState()).toMatchObject({ session: 'a', known: true, layout: { grouping: 'thread', pinned: ['gone'] } })
    changeLayout(l => change.hide(l, 'x'))
    changeLayout(l => change.hide(l, 'y'))
    expect(written).toEqual([])
    vi.advanceTimersByTime(1000)
    // What names nothing (any more) is kept.
    expect(written).toMatchObject([['a', { hidden: ['x', 'y'], pinned: ['gone'] }]])
    expect(changeLayout(l => l)).toBe(false)
  })

  it('takes changes of before the answer along, on top of what was kept', async () => {
    const { waiting, written } = host({ a: { ...DEFAULT_LAYOUT, hidden: ['old'] } })
    stop = followLayout()
    show('a')
    changeLayout(l => change.hide(l, 'new'))
    vi.advanceTimersByTime(1000)
    expect(written).toEqual([])
    waiting[0]?.answer()
    await flush()
    vi.advanceTimersByTime(1000)
    expect(written).toMatchObject([['a', { hidden: ['old', 'new'] }]])
  })

  it('writes what was changed to the session that it was changed in, and drops the late answer of another', async () => {
    const { waiting, written } = host({ a: { ...DEFAULT_LAYOUT, filter: 'a' }, b: { ...DEFAULT_LAYOUT, filter: 'b' } })
    stop = followLayout()
    show('a')
    waiting[0]?.answer()
    await flush()
    changeLayout(l => change.regroup(l, 'instance'))
    show('b')
    expect(written).toMatchObject([['a', { grouping: 'instance', filter: 'a' }]])
    show('c')
    waiting[1]?.answer()
    waiting[2]?.answer()
    await flush()
    expect(useLayout.getState()).toMatchObject({ session: 'c', known: true, layout: DEFAULT_LAYOUT })
    vi.advanceTimersByTime(1000)
    expect(written).toHaveLength(1)
  })

  it('changes nothing where no session is shown', () => {
    host()
    stop = followLayout()
    expect(changeLayout(l => change.hide(l, 'x'))).toBe(false)
    expect(useLayout.getState().layout).toEqual(DEFAULT_LAYOUT)
  })
})
