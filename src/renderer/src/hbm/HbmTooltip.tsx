/** What an HBM holds under the pointer: the total, then each category in MiB and as a share of it. Opens beside the pointer, inside the window. */
import { useLayoutEffect, useRef, type ReactElement, type RefObject } from 'react'
import type { HbmAt, HbmInfo } from '../../../shared/hbm-api'
import { HBM_UNSURE } from '../../../shared/hbm-api'
import { exactBytes, memory } from '../../../shared/format'
import { hbmToken } from '../../../paint/hbm/raster'
import { totalName } from '../../../paint/hbm/words'
import type { Answered } from '../memory/useAsk'
import { groupRows, inMib, percent } from './figures'
import { useHbmSettings } from './settings'

const GAP = 14

interface Props {
  readonly info: HbmInfo
  readonly at: Answered<number, HbmAt>
  /** Label of the group under the pointer; null beside the stack. */
  readonly group: string | null
  readonly x: number
  readonly y: number
  readonly bounds: RefObject<HTMLElement | null>
}

export function HbmTooltip({ info, at, group, x, y, bounds }: Props): ReactElement {
  const tip = useRef<HTMLDivElement>(null)
  const grouping = useHbmSettings(s => s.grouping)
  useLayoutEffect(() => {
    const e = tip.current
    if (!e) return
    const right = Math.min(innerWidth, bounds.current?.getBoundingClientRect().right ?? innerWidth)
    const left = x + GAP + e.offsetWidth <= right - 4 ? x + GAP : x - GAP - e.offsetWidth
    const top = Math.min(Math.max(y - 66, 8), innerHeight - e.offsetHeight - 8)
    e.style.transform = `translate(${Math.round(Math.max(4, left))}px, ${Math.round(Math.max(4, top))}px)`
  })
  const a = at.answer
  const under = groupRows(info, grouping, a).find(r => r.label === group)
  const rows = groupRows(info, 'category', a).filter(r => r.bytes !== null && r.bytes > 0)
  const empty = info.categories.length - rows.filter(r => !r.unattributed).length
  const lit = (of: readonly number[]): boolean => under?.categories.some(c => of.includes(c)) ?? false
  return (
    <div className="tip hbm-tip" role="tooltip" ref={tip} data-testid="hbm-tooltip" data-at={at.question}>
      <div className="big num">
        <span>
          {under && under.bytes !== null ? inMib(under.bytes) : a.totalBytes === null ? 'Nothing is known here' : memory(a.totalBytes)}
        </span>
        <span className="t3">
          {under ? `${under.label}, ${percent(under.bytes ?? 0, a.totalBytes)}` : a.totalBytes === null ? '' : totalName(info)}
        </span>
      </div>
      {a.known === HBM_UNSURE && <p className="why warn">Events around this time were lost: the figures are those of the last one.</p>}
      <table>
        <tbody>
          {rows.map(r => (
            <tr key={r.label} className={lit(r.categories) ? 'on' : ''} data-category={r.label} data-bytes={r.bytes ?? undefined}>
              <td className="ell">
                <i className="sw" style={{ background: `var(${hbmToken(r.color)})` }} />
                {r.label}
              </td>
              <td className="num" title={exactBytes(r.bytes ?? NaN)}>
                {inMib(r.bytes ?? 0)}
              </td>
              <td className="num p">{percent(r.bytes ?? 0, a.totalBytes)}</td>
            </tr>
          ))}
        </tbody>
        {a.totalBytes !== null && (
          <tfoot>
            <tr>
              <td>Total</td>
              <td className="num">{inMib(a.totalBytes)}</td>
              <td className="num p">{percent(a.totalBytes, a.totalBytes)}</td>
            </tr>
          </tfoot>
        )}
      </table>
      {empty > 0 && a.totalBytes !== null && (
        <div className="foot">{empty === 1 ? '1 category holds nothing here.' : `${empty} categories hold nothing here.`}</div>
      )}
      {under && !under.unattributed && info.from === 'events' && <div className="foot">Click pins its largest allocation</div>}
    </div>
  )
}
