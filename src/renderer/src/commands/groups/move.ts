/** Commands that move the time window: by keys, to the selection, to the peak. */
import type { AllocatorInfo } from '../../../../shared/api'
import { focusRuntime, goToHbmPeak, peakedHbm } from '../../hbm/go'
import { fail, request, useSession } from '../../state/session'
import { useView, type Selection } from '../../state/view'
import type { Command } from '../command'
import { focusWindow, peakTime, reveal } from '../focus'
import { jump } from '../jump'
import { hasView, onEvents } from '../when'

const ZOOM = 0.8
const PAN = 0.1

function zoom(factor: number): void {
  const v = useView.getState()
  if (!onEvents()) return v.zoom(factor)
  const { start, end } = v.eventWindow
  const c = v.eventCursor !== null && v.eventCursor >= start && v.eventCursor <= end ? v.eventCursor : (start + end) / 2
  v.setEventWindow({ start: c - (c - start) * factor, end: c + (end - c) * factor })
}
function pan(share: number): void {
  const v = useView.getState()
  if (!onEvents()) return v.pan(share)
  const d = (v.eventWindow.end - v.eventWindow.start) * share
  v.setEventWindow({ start: v.eventWindow.start + d, end: v.eventWindow.end + d })
}

async function focusAllocation(s: Extract<Selection, { type: 'allocation' }>): Promise<void> {
  const { session, view } = useSession.getState()
  const allocator = view?.allocators.find(a => a.id === s.allocator)
  if (!session || !allocator) return
  const a = await request('memory.allocation', { session, allocator: s.allocator, allocation: s.allocation })
  const v = useView.getState()
  if (v.selection !== s) return // the answer is late: something else is selected now
  if (onEvents()) {
    const start = Math.max(a.allocEvent, -1)
    const end = a.freeCompletedEvent ?? allocator.events
    v.setEventWindow(focusWindow(v.eventWindow, { start, end: Math.max(end, start + 1) }, v.eventExtent, 4))
    return
  }
  const start = a.allocTime ?? allocator.timeRange?.[0] ?? null
  const end = a.freeCompletedTime ?? allocator.timeRange?.[1] ?? null
  if (start !== null && end !== null) jump(focusWindow(v.window, { start, end }, v.extent))
}

function focusSelection(): void {
  const v = useView.getState()
  const s = v.selection
  if (s?.type === 'allocation') void focusAllocation(s).catch(fail)
  else if (s?.type === 'runtime') void focusRuntime(s).catch(fail)
  else if (s?.type === 'slice') jump(focusWindow(v.window, { start: s.start, end: s.start + s.duration }, v.extent))
  else if (s?.type === 'range') jump(focusWindow(v.window, s, v.extent))
  else fit()
}

function fit(): void {
  const v = useView.getState()
  if (onEvents()) v.setEventWindow(v.eventExtent)
  else jump(v.extent)
}

const shownAllocator = (): AllocatorInfo | null => {
  const id = useView.getState().allocator
  return useSession.getState().view?.allocators.find(a => a.id === id) ?? null
}

function goToPeak(): void {
  const hbm = peakedHbm()
  if (hbm) return goToHbmPeak(hbm)
  const a = shownAllocator()
  const v = useView.getState()
  if (!a) return
  if (v.memoryAxis === 'event') {
    const at = a.peakActiveEvent
    v.setEventCursor(at)
    v.setEventWindow(reveal(v.eventWindow, at, v.eventExtent, 4))
  }
  const at = peakTime(a)
  if (at === null || a.group !== v.group) return
  v.setCursor(at)
  jump(reveal(v.window, at, v.extent))
}

export const MOVE: readonly Command[] = [
  { id: 'zoom-in', title: 'Zoom in', group: 'Move', keys: ['KeyW'], shown: 'W', repeat: true, when: hasView, run: () => zoom(ZOOM) },
  { id: 'zoom-out', title: 'Zoom out', group: 'Move', keys: ['KeyS'], shown: 'S', repeat: true, when: hasView, run: () => zoom(1 / ZOOM) },
  { id: 'pan-left', title: 'Move left', group: 'Move', keys: ['KeyA'], shown: 'A', repeat: true, when: hasView, run: () => pan(-PAN) },
  { id: 'pan-right', title: 'Move right', group: 'Move', keys: ['KeyD'], shown: 'D', repeat: true, when: hasView, run: () => pan(PAN) },
  {
    id: 'focus-selection',
    title: 'Centre the selection, again to fit it; without one show everything',
    group: 'Go to',
    keys: ['KeyF'],
    shown: 'F',
    when: hasView,
    run: focusSelection,
  },
  { id: 'fit', title: 'Show the whole range', group: 'Go to', keys: ['Shift+KeyF'], shown: 'Shift F', when: hasView, run: fit },
  {
    id: 'go-to-peak',
    title: 'Go to the peak of the shown memory',
    group: 'Go to',
    keys: ['KeyP'],
    shown: 'P',
    when: () => shownAllocator() !== null || peakedHbm() !== null,
    run: goToPeak,
  },
]
