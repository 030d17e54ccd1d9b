/** A select with its label above it, and a check box: the controls of the dialog. */
import type { ReactElement } from 'react'
import { Icon } from '../shell/icons'

export function Pick({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onChange: (v: string) => void
}): ReactElement {
  return (
    <label className="block">
      <span className="lab">{label}</span>
      <span className="pick">
        <select value={value} onChange={e => onChange(e.target.value)} aria-label={label}>
          {options.map(([v, l]) => (
            <option key={v} value={v}>
              {l}
            </option>
          ))}
        </select>
        <Icon name="chevron" size={12} />
      </span>
    </label>
  )
}

export function Check({
  label,
  checked,
  onChange,
}: {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (on: boolean) => void
}): ReactElement {
  return (
    <label className="chk">
      <input type="checkbox" checked={checked} onChange={e => onChange(e.target.checked)} />
      {label}
    </label>
  )
}
