/** Gathers what an exported picture shows: asks for both panels at the picture's own size and makes the sheet of them. */
import type { AllocatorInfo, Axis, SessionView } from '../../shared/api'
import type { CatalogSession } from '../../shared/catalog'
import { duration, fileSize, memory as bytesText, num } from '../../shared/format'
import type { TrackLayout } from '../../shared/trace-api'
import type { MemoryOptions, MemoryScene } from '../memory/scene'
import { activeName } from '../memory/words'
import type { Theme } from '../theme'
import type { TraceScene } from '../timeline'
import type { Ask, Span, Surface } from './ask'
import { frameHeight, layoutSheet, legendRows, plotBox, type LegendEntry, type PixelBox, type SheetLayout } from './layout'
import { legendOf, memoryScene } from './memory'
import { placedLegend, type ExportSheet } from './paint'
import { isCut, traceScene } from './trace'

/** Heights where the content decides, CSS px. */
const MEMORY_HEIGHT = 380
const MEMORY_ALONE = 520
const TRACE_MAX = 420
const TRACE_ALONE = 900
/** Share of a given height that the trace takes at most beside the allocator. */
const TRACE_SHARE = 0.5
/** The legend of a low sheet is cut so that the allocator's plot keeps this height. */
const LEAST_PLOT = 96

export interface SheetMemory {
  readonly allocator: AllocatorInfo
  readonly axis: Axis
  /** On that axis. */
  readonly window: Span
  readonly options: MemoryOptions
  /** Top of the Y axis in bytes; null fits it to the window. */
  readonly yMax: number | null
  readonly pinned: number | null
}

export interface SheetQuery {
  readonly view: Pick<SessionView, 'session' | 'groups' | 'sources' | 'tracks' | 'steps'>
  readonly catalog: CatalogSession | null
  /** Name of the opened folder or file. */
  readonly root: string | null
  /** Time group of the window. */
  readonly group: number
  readonly window: Span
  readonly extent: Span
  readonly trace: boolean
  /** Grouping, order and choice of the tracks; absent: as they are without any choice. */
  readonly tracks?: TrackLayout
  readonly memory: SheetMemory | null
  /** Only these traces take part; null for all of the group. */
  readonly traces: ReadonlySet<number> | null
  /** Whole sheet in device px; height null for what the content needs. */
  readonly width: number
  readonly height: number | null
  /** Device pixels per CSS px, a whole number. */
  readonly scale: number
  readonly legend: boolean
  readonly sources: boolean
  readonly program: string
}

export interface GatheredSheet {
  readonly sheet: ExportSheet
  readonly layout: SheetLayout
  /** Of the allocator where there is one, else of the trace's rows; device pixels. */
  readonly plot: PixelBox
  /** Size in device pixels. */
  readonly width: number
  readonly height: number
  readonly rank: number | null
}

const ms = (v: number): string => num(v / 1e6, 1)
export const rangeText = (w: Span): string => `${ms(w.start)} – ${ms(w.end)}\u00a0ms (${duration(w.end - w.start)})`

/** First and last event of a window. */
export const eventsText = (w: Span): readonly [number, number] => [Math.max(0, Math.floor(w.start)), Math.max(0, Math.ceil(w.end) - 1)]

/** Asks for everything and makes the sheet. Rejects with the words of the host when something cannot be had. */
export async function gatherSheet(ask: Ask, surface: Surface, theme: Theme, q: SheetQuery): Promise<GatheredSheet> {
  const width = q.width / q.scale
  const height = q.height === null ? null : q.height / q.scale
  const trace = q.trace
    ? await traceScene(ask, surface, {
        ...q,
        ...(q.tracks ? { layout: q.tracks } : {}),
        sources: q.traces,
        width,
        maxHeight: traceHeight(q, height),
      })
    : null
  const made = q.memory ? await memoryPart(ask, surface, theme, q, q.memory, width, height, trace) : null
  const memory = made?.scene ?? null
  const legend = made?.legend ?? []
  const rank = q.memory ? q.memory.allocator.rank : (q.catalog?.ranks[0] ?? null)
  const sheet: ExportSheet = {
    width,
    height,
    title:
      (memory && trace ? 'PyTorch active memory and System Trace' : memory ? 'PyTorch active memory' : 'System Trace') +
      (rank === null ? '' : `, rank ${rank}`),
    subtitle: subtitle(q, trace, memory),
    trace,
    memory,
    legend,
    sources: q.sources ? sourceTexts(q, trace, memory) : null,
    program: q.program,
  }
  const layout = layoutSheet({ ...sheet, legendRows: legendRows(placedLegend(surface.ctx, theme, legend, width)) })
  return {
    sheet,
    layout,
    plot: plotBox(sheet, layout, q.scale),
    width: q.width,
    height: Math.round(layout.height * q.scale),
    rank,
  }
}

function traceHeight(q: SheetQuery, height: number | null): number {
  if (height === null) return q.memory ? TRACE_MAX : TRACE_ALONE
  const room = height - frameHeight({ trace: q.trace, memory: q.memory !== null, legendRows: 0 })
  return Math.max(1, q.memory ? Math.floor(room * TRACE_SHARE) : room)
}

/**
 * The allocator's scene and its legend. The legend names what the picture shows, and the picture is as high as the legend lets it be: it is asked for
 * again, with more room for the legend, until both agree. The room only grows, so this ends.
 */
async function memoryPart(
  ask: Ask,
  surface: Surface,
  theme: Theme,
  q: SheetQuery,
  m: SheetMemory,
  width: number,
  height: number | null,
  trace: TraceScene | null,
): Promise<{ readonly scene: MemoryScene; readonly legend: readonly LegendEntry[] }> {
  const plot = (rows: number): number =>
    height === null
      ? trace
        ? MEMORY_HEIGHT
        : MEMORY_ALONE
      : height - frameHeight({ trace: trace !== null, memory: true, legendRows: rows }) - (trace?.height ?? 0)
  const rowsOf = (legend: readonly LegendEntry[]): number => legendRows(placedLegend(surface.ctx, theme, legend, width))
  for (let rows = 0; ;) {
    const scene = await memoryScene(ask, surface, theme, {
      ...m,
      view: q.view,
      sources: q.traces,
      width,
      height: Math.max(1, plot(rows)),
      scale: q.scale,
    })
    const wanted = q.legend ? legendOf(scene) : []
    if (height === null || rowsOf(wanted) <= rows) return { scene, legend: wanted }
    let most = rows
    while (most < rowsOf(wanted) && plot(most + 1) >= LEAST_PLOT) most++
    if (most === rows) return { scene, legend: shortened(wanted, legend => rowsOf(legend) <= rows) }
    rows = most
  }
}

/** As many entries as fit, and how many are left out. */
function shortened(legend: readonly LegendEntry[], fits: (legend: readonly LegendEntry[]) => boolean): readonly LegendEntry[] {
  for (let n = legend.length - 1; n > 0; n--) {
    const some = [...legend.slice(0, n), { label: `and ${legend.length - n} more`, token: '--surface-0' }]
    if (fits(some)) return some
  }
  return []
}

function subtitle(q: SheetQuery, trace: TraceScene | null, m: MemoryScene | null): string {
  const where = q.catalog?.timestamp ?? (q.catalog && q.catalog.dir !== '.' ? q.catalog.dir : (q.root ?? ''))
  const events = q.memory?.axis === 'event' ? q.memory.window : null
  return [
    q.root !== null && q.root !== where ? `${q.root} / ${where}` : where,
    trace || !events ? rangeText(q.window) : null,
    events
      ? `events ${eventsText(events)
          .map(e => num(e))
          .join(' – ')}`
      : null,
    m ? `device ${m.allocator.device}` : null,
    m ? `peak ${activeName(m.allocator)} ${bytesText(m.allocator.peakActiveBytes)}` : null,
    trace && isCut(trace) ? 'the first rows of the trace' : null,
  ]
    .filter(Boolean)
    .join('  ·  ')
}

function sourceTexts(q: SheetQuery, trace: TraceScene | null, m: MemoryScene | null): readonly string[] {
  const used = new Set([...(trace ? trace.rows.byTrack.values() : [])].map(r => r.track.source))
  return q.view.sources
    .filter(s => used.has(s.index) || (m !== null && s.index === m.allocator.source))
    .map(({ path }) => {
      const file = q.catalog?.files.find(f => f.path === path || f.path.endsWith('/' + path))
      const name = path.split('/').at(-1) ?? path
      return file ? `${name} (${fileSize(file.bytes)})` : name
    })
}
