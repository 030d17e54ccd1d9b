/** Where NeuronCores stood idle. */
import type { ReactElement } from 'react'

export function GapsTab(): ReactElement {
  return <p className="notice">Being built.</p>
}
