/**
 * Keeps the view store in step with what the host tells: a root that opens shows its newest session, a session that opens shows its best time group,
 * and whatever the user chose stays when files arrive or grow.
 */
import type { AllocatorInfo, SessionView, TimeGroup } from '../../../shared/api'
import { chooseAllocator, chooseGroup, kindsIn, newestSession, sameAllocator, sameGroup } from '../state/choose'
import { usePick } from '../alignment/state'
import { openSession, useSession, type SessionState } from '../state/session'
import { useView, type TimeWindow } from '../state/view'
import { notify, useUi } from './ui'
import { ranksText } from './words'

const extentOf = (g: TimeGroup): TimeWindow => ({ start: 0, end: Math.max(g.durationNs, 1) })
/** Event axis: -1 is the start state, `events` the end of the last event. */
export const eventExtent = (a: AllocatorInfo): TimeWindow => ({ start: -1, end: Math.max(a.events, 1) })

const whole = (w: TimeWindow, e: TimeWindow): boolean => w.start <= e.start && w.end >= e.end

/** Set once the user picked a time group by hand; a better group no longer replaces it. */
let groupChosen = false

/** Shows another time group (ranges that don't overlap), with an allocator that lies in it. */
export function switchGroup(id: number): void {
  const { view } = useSession.getState()
  const group = view?.groups.find(g => g.id === id)
  if (!view || !group) return
  groupChosen = true
  const v = useView.getState()
  v.showGroup(id, extentOf(group))
  const here = view.allocators.find(a => a.id === v.allocator)
  const next = here?.group === id ? null : view.allocators.find(a => a.group === id)
  if (next) v.setAllocator(next.id, eventExtent(next))
}

/** Shows an allocator, with the time group that it lies in. */
export function showAllocator(a: AllocatorInfo): void {
  if (a.group !== null && a.group !== useView.getState().group) switchGroup(a.group)
  const v = useView.getState()
  if (v.allocator !== a.id) v.setAllocator(a.id, eventExtent(a))
  if (a.timeRange === null) v.setMemoryAxis('event')
}

function start(view: SessionView): void {
  const v = useView.getState()
  const group = chooseGroup(view)
  const allocator = chooseAllocator(view, group?.id ?? null)
  if (group) v.showGroup(group.id, extentOf(group))
  v.setAllocator(allocator?.id ?? null, allocator ? eventExtent(allocator) : { start: 0, end: 1 })
  // A snapshot without times can only be drawn over its events; one with times starts on the shared axis.
  v.setMemoryAxis(allocator && allocator.timeRange === null ? 'event' : 'time')
}

function grow(prev: SessionView, next: SessionView): void {
  const v = useView.getState()
  const untouched = v.selection === null && !groupChosen && whole(v.window, v.extent)
  const kept = sameGroup(prev, v.group, next)
  const best = chooseGroup(next)
  // What is being looked at gives way only to a range where trace and snapshot meet.
  if (untouched && best && kept && kindsIn(next, best) > kindsIn(next, kept)) v.showGroup(best.id, extentOf(best))
  else if (kept) {
    // An earlier source moves the origin; the same instant then has another number.
    const before = prev.groups.find(g => g.id === v.group)
    const shift = before ? Number(before.originNs - kept.originNs) : 0
    const move = (w: TimeWindow): TimeWindow => ({ start: w.start + shift, end: w.end + shift })
    const s = v.selection
    const extent = extentOf(kept)
    const full = whole(v.window, v.extent)
    useView.setState({
      group: kept.id,
      extent,
      window: full ? { ...extent } : move(v.window),
      cursor: v.cursor === null ? null : v.cursor + shift,
      selection:
        s?.type === 'slice'
          ? { ...s, start: s.start + shift }
          : s?.type === 'range'
            ? { ...s, start: s.start + shift, end: s.end + shift }
            : s,
    })
    useView.getState().setExtent(extent)
  } else if (best) v.showGroup(best.id, extentOf(best))

  const group = useView.getState().group
  const old = v.allocator === null ? null : prev.allocators.find(a => a.id === v.allocator)
  const same = v.allocator === null ? null : sameAllocator(prev, v.allocator, next)
  const inGroup = next.groups.some(g => g.id === group) ? group : null
  const useless = untouched && same !== null && same.group !== inGroup
  const allocator = same && !useless ? same : chooseAllocator(next, inGroup)
  if (!allocator) {
    if (v.allocator !== null) v.setAllocator(null, { start: 0, end: 1 })
  } else if (!same || useless) {
    v.setAllocator(allocator.id, eventExtent(allocator))
    v.setMemoryAxis(allocator.timeRange === null ? 'event' : useView.getState().memoryAxis)
    if (old)
      useView.setState({
        pinned: null,
        selection: useView.getState().selection?.type === 'allocation' ? null : useView.getState().selection,
      })
  } else if (allocator.id !== v.allocator || (old && old.events !== allocator.events)) {
    const extent = eventExtent(allocator)
    const full = whole(v.eventWindow, v.eventExtent)
    const s = useView.getState().selection
    useView.setState({
      allocator: allocator.id,
      eventExtent: extent,
      eventWindow: full ? { ...extent } : v.eventWindow,
      pinned: v.pinned && v.pinned.allocator === v.allocator ? { ...v.pinned, allocator: allocator.id } : v.pinned,
      selection: s?.type === 'allocation' && s.allocator === v.allocator ? { ...s, allocator: allocator.id } : s,
    })
  }
}

function onView(s: SessionState, p: SessionState): void {
  if (s.view === p.view) return
  if (!s.view) {
    groupChosen = false
    // A file that was selected in the tree stays selected while the session under it changes.
    const { selection } = useView.getState()
    useView.getState().reset()
    if (selection?.type === 'file') useView.getState().select(selection)
    return
  }
  // The first view of a session may come before any of its files is read: what can be shown is chosen when it can be.
  if (!p.view || p.view.session !== s.view.session) start(s.view)
  else if (p.view.groups.length === 0 && p.view.allocators.length === 0) start(s.view)
  else grow(p.view, s.view)
}

/** Root that the frame has shown, and the sessions it held last: what is new gets a notice, what was there does not. */
let root: string | null = null
let known = new Set<string>()

function onRoot(s: SessionState, p: SessionState): void {
  if (s.root === p.root) return
  if (!s.root) {
    root = null
    known = new Set()
    useView.getState().reset()
    return
  }
  const { sessions } = s.root.catalog
  if (s.root.catalog.root !== root) {
    root = s.root.catalog.root
    known = new Set()
    useView.getState().reset()
    useUi.setState({ diagnostics: false, alignment: false, diagnosticsFile: null, notices: [] })
  }
  if (s.root.scanning) return // sessions of the first walk are not news, and the newest is known when it has ended
  const first = known.size === 0
  const fresh = sessions.filter(x => !known.has(x.id))
  // What is gone is forgotten: a session that is written again is new.
  known = new Set(sessions.map(x => x.id))
  // With nothing on the screen a new session opens; one that was there before never takes the place of a removed one by itself.
  const blank = useSession.getState().session === null
  if (first || (blank && fresh.length > 0)) {
    const newest = newestSession(fresh)
    if (newest && blank) void openSession(newest.id)
    return
  }
  for (const x of fresh.slice(0, 3)) {
    const who = ranksText(x.ranks) || (x.pid === null ? '' : `pid ${x.pid}`)
    const recording = who !== '' && x.files.some(f => f.state === 'growing')
    notify({
      icon: 'pulse',
      title: recording ? `${who[0].toUpperCase()}${who.slice(1)} started recording` : who ? `New session of ${who}` : 'New session',
      detail: [x.timestamp ?? x.dir, x.pid === null || !x.ranks.length ? null : `pid ${x.pid}`].filter(Boolean).join(', '),
      action: { label: 'Open', run: () => void openSession(x.id) },
    })
  }
}

/** Starts following. Answers a function that stops it. */
export function follow(): () => void {
  const off = [
    useSession.subscribe(onView),
    useSession.subscribe(onRoot),
    useSession.subscribe((s, p) => {
      if (s.error && s.error !== p.error) notify({ icon: 'error', title: 'A request failed', detail: s.error })
    }),
    // A new selection opens the details that were closed; in the small layout the rail stays, the readout speaks for the selection.
    useView.subscribe((s, p) => {
      if (s.selection === p.selection || !s.selection) return
      const { details, diagnostics } = useUi.getState()
      if (!details || (diagnostics && s.selection.type !== 'file')) useUi.setState({ details: true, diagnostics: false })
      // While events are picked the alignment stays: a selection is an answer to it. New data moves the times of what is selected, which is no selection.
      const same = p.selection !== null && JSON.stringify({ ...s.selection, start: 0 }) === JSON.stringify({ ...p.selection, start: 0 })
      if (!same && usePick.getState().pick === null) useUi.setState({ alignment: false })
    }),
  ]
  return () => off.forEach(f => f())
}
