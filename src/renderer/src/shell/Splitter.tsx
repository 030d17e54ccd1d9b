/**
 * A separator between two parts: drag, arrow keys (Shift for larger steps), Home and End; a double click restores. It only reports sizes;
 * who holds it decides what they do.
 */
import { useRef, type KeyboardEvent, type PointerEvent, type ReactElement } from 'react'

interface Props {
  readonly label: string
  /** Which way the separator line runs. */
  readonly orientation: 'horizontal' | 'vertical'
  /** Size of the part that it sizes, in px, and its bounds. */
  readonly value: number
  readonly min: number
  readonly max: number
  /** -1 where the part lies after the separator: dragging towards it makes it smaller. */
  readonly direction?: 1 | -1
  readonly onChange: (px: number) => void
  readonly onReset: () => void
  readonly className?: string
}

const STEP = 10
const BIG_STEP = 50

export function Splitter({ label, orientation, value, min, max, direction = 1, onChange, onReset, className = '' }: Props): ReactElement {
  const drag = useRef<{ readonly at: number; readonly value: number } | null>(null)
  const along = (e: PointerEvent): number => (orientation === 'horizontal' ? e.clientY : e.clientX)
  const set = (px: number): void => onChange(Math.round(Math.min(Math.max(px, min), Math.max(min, max))))
  const onKeyDown = (e: KeyboardEvent): void => {
    const [less, more] = orientation === 'horizontal' ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight']
    const step = (e.shiftKey ? BIG_STEP : STEP) * direction
    if (e.key === less) set(value - step)
    else if (e.key === more) set(value + step)
    else if (e.key === 'Home') set(min)
    else if (e.key === 'End') set(max)
    else if (e.key === 'Enter') onReset()
    else return
    e.preventDefault()
    e.stopPropagation()
  }
  return (
    <div
      className={`splitter ${orientation} ${className}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={Math.round(value)}
      aria-valuemin={Math.round(min)}
      aria-valuemax={Math.round(Math.max(min, max))}
      aria-valuetext={`${Math.round(value)} pixels`}
      title="Drag, or use the arrow keys. A double click restores."
      onKeyDown={onKeyDown}
      onDoubleClick={onReset}
      onPointerDown={e => {
        if (e.button !== 0) return
        e.currentTarget.setPointerCapture(e.pointerId)
        drag.current = { at: along(e), value }
      }}
      onPointerMove={e => {
        if (drag.current) set(drag.current.value + (along(e) - drag.current.at) * direction)
      }}
      onPointerUp={() => (drag.current = null)}
      onPointerCancel={() => (drag.current = null)}
    />
  )
}
