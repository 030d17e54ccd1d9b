/** The menu of a row: right click, Shift F10 or the menu key, or the last of the row's buttons. */
import { useEffect, useRef, type KeyboardEvent, type ReactElement } from 'react'
import type { Row, Rows } from '../../../paint/timeline'
import { Icon } from '../shell/icons'
import { actionsOf, rowName } from './rowActions'

export interface MenuPlace {
  readonly row: Row
  /** Client px. */
  readonly x: number
  readonly y: number
}

const EDGE = 6

export function TrackMenu({
  place,
  rows,
  onClose,
}: {
  readonly place: MenuPlace
  readonly rows: Rows
  readonly onClose: () => void
}): ReactElement {
  const menu = useRef<HTMLDivElement>(null)
  const { row, x, y } = place
  useEffect(() => {
    const el = menu.current
    if (!el) return
    el.showPopover()
    el.style.left = `${Math.max(EDGE, Math.min(x, innerWidth - el.offsetWidth - EDGE))}px`
    el.style.top = `${Math.max(EDGE, Math.min(y, innerHeight - el.offsetHeight - EDGE))}px`
    el.querySelector<HTMLButtonElement>('[role=menuitem]')?.focus()
  }, [x, y])
  const list = (): HTMLButtonElement[] => [...(menu.current?.querySelectorAll<HTMLButtonElement>('[role=menuitem]') ?? [])]
  const onKeyDown = (e: KeyboardEvent): void => {
    const all = list()
    const at = all.indexOf(document.activeElement as HTMLButtonElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key]
    if (to !== undefined) all.at(((to % all.length) + all.length) % all.length)?.focus()
    else if (e.key === 'Escape' || e.key === 'Tab') menu.current?.hidePopover()
    else if (e.key === 'Enter' || e.key === ' ') return e.stopPropagation()
    if (e.key !== 'Tab') e.preventDefault()
    e.stopPropagation()
  }
  return (
    <div
      ref={menu}
      className="menu track-menu"
      role="menu"
      aria-label={`Track ${rowName(row, rows)}`}
      popover="auto"
      data-own-pointer=""
      onKeyDown={onKeyDown}
      onToggle={e => e.newState === 'closed' && onClose()}
    >
      <div className="heading ell" role="presentation" title={rowName(row, rows)}>
        {rowName(row, rows)}
      </div>
      {actionsOf(row, rows).map(a => (
        <button
          key={a.id}
          role="menuitem"
          tabIndex={-1}
          data-action={a.id}
          onClick={() => {
            menu.current?.hidePopover()
            a.run()
          }}
        >
          <Icon name={a.icon} size={14} />
          <span className="ell">{a.label}</span>
          <span className="sp" />
          {a.shown && <span className="t3 num hint">{a.shown}</span>}
        </button>
      ))}
    </div>
  )
}
