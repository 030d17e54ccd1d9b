/** Statistics of the selected range, or of everything. */
import type { ReactElement } from 'react'

export function StatisticsTab(): ReactElement {
  return <p className="notice">Being built.</p>
}
