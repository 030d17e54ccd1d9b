/** What caused the selected event and what it caused. */
import type { ReactElement } from 'react'

export function ChainTab(): ReactElement {
  return <p className="notice">Being built.</p>
}
