/** A button with a menu: native popover, one tab stop, arrow keys inside. */
import { useId, useRef, type KeyboardEvent, type ReactElement, type ReactNode } from 'react'

export interface MenuItem {
  readonly key: string
  readonly label: ReactNode
  readonly hint?: string
  readonly icon?: ReactNode
  /** Starts a new group. */
  readonly line?: boolean
  /** Heading of the group that begins here. */
  readonly heading?: string
  readonly run: () => void
}

export function Menu({
  label,
  className,
  title,
  items,
  onOpen,
  children,
}: {
  readonly label: string
  readonly className: string
  readonly title?: string
  readonly items: readonly MenuItem[]
  readonly onOpen?: () => void
  readonly children: ReactNode
}): ReactElement {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const list = (): HTMLButtonElement[] => [...(menu.current?.querySelectorAll<HTMLButtonElement>('[role=menuitem]') ?? [])]
  const onKeyDown = (e: KeyboardEvent): void => {
    const all = list()
    const at = all.indexOf(document.activeElement as HTMLButtonElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key]
    if (to !== undefined) all.at(((to % all.length) + all.length) % all.length)?.focus()
    else if (e.key === 'Tab') menu.current?.hidePopover()
    else if (e.key !== 'Escape') return
    else menu.current?.hidePopover()
    if (e.key !== 'Tab') e.preventDefault()
    e.stopPropagation()
  }
  return (
    <>
      <button
        ref={button}
        className={className}
        title={title}
        aria-label={label}
        aria-haspopup="menu"
        popoverTarget={id}
        onKeyDown={e => {
          if (e.key !== 'ArrowDown') return
          e.preventDefault()
          e.stopPropagation()
          menu.current?.showPopover()
        }}
      >
        {children}
      </button>
      <div
        id={id}
        ref={menu}
        className="menu"
        role="menu"
        aria-label={label}
        popover="auto"
        onKeyDown={onKeyDown}
        onBeforeToggle={e => {
          if (e.newState !== 'open') return
          const box = button.current?.getBoundingClientRect()
          if (box && menu.current) {
            menu.current.style.left = `${box.left}px`
            menu.current.style.top = `${box.bottom + 4}px`
          }
          onOpen?.()
        }}
        onToggle={e => {
          if (e.newState === 'open') list()[0]?.focus()
          else if (menu.current?.contains(document.activeElement) || document.activeElement === document.body) button.current?.focus()
        }}
      >
        {items.map(item => (
          <div key={item.key} role="none">
            {item.line && <div className="line" role="separator" />}
            {item.heading && (
              <div className="heading" role="presentation">
                {item.heading}
              </div>
            )}
            <button
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                menu.current?.hidePopover()
                item.run()
              }}
            >
              {item.icon}
              <span className="ell">{item.label}</span>
              <span className="sp" />
              {item.hint && <span className="t3 num hint">{item.hint}</span>}
            </button>
          </div>
        ))}
      </div>
    </>
  )
}
