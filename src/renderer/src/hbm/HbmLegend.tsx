/** The legend in the gutter: groups of the stack with what they hold at the cursor, in MiB. */
import type { ReactElement } from 'react'
import type { HbmAt, HbmInfo } from '../../../shared/hbm-api'
import { exactBytes } from '../../../shared/format'
import { hbmToken } from '../../../paint/hbm/raster'
import { totalName } from '../../../paint/hbm/words'
import type { Answered } from '../memory/useAsk'
import { groupRows, inMib, mib } from './figures'
import { setHbmSettings, useHbmSettings } from './settings'

/** Below this height of the chart, groups that hold nothing are left out. */
const TIGHT = 240

interface Props {
  readonly info: HbmInfo
  readonly at: Answered<number, HbmAt> | null
  readonly height: number
  /** Label under the pointer, null for none. */
  readonly onHover: (label: string | null) => void
}

export function HbmLegend({ info, at, height, onHover }: Props): ReactElement {
  const { grouping, only } = useHbmSettings()
  const a = at?.answer ?? null
  const rows = groupRows(info, grouping, a).filter(r => height >= TIGHT || a === null || r.bytes !== 0)
  const figure = (b: number | null): string => (b === null ? '—' : mib(b))
  const words = (b: number | null): string => (b === null ? 'not known at the cursor' : `${inMib(b)}, ${exactBytes(b)}`)
  const inferred = (of: readonly number[]): boolean => of.some(i => info.categories[i].inferredName)
  const total = a?.totalBytes ?? null
  return (
    <div className="legend" role="group" aria-label="Legend, MiB at the cursor" onPointerLeave={() => onHover(null)}>
      <div className="h">At cursor, MiB</div>
      <div className="rows">
        {rows.map(r => (
          <button
            key={r.label}
            className={`r${r.bytes === 0 ? ' dim' : ''}${only !== null && only !== r.label ? ' off' : ''}`}
            aria-pressed={only === r.label}
            title={`${r.label}\nAt the cursor: ${words(r.bytes)}${inferred(r.categories) ? '\nThe file has a number; the name is inferred from the order of the usage types.' : ''}\nClick shows it alone, click again shows all.`}
            data-group={r.label}
            onClick={() => setHbmSettings({ only: only === r.label ? null : r.label })}
            onPointerEnter={() => onHover(r.label)}
            onFocus={() => onHover(r.label)}
            onBlur={() => onHover(null)}
          >
            <i className="sw" style={{ background: `var(${hbmToken(r.color)})` }} />
            <span className="n">
              {r.label}
              {inferred(r.categories) && <span className="t3"> *</span>}
            </span>
            <span className="v num" data-bytes={r.bytes ?? undefined}>
              {figure(r.bytes)}
            </span>
          </button>
        ))}
      </div>
      <div className="r sum" title={`${totalName(info)}: ${words(total)}`}>
        <span className="n">Total</span>
        <span className="v num">{figure(total)}</span>
      </div>
    </div>
  )
}
