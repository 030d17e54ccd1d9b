/** The System Trace of a sheet: the rows that fit, asked for in the window and at the columns of the picture. */
import { makesTrace, type SessionView } from '../../shared/api'
import type { CatalogSession } from '../../shared/catalog'
import { geometry } from '../geometry'
import type { TrackLayout } from '../../shared/trace-api'
import {
  DEFAULT_LAYOUT,
  fullHeight,
  layoutRows,
  splitCounters,
  splitSlices,
  type CounterColumns,
  type Fetched,
  type SliceColumns,
  type TraceScene,
} from '../timeline'
import type { Ask, Span, Surface } from './ask'

/** Tracks per request of the contract. */
const TRACKS = 64
/** Limit of `width` in the contract. */
const MAX_COLUMNS = 16_384

export interface TracePart {
  readonly view: Pick<SessionView, 'session' | 'groups' | 'sources' | 'tracks' | 'steps'>
  readonly catalog: CatalogSession | null
  readonly group: number
  /** Only tracks of these sources; null for all of the group. */
  readonly sources: ReadonlySet<number> | null
  /** Grouping and order of the rows; absent: as they are without any choice. */
  readonly layout?: TrackLayout
  readonly window: Span
  readonly extent: Span
  /** CSS px. */
  readonly width: number
  /** Most height that the panel takes; it is lower where its rows need less. */
  readonly maxHeight: number
  readonly scale: number
}

/** The scene, null where the group has no track. Rejects as `ask` does. */
export async function traceScene(ask: Ask, surface: Surface, p: TracePart): Promise<TraceScene | null> {
  const { view, window } = p
  const tracks = view.tracks.filter(t => t.group === p.group && (p.sources?.has(t.source) ?? true))
  const group = view.groups.find(g => g.id === p.group)
  if (!tracks.some(makesTrace) || !group) return null
  const rows = layoutRows({
    tracks,
    sources: view.sources,
    layout: p.layout ?? DEFAULT_LAYOUT,
    instance: p.catalog?.instanceId ?? null,
    session: p.catalog?.timestamp ?? null,
    notes: [],
  })
  const steps = stepsOf(view, p.group, p.sources)
  const height = Math.min(fullHeight({ steps, navigator: false, rows }), p.maxHeight)
  const columns = Math.min(MAX_COLUMNS, Math.max(1, Math.round(geometry(p.width, window.start, window.end).plot * p.scale)))
  const fetched: Fetched = { ...window, columns }
  const slices = new Map<number, SliceColumns>()
  const counters = new Map<number, CounterColumns>()
  const drawn = tracks.filter(t => (rows.byTrack.get(t.id)?.y ?? Infinity) < height)
  for (const kind of ['slices', 'counter'] as const) {
    const ids = drawn.filter(t => t.kind === kind).map(t => t.id)
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
    ...(surface.canvas ? { canvas: surface.canvas } : {}),
  }
}

/** Training steps of a group, by start. */
export const stepsOf = (view: Pick<SessionView, 'steps'>, group: number, sources: ReadonlySet<number> | null): SessionView['steps'] =>
  view.steps.filter(s => s.group === group && (sources?.has(s.source) ?? true)).sort((a, b) => a.start - b.start)

/** Whether rows lie below the panel's lower edge. */
export const isCut = (t: TraceScene): boolean => fullHeight(t) - t.height > 1
