/** The requests of the allocator timeline as hooks. */
import type { AllocatorInfo, Axis, MemoryAt, MemoryPicture } from '../../../shared/api'
import { FIT_SHARE } from '../../../paint/memory/scale'
import { recordedRange } from '../../../paint/memory/paint'
import { request, useSession } from '../state/session'
import { useView, type TimeWindow } from '../state/view'
import { useAsk, type Answered } from './useAsk'

/** Pixels asked for at most: a picture stays bounded on any screen. */
const MAX_COLUMNS = 4096
const MAX_ROWS = 2160

export interface PictureAsked {
  readonly axis: Axis
  readonly start: number
  readonly end: number
  readonly width: number
  readonly height: number
  readonly yMax: number | null
  readonly withReserved: boolean
  readonly withRounded: boolean
}

/** Axis on which an allocator is shown: by events where the file has no times. */
export const axisOf = (info: AllocatorInfo | null, wanted: Axis): Axis => (info && info.timeRange === null ? 'event' : wanted)

/** Axis, window and cursor of the Memory Viewer, whichever of the two the user chose. */
export function useMemoryAxis(info: AllocatorInfo | null): {
  readonly axis: Axis
  readonly window: TimeWindow
  readonly cursor: number | null
} {
  const axis = axisOf(
    info,
    useView(s => s.memoryAxis),
  )
  const window = useView(s => (axis === 'time' ? s.window : s.eventWindow))
  const cursor = useView(s => (axis === 'time' ? s.cursor : s.eventCursor))
  return { axis, window, cursor }
}

/** Top of a Y axis that shows the whole recording. */
export const fixedMax = (info: AllocatorInfo, withReserved: boolean, withRounded = false): number =>
  Math.max(
    1,
    info.peakActiveBytes,
    withReserved && Number.isFinite(info.peakReservedBytes) ? info.peakReservedBytes : 0,
    withRounded ? (info.blockRounded.peakBytes ?? 0) : 0,
  ) / FIT_SHARE

/** The picture of the window. `width` and `height` are the plot's in device pixels. */
export function usePicture(
  info: AllocatorInfo | null,
  axis: Axis,
  window: TimeWindow,
  width: number,
  height: number,
  y: 'fit' | 'fixed',
  withReserved: boolean,
  withRounded: boolean,
): { readonly value: Answered<PictureAsked, MemoryPicture> | null; readonly error: string | null } {
  const session = useSession(s => s.session)
  const version = useSession(s => s.view?.version ?? 0)
  const usable = session !== null && info !== null && width >= 1 && height >= 1 && window.end > window.start
  const q: PictureAsked | null = usable
    ? {
        axis,
        start: window.start,
        end: window.end,
        width: Math.min(MAX_COLUMNS, Math.round(width)),
        height: Math.min(MAX_ROWS, Math.round(height)),
        yMax: y === 'fixed' ? fixedMax(info, withReserved, withRounded) : null,
        withReserved,
        withRounded,
      }
    : null
  const key = q ? [version, ...Object.values(q)].join() : ''
  return useAsk(usable ? `${session}/${info.id}/${info.path}/${axis}` : '', key, q, a =>
    request('memory.picture', { session: session ?? '', allocator: info?.id ?? 0, ...a }),
  )
}

/** Totals at a position; null while unknown. Nothing is asked outside the recorded range: nothing is known there. */
export function useMemoryAt(info: AllocatorInfo | null, axis: Axis, at: number | null): Answered<number, MemoryAt> | null {
  const session = useSession(s => s.session)
  const version = useSession(s => s.view?.version ?? 0)
  const inside = info !== null && at !== null && isRecorded(info, axis, at)
  const { value } = useAsk(
    session !== null && inside ? `${session}/${info.id}/${info.path}/${axis}` : '',
    `${version},${at}`,
    inside ? at : null,
    (a: number) => request('memory.at', { session: session ?? '', allocator: info?.id ?? 0, axis, at: a }),
  )
  return value
}

export function isRecorded(info: AllocatorInfo, axis: Axis, at: number): boolean {
  const range = recordedRange({ axis, allocator: info })
  return range !== null && at >= range[0] && (axis === 'event' ? at < range[1] : at <= range[1])
}
