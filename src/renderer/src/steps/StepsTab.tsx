/** Training steps, and two of them compared. */
import type { ReactElement } from 'react'

export function StepsTab(): ReactElement {
  return <p className="notice">Being built.</p>
}
