/** One of a few, side by side: native radio buttons in the look of a segmented control, so that arrows and screen readers know them. */
import { useId, type ReactElement, type ReactNode } from 'react'

interface Option<T extends string> {
  readonly value: T
  readonly label: ReactNode
  readonly title?: string
  readonly disabled?: boolean
}

export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string
  readonly value: T
  readonly options: readonly Option<T>[]
  readonly onChange: (value: T) => void
}): ReactElement {
  const name = useId()
  return (
    <span className="seg choice" role="radiogroup" aria-label={label}>
      {options.map(o => (
        <label key={o.value} title={o.title}>
          <input type="radio" name={name} checked={value === o.value} disabled={o.disabled} onChange={() => onChange(o.value)} />
          {o.label}
        </label>
      ))}
    </span>
  )
}
