/** Names and values in two columns; a value that is missing says why on hover. */
import { Fragment, type ReactElement, type ReactNode } from 'react'

export type KeyValue = readonly [name: string, value: ReactNode]

export const KeyValues = ({ rows }: { readonly rows: readonly (KeyValue | null | false)[] }): ReactElement => (
  <dl className="kv">
    {rows
      .filter(r => r !== null && r !== false)
      .map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd className="selectable">{value}</dd>
        </Fragment>
      ))}
  </dl>
)

/** A value that is not known, with the reason. */
export const Missing = ({ why }: { readonly why: string }): ReactElement => (
  <span className="none" title={why} aria-label={`not known: ${why}`}>
    —
  </span>
)
