/** Finds events by name, args and stack. */
import type { ReactElement } from 'react'

export function SearchTab(): ReactElement {
  return <p className="notice">Being built.</p>
}
