/** Ways from one thing to another that belongs to it: runtime allocation, PyTorch allocation, slice. */
import type { HbmInfo, PytorchLink, RuntimeLink } from '../../../shared/hbm-api'
import { focusWindow, reveal } from '../commands/focus'
import { jump } from '../commands/jump'
import { showAllocator, switchGroup } from '../shell/follow'
import { fail, request, useSession } from '../state/session'
import { useView, type Selection } from '../state/view'
import { shownHbm } from './useHbm'

function show(time: number): void {
  const v = useView.getState()
  const target = reveal(v.window, time, v.extent)
  if (target !== v.window) jump(target)
}

/** Selects a slice of a source and brings it into the window. What fails is told as any failed request. */
export async function selectSlice(source: number, row: number): Promise<void> {
  try {
    const { session, view } = useSession.getState()
    if (!session || !view) return
    const s = await request('trace.slice', { session, source, row })
    const tracks = view.tracks.filter(t => t.source === source)
    const track = tracks.find(t => t.name === s.track) ?? tracks.find(t => s.track.includes(t.name))
    useView.getState().select({ type: 'slice', source, row, track: track?.id ?? -1, start: s.start, duration: s.duration ?? 0 })
    show(s.start)
  } catch (e) {
    fail(e)
  }
}

/** Shows a runtime allocation in the HBM tab, pinned; the cursor moves into its life where it stands elsewhere. */
export function showRuntime(l: Pick<RuntimeLink, 'hbm' | 'allocation'>): void {
  const { session, view } = useSession.getState()
  const info = view?.hbm?.find(h => h.id === l.hbm)
  if (!session || !info) return
  if (info.group !== null && info.group !== useView.getState().group) switchGroup(info.group)
  const v = useView.getState()
  v.setMemoryTab('hbm')
  v.setHbm(l.hbm)
  v.pinRuntime({ hbm: l.hbm, allocation: l.allocation })
  request('hbm.allocation', { session, hbm: l.hbm, allocation: l.allocation }).then(d => {
    const now = useView.getState()
    if (now.pinnedRuntime?.hbm !== l.hbm || now.pinnedRuntime.allocation !== l.allocation) return
    const from = d.allocTime ?? info.timeRange?.[0] ?? null
    const until = d.freeTime ?? info.timeRange?.[1] ?? null
    if (from === null || until === null) return
    if (now.cursor === null || now.cursor < from || now.cursor >= until) now.setCursor(from)
    show(from)
  }, fail)
}

/** Shows what a runtime allocation is for the PyTorch allocator: an allocation is pinned, for a segment the cursor goes to `time`. */
export function showPytorch(link: PytorchLink, time: number | null): void {
  const a = useSession.getState().view?.allocators.find(x => x.id === link.allocator)
  if (!a) return
  useView.getState().setMemoryTab('allocator')
  showAllocator(a)
  const v = useView.getState()
  if (link.allocation !== null) v.pin({ allocator: a.id, allocation: link.allocation })
  if (time !== null && a.group === v.group) {
    v.setCursor(time)
    show(time)
  }
}

/** The HBM whose peak P goes to; null while another tab is shown. */
export function peakedHbm(): HbmInfo | null {
  const v = useView.getState()
  const info = v.memoryTab === 'hbm' ? shownHbm(useSession.getState().view?.hbm, v.hbm, v.group) : null
  return info?.group === v.group ? info : null
}

/** Puts the cursor on the highest total, into the window where it is outside. A peak of before the first event stands where the recording begins. */
export function goToHbmPeak(info: HbmInfo): void {
  const at = info.peakTime ?? info.timeRange?.[0] ?? null
  if (at === null || info.group !== useView.getState().group) return
  useView.getState().setCursor(at)
  show(at)
}

/** Centres the life of a runtime allocation, then fits it, as F does with every selection. */
export async function focusRuntime(s: Extract<Selection, { readonly type: 'runtime' }>): Promise<void> {
  const { session, view } = useSession.getState()
  const info = view?.hbm?.find(h => h.id === s.hbm)
  if (!session || !info?.timeRange || info.group !== useView.getState().group) return
  const d = await request('hbm.allocation', { session, hbm: s.hbm, allocation: s.allocation })
  const v = useView.getState()
  if (v.selection !== s) return // the answer is late: something else is selected now
  jump(focusWindow(v.window, { start: d.allocTime ?? info.timeRange[0], end: d.freeTime ?? info.timeRange[1] }, v.extent))
}
