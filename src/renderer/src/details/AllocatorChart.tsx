/**
 * Active, allocated and reserved bytes of an allocator over the whole recording, as lines. Drawn by echarts from a picture that is one row high:
 * its columns carry the highest value of each pixel, so the peak is in the chart whatever its width. The table above it is its text alternative.
 */
import { useEffect, useRef, useState, type ReactElement } from 'react'
import { LineChart } from 'echarts/charts'
import { GridComponent } from 'echarts/components'
import { init, use as register, type EChartsType } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import type { AllocatorInfo, MemoryPicture } from '../../../shared/api'
import { memory } from '../../../shared/format'
import { request, words } from '../state/session'
import { useView } from '../state/view'
import { useTheme } from '../theme'
import { chartWindow, GRID, options } from './chart'
import type { ChartProps } from './LazyChart'

register([LineChart, GridComponent, CanvasRenderer])

const KEYS = [
  ['Active', 'active'],
  ['Allocated', 'allocated'],
  ['Reserved', 'reserved'],
] as const

export function AllocatorChart({ session, allocator: a, version }: ChartProps): ReactElement {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<EChartsType | null>(null)
  const theme = useTheme()
  const [width, setWidth] = useState(0)
  const [picture, setPicture] = useState<MemoryPicture | null>(null)
  const [error, setError] = useState<string | null>(null)
  const w = chartWindow(a)

  useEffect(() => {
    const element = box.current
    if (!element) return
    const c = init(element, null, { renderer: 'canvas' })
    chart.current = c
    const observer = new ResizeObserver(() => {
      setWidth(element.clientWidth)
      c.resize()
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      c.dispose()
      chart.current = null
    }
  }, [])

  const plot = Math.max(0, Math.round(width - GRID.left - GRID.right))
  const { axis, start, end } = w
  useEffect(() => {
    if (plot < 1) return
    let live = true
    request('memory.picture', { session, allocator: a.id, axis, start, end, width: plot, height: 1, yMax: null, withReserved: true }).then(
      p => {
        if (!live) return
        setError(null)
        setPicture(p)
      },
      (e: unknown) => live && setError(words(e)),
    )
    return () => {
      live = false
    }
  }, [session, a.id, axis, start, end, plot, version])

  useEffect(() => {
    if (picture) chart.current?.setOption(options(theme, picture, { axis, start, end }), true)
  }, [picture, theme, axis, start, end])

  const unit = axis === 'time' ? 'time' : 'event index'
  return (
    <figure className="curve">
      <div
        className="chart"
        ref={box}
        role="img"
        aria-label={`Active, allocated and reserved bytes over ${unit}. Active starts at ${memory(a.startActiveBytes)}, peaks at ${memory(a.peakActiveBytes)} and ends at ${memory(a.endActiveBytes)}.`}
      />
      <ChartCursor allocator={a} width={width} />
      <figcaption>
        {error ? (
          <span>No chart: {error}</span>
        ) : (
          KEYS.map(([name, key]) => (
            <span key={key}>
              <i className={`line ${key}`} />
              {name}
            </span>
          ))
        )}
      </figcaption>
    </figure>
  )
}

/** The shared cursor, drawn by ourselves over the chart: it moves too often for the chart to be drawn anew. */
function ChartCursor({ allocator, width }: { readonly allocator: AllocatorInfo; readonly width: number }): ReactElement | null {
  const { axis, start, end } = chartWindow(allocator)
  const at = useView(s =>
    axis === 'event' ? (s.allocator === allocator.id ? s.eventCursor : null) : s.group === allocator.group ? s.cursor : null,
  )
  if (at === null || at < start || at > end || width <= 0) return null
  const x = GRID.left + ((at - start) / (end - start)) * (width - GRID.left - GRID.right)
  return <i className="at" style={{ left: Math.round(x) }} aria-hidden="true" />
}
