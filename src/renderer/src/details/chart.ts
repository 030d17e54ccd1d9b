/** What echarts is told to draw: pure, from a picture and the tokens. */
import type { EChartsCoreOption } from 'echarts/core'
import type { AllocatorInfo, Axis, MemoryPicture } from '../../../shared/api'
import { memory, num } from '../../../shared/format'
import { font, type Theme } from '../../../paint/theme'

/** Free space around the plot, CSS px: room for the labels. */
export const GRID = { left: 56, right: 12, top: 8, bottom: 20 } as const

/** The whole recording: over time where there are times, else over the event index. */
export function chartWindow(a: AllocatorInfo): { readonly axis: Axis; readonly start: number; readonly end: number } {
  const t = a.timeRange
  if (t && t[1] > t[0]) return { axis: 'time', start: t[0], end: t[1] }
  return { axis: 'event', start: -1, end: Math.max(a.events, 1) }
}

/** [x, y] of each column; a column without data breaks the line, it is never 0. */
export function points(values: Float64Array, start: number, end: number): readonly (readonly [number, number | null])[] {
  const step = (end - start) / Math.max(1, values.length)
  return Array.from(values, (v, i) => [start + (i + 0.5) * step, Number.isFinite(v) ? v : null] as const)
}

/** Round ticks in the unit of memory: 0 and at most three more below `max`. */
export function byteTicks(max: number): { readonly interval: number; readonly max: number } {
  const raw = Math.max(max, 1) / 3
  const unit = 1024 ** Math.max(0, Math.floor(Math.log(raw) / Math.log(1024)))
  const steps = [1, 2, 4, 5, 8, 10, 16, 20, 32, 40, 50, 64, 100, 128, 200, 256, 400, 500, 512, 1024]
  const interval = (steps.find(s => s * unit >= raw) ?? 1024) * unit
  return { interval, max: Math.max(Math.ceil(max / interval), 1) * interval }
}

const short = (bytes: number): string => (bytes === 0 ? '0' : memory(bytes).replace(/\.0+(?=\u00a0)/, ''))

export function options(
  theme: Theme,
  p: MemoryPicture,
  w: { readonly axis: Axis; readonly start: number; readonly end: number },
): EChartsCoreOption {
  const top = Math.max(0, ...[...p.max, ...p.allocatedMax, ...p.reservedMax].filter(Number.isFinite))
  const y = byteTicks(top)
  const label = { color: theme.token('--text-3'), fontFamily: theme.token('--font-ui'), fontSize: 11 }
  const line = (name: string, values: Float64Array, color: string, width: number, dash: 'solid' | 'dashed') => ({
    name,
    type: 'line',
    data: points(values, w.start, w.end),
    showSymbol: false,
    silent: true,
    connectNulls: false,
    lineStyle: { color: theme.token(color), width, type: dash },
  })
  return {
    animation: false,
    textStyle: { fontFamily: font(theme).split('px ')[1] },
    grid: { ...GRID, containLabel: false },
    xAxis: {
      type: 'value',
      min: w.start,
      max: w.end,
      splitNumber: 3,
      axisLine: { lineStyle: { color: theme.token('--border-2') } },
      axisTick: { show: false },
      splitLine: { show: false },
      axisLabel: {
        ...label,
        showMinLabel: false,
        showMaxLabel: false,
        formatter: (v: number) => (w.axis === 'time' ? `${num(v / 1e6, w.end - w.start < 2e7 ? 1 : 0)}\u00a0ms` : num(v)),
      },
    },
    yAxis: {
      type: 'value',
      min: 0,
      max: y.max,
      interval: y.interval,
      axisLabel: { ...label, formatter: short },
      splitLine: { lineStyle: { color: theme.token('--grid') } },
    },
    series: [
      line('Reserved', p.reservedMax, '--curve-reserved', 1, 'solid'),
      line('Allocated', p.allocatedMax, '--curve-rounded', 1, 'dashed'),
      line('Active', p.max, '--accent', 1.5, 'solid'),
    ],
  }
}
