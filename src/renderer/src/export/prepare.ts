/** The sheet of the dialog's choice. It is made by src/paint/sheet, as on the command line. */
import type { AllocatorInfo } from '../../../shared/api'
import type { HbmInfo } from '../../../shared/hbm-api'
import { eventsText, gatherSheet, type GatheredSheet } from '../../../paint/sheet/gather'
import { svgSurface } from '../../../paint/sheet/svg'
import type { Surface } from '../../../paint/sheet/ask'
import type { Theme } from '../../../paint/theme'
import type { NoteMark } from '../../../paint/timeline'
import { useBands } from '../bands/state'
import { useHbmSettings, yOf } from '../hbm/settings'
import { axisOf, fixedMax } from '../memory/useMemory'
import { useMemorySettings } from '../memory/settings'
import { request, useSession } from '../state/session'
import { useView, type TimeWindow } from '../state/view'
import { useLayout } from '../trace/layoutStore'
import { onEvents, withTrace, type What } from './choices'
import type { ExportState } from './state'

export interface PictureQuery {
  readonly what: What
  /** Of time, or of event indices where the picture stands on these. */
  readonly window: TimeWindow
  readonly allocator: AllocatorInfo | null
  readonly hbm: HbmInfo | null
  readonly notes: readonly NoteMark[]
  readonly options: ExportState
}

/** `allocator_rank0_612-1436ms`: letters, digits, `_` and `-` only. */
export function fileName(what: string, rank: number | null, w: TimeWindow, events = false): string {
  const range = events ? `events${eventsText(w).join('-')}` : `${Math.round(w.start / 1e6)}-${Math.round(w.end / 1e6)}ms`
  return [what, rank === null ? null : `rank${rank}`, range]
    .filter(Boolean)
    .join('_')
    .replace(/[^\w-]+/g, '_')
    .slice(0, 100)
}

const NAMES: Readonly<Record<What, string>> = {
  both: 'trace-allocator',
  memory: 'allocator',
  trace: 'trace',
  hbm: 'hbm',
  'trace-hbm': 'trace-hbm',
}

export interface Prepared extends GatheredSheet {
  readonly name: string
}

export function context(width: number, height: number): CanvasRenderingContext2D {
  const ctx = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d')
  if (!ctx) throw new Error('the canvas cannot be drawn on')
  return ctx
}

/** A canvas of the page for pixels that are drawn as an image, and to measure with. */
function pageSurface(): Surface {
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
export async function prepare(theme: Theme, q: PictureQuery): Promise<Prepared> {
  const { what, window, allocator: info, hbm, options: o } = q
  const { view, root, session: id, info: app } = useSession.getState()
  const v = useView.getState()
  const settings = useMemorySettings.getState()
  const device = useHbmSettings.getState()
  if (!view || !id) throw new Error('no session is open')
  const events = onEvents(what, info)
  // Over the trace the allocator may still stand on its events: then they keep their own window.
  const axis = axisOf(info, v.memoryAxis)
  const memoryWindow = axis === 'time' || events ? window : v.eventWindow
  const vector = o.kind === 'svg'
  const gathered = await gatherSheet(request, vector ? svgSurface(context(1, 1)) : pageSurface(), theme, {
    view,
    catalog: root?.catalog.sessions.find(s => s.id === id) ?? null,
    root: root?.name ?? null,
    group: v.group,
    window: events ? v.window : window,
    extent: v.extent,
    trace: withTrace(what),
    tracks: useLayout.getState().layout,
    choice: o.drawn,
    whole: o.drawn !== 'layout',
    vector,
    bands: useBands.getState().on,
    ...(o.notes ? { notes: q.notes } : {}),
    traces: null,
    memory:
      (what === 'both' || what === 'memory') && info !== null
        ? {
            allocator: info,
            axis,
            window: memoryWindow,
            // The picture has a legend for all of it: an owner that is shown alone on the screen stays one of many here.
            options: { ...settings, only: null },
            yMax: settings.y === 'fixed' ? fixedMax(info, settings.reserved, settings.rounded) : null,
            pinned: o.pinned && v.pinned?.allocator === info.id ? v.pinned.allocation : null,
          }
        : null,
    hbm:
      (what === 'hbm' || what === 'trace-hbm') && hbm !== null
        ? { info: hbm, grouping: device.grouping, options: device, y: yOf(hbm, device.y) }
        : null,
    width: o.width * o.scale,
    height: null,
    scale: o.scale,
    legend: o.legend,
    sources: o.sources,
    program: `${app?.name ?? 'Neuron Workbench'} ${app?.version ?? ''}`.trim(),
  })
  return { ...gathered, name: `${fileName(NAMES[what], gathered.rank, window, events)}.${vector ? 'svg' : 'png'}` }
}
