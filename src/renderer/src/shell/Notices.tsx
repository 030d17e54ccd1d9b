/** Quiet notices: they stand in the details column, never over plotted data, and leave after 6 s unless the pointer or the focus is on them. */
import { useEffect, useState, type ReactElement } from 'react'
import { Icon } from './icons'
import { dismiss, useUi, type Notice } from './ui'

const STAY_MS = 6000

export function Notices(): ReactElement {
  const notices = useUi(s => s.notices)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {notices.map(n => (
        <Toast key={n.id} notice={n} />
      ))}
    </div>
  )
}

function Toast({ notice }: { readonly notice: Notice }): ReactElement {
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (held) return
    const timer = setTimeout(() => dismiss(notice.id), STAY_MS)
    return () => clearTimeout(timer)
  }, [held, notice.id])
  const { action } = notice
  return (
    <div
      className="toast"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon name={notice.icon} className={notice.icon === 'error' ? 'err' : notice.icon === 'warn' ? 'warn' : ''} />
      <div className="txt">
        <b>{notice.title}</b>
        <span className="num">{notice.detail}</span>
      </div>
      {action && (
        <button
          className="btn"
          onClick={() => {
            dismiss(notice.id)
            action.run()
          }}
        >
          {action.label}
        </button>
      )}
      <button className="btn icon" aria-label="Dismiss" onClick={() => dismiss(notice.id)}>
        <Icon name="close" size={12} />
      </button>
    </div>
  )
}
