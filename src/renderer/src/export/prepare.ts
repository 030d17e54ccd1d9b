/** What the Export dialog offers, and the sheet of its choice in the window of the screen. The sheet is made by src/paint/sheet, as on the command line. */
import { makesTrace, type AllocatorInfo, type Axis, type SessionView } from '../../../shared/api'
import { eventsText, gatherSheet, type GatheredSheet } from '../../../paint/sheet/gather'
import type { Surface } from '../../../paint/sheet/ask'
import type { Theme } from '../../../paint/theme'
import { axisOf, fixedMax } from '../memory/useMemory'
import { useMemorySettings } from '../memory/settings'
import { request, useSession } from '../state/session'
import { useView, type TimeWindow } from '../state/view'
import { useLayout } from '../trace/layoutStore'

export { rangeText } from '../../../paint/sheet/gather'

export type What = 'both' | 'trace' | 'memory'

export interface ExportOptions {
  readonly what: What
  /** Device pixels per CSS px: the PNG has exactly `width * scale` columns. */
  readonly scale: 1 | 2
  readonly legend: boolean
  readonly sources: boolean
  readonly pinned: boolean
}

/** Width of the sheet, CSS px. */
export const SHEET_WIDTH = 1280

/** What can be exported now, and the words for it. */
export function choices(view: SessionView | null, info: AllocatorInfo | null): readonly { readonly what: What; readonly label: string }[] {
  const { group, memoryAxis } = useView.getState()
  const trace = view?.tracks.some(t => t.group === group && makesTrace(t)) ?? false
  const axis = axisOf(info, memoryAxis)
  const mem = info !== null && (axis === 'event' || info.group === group)
  return [
    ...(trace && mem ? [{ what: 'both', label: 'System Trace, Allocator' } as const] : []),
    ...(trace ? [{ what: 'trace', label: 'System Trace' } as const] : []),
    ...(mem ? [{ what: 'memory', label: 'PyTorch Allocator' } as const] : []),
  ]
}

/** `allocator_rank0_612-1436ms.png`: letters, digits, `_` and `-` only. */
export function fileName(what: What, rank: number | null, w: TimeWindow, axis: Axis = 'time'): string {
  const range = axis === 'time' ? `${Math.round(w.start / 1e6)}-${Math.round(w.end / 1e6)}ms` : `events${eventsText(w).join('-')}`
  const parts = [what === 'trace' ? 'trace' : 'allocator', rank === null ? null : `rank${rank}`, range]
  return (
    parts
      .filter(Boolean)
      .join('_')
      .replace(/[^\w-]+/g, '_')
      .slice(0, 100) + '.png'
  )
}

export interface Prepared extends GatheredSheet {
  readonly name: string
}

/** A canvas of the page for pixels that are drawn as an image, and to measure with. */
function pageSurface(): Surface {
  const context = (width: number, height: number): CanvasRenderingContext2D => {
    const ctx = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d')
    if (!ctx) throw new Error('the canvas cannot be drawn on')
    return ctx
  }
  return {
    ctx: context(1, 1),
    image: (pixels, width, height) => {
      const ctx = context(width, height)
      ctx.putImageData(new ImageData(pixels, width, height), 0, 0)
      return ctx.canvas
    },
  }
}

/** Asks for everything and makes the sheet. Rejects with the host's words when something cannot be had. */
export async function prepare(info: AllocatorInfo | null, theme: Theme, o: ExportOptions): Promise<Prepared> {
  const { view, root, session: id, info: app } = useSession.getState()
  const v = useView.getState()
  const settings = useMemorySettings.getState()
  if (!view || !id) throw new Error('no session is open')
  const withTrace = o.what !== 'memory'
  const axis = axisOf(info, v.memoryAxis)
  const window = axis === 'time' ? v.window : v.eventWindow
  const gathered = await gatherSheet(request, pageSurface(), theme, {
    view,
    catalog: root?.catalog.sessions.find(s => s.id === id) ?? null,
    root: root?.name ?? null,
    group: v.group,
    window: v.window,
    extent: v.extent,
    trace: withTrace,
    tracks: useLayout.getState().layout,
    traces: null,
    memory:
      o.what !== 'trace' && info !== null
        ? {
            allocator: info,
            axis,
            window,
            // The picture has a legend for all of it: an owner that is shown alone on the screen stays one of many here.
            options: { ...settings, only: null },
            yMax: settings.y === 'fixed' ? fixedMax(info, settings.reserved, settings.rounded) : null,
            pinned: o.pinned && v.pinned?.allocator === info.id ? v.pinned.allocation : null,
          }
        : null,
    width: SHEET_WIDTH * o.scale,
    height: null,
    scale: o.scale,
    legend: o.legend,
    sources: o.sources,
    program: `${app?.name ?? 'Neuron Workbench'} ${app?.version ?? ''}`.trim(),
  })
  const onEvents = o.what !== 'trace' && info !== null && axis === 'event'
  return {
    ...gathered,
    name: withTrace || !onEvents ? fileName(o.what, gathered.rank, v.window) : fileName(o.what, gathered.rank, window, 'event'),
  }
}
