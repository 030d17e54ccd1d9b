/** Marks and notes on the time axis. */
import type { ReactElement } from 'react'

export function NotesTab(): ReactElement {
  return <p className="notice">Being built.</p>
}
