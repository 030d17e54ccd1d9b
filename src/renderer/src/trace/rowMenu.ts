/** The menu of a row, opened from the panel itself or by a command. The panel shows it. */
import type { Row } from '../../../paint/timeline'
import { currentTrace } from './current'

type Open = (row: Row, x: number, y: number) => void
let open: Open | null = null

export const setRowMenu = (f: Open | null): void => {
  open = f
}

/** At a place in client px. */
export const openRowMenu: Open = (row, x, y) => open?.(row, x, y)

/** Below the name of the row that keys act on. */
export function openTargetMenu(): void {
  const c = currentTrace()
  const row = c?.target
  const box = document.querySelector('.trace-plot')?.getBoundingClientRect()
  if (c && row && box) openRowMenu(row, box.left + 28, box.top + c.topOf(row) + Math.min(row.h, 22))
}
