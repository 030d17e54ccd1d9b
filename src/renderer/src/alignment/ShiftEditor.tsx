/** The shift of one file as a number: written, nudged by one unit, taken away. */
import { useId, useState, type ReactElement } from 'react'
import { Icon } from '../shell/icons'
import { parseShift, shiftNumber, unitNs, unitOf, UNITS, type Unit } from './decimal'
import { setShift } from './state'

export function ShiftEditor({
  file,
  path,
  shiftNs,
}: {
  readonly file: string
  readonly path: string
  readonly shiftNs: bigint
}): ReactElement {
  const id = useId()
  const [chosen, setUnit] = useState<Unit | null>(null)
  /** What is being written; null: the shift that is set. */
  const [draft, setDraft] = useState<string | null>(null)
  const unit = chosen ?? unitOf(shiftNs)
  const text = draft ?? shiftNumber(shiftNs, unit)
  const parsed = parseShift(text, unit)
  const error = draft !== null && 'error' in parsed ? parsed.error : ''
  const apply = (ns: bigint): void => {
    setDraft(null)
    setUnit(unit) // the number must not jump to another unit while it is worked on
    if (ns !== shiftNs) void setShift(file, path, ns)
  }
  return (
    <form
      className="shift"
      onSubmit={e => {
        e.preventDefault()
        if ('ns' in parsed) apply(parsed.ns)
      }}
    >
      <label htmlFor={id}>Shift by hand</label>
      <div className="line">
        <button
          type="button"
          className="btn icon"
          aria-label={`Shift 1 ${unit} earlier`}
          title={`1 ${unit} earlier`}
          onClick={() => apply(shiftNs - unitNs(unit))}
        >
          −
        </button>
        <span className="field">
          <input
            id={id}
            className="num"
            inputMode="decimal"
            autoComplete="off"
            spellCheck={false}
            value={text}
            data-draft={draft !== null}
            aria-invalid={error !== ''}
            aria-describedby={error ? `${id}-error` : undefined}
            onChange={e => setDraft(e.target.value)}
            onKeyDown={e => {
              if (e.key !== 'Escape' || draft === null) return
              e.stopPropagation()
              setDraft(null)
            }}
          />
        </span>
        <label className="pick">
          <select
            value={unit}
            aria-label="Unit"
            onChange={e => {
              // What was written stays the same length of time where it can be told.
              const next = e.target.value as Unit
              if (draft !== null && 'ns' in parsed) setDraft(shiftNumber(parsed.ns, next))
              setUnit(next)
            }}
          >
            {UNITS.map(u => (
              <option key={u}>{u}</option>
            ))}
          </select>
          <Icon name="chevron" />
        </label>
        <button
          type="button"
          className="btn icon"
          aria-label={`Shift 1 ${unit} later`}
          title={`1 ${unit} later`}
          onClick={() => apply(shiftNs + unitNs(unit))}
        >
          +
        </button>
        <button className="btn" disabled={draft === null || error !== ''}>
          Shift
        </button>
        <button type="button" className="btn quiet" disabled={shiftNs === 0n && draft === null} onClick={() => apply(0n)}>
          Reset
        </button>
      </div>
      {error && (
        <p className="warn" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </form>
  )
}
