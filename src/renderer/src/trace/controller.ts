/**
 * Holds what React should not: the canvases, the scene, the fetcher, scroll and hover. It listens to the view store itself, so that a move of the pointer or
 * of the window paints without rendering a component.
 */
import type { TrackInfo } from '../../../shared/api'
import { duration, timeMs } from '../../../shared/format'
import { forgetTextWidths } from '../../../paint/text'
import type { Band } from '../../../paint/bands'
import type { Theme } from '../../../paint/theme'
import { geometry, type Geometry } from '../../../paint/geometry'
import {
  counterSpanText,
  edgeNear,
  hitTest,
  indexOfRow,
  laneOf,
  markOf,
  paintOverlay,
  paintStatic,
  PINNED_KEY,
  rowTop,
  sections,
  type Edge,
  type Hit,
  type Mark,
  type NoteMark,
  type PinMark,
  type Row,
  type Sections,
  type SliceHit,
  type TraceScene,
} from '../../../paint/timeline'
import { PAD, SLICE } from '../../../paint/timeline/metrics'
import { inSight, rowsBetween, stickyHeight } from '../../../paint/timeline/rows'
import { arrowsNow, useChain, watchChain } from '../chain/state'
import { describeCursor } from '../state/live'
import { request } from '../state/session'
import { useView, type Selection } from '../state/view'
import { SearchMarks } from '../search/marks'
import { TraceFetcher } from './fetcher'
import type { RowPlace } from './RowButtons'
import type { TraceInput } from './input'

/** What the tooltip shows; the pointer's place in client px. */
export interface Tip {
  readonly hit: Hit
  readonly x: number
  readonly y: number
}

export interface Status {
  /** Words of a failed request for tracks, null when all is well. */
  readonly error: string | null
}

/** Nothing says "Reading…" before this long, so that quick answers don't flicker. */
const PENDING_MS = 250
const TIP_MS = 80

export class TraceController {
  readonly #still: HTMLCanvasElement
  readonly #over: HTMLCanvasElement
  readonly #scroller: HTMLElement
  readonly #fetcher: TraceFetcher
  readonly #marks: SearchMarks
  readonly #stop: (() => void)[] = []
  #theme: Theme
  #input: TraceInput | null = null
  #width = 0
  #height = 0
  #ratio = 1
  #frame = 0
  #dirtyStill = true
  #missingSince: number | null = null
  #pendingTimer: ReturnType<typeof setTimeout> | undefined
  #hover: Mark | null = null
  #tipTimer: ReturnType<typeof setTimeout> | undefined
  #tip: Tip | null = null
  /** The selected slice's level, which a selection doesn't tell. */
  #lane: { readonly selection: Selection; readonly lane: number } | null = null
  /** Row with the keyboard focus, by its key, and the slice on it. */
  #focusKey: string | null = null
  #focusSlice: { readonly track: number; readonly row: number; readonly start: number } | null = null
  #focused = false
  #pins: readonly PinMark[] = []
  #notes: readonly NoteMark[] = []
  #bands: { readonly on: boolean; readonly annotations: readonly Band[] } = { on: true, annotations: [] }
  /** Where the pointer is in the panel, null while it is elsewhere. */
  #pointer: { readonly x: number; readonly y: number } | null = null
  measuring = false
  /** The edge that a drag is drawn to. */
  snap: number | null = null

  #drop: number | null = null
  #rowPlace: RowPlace | null = null
  /** Called when the row changes whose name the pointer is over, and when it moves. */
  onRow: (place: RowPlace | null) => void = () => {}

  /** Called when the tooltip changes. */
  onTip: (tip: Tip | null) => void = () => {}
  onStatus: (status: Status) => void = () => {}
  #status: Status = { error: null }

  constructor(still: HTMLCanvasElement, over: HTMLCanvasElement, scroller: HTMLElement, theme: Theme) {
    this.#still = still
    this.#over = over
    this.#scroller = scroller
    this.#theme = theme
    this.#fetcher = new TraceFetcher(request, () => this.#arrived())
    this.#marks = new SearchMarks(request, () => this.invalidate(true))
    this.#stop.push(
      watchChain(),
      useChain.subscribe(() => this.invalidate(false)),
    )
    this.#stop.push(
      useView.subscribe((s, was) => {
        if (s.window !== was.window || s.extent !== was.extent || s.group !== was.group) this.invalidate(true)
        else if (s.cursor !== was.cursor || s.selection !== was.selection) this.invalidate(false)
      }),
    )
    const onScroll = (): void => {
      this.setTip(null)
      this.#overRow(null)
      this.invalidate(true)
    }
    scroller.addEventListener('scroll', onScroll, { passive: true })
    this.#stop.push(() => scroller.removeEventListener('scroll', onScroll))
    const onFonts = (): void => {
      forgetTextWidths()
      this.invalidate(true)
    }
    document.fonts.addEventListener('loadingdone', onFonts)
    this.#stop.push(() => document.fonts.removeEventListener('loadingdone', onFonts))
  }

  close(): void {
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#tipTimer)
    clearTimeout(this.#pendingTimer)
    this.#fetcher.close()
    this.#marks.close()
    this.#stop.forEach(f => f())
  }

  setTheme(theme: Theme): void {
    this.#theme = theme
    this.invalidate(true)
  }

  setInput(input: TraceInput): void {
    const before = this.#focused ? this.focusRow : null
    const seen = before !== null && this.#inSight(before)
    this.#input = input
    // A row that was moved takes the view along.
    const now = seen ? this.focusRow : null
    if (now && now.key === before?.key && now.y !== before.y) this.#scrollTo(now, now.y, now.y + now.h)
    this.#stillUnder()
    this.invalidate(true)
  }

  /** Rows moved under a pointer that rests: what it told was of another row. */
  #stillUnder(): void {
    const tip = this.#tip
    if (!tip || !this.#pointer) return
    const hit = this.hit(this.#pointer.x, this.#pointer.y)
    if (!hit || !sameThing(tip.hit, hit)) this.setTip(null)
  }

  setPins(pins: readonly PinMark[]): void {
    this.#pins = pins
    this.invalidate(false)
  }

  setNotes(notes: readonly NoteMark[]): void {
    // Their row comes with the first and goes with the last.
    const moves = notes.length > 0 !== this.#notes.length > 0
    this.#notes = notes
    this.invalidate(moves)
  }

  /** Whether steps and annotations stand behind the tracks. */
  setBands(on: boolean, annotations: readonly Band[]): void {
    if (on === this.#bands.on && annotations === this.#bands.annotations) return
    this.#bands = { on, annotations }
    this.invalidate(true)
  }

  get input(): TraceInput | null {
    return this.#input
  }

  resize(width: number, height: number): void {
    this.#width = width
    this.#height = height
    this.#ratio = window.devicePixelRatio || 1
    for (const c of [this.#still, this.#over]) {
      c.width = Math.max(1, Math.round(width * this.#ratio))
      c.height = Math.max(1, Math.round(height * this.#ratio))
      c.style.width = `${width}px`
      c.style.height = `${height}px`
    }
    this.#paint(true) // at once: a canvas that was resized is blank
  }

  get geometry(): Geometry {
    const { window: w } = useView.getState()
    return geometry(this.#width, w.start, w.end)
  }

  get sections(): Sections {
    return sections({ height: this.#height, steps: this.#input?.steps ?? [], notes: this.#notes, navigator: true })
  }

  get viewHeight(): number {
    return this.#height - this.sections.rows
  }

  get scroll(): number {
    return this.#scroller.scrollTop
  }

  scrollBy(dy: number): void {
    this.#scroller.scrollTop += dy
  }

  /** Scrolls a track into sight, as little as that takes; nothing for one that is folded away or whose level is seen already. */
  reveal(track: number, lane: number): void {
    const scene = this.scene()
    const row = scene?.rows.byTrack.get(track)
    if (!scene || !row) return
    const top = row.y + lane * SLICE
    this.#scrollTo(row, top, Math.min(row.y + row.h, top + PAD * 2 + SLICE))
  }

  /** The scene as it stands now; null before there is anything to show. */
  scene(): TraceScene | null {
    const input = this.#input
    if (!input || this.#width <= 0 || this.#height <= 0) return null
    const v = useView.getState()
    const focused = this.#focused ? this.focusRow : null
    return {
      width: this.#width,
      height: this.#height,
      pixelRatio: this.#ratio,
      window: v.window,
      extent: v.extent,
      axisLabel: input.axisLabel,
      rows: input.rows,
      scroll: this.scroll,
      slices: this.#fetcher.slices,
      counters: this.#fetcher.counters,
      matches: this.#marks.shown,
      steps: input.steps,
      bands: this.#bands.on,
      annotations: this.#bands.annotations,
      notes: this.#notes,
      overview: this.#fetcher.overview,
      navigator: true,
      sayPending: this.#missingSince !== null && performance.now() - this.#missingSince >= PENDING_MS,
      cursor: v.cursor,
      hover: this.#hover ?? this.#focusMark(),
      selected: this.#selected(v.selection),
      range: v.selection?.type === 'range' ? v.selection : null,
      arrows: arrowsNow(),
      pins: this.#pins,
      measuring: this.measuring,
      snap: this.snap,
      drop: this.#drop,
      focus: focused ? input.rows.rows.indexOf(focused) : null,
    }
  }

  /** Asks for a repaint with the next frame: of both layers, or only of what follows the pointer. */
  invalidate(still: boolean): void {
    if (still) this.#dirtyStill = true
    if (this.#frame !== 0) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.#paint(this.#dirtyStill)
    })
  }

  #paint(still: boolean): void {
    this.#dirtyStill = false
    if (still) this.#fetch()
    const scene = this.scene()
    if (!scene) return
    const begun = performance.now()
    if (still) {
      const ctx = this.#still.getContext('2d', { alpha: false })
      if (ctx) {
        ctx.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0)
        paintStatic(ctx, this.#theme, scene)
      }
    }
    const over = this.#over.getContext('2d')
    if (over) {
      over.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0)
      over.clearRect(0, 0, this.#width, this.#height)
      paintOverlay(over, this.#theme, scene)
    }
    // For the performance panel and the benchmark; observers have it, the timeline of the page need not keep it.
    performance.measure(still ? 'trace-frame' : 'trace-overlay', { start: begun })
    performance.clearMeasures('trace-frame')
    performance.clearMeasures('trace-overlay')
  }

  #fetch(): void {
    const input = this.#input
    if (!input || this.#width <= 0) return
    const v = useView.getState()
    if (v.group !== input.group.id) return // the store moves first, the view's tracks follow
    const g = this.geometry
    const h = Math.max(1, this.viewHeight)
    const tracks = (rows: readonly Row[]): readonly TrackInfo[] =>
      rows.flatMap(r => (r.type === 'track' ? [r.track] : r.type === 'group' && r.preview ? [r.preview] : []))
    const { fixed, moving } = inSight(input.rows, this.scroll, h)
    const visible = tracks([...fixed, ...moving])
    const ids = new Set(visible.map(t => t.id))
    const near = tracks(rowsBetween(input.rows.rows, this.scroll - h / 2, h * 2)).filter(t => !ids.has(t.id))
    this.#fetcher.update({
      session: input.session,
      version: input.version,
      group: input.group.id,
      originNs: input.group.originNs,
      window: v.window,
      extent: v.extent,
      plot: g.plot,
      visible,
      near,
    })
    this.#marks.update({ session: input.session, group: input.group.id, window: v.window, extent: v.extent, plot: g.plot, visible })
    if (!this.#fetcher.missing()) this.#missingSince = null
    else if (this.#missingSince === null) {
      this.#missingSince = performance.now()
      clearTimeout(this.#pendingTimer)
      this.#pendingTimer = setTimeout(() => this.invalidate(true), PENDING_MS + 10)
    }
  }

  #arrived(): void {
    if (this.#status.error !== this.#fetcher.error) {
      this.#status = { error: this.#fetcher.error }
      this.onStatus(this.#status)
    }
    this.invalidate(true)
  }

  // ── rows ──

  /** Top of a row on the panel, CSS px. */
  topOf(row: Row): number {
    const scene = this.scene()
    return scene ? rowTop(scene, this.sections, row) : 0
  }

  /** Shows where a dragged row would go; null: none is dragged. */
  setDrop(y: number | null): void {
    if (y === this.#drop) return
    this.#drop = y
    this.invalidate(false)
  }

  /** The row that keys and commands act on: that with the focus, else the one whose name is under the pointer. */
  get target(): Row | null {
    return this.#focused ? this.focusRow : (this.#rowPlace?.row ?? null)
  }

  #overRow(row: Row | null): void {
    const top = row === null ? 0 : this.topOf(row)
    const was = this.#rowPlace
    if (was?.row === row && (row === null || was?.top === top)) return
    if (was === null && row === null) return
    this.#rowPlace = row === null ? null : { row, top, height: row.h }
    this.onRow(this.#rowPlace)
  }

  // ── what lies where ──

  hit(x: number, y: number): Hit | null {
    const scene = this.scene()
    return scene ? hitTest(scene, x, y) : null
  }

  /** The edge near (x, y) that the pointer is drawn to; `except`: a note that is being moved. */
  edgeAt(x: number, y: number, except: string | null = null): Edge | null {
    const scene = this.scene()
    return scene ? edgeNear(scene, x, y, except) : null
  }

  /** `t`, or the edge near the pointer where the pointer stands at `t`. */
  snapCursor(t: number): number {
    const p = this.#pointer
    if (!p || Math.abs(this.geometry.x(t) - p.x) > 1) return t
    return this.edgeAt(p.x, p.y)?.time ?? t
  }

  #selected(s: Selection | null): Mark | null {
    if (s?.type !== 'slice') return null
    const c = this.#fetcher.slices.get(s.track)
    const index = c ? indexOfRow(c, s.row) : -1
    if (c && index >= 0) this.#lane = { selection: s, lane: laneOf(c, index) }
    if (this.#lane?.selection !== s) return null
    return { track: s.track, lane: this.#lane.lane, start: s.start, duration: s.duration }
  }

  /** Selects a slice in the shared store and leaves the cursor at `at`. */
  selectSlice(hit: SliceHit, at: number | null): void {
    const { columns: c, index, row } = hit
    const d = c.duration[index]
    const selection: Selection = {
      type: 'slice',
      source: row.track.source,
      row: c.row[index],
      track: row.track.id,
      start: c.from[index],
      duration: Number.isFinite(d) ? d : 0,
    }
    this.#lane = { selection, lane: hit.mark.lane }
    useView.getState().select(selection)
    if (at !== null) useView.getState().setCursor(at)
  }

  // ── hover ──

  /** The pointer is at (x, y) of the panel; outlines what is there and shows its tooltip once it rests. */
  hoverAt(x: number, y: number, client: { readonly x: number; readonly y: number }): Hit | null {
    this.#pointer = { x, y }
    const hit = this.hit(x, y)
    this.#overRow(x < this.geometry.gutter && (hit?.type === 'group' || hit?.type === 'label') ? hit.row : null)
    const mark = hit?.type === 'slice' ? hit.mark : null
    if (!sameMark(mark, this.#hover)) {
      this.#hover = mark
      this.invalidate(false)
    }
    const tells =
      hit !== null &&
      (hit.type === 'slice' || hit.type === 'label' || hit.type === 'counter' || (hit.type === 'group' && x < this.geometry.gutter))
    if (!tells) this.setTip(null)
    else if (this.#tip && sameThing(this.#tip.hit, hit)) this.setTip({ hit, ...client })
    else {
      this.setTip(null)
      this.#tipTimer = setTimeout(() => this.setTip({ hit, ...client }), TIP_MS)
    }
    if (hit) this.#describe(hit)
    return hit
  }

  leave(): void {
    this.#pointer = null
    this.#overRow(null)
    this.setTip(null)
    if (!this.#hover) return
    this.#hover = null
    this.invalidate(false)
  }

  setTip(tip: Tip | null): void {
    clearTimeout(this.#tipTimer)
    if (tip === this.#tip) return
    this.#tip = tip
    this.onTip(tip)
  }

  #describe(hit: Hit): void {
    const { cursor } = useView.getState()
    const at = cursor === null ? '' : `${timeMs(cursor)}, `
    if (hit.type === 'slice') describeCursor(`${at}${sliceWords(hit)}`)
    else if (hit.type === 'counter') describeCursor(`${at}${hit.row.track.name} ${counterSpanText(hit.row.track, hit.span)}`)
    else if (hit.type === 'empty' && hit.row?.type === 'track') describeCursor(`${at}nothing on ${hit.row.track.name}`)
  }

  // ── keyboard focus ──

  setFocused(on: boolean): void {
    const comes = on && !this.#focused
    this.#focused = on
    const { selection: s } = useView.getState()
    const row = comes && s?.type === 'slice' ? this.#input?.rows.byTrack.get(s.track) : undefined
    if (row && s?.type === 'slice') {
      // The focus goes on from what is selected.
      this.#focusKey = row.key
      this.#focusSlice = { track: s.track, row: s.row, start: s.start }
    } else if (on && this.#focusKey === null) {
      const first = this.#input?.rows.rows.find(r => r.y + r.h > this.scroll)
      this.#focusKey = first?.key ?? null
    }
    if (!on) this.#focusSlice = null
    this.invalidate(false)
  }

  get focusRow(): Row | null {
    const rows = this.#input?.rows.rows ?? []
    const row = rows.find(r => r.key === this.#focusKey)
    // Another range has other rows, and a row may be hidden: keys then go on from the first one in sight, as when the focus came.
    return row ?? rows.find(r => r.y + r.h > this.scroll) ?? null
  }

  /** The focused slice as a hit, null where there is none on the focused track or it is not among what was fetched. */
  get focusHit(): SliceHit | null {
    const row = this.focusRow
    const f = this.#focusSlice
    if (row?.type !== 'track' || f?.track !== row.track.id) return null
    const columns = this.#fetcher.slices.get(row.track.id)
    const index = columns ? indexOfRow(columns, f.row) : -1
    if (!columns || index < 0) return null
    return { type: 'slice', row, columns, index, mark: markOf(columns, index, laneOf(columns, index), row.track.id) }
  }

  slicesOf(track: number): SliceHit['columns'] | undefined {
    return this.#fetcher.slices.get(track)
  }

  focusTo(row: Row, slice: { readonly row: number; readonly start: number } | null): void {
    this.#focusKey = row.key
    this.#focusSlice = row.type === 'track' && slice ? { track: row.track.id, ...slice } : null
    const hit = this.focusHit
    const top = row.y + (hit ? hit.mark.lane * SLICE : 0)
    this.#scrollTo(row, top, hit ? top + PAD * 2 + SLICE : row.y + Math.min(row.h, this.viewHeight))
    if (hit) describeCursor(sliceWords(hit))
    else describeCursor(rowWords(row))
    this.invalidate(false)
  }

  /** Gives the focus to a neighbour of a row that is about to go. */
  leaveRow(row: Row): void {
    if (this.#focusKey !== row.key) return
    const rows = this.#input?.rows.rows ?? []
    const at = rows.indexOf(row)
    const next = rows[at + 1] ?? rows[at - 1]
    if (next) this.focusTo(next, null)
  }

  get #sticky(): number {
    const rows = this.#input?.rows
    return rows ? stickyHeight(rows, this.viewHeight) : 0
  }

  #inSight(row: Row): boolean {
    return row.y < this.#sticky || (row.y + row.h > this.scroll + this.#sticky && row.y < this.scroll + this.viewHeight)
  }

  /** Brings a stretch of a row into sight. Pinned rows are always there, and cover what scrolls below them. */
  #scrollTo(row: Row, top: number, bottom: number): void {
    const sticky = this.#sticky
    if (row.y < sticky) return
    if (top < this.scroll + sticky) this.#scroller.scrollTop = top - sticky
    else if (bottom > this.scroll + this.viewHeight) this.#scroller.scrollTop = bottom - this.viewHeight
  }

  #focusMark(): Mark | null {
    return this.#focused ? (this.focusHit?.mark ?? null) : null
  }
}

const sameMark = (a: Mark | null, b: Mark | null): boolean =>
  a === b || (a !== null && b !== null && a.track === b.track && a.lane === b.lane && a.start === b.start && a.duration === b.duration)

/** Whether two hits are one and the same thing, so that its tooltip moves along. */
export function sameThing(a: Hit, b: Hit): boolean {
  if (a.type === 'slice' && b.type === 'slice') return a.row.key === b.row.key && a.columns.row[a.index] === b.columns.row[b.index]
  if (a.type === 'label' && b.type === 'label') return a.row.key === b.row.key
  if (a.type === 'group' && b.type === 'group') return a.row.key === b.row.key
  return a.type === 'counter' && b.type === 'counter' && a.row.key === b.row.key
}

export const trackWords = (t: Pick<TrackInfo, 'name' | 'note'>): string => (t.note ? `${t.name} ${t.note}` : t.name)

/** One sentence about a slice: name, duration, start, track. */
export function sliceWords({ columns: c, index, row }: SliceHit): string {
  const name = c.names[c.name[index]] ?? ''
  const merged = c.merged[index] > 1 ? `, ${c.merged[index].toLocaleString('en-US')} slices here` : ''
  const length = c.flags[index] === 1 ? 'instant' : duration(c.duration[index])
  return `${name}, ${length}, starts at ${timeMs(c.from[index])}, ${trackWords(row.track)}${merged}`
}

export function rowWords(r: Row): string {
  if (r.type === 'group') return `${r.title} ${r.sub}, ${r.open ? 'open' : `closed, ${r.side}`}`
  if (r.type === 'note') return r.words
  const name = [r.prefix, r.label, r.note].filter(Boolean).join(' ')
  return `${name}, ${r.track.events.toLocaleString('en-US')} events${r.group === PINNED_KEY ? ', pinned' : ''}`
}
