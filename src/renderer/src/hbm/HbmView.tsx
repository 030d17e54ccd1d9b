/** The tab HBM: controls, plot, readout, table of live allocations. */
import { useRef, type ReactElement, type ReactNode } from 'react'
import type { SessionView } from '../../../shared/api'
import type { HbmAt, HbmGrouping, HbmInfo } from '../../../shared/hbm-api'
import { exactBytes, memory, num, timeMs } from '../../../shared/format'
import { peakName, rounded, totalName } from '../../../paint/hbm/words'
import { gap } from '../memory/AllocatorView'
import type { Answered } from '../memory/useAsk'
import { useBox } from '../memory/useBox'
import { switchGroup } from '../shell/follow'
import { Icon } from '../shell/icons'
import { showDiagnostics } from '../shell/ui'
import { useView } from '../state/view'
import { freeOf } from './figures'
import { goToHbmPeak } from './go'
import { HbmPlot } from './HbmPlot'
import { HbmTable } from './HbmTable'
import { setHbmSettings, useHbmSettings, yOf } from './settings'
import { useHbmAt } from './useHbm'
import './hbm.css'

/** Height below which the table gives way to the chart until it is asked for, CSS px. */
const LOW = 300

export function HbmView({ info, view }: { readonly info: HbmInfo; readonly view: SessionView }): ReactElement {
  const cursor = useView(s => s.cursor)
  const group = useView(s => s.group)
  const here = info.group === group
  const at = useHbmAt(info, here ? cursor : null)
  const box = useRef<HTMLDivElement>(null)
  const { height } = useBox(box)
  return (
    <div className="hbm" ref={box} data-testid="hbm" data-hbm={info.id}>
      {info.totals === 'running-sum' && (
        <Strip info={info}>
          The file tells no totals: only bytes since the recording began are drawn, what was there before is missing
        </Strip>
      )}
      <Controls info={info} />
      {here ? <HbmPlot info={info} at={at} /> : <Elsewhere info={info} view={view} group={group} />}
      <Readout info={info} at={cursor === null || !here ? null : at} cursor={here ? cursor : null} />
      {here && info.from === 'events' && <HbmTable info={info} cursor={cursor} room={height >= LOW} />}
      {info.from === 'usage' && (
        <p className="hbm-note">
          This source tells totals by category and no single allocations: the runtime&apos;s own ntrace.pb has them.
        </p>
      )}
    </div>
  )
}

const Strip = ({ info, children }: { readonly info: HbmInfo; readonly children: ReactNode }): ReactElement => (
  <div className="strip" role="status">
    <Icon name="warn" size={14} />
    <span className="ell">{children}</span>
    <span className="sp" />
    <button className="btn quiet" onClick={() => showDiagnostics(info.path)}>
      Details
    </button>
  </div>
)

const GROUPINGS: readonly { readonly id: HbmGrouping; readonly title: string }[] = [
  { id: 'family', title: 'Eight families of usage categories' },
  { id: 'category', title: "The runtime's usage categories" },
  { id: 'runtime', title: "Rows of the runtime's own memory table, as it logs it" },
]

function Controls({ info }: { readonly info: HbmInfo }): ReactElement {
  const s = useHbmSettings()
  const label = (g: HbmGrouping): ReactNode =>
    g === 'family' ? (
      'Families'
    ) : g === 'category' ? (
      <>
        {num(info.categories.length)} {info.categories.length === 1 ? 'category' : 'categories'}
      </>
    ) : (
      <>
        Runtime<span className="wide">&nbsp;table</span>
      </>
    )
  const check = (key: 'capacity' | 'peak' | 'reserved' | 'ooms', text: ReactNode, title: string, disabled = false, look?: string) => (
    <label className="chk" title={title}>
      <input
        type="checkbox"
        checked={s[key] && !disabled}
        disabled={disabled}
        onChange={e => setHbmSettings({ [key]: e.target.checked })}
      />
      {look !== undefined && <i className={`key ${look}`} />}
      <span>{text}</span>
    </label>
  )
  const { capacity } = info
  return (
    <div className="ctl">
      <div className="seg" role="group" aria-label="Group by">
        {GROUPINGS.map(g => (
          <button
            key={g.id}
            aria-pressed={s.grouping === g.id}
            title={g.title}
            onClick={() => setHbmSettings({ grouping: g.id, only: null })}
          >
            {label(g.id)}
          </button>
        ))}
      </div>
      <span className="vr" />
      {check('capacity', 'Capacity', capacity.reason, capacity.bytes === null)}
      {check('peak', 'Peak', 'The highest total of the recording')}
      {check(
        'reserved',
        <>
          PyTorch<span className="wide"> reserved</span>
        </>,
        info.pytorch.allocators.length > 0
          ? `Bytes that PyTorch's caching allocator holds in this HBM: ${info.pytorch.how}`
          : `Not known: ${info.pytorch.how}`,
        info.pytorch.allocators.length === 0,
        '',
      )}
      {check(
        'ooms',
        <>
          OOM<span className="wide"> marks</span>
          {info.oomCount > 0 && <span className="num"> {num(info.oomCount)}</span>}
        </>,
        info.oomCount === 0
          ? 'No allocation was refused in this recording'
          : `Allocations that the runtime refused: ${num(info.oomCount)}${info.ooms.length < info.oomCount ? `, the first ${num(info.ooms.length)} are marked` : ''}`,
        info.oomCount === 0,
      )}
      <span className="sp" />
      <button
        className="btn quiet peak"
        title={`${exactBytes(info.peakBytes)}, ${peakName(info)}. Shows it (P).`}
        onClick={() => goToHbmPeak(info)}
      >
        <i className="tri" aria-hidden="true" />
        <b className="num" data-testid="hbm-peak" data-bytes={info.peakBytes}>
          {memory(info.peakBytes)}
        </b>
        <span className="t3">{peakName(info)}</span>
      </button>
      <label className="pick" title="Fit: the axis fits the window. Capacity: it reaches to the capacity of the HBM.">
        <i>Y</i>
        <select
          aria-label="Y axis"
          value={yOf(info, s.y)}
          onChange={e => setHbmSettings({ y: e.target.value === 'capacity' ? 'capacity' : 'fit' })}
        >
          <option value="fit">Fit</option>
          {capacity.bytes !== null && <option value="capacity">{rounded(capacity.bytes)}</option>}
        </select>
        <Icon name="chevron" size={12} />
      </label>
    </div>
  )
}

/** The HBM lies in another stretch of time than what is shown. */
function Elsewhere({ info, view, group }: { readonly info: HbmInfo; readonly view: SessionView; readonly group: number }): ReactElement {
  const mine = view.groups.find(g => g.id === info.group)
  const other = view.groups.find(g => g.id === group)
  return (
    <div className="plot notaligned" data-testid="hbm-elsewhere">
      <div className="panelbox">
        <Icon name="clock" size={20} />
        <h3>{mine ? "Runtime trace and what is shown don't overlap in time" : 'This source has no times'}</h3>
        <p>
          {mine && other && mine.calibrated && other.calibrated ? `${gap(mine, other, 'runtime trace')} ` : ''}
          {mine ? 'Each is drawn in its own range; nothing was shifted.' : 'Without times its memory cannot be drawn.'}
        </p>
        {mine && (
          <div className="acts">
            <button className="btn primary" onClick={() => switchGroup(mine.id)}>
              Show the runtime trace&apos;s range
            </button>
          </div>
        )}
      </div>
    </div>
  )
}

function Readout({
  info,
  at,
  cursor,
}: {
  readonly info: HbmInfo
  readonly at: Answered<number, HbmAt> | null
  readonly cursor: number | null
}): ReactElement {
  const a = at?.answer ?? null
  const none = cursor === null ? 'Move the pointer over the chart' : 'Nothing is known at this time'
  const time = at?.question ?? cursor
  const cell = (label: string, id: string, bytes: number | null, text: (b: number) => string, why: string): ReactElement => (
    <span className="num" title={bytes === null ? why : `${exactBytes(bytes)}${why && `. ${why}`}`}>
      {label}
      <b data-testid={`hbm-${id}`} data-bytes={bytes ?? undefined}>
        {bytes === null ? '—' : text(bytes)}
      </b>
    </span>
  )
  const { capacity } = info
  const cross = a?.crossCheck ?? null
  return (
    <div className="readout">
      <span className="num">
        cursor
        <b data-testid="hbm-cursor" data-at={time ?? undefined}>
          {time === null ? '—' : timeMs(time)}
        </b>
      </span>
      {cell(totalName(info), 'total', a?.totalBytes ?? null, memory, a ? '' : none)}
      {cell(
        'free',
        'free',
        a?.freeBytes ?? null,
        b => (capacity.bytes === null ? memory(b) : freeOf(b, capacity.bytes)),
        a ? capacity.reason : none,
      )}
      {cell('PyTorch reserved', 'reserved', a?.reservedBytes ?? null, memory, a ? info.pytorch.how : none)}
      {cell('outside PyTorch', 'outside', a?.outsideBytes ?? null, memory, a ? (cross ?? info.pytorch.how) : none)}
      {cross && (
        <span className="ell t3" title={cross} data-testid="hbm-cross">
          {cross}
        </span>
      )}
    </div>
  )
}
