/** What the dialog saves: a sheet as PNG or SVG, events as Chrome trace JSON, statistics as CSV. */
import { paintSheet } from '../../../paint/sheet/paint'
import { sheetSvg } from '../../../paint/sheet/svg'
import type { GatheredSheet } from '../../../paint/sheet/gather'
import type { PixelImage } from '../../../paint/svg/raster'
import type { TrackChoice } from '../../../paint/sheet/trace'
import type { Theme } from '../../../paint/theme'
import type { StatsBy } from '../../../shared/trace-api'
import { request, useSession } from '../state/session'
import { useView, type TimeWindow } from '../state/view'
import { trackIds } from './choices'
import { context } from './prepare'

/** Paints a sheet at `scale` device pixels per CSS px. The canvas gets exactly the size that was gathered. */
export function drawSheet(canvas: HTMLCanvasElement, theme: Theme, { sheet, width, height }: GatheredSheet, scale: number): void {
  // The picture is read back as a whole: without the GPU that is quicker, and the same on every machine.
  const ctx = canvas.getContext('2d', { willReadFrequently: true })
  if (!ctx) throw new Error('the canvas cannot be drawn on')
  canvas.width = width
  canvas.height = height
  ctx.setTransform(scale, 0, 0, scale, 0, 0)
  paintSheet(ctx, theme, sheet)
}

export const toPng = (canvas: HTMLCanvasElement): Promise<Blob> =>
  new Promise((resolve, reject) =>
    canvas.toBlob(b => (b ? resolve(b) : reject(new Error('the picture could not be encoded'))), 'image/png'),
  )

/** The sheet as SVG of its size in CSS px, and what it does not show one by one. */
export function toSvg(made: GatheredSheet, theme: Theme): { readonly blob: Blob; readonly notes: readonly string[] } {
  const { text, notes } = sheetSvg(made, theme, context(1, 1), base64, 1)
  return { blob: new Blob([text], { type: 'image/svg+xml' }), notes }
}

function base64({ pixels, width, height }: PixelImage): string {
  const ctx = context(width, height)
  ctx.putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0)
  return ctx.canvas.toDataURL('image/png').slice('data:image/png;base64,'.length)
}

export interface DataFile {
  readonly blob: Blob
  /** What was written and what was not, a sentence each. */
  readonly notes: readonly string[]
  readonly detail: string
}

function place(): { readonly session: string; readonly group: number } {
  const { session } = useSession.getState()
  if (session === null) throw new Error('no session is open')
  return { session, group: useView.getState().group }
}

/** The events of a window as Chrome trace JSON. Rejects with the host's words. */
export async function eventsFile(w: TimeWindow, choice: TrackChoice): Promise<DataFile> {
  const ids = trackIds(choice)
  // What stands at the very end belongs to it.
  const { data, events, cut, notes } = await request('trace.json', {
    ...place(),
    start: w.start,
    end: choice === 'all' && w.end === useView.getState().extent.end ? w.end + 1 : w.end,
    tracks: ids && [...ids],
  })
  const detail = `${events.toLocaleString('en-US')} events${cut > 0 ? `, ${cut.toLocaleString('en-US')} left out` : ''}`
  return { blob: new Blob([new Uint8Array(data)], { type: 'application/json' }), notes, detail }
}

/** Statistics of the complete slices as CSV, times in ns; null: of everything. Rejects with the host's words. */
export async function statisticsFile(w: TimeWindow | null, by: StatsBy, choice: TrackChoice): Promise<DataFile> {
  const ids = trackIds(choice)
  const { csv } = await request('trace.statsCsv', {
    ...place(),
    by,
    start: w?.start ?? null,
    end: w?.end ?? null,
    tracks: ids && [...ids],
    filter: '',
    regex: false,
    sort: { column: 'totalNs', descending: true },
  })
  return {
    blob: new Blob([csv], { type: 'text/csv' }),
    notes: [],
    detail: `${(csv.split('\r\n').length - 2).toLocaleString('en-US')} rows`,
  }
}
