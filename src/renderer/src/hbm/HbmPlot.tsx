/** The plot of the HBM tab: canvas, legend, pointer and keys. What is drawn comes from `paintHbm`, what lies under the pointer from the picture. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from 'react'
import type { HbmAt, HbmInfo, HbmPicture } from '../../../shared/hbm-api'
import { memory, num, timeMs } from '../../../shared/format'
import { AXIS_MIRROR } from '../../../paint/axis'
import { geometry } from '../../../paint/geometry'
import { groupAt, highest, stepGroup } from '../../../paint/hbm/hit'
import { paintHbm } from '../../../paint/hbm/paint'
import { rasterHbm } from '../../../paint/hbm/raster'
import type { HbmScene } from '../../../paint/hbm/scene'
import { totalName } from '../../../paint/hbm/words'
import { byteScale, FIT_SHARE } from '../../../paint/memory/scale'
import type { Theme } from '../../../paint/theme'
import { useBandScene } from '../bands/useBandScene'
import type { Answered } from '../memory/useAsk'
import { useBox } from '../memory/useBox'
import { usePlotPointer } from '../memory/usePlotPointer'
import { describeCursor } from '../state/live'
import { fail, request, useSession } from '../state/session'
import { useView, type TimeWindow } from '../state/view'
import { useTheme } from '../theme'
import { groupRows } from './figures'
import { HbmLegend } from './HbmLegend'
import { HbmTooltip } from './HbmTooltip'
import { useHbmSettings, yOf } from './settings'
import { useHbmPicture, useRuntimeAllocation, type PictureAsked } from './useHbm'

/** Rows looked through for the largest allocation of a group. */
const LOOKED = 500

interface Props {
  readonly info: HbmInfo
  readonly at: Answered<number, HbmAt> | null
}

export function HbmPlot({ info, at }: Props): ReactElement {
  const theme = useTheme()
  const settings = useHbmSettings()
  const win = useView(s => s.window)
  const cursor = useView(s => s.cursor)
  const group = useView(s => s.group)
  const selection = useView(s => s.selection)
  const pinned = useView(s => (s.pinnedRuntime?.hbm === info.id ? s.pinnedRuntime.allocation : null))
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const { width, height, dpr } = useBox(box)
  const chart = Math.max(1, height - AXIS_MIRROR)
  const g = useMemo(() => geometry(Math.max(width, 1), win.start, win.end), [width, win.start, win.end])
  const { value, error } = useHbmPicture(info, win, width ? g.plot * dpr : 0, settings.grouping)
  const picture = value?.answer ?? null
  const y = yOf(info, settings.y)
  const top = useMemo(() => {
    const data = picture ? highest(picture, settings.reserved) : info.peakBytes
    return Math.max(1, data, y === 'capacity' ? (info.capacity.bytes ?? 0) : 0) / FIT_SHARE
  }, [picture, settings.reserved, info, y])
  const scale = useMemo(() => byteScale(0, chart, top), [chart, top])
  const [dimmed, setDimmed] = useState<string | null>(null)
  const image = useImage(picture, theme, Math.round(chart * dpr), top, dimmed ?? settings.only, dpr)
  const bands = useBandScene(group)
  const { details } = useRuntimeAllocation(pinned === null ? null : info.id, pinned)
  const [drag, setDrag] = useState<TimeWindow | null>(null)
  const [hover, setHover] = useState<{ readonly x: number; readonly y: number; readonly group: string | null } | null>(null)
  const [tip, setTip] = useState(false)
  const shownAt = at && cursor !== null ? at : null

  const scene: HbmScene = {
    geometry: g,
    scale,
    info,
    picture,
    pictureWindow: value?.question ?? win,
    image,
    options: settings,
    ...bands,
    cursor,
    value: shownAt && shownAt.answer.totalBytes !== null ? { at: shownAt.question, bytes: shownAt.answer.totalBytes } : null,
    valueFlag: !(tip && hover),
    lifetime: details ? { from: details.allocTime, to: details.freeTime } : null,
    range: drag ?? (selection?.type === 'range' ? selection : null),
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
      ctx.setTransform(dpr, 0, 0, dpr, 0, 0)
      paintHbm(ctx, theme, scene)
    })
    return () => cancelAnimationFrame(frame)
  })

  useEffect(() => {
    if (!at) return
    const a = at.answer
    const largest = groupRows(info, settings.grouping, a).reduce<{ label: string; bytes: number } | null>(
      (m, r) => (r.bytes !== null && r.bytes > (m?.bytes ?? 0) ? { label: r.label, bytes: r.bytes } : m),
      null,
    )
    describeCursor(
      a.totalBytes === null
        ? `${timeMs(at.question)}, nothing is known of ${info.label}`
        : `${timeMs(at.question)}, ${memory(a.totalBytes)} ${totalName(info)} in ${info.label}, ${num(a.liveAllocations)} live allocations${largest ? `, most in ${largest.label}: ${memory(largest.bytes)}` : ''}`,
    )
  }, [at, info, settings.grouping])

  // ── pointer ──
  const setCursor = (t: number): void => useView.getState().setCursor(t)
  const labelAt = (x: number, yy: number): string | null => {
    if (!value || x < g.gutter || x > g.gutter + g.plot || yy < 0 || yy >= chart) return null
    const at = groupAt(value.answer, columnOf(value, g.t(x)), scale.bytes(yy))
    return at < 0 ? null : value.answer.groups[at].label
  }
  const leave = (): void => {
    setHover(null)
    setTip(false)
  }
  const clicks = useRef(0)
  /** Pins the largest live allocation of a group at a time. */
  const pinLargest = (label: string | null, time: number): void => {
    const click = ++clicks.current
    const session = useSession.getState().session
    const of = label === null ? [] : (groupRows(info, settings.grouping, null).find(r => r.label === label)?.categories ?? [])
    if (session === null || of.length === 0 || info.from !== 'events') return
    const filter = of.length === 1 ? info.categories[of[0]].name : ''
    request('hbm.live', { session, hbm: info.id, at: time, sort: 'size', descending: true, filter, offset: 0, limit: LOOKED }).then(
      live => {
        const row = live.rows.find(r => r.category !== null && of.includes(r.category))
        if (row && click === clicks.current && useSession.getState().session === session)
          useView.getState().pinRuntime({ hbm: info.id, allocation: row.allocation })
      },
      fail,
    )
  }
  const pointer = usePlotPointer(canvas, g, win, {
    setCursor,
    setWindow: w => useView.getState().setWindow(w),
    onHover: (x, yy, clientX, clientY) => {
      if (yy < 0 || yy >= chart) leave()
      else setHover({ x: clientX, y: clientY, group: labelAt(x, yy) })
    },
    onLeave: leave,
    range: scene.range,
    onDrag: setDrag,
    onRange: r => useView.getState().select({ type: 'range', ...r }),
    onClick: (x, yy) => {
      setCursor(g.t(x))
      pinLargest(labelAt(x, yy), g.t(x))
    },
  })
  const shown = hover !== null
  useEffect(() => {
    if (!shown) return
    const timer = setTimeout(() => setTip(true), 80)
    return () => clearTimeout(timer)
  }, [shown])

  // ── keys: the cursor along the axis, the groups of its column, Enter pins ──
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.ctrlKey || e.metaKey || e.altKey) return
    const along = { ArrowLeft: -1, ArrowRight: 1 }[e.key]
    const up = ({ ArrowUp: 1, ArrowDown: -1 } as const)[e.key as 'ArrowUp']
    const now = cursor !== null && cursor >= win.start && cursor <= win.end ? cursor : (win.start + win.end) / 2
    if (along !== undefined) {
      const next = now + along * ((win.end - win.start) / g.plot) * (e.shiftKey ? 40 : 4)
      setCursor(Math.min(win.end, Math.max(win.start, next)))
      leave()
    } else if (up !== undefined && value) {
      const p = value.answer
      const c = columnOf(value, now)
      const next = stepGroup(p, c, hover?.group ? p.groups.findIndex(x => x.label === hover.group) : -1, up)
      if (cursor !== now) setCursor(now)
      if (next >= 0) {
        let below = 0
        for (let k = 0; k < next; k++) below += p.bytes[k][c] || 0
        const r = canvas.current?.getBoundingClientRect()
        setHover({
          x: (r?.left ?? 0) + g.x(now),
          y: (r?.top ?? 0) + Math.max(0, scale.y(below + p.bytes[next][c] / 2)),
          group: p.groups[next].label,
        })
      }
    } else if (e.key === 'Enter' && hover) pinLargest(hover.group, now)
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
        aria-label={`Device memory of ${info.label} over time, stacked by usage.${info.gaps.length > 0 ? ' Where events were lost, totals are not sure.' : ''} Left and right move the cursor, up and down step through the groups at the cursor, Enter pins the largest allocation of the group.`}
        data-testid="hbm-canvas"
        data-picture={picture ? picture.width : ''}
        data-window={`${win.start},${win.end}`}
        data-top={scale.max}
        {...pointer}
        onKeyDown={onKeyDown}
        onBlur={leave}
      />
      <HbmLegend info={info} at={shownAt} height={chart} onHover={setDimmed} />
      {error && (
        <p className="plot-error" role="alert">
          The picture could not be made: {error}
        </p>
      )}
      {tip && hover && shownAt && <HbmTooltip info={info} at={shownAt} group={hover.group} x={hover.x} y={hover.y} bounds={box} />}
    </div>
  )
}

/** Column of a time; the picture may be one of an older window. The end of the window belongs to the last column. */
function columnOf({ answer, question }: Answered<PictureAsked, HbmPicture>, t: number): number {
  const c = Math.floor(((t - question.start) / (question.end - question.start)) * answer.width)
  return t === question.end ? answer.width - 1 : c
}

/** The pixels of a picture as a canvas, made once per picture, scale and look. */
function useImage(
  picture: HbmPicture | null,
  theme: Theme,
  height: number,
  yMax: number,
  only: string | null,
  scale: number,
): CanvasImageSource | null {
  return useMemo(() => {
    if (!picture || height < 1) return null
    const c = document.createElement('canvas')
    c.width = picture.width
    c.height = height
    const ctx = c.getContext('2d')
    if (!ctx) return null
    ctx.putImageData(new ImageData(rasterHbm(picture, theme, { height, yMax, only, scale }), picture.width, height), 0, 0)
    return c
  }, [picture, theme, height, yMax, only, scale])
}
