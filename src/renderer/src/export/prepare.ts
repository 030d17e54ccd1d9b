/** Gathers what an exported picture shows: asks the engine for both panels at the picture's own size, in the window of the screen. */
import type { AllocatorInfo, Axis, SessionView } from '../../../shared/api'
import type { CatalogSession } from '../../../shared/catalog'
import { fileSize, memory as bytesText, num } from '../../../shared/format'
import type { ExportSheet, LegendEntry } from '../../../paint/export'
import { geometry } from '../../../paint/geometry'
import { recordedRange } from '../../../paint/memory/paint'
import { groupToken } from '../../../paint/memory/raster'
import { byteScale } from '../../../paint/memory/scale'
import type { MemoryScene } from '../../../paint/memory/scene'
import { PEAK } from '../../../paint/memory/words'
import type { Theme } from '../../../paint/theme'
import { fullHeight, splitCounters, splitSlices, type CounterColumns, type SliceColumns, type TraceScene } from '../../../paint/timeline'
import { axisOf, fixedMax } from '../memory/useMemory'
import { pictureImage } from '../memory/Plot'
import { useMemorySettings } from '../memory/settings'
import { request, useSession } from '../state/session'
import { useView, type TimeWindow } from '../state/view'
import { planFetch } from '../trace/fetchWindow'
import { panelState } from '../trace/input'

export type What = 'both' | 'trace' | 'memory'

export interface ExportOptions {
  readonly what: What
  /** Device pixels per CSS px: the PNG has exactly `width * scale` columns. */
  readonly scale: 1 | 2
  readonly legend: boolean
  readonly sources: boolean
  readonly pinned: boolean
}

/** Size of the sheet and its parts, CSS px. */
export const SHEET_WIDTH = 1280
const MEMORY_HEIGHT = 380
const MEMORY_ALONE = 520
const TRACE_MAX = 420
const TRACE_ALONE = 900
/** Tracks per request of the contract. */
const TRACKS = 64

/** What can be exported now, and the words for it. */
export function choices(view: SessionView | null, info: AllocatorInfo | null): readonly { readonly what: What; readonly label: string }[] {
  const { group, memoryAxis } = useView.getState()
  const trace = view?.tracks.some(t => t.group === group) ?? false
  const axis = axisOf(info, memoryAxis)
  const mem = info !== null && (axis === 'event' || info.group === group)
  return [
    ...(trace && mem ? [{ what: 'both', label: 'System Trace, Allocator' } as const] : []),
    ...(trace ? [{ what: 'trace', label: 'System Trace' } as const] : []),
    ...(mem ? [{ what: 'memory', label: 'PyTorch Allocator' } as const] : []),
  ]
}

const ms = (v: number): string => num(v / 1e6, 1)
export const rangeText = (w: TimeWindow): string => `${ms(w.start)} – ${ms(w.end)}\u00a0ms (${ms(w.end - w.start)}\u00a0ms)`

/** First and last event of a window. */
const eventsText = (w: TimeWindow): readonly [number, number] => [Math.max(0, Math.floor(w.start)), Math.max(0, Math.ceil(w.end) - 1)]

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

export interface Prepared {
  readonly sheet: ExportSheet
  readonly name: string
}

/** Asks for everything and makes the sheet. Rejects with the host's words when something cannot be had. */
export async function prepare(info: AllocatorInfo | null, theme: Theme, o: ExportOptions): Promise<Prepared> {
  const { view, root, session: id, info: app } = useSession.getState()
  const v = useView.getState()
  if (!view || !id) throw new Error('no session is open')
  const session = root?.catalog.sessions.find(s => s.id === id) ?? null
  const withTrace = o.what !== 'memory'
  const withMemory = o.what !== 'trace' && info !== null
  const [trace, mem] = await Promise.all([
    withTrace ? traceScene(view, session, o, withMemory) : null,
    withMemory ? memoryScene(view, info, theme, o, withTrace) : null,
  ])
  const rank = info && withMemory ? info.rank : (session?.ranks[0] ?? null)
  const ranked = rank === null ? '' : `, rank ${rank}`
  const where = session?.timestamp ?? (session && session.dir !== '.' ? session.dir : (root?.name ?? ''))
  const eventWindow = mem?.axis === 'event' ? v.eventWindow : null
  const cut = trace ? trace.rows.height - (trace.height - (fullHeight(trace) - trace.rows.height)) : 0
  const subtitle = [
    root && root.name !== where ? `${root.name} / ${where}` : where,
    withTrace || !eventWindow ? rangeText(v.window) : null,
    eventWindow
      ? `events ${eventsText(eventWindow)
          .map(e => num(e))
          .join(' – ')}`
      : null,
    mem ? `device ${mem.allocator.device}` : null,
    mem ? `${PEAK} ${bytesText(mem.allocator.peakActiveBytes)}` : null,
    cut > 1 ? 'the first rows of the trace' : null,
  ]
  const used = new Set([...(trace ? trace.rows.byTrack.values() : [])].map(r => r.track.source))
  const sources = view.sources.filter(s => used.has(s.index) || (mem !== null && s.index === mem.allocator.source))
  return {
    sheet: {
      width: SHEET_WIDTH,
      title: (mem && trace ? 'PyTorch active memory and System Trace' : mem ? 'PyTorch active memory' : 'System Trace') + ranked,
      subtitle: subtitle.filter(Boolean).join('  ·  '),
      trace,
      memory: mem,
      legend: o.legend && mem ? legendOf(mem) : [],
      sources: o.sources ? sources.map(s => sourceText(s.path, session)) : null,
      program: `${app?.name ?? 'Neuron Workbench'} ${app?.version ?? ''}`.trim(),
    },
    name: withTrace || !eventWindow ? fileName(o.what, rank, v.window) : fileName(o.what, rank, eventWindow, 'event'),
  }
}

const sourceText = (path: string, session: CatalogSession | null): string => {
  const file = session?.files.find(f => f.path === path || f.path.endsWith('/' + path))
  const name = path.split('/').at(-1) ?? path
  return file ? `${name} (${fileSize(file.bytes)})` : name
}

/** The groups that the picture shows, and the start state. */
function legendOf(m: MemoryScene): readonly LegendEntry[] {
  const { picture: p, allocator: a } = m
  if (!p) return []
  const shown = new Set(p.runGroup)
  const start = m.options.startState && p.startBytes.some(b => b > 0)
  return [
    ...a.groups.flatMap((g, i) => (shown.has(i) ? [{ label: g.label, token: groupToken(i) }] : [])),
    ...(start ? [{ label: 'start state', token: 'start' } as const] : []),
  ]
}

async function memoryScene(
  view: SessionView,
  info: AllocatorInfo,
  theme: Theme,
  o: ExportOptions,
  withTrace: boolean,
): Promise<MemoryScene> {
  const v = useView.getState()
  const settings = useMemorySettings.getState()
  const axis = axisOf(info, v.memoryAxis)
  const window = axis === 'time' ? v.window : v.eventWindow
  const g = geometry(SHEET_WIDTH, window.start, window.end)
  const height = withTrace ? MEMORY_HEIGHT : MEMORY_ALONE
  const picture = await request('memory.picture', {
    session: view.session,
    allocator: info.id,
    axis,
    start: window.start,
    end: window.end,
    width: Math.round(g.plot * o.scale),
    height: Math.round(height * o.scale),
    yMax: settings.y === 'fixed' ? fixedMax(info, settings.reserved) : null,
    withReserved: settings.reserved,
  })
  const pinned = o.pinned && v.pinned?.allocator === info.id ? v.pinned.allocation : null
  const d = pinned === null ? null : await request('memory.allocation', { session: view.session, allocator: info.id, allocation: pinned })
  const inRange = recordedRange({ axis, allocator: info })
  return {
    geometry: g,
    scale: byteScale(0, height, picture.yMax),
    axis,
    allocator: info,
    picture,
    pictureWindow: window,
    image: pictureImage(picture, theme, info.groups.length, null, o.scale),
    options: settings,
    steps: inRange && axis === 'time' ? view.steps.filter(s => s.group === v.group) : [],
    cursor: null,
    value: null,
    valueFlag: false,
    hovered: null,
    pinned,
    lifetime: d
      ? axis === 'time'
        ? { from: d.allocTime, to: d.freeCompletedTime }
        : { from: d.allocEvent < 0 ? null : d.allocEvent, to: d.freeCompletedEvent }
      : null,
    range: null,
    flags: false,
  }
}

async function traceScene(
  view: SessionView,
  session: CatalogSession | null,
  o: ExportOptions,
  withMemory: boolean,
): Promise<TraceScene | null> {
  const v = useView.getState()
  const state = panelState(view, view.session, v.group, [], session, new Set())
  if (state.type !== 'tracks') return null
  const { input } = state
  const g = geometry(SHEET_WIDTH, v.window.start, v.window.end)
  const plan = planFetch(v.window, v.extent, g.plot * o.scale)
  const slices = new Map<number, SliceColumns>()
  const counters = new Map<number, CounterColumns>()
  const height = Math.min(fullHeight({ steps: input.steps, navigator: false, rows: input.rows }), withMemory ? TRACE_MAX : TRACE_ALONE)
  const drawn = input.tracks.filter(t => (input.rows.byTrack.get(t.id)?.y ?? Infinity) < height)
  const ask = async (kind: 'slices' | 'counter'): Promise<void> => {
    const ids = drawn.filter(t => t.kind === kind).map(t => t.id)
    for (let i = 0; i < ids.length; i += TRACKS) {
      const tracks = ids.slice(i, i + TRACKS)
      const args = { session: view.session, tracks, start: plan.start, end: plan.end, width: plan.columns }
      if (kind === 'slices') splitSlices(await request('trace.slices', args), plan).forEach((c, k) => slices.set(tracks[k], c))
      else splitCounters(await request('trace.counter', args), plan).forEach((c, k) => counters.set(tracks[k], c))
    }
  }
  await Promise.all([ask('slices'), ask('counter')])
  return {
    width: SHEET_WIDTH,
    height,
    pixelRatio: o.scale,
    window: v.window,
    extent: v.extent,
    axisLabel: input.axisLabel,
    rows: input.rows,
    scroll: 0,
    slices,
    counters,
    steps: input.steps,
    overview: null,
    navigator: false,
    sayPending: true,
    cursor: null,
    hover: null,
    selected: null,
    range: null,
    measuring: false,
    focus: null,
  }
}
