/** A modal dialog on the native element: focus stays inside, Esc and the backdrop close it, the focus goes back where it came from. */
import { useEffect, useId, useRef, type ReactElement, type ReactNode } from 'react'
import { Icon } from './icons'

export function Modal({
  title,
  className = '',
  onClose,
  children,
}: {
  readonly title: string
  readonly className?: string
  readonly onClose: () => void
  readonly children: ReactNode
}): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const d = dialog.current
    if (!d) return
    const back = document.activeElement
    if (!d.open) d.showModal()
    // The first field rather than the button that closes: the dialog takes the first control by itself.
    d.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => {
      d.close()
      if (back instanceof HTMLElement && back.isConnected) back.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={`dlg ${className}`}
      aria-labelledby={id}
      onCancel={e => {
        e.preventDefault()
        onClose()
      }}
      // The browser may close a dialog without asking (a second Esc); it is never open again at once, as it is when effects run twice.
      onClose={() => {
        if (!dialog.current?.open) onClose()
      }}
      onPointerDown={e => {
        if (e.target === dialog.current) onClose()
      }}
    >
      <div className="body">
        <div className="phead">
          <h2 id={id}>{title}</h2>
          <span className="sp" />
          <button className="btn icon" aria-label="Close" title="Close (Esc)" onClick={onClose}>
            <Icon name="close" size={14} />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  )
}
