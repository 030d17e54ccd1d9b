import type { Virtualizer } from '@tanstack/react-virtual'

/** The height comes with the layout of the frame. To ask for it at once, as the library does, would lay out the page within the task that made it. */
export function observeElementRect(
  { scrollElement }: Virtualizer<HTMLDivElement, Element>,
  tell: (rect: { readonly width: number; readonly height: number }) => void,
): (() => void) | undefined {
  if (!scrollElement) return undefined
  const observer = new ResizeObserver(() => tell({ width: scrollElement.clientWidth, height: scrollElement.clientHeight }))
  observer.observe(scrollElement)
  return () => observer.disconnect()
}
