/** How runtime and PyTorch were joined: the key that matched, what was left, and how the other candidates fared. */
import type { ReactElement } from 'react'
import type { HbmJoinInfo, JoinCandidate } from '../../../shared/hbm-api'
import { num } from '../../../shared/format'
import { KeyValues } from '../details/KeyValues'
import { Modal } from '../shell/Modal'

const VERDICT: Readonly<Record<JoinCandidate['verdict'], string>> = {
  taken: 'taken',
  tie: 'a tie: not taken',
  weaker: 'matches less',
  inconsistent: "sizes or times don't fit",
  'not-unique': 'not unique',
  'too-few': 'too few matches',
}
const share = (v: number | null): string => (v === null ? '—' : `${num(100 * v)}\u00a0%`)

export function JoinDialog({ join, onClose }: { readonly join: HbmJoinInfo; readonly onClose: () => void }): ReactElement {
  return (
    <Modal title="Runtime and PyTorch" className="hbm-join" onClose={onClose}>
      <p className="why">{join.text}</p>
      <KeyValues
        rows={[
          ['Key', join.key ? `${join.key.pytorch} = ${join.key.runtime}` : 'none matched'],
          [
            'Linked',
            <span className="num" key="l" data-testid="join-matched">
              {num(join.matched)}
            </span>,
          ],
          join.inferred > 0 && [
            'Inferred',
            <span className="num" key="i">
              {num(join.inferred)}, by address and size in overlapping time
            </span>,
          ],
          [
            'PyTorch only',
            <span className="num" key="p">
              {num(join.pytorchOnly)}
            </span>,
          ],
          [
            'Runtime only',
            <span className="num" key="r">
              {num(join.runtimeOnly)}
            </span>,
          ],
        ]}
      />
      {join.candidates.length > 0 && (
        <div className="scrollx" tabIndex={0} role="region" aria-label="Candidates">
          <table>
            <thead>
              <tr>
                <th scope="col">PyTorch</th>
                <th scope="col">Runtime</th>
                <th scope="col" className="right">
                  Matched
                </th>
                <th scope="col" className="right" title="Of the rows that have the key, on the side with fewer">
                  Rate
                </th>
                <th scope="col" className="right" title="Matched values that stand once on both sides">
                  Unique
                </th>
                <th scope="col" className="right" title="Pairs whose sizes and times fit">
                  Fit
                </th>
                <th scope="col">Verdict</th>
              </tr>
            </thead>
            <tbody>
              {join.candidates.map(c => (
                <tr key={`${c.pytorch}/${c.runtime}`} className={c.verdict === 'taken' ? 'taken' : ''}>
                  <td>{c.pytorch}</td>
                  <td>{c.runtime}</td>
                  <td className="num right">{num(c.matched)}</td>
                  <td className="num right">{share(c.rate)}</td>
                  <td className="num right">{share(c.unique)}</td>
                  <td className="num right">{share(c.consistent)}</td>
                  <td>{VERDICT[c.verdict]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Modal>
  )
}
