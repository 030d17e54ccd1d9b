/** Gathers what an exported picture shows: asks for both panels at the picture's own size and makes the sheet of them. */
import type { AllocatorInfo, Axis, SessionView } from '../../shared/api'
import type { CatalogSession } from '../../shared/catalog'
import { duration, fileSize, memory as bytesText, num } from '../../shared/format'
import type { TrackLayout } from '../../shared/trace-api'
import { geometry } from '../geometry'
import type { MemoryOptions, MemoryScene } from '../memory/scene'
import { activeName } from '../memory/words'
import type { Theme } from '../theme'
import type { TraceScene } from '../timeline'
import type { Ask, Span, Surface } from './ask'
import type { HbmScene } from '../hbm/scene'
import { peakName } from '../hbm/words'
import { hbmScene, legendOfHbm, type SheetHbm } from './hbm'
import { frameHeight, layoutSheet, legendRows, plotBox, type LegendEntry, type PixelBox, type SheetLayout } from './layout'
import { legendOf, memoryScene } from './memory'
import { placedLegend, type ExportSheet } from './paint'
import { mergedSlices, rowsSeen, traceScene, type SheetMarks, type TrackChoice } from './trace'

/** Heights where the content decides, CSS px. */
const MEMORY_HEIGHT = 380
const MEMORY_ALONE = 520
const TRACE_MAX = 420
const TRACE_ALONE = 900
/** Where every row is asked for: what the largest pictures of the command line have. */
const TRACE_WHOLE = 8000
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
  /** Which of its tracks; absent: what it shows. */
  readonly choice?: TrackChoice
  /** Alone, the trace is as high as its rows (up to 8,000 CSS px) rather than as high as a screen; absent: no. */
  readonly whole?: boolean
  /** Shapes instead of pixels where that is possible: for SVG. */
  readonly vector?: boolean
  /** Marks and notes of the user; absent: none. */
  readonly notes?: SheetMarks['notes']
  /** Steps and annotations behind and over the plots; absent: yes. */
  readonly bands?: boolean
  readonly memory: SheetMemory | null
  /** Device memory in place of the allocator; one of the two at most. */
  readonly hbm?: SheetHbm | null
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
  /** What the picture does not show one by one or at all, a sentence each. */
  readonly notes: readonly string[]
}

const ms = (v: number): string => num(v / 1e6, 1)
export const rangeText = (w: Span): string => `${ms(w.start)} – ${ms(w.end)}\u00a0ms (${duration(w.end - w.start)})`

/** First and last event of a window. */
export const eventsText = (w: Span): readonly [number, number] => [Math.max(0, Math.floor(w.start)), Math.max(0, Math.ceil(w.end) - 1)]

/** Asks for everything and makes the sheet. Rejects with the words of the host when something cannot be had. */
export async function gatherSheet(ask: Ask, surface: Surface, theme: Theme, q: SheetQuery): Promise<GatheredSheet> {
  const width = q.width / q.scale
  const height = q.height === null ? null : q.height / q.scale
  const marks = await marksOf(ask, q, width)
  const trace = q.trace
    ? await traceScene(ask, surface, {
        ...q,
        marks,
        ...(q.tracks ? { layout: q.tracks } : {}),
        sources: q.traces,
        width,
        maxHeight: traceHeight(q, height),
      })
    : null
  const part = { view: q.view, sources: q.traces, width, scale: q.scale, marks }
  const fitted = { theme, legend: q.legend, surface, width, height, trace }
  const made = q.memory
    ? await lowerPart(fitted, height => memoryScene(ask, surface, theme, { ...part, ...(q.memory as SheetMemory), height }), legendOf)
    : null
  const chart =
    !q.memory && q.hbm
      ? await lowerPart(
          fitted,
          height => hbmScene(ask, surface, theme, { ...part, ...(q.hbm as SheetHbm), window: q.window, group: q.group, height }),
          legendOfHbm,
        )
      : null
  const memory = made?.scene ?? null
  const hbm = chart?.scene ?? null
  const legend = made?.legend ?? chart?.legend ?? []
  const rank = q.memory ? q.memory.allocator.rank : (q.hbm?.info.rank ?? q.catalog?.ranks[0] ?? null)
  const lower = memory ? 'PyTorch active memory' : hbm ? `Device memory (${hbm.info.label})` : null
  const sheet: ExportSheet = {
    width,
    height,
    title: (lower && trace ? `${lower} and System Trace` : (lower ?? 'System Trace')) + (rank === null ? '' : `, rank ${rank}`),
    subtitle: subtitle(q, trace, memory, hbm),
    trace,
    memory,
    ...(hbm ? { hbm } : {}),
    legend,
    sources: q.sources ? sourceTexts(q, trace, memory, hbm) : null,
    program: q.program,
  }
  const layout = layoutSheet({ ...sheet, memory: memory ?? hbm, legendRows: legendRows(placedLegend(surface.ctx, theme, legend, width)) })
  return {
    sheet,
    layout,
    plot: plotBox({ ...sheet, memory: memory ?? hbm }, layout, q.scale),
    width: q.width,
    height: Math.round(layout.height * q.scale),
    rank,
    notes: trace ? traceNotes(trace) : [],
  }
}

/** What stands over the plots: notes, and the annotations of the window. */
async function marksOf(ask: Ask, q: SheetQuery, width: number): Promise<SheetMarks> {
  const notes = q.notes ? { notes: q.notes } : {}
  if (q.bands === false) return { ...notes, bands: false }
  const { start, end } = q.window
  if (!q.view.groups.some(g => g.id === q.group)) return notes
  const { plot } = geometry(width, start, end)
  const { bands } = await ask('trace.bands', { session: q.view.session, group: q.group, start, end, width: Math.max(1, Math.round(plot)) })
  return { ...notes, annotations: bands }
}

function traceHeight(q: SheetQuery, height: number | null): number {
  const lower = q.memory !== null || (q.hbm ?? null) !== null
  if (height === null) return lower ? TRACE_MAX : q.whole ? TRACE_WHOLE : TRACE_ALONE
  const room = height - frameHeight({ trace: q.trace, memory: lower, legendRows: 0 })
  return Math.max(1, lower ? Math.floor(room * TRACE_SHARE) : room)
}

/** What a picture of the trace does not show one by one, or at all. */
function traceNotes(t: TraceScene): readonly string[] {
  const { slices, marks } = mergedSlices(t)
  const { seen, of } = rowsSeen(t)
  const { hidden, filtered } = t.rows
  return [
    ...(seen < of ? [`The picture has room for the first ${num(seen)} of ${num(of)} tracks.`] : []),
    ...(hidden > 0 ? [`${num(hidden)} tracks are hidden.`] : []),
    ...(filtered > 0 ? [`${num(filtered)} tracks are left out by the filter.`] : []),
    ...(slices > 0 ? [`${num(slices)} slices narrower than a column of the picture are drawn as ${num(marks)} marks.`] : []),
  ]
}

interface Fitted {
  readonly theme: Theme
  readonly legend: boolean
  readonly surface: Surface
  readonly width: number
  readonly height: number | null
  readonly trace: TraceScene | null
}

/**
 * The scene of the lower panel and its legend. The legend names what the picture shows, and the picture is as high as the legend lets it be: it is asked for
 * again, with more room for the legend, until both agree. The room only grows, so this ends.
 */
async function lowerPart<S>(
  f: Fitted,
  make: (height: number) => Promise<S>,
  legendOf: (scene: S) => readonly LegendEntry[],
): Promise<{ readonly scene: S; readonly legend: readonly LegendEntry[] }> {
  const { trace, height } = f
  const plot = (rows: number): number =>
    height === null
      ? trace
        ? MEMORY_HEIGHT
        : MEMORY_ALONE
      : height - frameHeight({ trace: trace !== null, memory: true, legendRows: rows }) - (trace?.height ?? 0)
  const rowsOf = (legend: readonly LegendEntry[]): number => legendRows(placedLegend(f.surface.ctx, f.theme, legend, f.width))
  for (let rows = 0; ;) {
    const scene = await make(Math.max(1, plot(rows)))
    const wanted = f.legend ? legendOf(scene) : []
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

function subtitle(q: SheetQuery, trace: TraceScene | null, m: MemoryScene | null, h: HbmScene | null): string {
  const tracks = trace ? rowsSeen(trace) : null
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
    tracks && tracks.seen < tracks.of ? `first ${num(tracks.seen)} of ${num(tracks.of)} tracks` : null,
    trace && trace.rows.hidden + trace.rows.filtered > 0 ? `${num(trace.rows.hidden + trace.rows.filtered)} tracks not shown` : null,
    m ? `device ${m.allocator.device}` : null,
    m ? `peak ${activeName(m.allocator)} ${bytesText(m.allocator.peakActiveBytes)}` : null,
    h ? `${peakName(h.info)} ${bytesText(h.info.peakBytes)}` : null,
  ]
    .filter(Boolean)
    .join('  ·  ')
}

function sourceTexts(q: SheetQuery, trace: TraceScene | null, m: MemoryScene | null, h: HbmScene | null): readonly string[] {
  const used = new Set([...(trace ? trace.rows.byTrack.values() : [])].map(r => r.track.source))
  return q.view.sources
    .filter(s => used.has(s.index) || s.index === m?.allocator.source || s.index === h?.info.source)
    .map(({ path }) => {
      const file = q.catalog?.files.find(f => f.path === path || f.path.endsWith('/' + path))
      const name = path.split('/').at(-1) ?? path
      return file ? `${name} (${fileSize(file.bytes)})` : name
    })
}
