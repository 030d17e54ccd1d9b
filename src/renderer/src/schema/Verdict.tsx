/** How a file of the runtime was decoded, for the details of the file: which schema, which framing, what was checked, what stays unsure. */
import type { ReactElement } from 'react'
import type { SchemaCheck, SchemaVerdict } from '../../../shared/system-tables'
import { KeyValues } from '../details/KeyValues'
import { Icon } from '../shell/icons'
import { framingText, originText, wantsSchema } from './words'
import { importSchema } from './state'
import './schema.css'

export function Verdict({ verdict: v }: { readonly verdict: SchemaVerdict }): ReactElement {
  const failed = v.checks.filter(c => !c.ok).length
  return (
    <>
      <div className="sect">
        Decoding
        <span className="sp" />
        {v.origin === null && <span className="chip err">not decoded</span>}
      </div>
      <KeyValues
        rows={[
          [
            'Schema',
            <span className="wrap">
              {originText(v)}
              {v.schema !== null && <span className="t3"> {v.schema}</span>}
            </span>,
          ],
          v.framing !== null && ['Framing', <span className="wrap">{framingText(v.framing)}</span>],
          v.unverified.length > 0 && [
            'Unverified',
            <span className="wrap">
              {v.unverified.join(', ')}
              <span className="t3"> nothing in the data tells them apart; nothing is grouped by them</span>
            </span>,
          ],
        ]}
      />
      {wantsSchema(v) && (
        <div className="acts pad">
          <ImportButton />
        </div>
      )}
      {v.checks.length > 0 && (
        <details className="checks" open={failed > 0}>
          <summary>
            <Icon name="right" size={12} className="tw" />
            {failed === 0 ? `All ${v.checks.length} checks passed` : `${failed} of ${v.checks.length} checks failed`}
            {v.origin === null && <span className="t3"> by the schema that came nearest</span>}
          </summary>
          <ul aria-label="Checks of the schema">
            {v.checks.map((c, i) => (
              <Check key={i} check={c} />
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

const Check = ({ check: c }: { readonly check: SchemaCheck }): ReactElement => (
  <li>
    <Icon name={c.ok ? 'check' : 'error'} size={12} className={c.ok ? 'ok' : 'err'} />
    <span>
      <span className="vh">{c.ok ? 'passed: ' : 'failed: '}</span>
      {c.name} <span className="t3">{c.detail}</span>
    </span>
  </li>
)

export const ImportButton = (): ReactElement => (
  <button className="btn" onClick={() => void importSchema()}>
    <Icon name="open" size={12} />
    Import trace schema…
  </button>
)
