/** What can be exported now: views, ranges and tracks, and the words for them. Reads the state of the screen. */
import { eventsText, rangeText } from '../../../paint/sheet/gather'
import { sheetRows, type TrackChoice } from '../../../paint/sheet/trace'
import { makesTrace, type AllocatorInfo, type SessionView } from '../../../shared/api'
import { num } from '../../../shared/format'
import type { HbmInfo } from '../../../shared/hbm-api'
import { readTarget } from '../goto/target'
import { axisOf } from '../memory/useMemory'
import { useSession } from '../state/session'
import { useView, type TimeWindow } from '../state/view'
import { useLayout } from '../trace/layoutStore'
import type { ExportState, RangeKind } from './state'

export type What = 'both' | 'trace' | 'memory' | 'hbm' | 'trace-hbm'

/** The views that a picture can hold. */
export function views(
  view: SessionView | null,
  allocator: AllocatorInfo | null,
  hbm: HbmInfo | null,
): readonly { readonly what: What; readonly label: string }[] {
  const { group, memoryAxis } = useView.getState()
  const trace = hasTrace(view)
  const axis = axisOf(allocator, memoryAxis)
  const mem = allocator !== null && (axis === 'event' || allocator.group === group)
  const device = hbm !== null && hbm.group === group
  return [
    ...(trace && mem ? [{ what: 'both', label: 'System Trace, Allocator' } as const] : []),
    ...(trace && device ? [{ what: 'trace-hbm', label: 'System Trace, HBM' } as const] : []),
    ...(trace ? [{ what: 'trace', label: 'System Trace' } as const] : []),
    ...(mem ? [{ what: 'memory', label: 'PyTorch Allocator' } as const] : []),
    ...(device ? [{ what: 'hbm', label: `HBM (${hbm.label})` } as const] : []),
  ]
}

/** Whether the shown time range has tracks. */
export const hasTrace = (view: SessionView | null): boolean =>
  view?.tracks.some(t => t.group === useView.getState().group && makesTrace(t)) ?? false

export const withTrace = (what: What): boolean => what === 'both' || what === 'trace' || what === 'trace-hbm'
/** Whether the picture stands on the axis of event indices. */
export const onEvents = (what: What, allocator: AllocatorInfo | null): boolean =>
  what === 'memory' && allocator !== null && axisOf(allocator, useView.getState().memoryAxis) === 'event'

export interface RangeChoice {
  readonly kind: RangeKind
  readonly label: string
}

export function ranges(events: boolean): readonly RangeChoice[] {
  const { selection } = useView.getState()
  return [
    { kind: 'window', label: 'Window' },
    ...(!events && selection?.type === 'range' ? [{ kind: 'range', label: 'Selected range' } as const] : []),
    { kind: 'all', label: 'Everything' },
    ...(events ? [] : [{ kind: 'typed', label: 'From … to …' } as const]),
  ]
}

export type ChosenRange =
  { readonly ok: true; readonly window: TimeWindow; readonly words: string } | { readonly ok: false; readonly error: string }

/** The range of a choice: of time, or of event indices. One that is not offered (any more) is the window. */
export function rangeOf(s: Pick<ExportState, 'range' | 'typed'>, events: boolean): ChosenRange {
  const v = useView.getState()
  if (events) {
    const w = s.range === 'all' ? v.eventExtent : v.eventWindow
    return {
      ok: true,
      window: w,
      words: `events ${eventsText(w)
        .map(e => num(e))
        .join(' – ')}`,
    }
  }
  const is = (window: TimeWindow): ChosenRange => ({ ok: true, window, words: rangeText(window) })
  if (s.range === 'all') return is(v.extent)
  if (s.range === 'range' && v.selection?.type === 'range') return is({ start: v.selection.start, end: v.selection.end })
  if (s.range !== 'typed') return is(v.window)
  const group = useSession.getState().view?.groups.find(g => g.id === v.group)
  if (!group) return { ok: false, error: 'No time range is shown.' }
  const target = readTarget(s.typed, { originNs: group.originNs, calibrated: group.calibrated, from: v.cursor }, v.extent)
  if (!target.ok) return s.typed.trim() === '' ? { ok: false, error: 'Type two times, as 10 ms .. 20 ms.' } : target
  return target.end === null
    ? { ok: false, error: 'Two times are needed, with .. between them.' }
    : is({ start: target.start, end: target.end })
}

export const TRACKS: readonly { readonly choice: TrackChoice; readonly label: string }[] = [
  { choice: 'layout', label: 'As shown' },
  { choice: 'all', label: 'All' },
  { choice: 'pinned', label: 'Pinned only' },
]

/** Ids of the tracks of a choice; null for all of the shown time range. */
export function trackIds(choice: TrackChoice): readonly number[] | null {
  if (choice === 'all') return null
  const { view, root, session } = useSession.getState()
  if (!view) return []
  const rows = sheetRows({
    view,
    catalog: root?.catalog.sessions.find(s => s.id === session) ?? null,
    group: useView.getState().group,
    sources: null,
    layout: useLayout.getState().layout,
    choice,
  })
  return [...(rows?.byTrack.keys() ?? [])]
}
