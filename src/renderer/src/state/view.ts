/**
 * One window, one cursor, one selection for every view: the only place where they are kept. Panels read it and send it changes;
 * no panel talks to another. Times are ns relative to the origin of the active time group.
 */
import { create } from 'zustand'

export type Selection =
  | {
      readonly type: 'slice'
      readonly source: number
      readonly row: number
      readonly track: number
      readonly start: number
      readonly duration: number
    }
  | { readonly type: 'allocation'; readonly allocator: number; readonly allocation: number }
  /** An allocation of the runtime in an HBM (SessionView.hbm). */
  | { readonly type: 'runtime'; readonly hbm: number; readonly allocation: number }
  | { readonly type: 'file'; readonly file: string }
  | { readonly type: 'range'; readonly start: number; readonly end: number }

export interface TimeWindow {
  readonly start: number
  readonly end: number
}

export interface ViewState {
  /** Active time group of the open session. */
  readonly group: number
  /** Extent of the group's data; the window is kept within a margin around it. */
  readonly extent: TimeWindow
  readonly window: TimeWindow
  /** Where the pointer is or a click left it; null before. */
  readonly cursor: number | null
  readonly selection: Selection | null
  /** The pinned allocation stays until Esc or another click; live data never takes it away. */
  readonly pinned: { readonly allocator: number; readonly allocation: number } | null
  /** The pinned runtime allocation, as `pinned`; one of the two at most. */
  readonly pinnedRuntime: { readonly hbm: number; readonly allocation: number } | null
  /** HBM shown in the Memory Viewer; null: the first one. */
  readonly hbm: number | null
  /** Allocator shown in the Memory Viewer. */
  readonly allocator: number | null
  readonly memoryTab: 'allocator' | 'hbm'
  /** X axis of the allocator: by time (shared with the trace) or by event index (own window). */
  readonly memoryAxis: 'time' | 'event'
  readonly eventWindow: TimeWindow
  readonly eventCursor: number | null
  /** Largest event index of the shown allocator. */
  readonly eventExtent: TimeWindow
}

export interface ViewActions {
  /** Shows a time group from its start to its end. */
  showGroup(group: number, extent: TimeWindow): void
  setExtent(extent: TimeWindow): void
  setWindow(w: TimeWindow): void
  /** Zooms by `factor` (< 1: in) around `at` (default: the cursor, else the middle). */
  zoom(factor: number, at?: number): void
  /** Moves by a share of the window's span. */
  pan(share: number): void
  setCursor(t: number | null): void
  select(s: Selection | null): void
  pin(p: ViewState['pinned']): void
  pinRuntime(p: ViewState['pinnedRuntime']): void
  setHbm(id: number): void
  setAllocator(id: number | null, events: TimeWindow): void
  setMemoryTab(tab: ViewState['memoryTab']): void
  setMemoryAxis(axis: ViewState['memoryAxis']): void
  setEventWindow(w: TimeWindow): void
  setEventCursor(e: number | null): void
  reset(): void
}

/** Shortest window: 20 ns over the plot, below which doubles and labels stop making sense. */
const MIN_SPAN = 20

/** Keeps a window inside the extent plus a tenth of the window on each side, and not shorter than MIN_SPAN. */
export function clampWindow(w: TimeWindow, extent: TimeWindow, least = MIN_SPAN): TimeWindow {
  // Far from 0 neighbouring doubles lie further apart than the shortest window: 64 of those steps still tell columns apart.
  const minSpan = Math.max(least, Math.max(Math.abs(w.start), Math.abs(w.end)) * Number.EPSILON * 64)
  const full = Math.max(extent.end - extent.start, minSpan)
  const span = Math.min(Math.max(w.end - w.start, minSpan), full * 1.2)
  const margin = span * 0.1
  const lo = extent.start - margin
  const hi = Math.max(extent.end + margin, lo + span)
  const start = Math.min(Math.max(w.start, lo), hi - span)
  return { start, end: start + span }
}

const INITIAL: ViewState = {
  group: 0,
  extent: { start: 0, end: 1 },
  window: { start: 0, end: 1 },
  cursor: null,
  selection: null,
  pinned: null,
  pinnedRuntime: null,
  hbm: null,
  allocator: null,
  memoryTab: 'allocator',
  memoryAxis: 'time',
  eventWindow: { start: 0, end: 1 },
  eventCursor: null,
  eventExtent: { start: 0, end: 1 },
}

export const useView = create<ViewState & ViewActions>()((set, get) => ({
  ...INITIAL,
  showGroup: (group, extent) => set({ group, extent, window: { ...extent }, cursor: null }),
  setExtent: extent => set(s => ({ extent, window: clampWindow(s.window, extent) })),
  setWindow: w => set(s => ({ window: clampWindow(w, s.extent) })),
  zoom: (factor, at) => {
    const { window: w, cursor, extent } = get()
    const inside = cursor !== null && cursor >= w.start && cursor <= w.end ? cursor : (w.start + w.end) / 2
    const c = at ?? inside
    const span = Math.max((w.end - w.start) * factor, MIN_SPAN)
    const k = (c - w.start) / (w.end - w.start)
    set({ window: clampWindow({ start: c - k * span, end: c + (1 - k) * span }, extent) })
  },
  pan: share => {
    const { window: w, extent } = get()
    const d = (w.end - w.start) * share
    set({ window: clampWindow({ start: w.start + d, end: w.end + d }, extent) })
  },
  setCursor: cursor => set({ cursor }),
  select: selection => set({ selection }),
  pin: pinned =>
    set(pinned ? { pinned, pinnedRuntime: null, selection: { type: 'allocation', ...pinned } } : { pinned: null, pinnedRuntime: null }),
  pinRuntime: pinnedRuntime =>
    set(pinnedRuntime ? { pinnedRuntime, pinned: null, selection: { type: 'runtime', ...pinnedRuntime } } : { pinnedRuntime: null }),
  setHbm: hbm => set({ hbm }),
  setAllocator: (allocator, events) => set({ allocator, eventExtent: events, eventWindow: { ...events }, eventCursor: null }),
  setMemoryTab: memoryTab => set({ memoryTab }),
  setMemoryAxis: memoryAxis => set({ memoryAxis }),
  setEventWindow: w => set(s => ({ eventWindow: clampWindow(w, s.eventExtent, 4) })),
  setEventCursor: eventCursor => set({ eventCursor }),
  reset: () => set(INITIAL),
}))
