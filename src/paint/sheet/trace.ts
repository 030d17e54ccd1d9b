/** The System Trace of a sheet: the rows that fit, asked for in the window and at the columns of the picture. */
import { makesTrace, type SessionView } from '../../shared/api'
import type { CatalogSession } from '../../shared/catalog'
import { geometry } from '../geometry'
import type { TrackLayout } from '../../shared/trace-api'
import {
  DEFAULT_LAYOUT,
  fullHeight,
  layoutRows,
  sections,
  splitCounters,
  splitSlices,
  type CounterColumns,
  type Fetched,
  type Rows,
  type SliceColumns,
  type TraceScene,
} from '../timeline'
import type { Ask, Span, Surface } from './ask'

/** Tracks per request of the contract. */
const TRACKS = 64
/** Limit of `width` in the contract. */
const MAX_COLUMNS = 16_384

export type TrackChoice = 'layout' | 'all' | 'pinned'

export interface TracePart {
  readonly view: Pick<SessionView, 'session' | 'groups' | 'sources' | 'tracks' | 'steps'>
  readonly catalog: CatalogSession | null
  readonly group: number
  /** Only tracks of these sources; null for all of the group. */
  readonly sources: ReadonlySet<number> | null
  /** Grouping and order of the rows; absent: as they are without any choice. */
  readonly layout?: TrackLayout
  /** layout (the default): what it shows; all: every track, all groups open; pinned: the pinned ones alone. */
  readonly choice?: TrackChoice
  /** Slices and counters as shapes. */
  readonly vector?: boolean
  /** Marks and notes, annotations, bands of steps: as the screen has them; absent: none, none, shown. */
  readonly marks?: SheetMarks
  readonly window: Span
  readonly extent: Span
  /** CSS px. */
  readonly width: number
  /** Most height that the panel takes; it is lower where its rows need less. */
  readonly maxHeight: number
  readonly scale: number
}

/** What stands over the plots besides the data. */
export type SheetMarks = Pick<TraceScene, 'notes' | 'annotations' | 'bands'>

/** The rows of a sheet, null where the group has no track. Their tracks are those of the window of events that an export has. */
export function sheetRows(p: Pick<TracePart, 'view' | 'catalog' | 'group' | 'sources' | 'layout' | 'choice'>): Rows | null {
  const { view, choice = 'layout' } = p
  const tracks = view.tracks.filter(t => t.group === p.group && (p.sources?.has(t.source) ?? true))
  if (!tracks.some(makesTrace)) return null
  const lay = (layout: TrackLayout): Rows =>
    layoutRows({
      tracks,
      sources: view.sources,
      layout,
      instance: p.catalog?.instanceId ?? null,
      session: p.catalog?.timestamp ?? null,
      notes: [],
    })
  const layout = p.layout ?? DEFAULT_LAYOUT
  if (choice === 'layout') return lay(layout)
  if (choice === 'pinned') return pinnedRows(lay({ ...layout, collapsed: [] }))
  const { grouped } = lay({ ...layout, filter: '' })
  return lay({ ...layout, hidden: [], filter: '', collapsed: [], expanded: grouped.instances.flatMap(i => i.sections.map(s => s.key)) })
}

/** The scene, null where the group has no track. Rejects as `ask` does. */
export async function traceScene(ask: Ask, surface: Surface, p: TracePart): Promise<TraceScene | null> {
  const { view, window } = p
  const group = view.groups.find(g => g.id === p.group)
  const rows = sheetRows(p)
  if (!rows || !group) return null
  const steps = stepsOf(view, p.group, p.sources)
  const notes = p.marks?.notes ?? []
  const height = panelHeight({ steps, navigator: false, rows, notes }, p.maxHeight)
  const columns = Math.min(MAX_COLUMNS, Math.max(1, Math.round(geometry(p.width, window.start, window.end).plot * p.scale)))
  const fetched: Fetched = { ...window, columns }
  const slices = new Map<number, SliceColumns>()
  const counters = new Map<number, CounterColumns>()
  const drawn = rows.rows.flatMap(r =>
    r.y >= height ? [] : r.type === 'track' ? [r.track] : r.type === 'group' && r.preview ? [r.preview] : [],
  )
  for (const kind of ['slices', 'counter'] as const) {
    const ids = [...new Set(drawn.filter(t => t.kind === kind).map(t => t.id))]
    for (let i = 0; i < ids.length; i += TRACKS) {
      const some = ids.slice(i, i + TRACKS)
      const args = { session: view.session, tracks: some, start: window.start, end: window.end, width: columns }
      if (kind === 'slices') splitSlices(await ask('trace.slices', args), fetched).forEach((c, k) => slices.set(some[k], c))
      else splitCounters(await ask('trace.counter', args), fetched).forEach((c, k) => counters.set(some[k], c))
    }
  }
  return {
    width: p.width,
    height,
    pixelRatio: p.scale,
    window,
    extent: p.extent,
    axisLabel: group.calibrated ? 'Time since session start' : 'Time, own clock',
    rows,
    scroll: 0,
    slices,
    counters,
    steps,
    overview: null,
    navigator: false,
    sayPending: true,
    cursor: null,
    hover: null,
    selected: null,
    range: null,
    measuring: false,
    focus: null,
    ...p.marks,
    ...(p.vector ? { vector: true } : {}),
    ...(surface.canvas ? { canvas: surface.canvas } : {}),
  }
}

/** Training steps of a group, by start. */
export const stepsOf = (view: Pick<SessionView, 'steps'>, group: number, sources: ReadonlySet<number> | null): SessionView['steps'] =>
  view.steps.filter(s => s.group === group && (sources?.has(s.source) ?? true)).sort((a, b) => a.start - b.start)

/** Height of the panel: that of its rows, or where they are too many the end of the last track that fits, so that nothing is cut in two. */
function panelHeight(t: Pick<TraceScene, 'steps' | 'navigator' | 'notes' | 'rows'>, most: number): number {
  const full = fullHeight(t)
  if (full <= most) return full
  const top = sections({ ...t, height: most }).rows
  const last = t.rows.rows.findLast(r => top + r.y + r.h <= most && (r.type !== 'group' || !r.open))
  return last ? top + last.y + last.h : most
}

/** The pinned rows with their head. */
function pinnedRows(r: Rows): Rows {
  const rows = r.rows.slice(0, r.pinned)
  const last = rows.at(-1)
  const tracks = rows.filter(row => row.type === 'track')
  return {
    rows,
    pinned: r.pinned,
    byTrack: new Map(tracks.map(t => [t.track.id, t])),
    byKey: new Map(rows.map(row => [row.key, row])),
    height: last ? last.y + last.h : 0,
    tracks: r.tracks,
    shown: tracks.length,
    hidden: r.hidden,
    filtered: r.filtered,
    filterError: r.filterError,
    grouped: r.grouped,
  }
}

/** Tracks with a row in the panel, of all that have one. */
export function rowsSeen(t: TraceScene): { readonly seen: number; readonly of: number } {
  const room = t.height - sections(t).rows
  let seen = 0
  for (const r of t.rows.rows) if (r.type === 'track' && r.y + Math.min(r.h, 8) <= room) seen++
  return { seen, of: t.rows.shown }
}

/** Slices narrower than a column that one mark stands for, and those marks. */
export function mergedSlices(t: TraceScene): { readonly slices: number; readonly marks: number } {
  let slices = 0
  let marks = 0
  for (const { merged } of t.slices.values())
    for (const n of merged) {
      if (n <= 1) continue
      slices += n
      marks++
    }
  return { slices, marks }
}
