/** Whether steps and annotations stand as bands behind the plots; kept for the next start. */
import { create } from 'zustand'

const KEY = 'neuron-workbench.bands'

function kept(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off'
  } catch {
    return true
  }
}

export const useBands = create<{ readonly on: boolean }>()(() => ({ on: kept() }))

export function toggleBands(): void {
  const on = !useBands.getState().on
  useBands.setState({ on })
  try {
    localStorage.setItem(KEY, on ? 'on' : 'off')
  } catch {
    // storage may be denied; the choice then lasts as long as the window
  }
}
