/**
 * The System Trace as a picture. A scene is plain data; `paintTrace` draws it on any 2D context, for the screen and for the exported picture alike.
 * The screen draws in two layers: `paintStatic` when the window, the rows or the data change, `paintOverlay` for every move of the cursor.
 */
import type { OverviewAnswer } from '../../shared/api'
import { AXIS } from '../axis'
import type { Band } from '../bands'
import { geometry, type Geometry } from '../geometry'
import type { Context2D, Theme } from '../theme'
import type { Arrow } from './arrows'
import type { CounterColumns, SliceColumns } from './columns'
import type { MatchColumns } from './highlight'
import { NAVIGATOR, NAVIGATOR_LOW, NOTES, STEPS } from './metrics'
import { drawNavigator } from './navigator'
import type { NoteMark } from './notes'
import { drawOverlay } from './overlay'
import { stickyHeight, topOf, type Row, type Rows } from './rows'
import type { CanvasFactory } from './scratch'
import type { Step } from './steps'
import { drawTracks } from './tracks'

/** A slice on the screen, ns relative to the group's origin. */
export interface Mark {
  readonly track: number
  readonly lane: number
  readonly start: number
  readonly duration: number
}

/** Where something of the pinned allocation happened: on a track where its thread is known, else only in time. */
export interface PinMark {
  readonly time: number
  readonly track: number | null
}

export interface TraceScene {
  /** Size of the whole panel without its head, CSS px. */
  readonly width: number
  readonly height: number
  /** Device px per CSS px; the context is expected to be scaled by it already. */
  readonly pixelRatio: number
  /** Visible window and extent of the group's data, ns relative to the group's origin. */
  readonly window: { readonly start: number; readonly end: number }
  readonly extent: { readonly start: number; readonly end: number }
  /** Words before the axis. */
  readonly axisLabel: string
  readonly rows: Rows
  /** How far the rows are scrolled, CSS px. */
  readonly scroll: number
  /** What is known of the tracks, by track id. A stretch that is coarser or finer than the window is drawn stretched. */
  readonly slices: ReadonlyMap<number, SliceColumns>
  readonly counters: ReadonlyMap<number, CounterColumns>
  /** Training steps of the group, by start. Without any, their row is left out. */
  readonly steps: readonly Step[]
  /** Whether the steps are bands behind the tracks; absent: yes. */
  readonly bands?: boolean
  /** Annotations, whose begins are dotted edges; absent: none. */
  readonly annotations?: readonly Band[]
  /** Marks and notes; without any, their row is left out. */
  readonly notes?: readonly NoteMark[]
  readonly overview: OverviewAnswer | null
  /** Draw the navigator (a picture of one window may leave it out). */
  readonly navigator: boolean
  /** Say where nothing has arrived yet; false during the first moments, so that nothing flickers. */
  readonly sayPending: boolean
  readonly cursor: number | null
  readonly hover: Mark | null
  readonly selected: Mark | null
  readonly range: { readonly start: number; readonly end: number } | null
  /** Dependencies of the selected event, nearest first. */
  readonly arrows?: readonly Arrow[]
  /** Where the pinned allocation was made and freed. */
  readonly pins?: readonly PinMark[]
  /** True while the range is being dragged: its length stands where the cursor's flag would. */
  readonly measuring: boolean
  /** The edge that what is being dragged is drawn to. */
  readonly snap?: number | null
  /** Index of the row with the keyboard focus. */
  readonly focus: number | null
  /** Where a row that is being dragged would go, y on the panel. */
  readonly drop?: number | null
  /** Hits of a search by track; tracks without an entry are drawn as they are. Absent or null: nothing is searched for. */
  readonly matches?: ReadonlyMap<number, MatchColumns> | null
  /** Draw slices and counters as shapes rather than as pixels; absent: no. */
  readonly vector?: boolean
  /** Makes the second canvas where there is no OffscreenCanvas. */
  readonly canvas?: CanvasFactory
}

/** Tops of the parts of the panel, CSS px. `steps === rows` where there is no row of steps, `notes === steps` where there is none of notes. */
export interface Sections {
  readonly navigator: number
  readonly axis: number
  readonly notes: number
  readonly steps: number
  readonly rows: number
}

/** Where the parts of a panel stand. */
export function sections(scene: Pick<TraceScene, 'height' | 'steps' | 'navigator' | 'notes'>): Sections {
  const nav = scene.navigator ? (scene.height < 300 ? NAVIGATOR_LOW : NAVIGATOR) : 0
  const notes = nav + AXIS
  const steps = notes + ((scene.notes?.length ?? 0) > 0 ? NOTES : 0)
  return { navigator: 0, axis: nav, notes, steps, rows: steps + (scene.steps.length > 0 ? STEPS : 0) }
}

/** Height of the pinned rows that stay at the top of the tracks, CSS px. */
export const stickyOf = (scene: Pick<TraceScene, 'rows' | 'height'>, s: Sections): number => stickyHeight(scene.rows, scene.height - s.rows)

/** Top of a row on the panel, CSS px. */
export const rowTop = (scene: TraceScene, s: Sections, row: Row): number => s.rows + topOf(row, stickyOf(scene, s), scene.scroll)

/** Height that shows all rows without scrolling, CSS px. */
export const fullHeight = (scene: Pick<TraceScene, 'steps' | 'navigator' | 'notes'> & { readonly rows: Rows }): number =>
  sections({ ...scene, height: Infinity }).rows + scene.rows.height

export const sceneGeometry = (scene: TraceScene): Geometry => geometry(scene.width, scene.window.start, scene.window.end)

/** Navigator and rows: everything that doesn't follow the pointer. */
export function paintStatic(ctx: Context2D, theme: Theme, scene: TraceScene): void {
  const g = sceneGeometry(scene)
  const s = sections(scene)
  if (scene.navigator) drawNavigator(ctx, theme, { geometry: g, extent: scene.extent, overview: scene.overview, height: s.axis })
  drawTracks(ctx, theme, scene, g, s.rows)
}

/** Axis, steps, outlines and cursor, over the static layer or on a transparent one of their own. */
export function paintOverlay(ctx: Context2D, theme: Theme, scene: TraceScene): void {
  drawOverlay(ctx, theme, scene, sceneGeometry(scene), sections(scene))
}

/** The whole panel. The context's origin is the panel's upper left corner; nothing outside of width x height is touched. */
export function paintTrace(ctx: Context2D, theme: Theme, scene: TraceScene): void {
  ctx.save()
  ctx.beginPath()
  ctx.rect(0, 0, scene.width, scene.height)
  ctx.clip()
  paintStatic(ctx, theme, scene)
  paintOverlay(ctx, theme, scene)
  ctx.restore()
}
