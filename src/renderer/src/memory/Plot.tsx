/** The plot of the allocator timeline: canvas, pointer and keys, tooltip. What is drawn comes from `paintMemory`; what lies under the pointer from the picture. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from 'react'
import type { AllocatorInfo, Axis, MemoryAt, MemoryPicture } from '../../../shared/api'
import { memory } from '../../../shared/format'
import { AXIS_MIRROR } from '../../../paint/axis'
import { geometry, type Geometry } from '../../../paint/geometry'
import { hitTest, type Hit } from '../../../paint/memory/hit'
import { paintMemory, placeOf } from '../../../paint/memory/paint'
import { rasterMemory } from '../../../paint/memory/raster'
import { byteScale, type ByteScale } from '../../../paint/memory/scale'
import type { MemoryScene } from '../../../paint/memory/scene'
import { activeName, positionLabel } from '../../../paint/memory/words'
import type { Theme } from '../../../paint/theme'
import { useBandScene } from '../bands/useBandScene'
import { fail, request, useSession } from '../state/session'
import { describeCursor } from '../state/live'
import { useView, type TimeWindow } from '../state/view'
import { useTheme } from '../theme'
import { Legend } from './Legend'
import { pinTarget } from './pin'
import { useMemorySettings } from './settings'
import { Tooltip, type HoverTarget } from './Tooltip'
import { fixedMax, isRecorded, usePicture, type PictureAsked } from './useMemory'
import { usePinnedLife } from './useAllocation'
import type { Answered } from './useAsk'
import { usePlotPointer } from './usePlotPointer'
import { useBox } from './useBox'

export interface PlotProps {
  readonly info: AllocatorInfo
  readonly axis: Axis
  readonly window: TimeWindow
  readonly cursor: number | null
  readonly at: Answered<number, MemoryAt> | null
}

export function Plot({ info, axis, window: win, cursor, at }: PlotProps): ReactElement {
  const theme = useTheme()
  const settings = useMemorySettings()
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const { width, height, dpr } = useBox(box)
  const chart = Math.max(1, height - AXIS_MIRROR)
  const g = useMemo(() => geometry(Math.max(width, 1), win.start, win.end), [width, win.start, win.end])
  const { value, error } = usePicture(
    info,
    axis,
    win,
    width ? g.plot * dpr : 0,
    width ? chart * dpr : 0,
    settings.y,
    settings.reserved,
    settings.rounded,
  )
  const picture = value?.answer ?? null
  // Before the first picture the axis stands as for the whole recording.
  const yMax = picture?.yMax ?? fixedMax(info, settings.reserved, settings.rounded)
  const scale = useMemo(() => byteScale(0, chart, yMax), [chart, yMax])
  const image = usePictureImage(picture, theme, info.groups.length, settings.only, dpr)
  const group = useView(s => s.group)
  const bands = useBandScene(group, axis === 'time')
  const selection = useView(s => s.selection)
  const pinned = useView(s => (s.pinned?.allocator === info.id ? s.pinned.allocation : null))
  const lifetime = usePinnedLife(info, axis, pinned)
  const [eventRange, setEventRange] = useState<TimeWindow | null>(null)
  const [drag, setDrag] = useState<TimeWindow | null>(null)
  const [hover, setHover] = useState<HoverTarget | null>(null)
  const [tip, setTip] = useState(false)

  const range = drag ?? (axis === 'event' ? eventRange : selection?.type === 'range' ? selection : null)
  const shownHover = hover && value && hover.picture === value.answer ? hover : null
  const scene: MemoryScene = {
    geometry: g,
    scale,
    axis,
    allocator: info,
    picture,
    pictureWindow: value?.question ?? win,
    image,
    options: settings,
    ...bands,
    cursor,
    value: at && cursor !== null && isRecorded(info, axis, cursor) ? { at: at.question, bytes: at.answer.activeBytes } : null,
    valueFlag: !(tip && shownHover),
    hovered: shownHover?.hit.kind === 'allocation' ? shownHover.hit.allocation : null,
    pinned,
    lifetime,
    range,
    flags: true,
  }
  useLayoutEffect(() => {
    const c = canvas.current
    const ctx = c?.getContext('2d')
    if (!c || !ctx || width < 1 || height < 1) return
    const w = Math.round(width * dpr)
    const h = Math.round(height * dpr)
    if (c.width !== w || c.height !== h) {
      c.width = w
      c.height = h
    }
    const frame = requestAnimationFrame(() => {
      const begun = performance.now()
      ctx.setTransform(dpr, 0, 0, dpr, 0, 0)
      paintMemory(ctx, theme, scene)
      // For the performance panel and the benchmark; observers have it, the timeline of the page need not keep it.
      performance.measure('memory-frame', { start: begun, detail: { picture: scene.picture !== null } })
      performance.clearMeasures('memory-frame')
    })
    return () => cancelAnimationFrame(frame)
  })

  useEffect(() => {
    if (!at) return
    const a = at.answer
    describeCursor(
      `${positionLabel(axis, at.question)}, ${memory(a.activeBytes)} ${activeName(info)}, ${a.liveAllocations} live allocations`,
    )
  }, [at, axis, info])

  // ── pointer ──
  const setCursor = (t: number): void => {
    const v = useView.getState()
    if (axis === 'time') v.setCursor(t)
    else v.setEventCursor(t)
  }
  const setWindow = (w: TimeWindow): void => {
    const v = useView.getState()
    if (axis === 'time') v.setWindow(w)
    else v.setEventWindow(w)
  }
  const inside = (x: number, y: number): boolean => x >= g.gutter && x <= g.gutter + g.plot && y >= 0 && y < chart
  const under = (x: number, y: number): Hit | null => (inside(x, y) && value ? pick(value, g, scale, x, y) : null)
  const hoverAt = (x: number, y: number, clientX: number, clientY: number): void => {
    const hit = under(x, y)
    if (!hit || !value || (hit.kind !== 'allocation' && hit.kind !== 'smaller')) {
      setHover(null)
      setTip(false)
    } else setHover({ hit, picture: value.answer, x: clientX, y: clientY })
  }
  const target = shownHover ? (shownHover.hit.kind === 'allocation' ? `a${shownHover.hit.allocation}` : 's') : null
  useEffect(() => {
    if (target === null) return
    const timer = setTimeout(() => setTip(true), 80)
    return () => clearTimeout(timer)
  }, [target])

  const leave = (): void => {
    setHover(null)
    setTip(false)
  }
  const pointer = usePlotPointer(canvas, g, win, {
    setCursor,
    setWindow,
    onHover: hoverAt,
    range,
    onLeave: leave,
    onDrag: setDrag,
    onRange: r => {
      if (axis === 'time') useView.getState().select({ type: 'range', ...r })
      else setEventRange(r)
    },
    onClick: (x, y) => {
      setEventRange(null)
      pinHit(under(x, y))
    },
  })
  const clicks = useRef(0)
  const pinHit = (hit: Hit | null): void => {
    const click = ++clicks.current
    const session = useSession.getState().session
    if (hit?.kind === 'allocation') useView.getState().pin({ allocator: info.id, allocation: hit.allocation })
    else if (session !== null)
      pinTarget(hit, ({ event, from, to }) => request('memory.smaller', { session, allocator: info.id, axis, event, from, to, limit: 1 }))
        .then(allocation => {
          // The answer of an earlier click, or of what is no longer shown, pins nothing.
          const here = useSession.getState().session === session && useView.getState().allocator === info.id
          if (allocation !== null && click === clicks.current && here) useView.getState().pin({ allocator: info.id, allocation })
        })
        .catch(fail)
  }

  // ── keys: the cursor along the axis, the allocations of its column, Enter pins ──
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.ctrlKey || e.metaKey || e.altKey) return
    const along = { ArrowLeft: -1, ArrowRight: 1 }[e.key]
    const up = { ArrowUp: 1, ArrowDown: -1 }[e.key]
    const now = cursor !== null && cursor >= win.start && cursor <= win.end ? cursor : (win.start + win.end) / 2
    if (along !== undefined) {
      const next = now + along * ((win.end - win.start) / g.plot) * (e.shiftKey ? 40 : 4)
      setCursor(Math.min(win.end, Math.max(win.start, next)))
      setHover(null)
    } else if (up !== undefined && value) {
      const hit = step(value, now, hover?.hit ?? null, up)
      if (hit) {
        const place = placeOf(scene)
        const r = canvas.current?.getBoundingClientRect()
        if (cursor !== now) setCursor(now)
        setHover({
          hit,
          picture: value.answer,
          x: (r?.left ?? 0) + g.x(now),
          y: (r?.top ?? 0) + place.y(hit.row + hit.rows / 2),
        })
      }
    } else if (e.key === 'Enter' && hover) pinHit(hover.hit)
    else return
    e.preventDefault()
    e.stopPropagation()
  }

  return (
    <div className="plot" ref={box}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={`Active memory over ${axis === 'time' ? 'time' : 'events'}, requested bytes, stacked by allocation. Left and right move the cursor, up and down step through its allocations, Enter pins.`}
        data-testid="memory-canvas"
        data-picture={picture ? `${picture.width}x${picture.height}` : ''}
        data-window={`${win.start},${win.end}`}
        {...pointer}
        onKeyDown={onKeyDown}
        onBlur={leave}
      />
      <Legend info={info} axis={axis} at={at} scale={scale} height={chart} />
      {error && (
        <p className="plot-error" role="alert">
          The picture could not be made: {error}
        </p>
      )}
      {tip && shownHover && <Tooltip info={info} axis={axis} target={shownHover} bounds={box} />}
    </div>
  )
}

/** What lies at a point of the panel. The picture may be one of an older window: the point is looked up where it is drawn. */
function pick(p: Answered<PictureAsked, MemoryPicture>, g: Geometry, s: ByteScale, x: number, y: number): Hit {
  const { answer, question } = p
  const column = Math.floor(((g.t(x) - question.start) / (question.end - question.start)) * answer.width)
  const row = Math.floor((s.bytes(y) / answer.yMax) * answer.height)
  return hitTest(answer, Math.min(column, answer.width - (x >= g.gutter + g.plot ? 1 : 0)), row)
}

/** The run above (1) or below (-1) `from` in the cursor's column; the lowest or highest one to begin with. */
function step(
  p: Answered<PictureAsked, MemoryPicture>,
  at: number,
  from: Hit | null,
  by: number,
): Extract<Hit, { readonly row: number }> | null {
  const { answer, question } = p
  const column = Math.min(answer.width - 1, Math.floor(((at - question.start) / (question.end - question.start)) * answer.width))
  const same = from && 'column' in from && from.column === column ? from : null
  let total = 0
  if (column >= 0) for (let i = answer.columnStart[column]; i < answer.columnStart[column + 1]; i++) total += answer.runRows[i]
  const row = same ? (by > 0 ? same.row + same.rows : same.row - 1) : by > 0 ? 0 : total - 1
  const hit = hitTest(answer, column, row)
  return hit.kind === 'allocation' || hit.kind === 'smaller' ? hit : null
}

/** The pixels of a picture as a canvas, made once per picture and look. */
export function pictureImage(
  picture: MemoryPicture,
  theme: Theme,
  groups: number,
  only: number | null,
  scale: number,
): HTMLCanvasElement | null {
  const c = document.createElement('canvas')
  c.width = picture.width
  c.height = picture.height
  const ctx = c.getContext('2d')
  if (!ctx) return null
  ctx.putImageData(new ImageData(rasterMemory(picture, theme, { groups, only, scale }), picture.width, picture.height), 0, 0)
  return c
}

function usePictureImage(
  picture: MemoryPicture | null,
  theme: Theme,
  groups: number,
  only: number | null,
  scale: number,
): CanvasImageSource | null {
  return useMemo(() => (picture ? pictureImage(picture, theme, groups, only, scale) : null), [picture, theme, groups, only, scale])
}
