/** The chart, loaded with echarts when one is shown for the first time, not with the window. */
import { lazy, Suspense, type ReactElement } from 'react'
import type { AllocatorInfo } from '../../../shared/api'

export interface ChartProps {
  readonly session: string
  readonly allocator: AllocatorInfo
  /** Of the session's view: the chart asks anew when it grows. */
  readonly version: number
}

const Chart = lazy(() => import('./AllocatorChart').then(m => ({ default: m.AllocatorChart })))

export const LazyChart = (props: ChartProps): ReactElement => (
  <Suspense fallback={<div className="curve chart" aria-busy="true" />}>
    <Chart {...props} />
  </Suspense>
)
