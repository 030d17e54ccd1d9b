/** The trace schemas that were imported: what the last import found, the list, and how to get one. */
import { useEffect, type ReactElement } from 'react'
import { fileSize, localTime } from '../../../shared/format'
import type { SchemaInfo } from '../../../shared/schema-api'
import { Icon } from '../shell/icons'
import { Modal } from '../shell/Modal'
import { importSchema, loadSchemas, removeSchema, useSchemas, type Outcome } from './state'
import { againText, contentText, FROM } from './words'
import './schema.css'

export function SchemasDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const list = useSchemas(s => s.list)
  const outcome = useSchemas(s => s.outcome)
  useEffect(() => void loadSchemas(), [])
  return (
    <Modal title="Trace schemas" className="schemas" onClose={onClose}>
      <div className="schemas-body">
        <p>
          Files of the Neuron runtime don&rsquo;t say how their fields are numbered. With the exact schema nothing has to be told from the
          data. Take a .proto file, a descriptor set, or the libnrt.so of the run: it is searched as bytes, never loaded. Only the
          description is kept.
        </p>
        <div role="status">{outcome && <Said outcome={outcome} />}</div>
        {list?.length === 0 && <p className="t3">No schema was imported yet.</p>}
        {list && list.length > 0 && (
          <ul aria-label="Imported schemas">
            {list.map((s, i) => (
              <Row key={s.id} schema={s} first={i === 0 && list.length > 1} />
            ))}
          </ul>
        )}
      </div>
      <div className="bot">
        <span className="sp" />
        <button className="btn lg" onClick={onClose}>
          Close
        </button>
        <button className="btn lg primary" autoFocus disabled={outcome?.kind === 'searching'} onClick={() => void importSchema()}>
          <Icon name="open" size={14} />
          Import trace schema…
        </button>
      </div>
    </Modal>
  )
}

function Said({ outcome: o }: { readonly outcome: Outcome }): ReactElement {
  if (o.kind === 'searching') return <p className="said">Looking for a schema in the file…</p>
  if (o.kind === 'refused')
    return (
      <p className="said">
        <Icon name="warn" size={14} className="warn" />
        <span>{o.text}</span>
      </p>
    )
  return (
    <p className="said">
      <Icon name="check" size={14} className="ok" />
      <span>
        {o.kind === 'added'
          ? `Imported ${o.schema.file}${o.schema.version === null ? '' : `, format ${o.schema.version}`}: ${contentText(o.schema)}.`
          : `Removed the schema of ${o.file}.`}{' '}
        {againText(o.again)}
      </span>
    </p>
  )
}

function Row({ schema: s, first }: { readonly schema: SchemaInfo; readonly first: boolean }): ReactElement {
  return (
    <li>
      <div className="what">
        <b className="ell" title={s.file}>
          {s.file}
        </b>
        <span className="t3 num">
          {s.version === null ? 'names no version' : `format ${s.version}`}, {FROM[s.from]}, {fileSize(s.bytes)}
          {first ? ', tried first' : ''}
        </span>
        <span className="t3 num">{contentText(s)}</span>
        <span className="t3 num">
          imported {localTime(s.importedMs)}, sha256{' '}
          <span className="mono selectable" title={s.sha256}>
            {s.sha256.slice(0, 12)}
          </span>
        </span>
      </div>
      <button className="btn" aria-label={`Remove the schema of ${s.file}`} onClick={() => void removeSchema(s)}>
        Remove
      </button>
    </li>
  )
}
