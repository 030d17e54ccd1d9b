import { useLayoutEffect, useState, type RefObject } from 'react'

/** Size of an element in CSS px and the pixel ratio, live. */
export function useBox(ref: RefObject<HTMLElement | null>): { readonly width: number; readonly height: number; readonly dpr: number } {
  const [size, setSize] = useState({ width: 0, height: 0, dpr: devicePixelRatio || 1 })
  useLayoutEffect(() => {
    const e = ref.current
    if (!e) return
    const measure = (): void =>
      setSize(s => {
        const next = { width: e.clientWidth, height: e.clientHeight, dpr: devicePixelRatio || 1 }
        return s.width === next.width && s.height === next.height && s.dpr === next.dpr ? s : next
      })
    // It tells the first size, too, with the layout of the frame. To ask at once would lay out the page within the task that made the panel.
    const o = new ResizeObserver(measure)
    o.observe(e)
    globalThis.addEventListener('resize', measure)
    return () => {
      o.disconnect()
      globalThis.removeEventListener('resize', measure)
    }
  }, [ref])
  return size
}
