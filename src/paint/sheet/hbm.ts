/** The chart of an HBM of a sheet, at the sheet's own columns. */
import type { SessionView } from '../../shared/api'
import type { HbmGrouping, HbmInfo } from '../../shared/hbm-api'
import { geometry } from '../geometry'
import { highest } from '../hbm/hit'
import { hbmToken, rasterHbm } from '../hbm/raster'
import type { HbmOptions, HbmScene } from '../hbm/scene'
import { byteScale, FIT_SHARE } from '../memory/scale'
import type { Theme } from '../theme'
import type { Ask, Span, Surface } from './ask'
import type { LegendEntry } from './layout'
import { stepsOf, type SheetMarks } from './trace'

/** Limit of `width` in the contract. */
const MAX_COLUMNS = 16_384

export interface SheetHbm {
  readonly info: HbmInfo
  readonly grouping: HbmGrouping
  readonly options: HbmOptions
  /** fit: the Y axis fits the window; capacity: it reaches to the capacity, where that is known. */
  readonly y: 'fit' | 'capacity'
}

export interface HbmPart extends SheetHbm {
  readonly view: Pick<SessionView, 'session' | 'steps'>
  readonly window: Span
  readonly group: number
  readonly sources: ReadonlySet<number> | null
  readonly marks?: SheetMarks
  /** CSS px of the sheet and of the plot. */
  readonly width: number
  readonly height: number
  readonly scale: number
}

/** Until somebody chooses, the capacity is the top of the axis where the peak fills a quarter of it: below that the chart would be flat. */
export const defaultY = ({ capacity: { bytes }, peakBytes }: HbmInfo): SheetHbm['y'] =>
  bytes !== null && peakBytes >= bytes / 4 ? 'capacity' : 'fit'

/** The scene. Rejects as `ask` does. */
export async function hbmScene(ask: Ask, surface: Surface, theme: Theme, p: HbmPart): Promise<HbmScene> {
  const { info, window, options } = p
  const g = geometry(p.width, window.start, window.end)
  const picture = await ask('hbm.picture', {
    session: p.view.session,
    hbm: info.id,
    start: window.start,
    end: window.end,
    width: Math.min(MAX_COLUMNS, Math.max(1, Math.round(g.plot * p.scale))),
    grouping: p.grouping,
  })
  const top = Math.max(1, highest(picture, options.reserved), p.y === 'capacity' ? (info.capacity.bytes ?? 0) : 0) / FIT_SHARE
  const scale = byteScale(0, p.height, top)
  const height = Math.max(1, Math.round(p.height * p.scale))
  const { notes, annotations, bands } = p.marks ?? {}
  return {
    geometry: g,
    scale,
    info,
    picture,
    pictureWindow: window,
    image: surface.image(rasterHbm(picture, theme, { height, yMax: scale.max, only: null, scale: p.scale }), picture.width, height),
    options,
    steps: bands === false ? [] : stepsOf(p.view, p.group, p.sources),
    ...(annotations ? { annotations } : {}),
    ...(notes ? { notes } : {}),
    cursor: null,
    value: null,
    valueFlag: false,
    lifetime: null,
    range: null,
    flags: false,
  }
}

/** The groups that hold something in the picture, and what was there before the recording. */
export function legendOfHbm({ picture: p }: HbmScene): readonly LegendEntry[] {
  if (!p) return []
  const some = (v: Float64Array): boolean => v.some(b => b > 0)
  return [
    ...p.groups.flatMap((g, i) => (some(p.bytes[i]) ? [{ label: g.label, token: hbmToken(g.color) }] : [])),
    ...(p.startBytes.some(some) ? [{ label: 'before the recording', token: 'start' } as const] : []),
  ]
}
