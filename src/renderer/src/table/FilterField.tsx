/** The text that rows are filtered by, with a switch to regular expressions. */
import { useEffect, useState, type ReactElement } from 'react'
import { Icon } from '../shell/icons'

interface Props {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** Absent: words only. */
  readonly regex?: boolean
  readonly onRegex?: (on: boolean) => void
  /** Why the expression is none. */
  readonly error?: string | null
}

/** A key stroke is told after this rest, ms: a filter asks the host. */
const REST = 150

export function FilterField({ label, value, onChange, regex, onRegex, error }: Props): ReactElement {
  const [text, setText] = useState(value)
  const [told, setTold] = useState(value)
  if (told !== value) {
    // Changed from outside.
    setTold(value)
    setText(value)
  }
  useEffect(() => {
    if (text === value) return
    const t = setTimeout(() => {
      setTold(text)
      onChange(text)
    }, REST)
    return () => clearTimeout(t)
  }, [text, value, onChange])
  return (
    <span className={error ? 'field filter bad' : 'field filter'}>
      <Icon name="filter" size={12} />
      <input
        type="search"
        aria-label={label}
        aria-invalid={error ? true : undefined}
        title={error ?? undefined}
        placeholder={label}
        value={text}
        maxLength={500}
        onChange={e => setText(e.target.value)}
      />
      {onRegex && (
        <button
          className={regex ? 'btn quiet on' : 'btn quiet'}
          aria-pressed={regex}
          aria-label="Regular expression"
          title="Regular expression"
          onClick={() => onRegex(!regex)}
        >
          .*
        </button>
      )}
    </span>
  )
}
