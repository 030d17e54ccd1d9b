/** A snapshot's figures beside those of a second, independent reader; the reading is asked for by a button, since it takes time. */
import type { ReactElement } from 'react'
import type { CatalogFile } from '../../../shared/catalog'
import { num } from '../../../shared/format'
import type { Verification, VerifyRow } from '../../../shared/verify'
import { Icon } from '../shell/icons'
import { cancelVerify, figureName, startVerify, useVerifications, verdictWords, verifyKey } from './verifications'

const SIGNS: Readonly<Record<VerifyRow['verdict'], readonly [sign: string, word: string]>> = {
  equal: ['=', 'equal'],
  differs: ['≠', 'differs'],
  'cannot-tell': ['?', 'the second reader cannot tell'],
}

export function Verify({ session, file }: { readonly session: string; readonly file: CatalogFile }): ReactElement {
  const state = useVerifications(s => s.of.get(verifyKey(session, file)))
  const running = state?.kind === 'running'
  return (
    <section aria-label="Second reader" data-testid="verify" data-state={state?.kind ?? 'idle'}>
      <div className="sect">
        Second reader
        <span className="sp" />
        {running && (
          <button className="btn quiet" onClick={() => cancelVerify(session, file)}>
            <Icon name="close" size={12} />
            Cancel
          </button>
        )}
      </div>
      {running ? (
        <p className="remark t3" role="status">
          Reading the file a second time.
        </p>
      ) : (
        <>
          {state?.kind === 'failed' && (
            <p className="verdict" role="status">
              <Icon name="warn" size={14} className="warn" />
              <span>{state.error}</span>
            </p>
          )}
          {state?.kind === 'done' && <Result answer={state.answer} />}
          <div className="acts pad">
            <button
              className="btn"
              title="Another program library reads the file and a simple replay counts it again; for files up to 64 MB. Nothing in the file is run."
              onClick={() => void startVerify(session, file)}
            >
              <Icon name={state ? 'retry' : 'check'} size={12} />
              {state ? 'Verify again' : 'Verify with a second reader'}
            </button>
          </div>
        </>
      )}
    </section>
  )
}

function Result({ answer }: { readonly answer: Verification }): ReactElement {
  const { verdict, reader, rows, limits } = answer
  const look = verdict === 'equal' ? 'ok' : verdict === 'differs' ? 'warn' : 'info'
  const devices = [...new Set(rows.map(r => r.device))]
  const told = rows.some(r => r.second !== null)
  return (
    <>
      <p className="verdict" role="status" data-testid="verify-verdict" data-verdict={verdict}>
        <Icon name={look === 'ok' ? 'check' : look} size={14} className={look} />
        <span>
          <b>{verdictWords(answer)}.</b> {reader !== 'none' && `Read by ${reader}. `}
          {limits.join(' ')}
        </span>
      </p>
      {told &&
        devices.map(device => (
          <table className="mini figures verify" key={device ?? -1}>
            <caption className="vh">
              {device === null ? 'Figures of the file' : `Figures of device ${device}`}, ours and those of the second reader
            </caption>
            <thead>
              <tr>
                <th scope="col" className="name">
                  {device === null ? 'File' : `Device ${device}`}
                </th>
                <th scope="col">Ours</th>
                <th scope="col">
                  <span className="vh">Verdict</span>
                </th>
                <th scope="col">Second</th>
              </tr>
            </thead>
            <tbody className="num selectable">
              {rows
                .filter(r => r.device === device)
                .map(r => (
                  <Row key={r.figure} row={r} />
                ))}
            </tbody>
          </table>
        ))}
    </>
  )
}

function Row({ row: r }: { readonly row: VerifyRow }): ReactElement {
  const [sign, word] = SIGNS[r.verdict]
  const value = (v: number | null): string => (v === null ? '—' : num(v))
  return (
    <tr className={r.verdict} title={r.reason ?? undefined}>
      <th scope="row" className="ell">
        {figureName(r.figure)}
      </th>
      <td>{value(r.ours)}</td>
      <td className="sign">
        <span aria-hidden="true">{sign}</span>
        <span className="vh">{r.reason === null ? word : `${word}: ${r.reason}`}</span>
      </td>
      <td>{value(r.second)}</td>
    </tr>
  )
}
