/** The tab PyTorch Allocator: what was found out about the file, controls, plot, readout. */
import type { ReactElement } from 'react'
import type { AllocatorInfo, Axis, MemoryAt, SessionView } from '../../../shared/api'
import { exactBytes, memory, num } from '../../../shared/format'
import { ACTIVE, activeName, allocatedName, positionLabel, RESERVED } from '../../../paint/memory/words'
import { runCommand } from '../commands/registry'
import { switchGroup } from '../shell/follow'
import { Icon } from '../shell/icons'
import { showDiagnostics } from '../shell/ui'
import { useView } from '../state/view'
import { Plot } from './Plot'
import { cachedFree, CACHED_FREE, DEFINITION, roundedTitle } from './rounded'
import { setMemorySettings, useMemorySettings } from './settings'
import { useAllocation } from './useAllocation'
import type { Answered } from './useAsk'
import { isRecorded, useMemoryAt, useMemoryAxis } from './useMemory'

export function AllocatorView({ info, view }: { readonly info: AllocatorInfo; readonly view: SessionView }): ReactElement {
  const { axis, window, cursor } = useMemoryAxis(info)
  const group = useView(s => s.group)
  const aligned = axis === 'event' || info.group === group
  const at = useMemoryAt(info, axis, aligned ? cursor : null)
  const shown = at && cursor !== null && isRecorded(info, axis, cursor) ? at : null
  return (
    <div className="alloc">
      <Strips info={info} view={view} />
      <Controls info={info} axis={axis} />
      {aligned ? (
        <Plot info={info} axis={axis} window={window} cursor={cursor} at={shown} />
      ) : (
        <NotAligned info={info} view={view} group={group} />
      )}
      <Readout info={info} axis={axis} cursor={aligned ? cursor : null} at={shown} />
    </div>
  )
}

function Strips({ info, view }: { readonly info: AllocatorInfo; readonly view: SessionView }): ReactElement {
  const file = view.sources.find(s => s.index === info.source)?.path ?? info.path
  const { ok, replayBytes, tableBytes } = info.selfCheck
  const details = (
    <button className="btn quiet" onClick={() => showDiagnostics(file)}>
      Details
    </button>
  )
  return (
    <>
      {info.endsEarly && (
        <div className="strip" role="status" data-testid="strip-truncated">
          <Icon name="warn" size={14} />
          <span className="ell">
            The file ends early: {num(info.events)} whole events are drawn. What came later is not known, totals may be too low
          </span>
          <span className="sp" />
          {details}
        </div>
      )}
      {!ok && (
        <div className="strip" role="status" data-testid="strip-selfcheck">
          <Icon name="warn" size={14} />
          <span
            className="ell"
            title={`Replay: ${exactBytes(replayBytes)}, segment table: ${exactBytes(tableBytes)}, both requested bytes that are active at the end. The curve may be off by the difference.`}
          >
            Self-check failed: the events end with {memory(replayBytes)} {ACTIVE}, the segment table says {memory(tableBytes)}
          </span>
          <span className="sp" />
          {details}
        </div>
      )}
    </>
  )
}

function Controls({ info, axis }: { readonly info: AllocatorInfo; readonly axis: Axis }): ReactElement {
  const s = useMemorySettings()
  const timeless = info.timeRange === null
  const setAxis = (a: Axis): void => useView.getState().setMemoryAxis(a)
  const check = (
    key: 'reserved' | 'allocated' | 'rounded' | 'startState' | 'peak',
    label: ReactElement | string,
    look?: string,
    title?: string,
    disabled = false,
  ): ReactElement => (
    <label className="chk" title={title}>
      <input
        type="checkbox"
        checked={s[key] && !disabled}
        disabled={disabled}
        onChange={e => setMemorySettings({ [key]: e.target.checked })}
      />
      {look !== undefined && <i className={`key ${look}`} />}
      {label}
    </label>
  )
  return (
    <div className="ctl">
      <div className="seg" role="group" aria-label="X axis">
        <button
          aria-pressed={axis === 'time'}
          disabled={timeless}
          title={timeless ? 'This snapshot has no times' : 'One axis with the System Trace'}
          onClick={() => setAxis('time')}
        >
          Time
        </button>
        <button aria-pressed={axis === 'event'} title="One step per event of the snapshot" onClick={() => setAxis('event')}>
          Event
        </button>
      </div>
      <span className="vr" />
      {check('reserved', 'Reserved', '', 'Bytes that the caching allocator holds')}
      {check(
        'allocated',
        <span>Allocated{<span className="wide"> (requested)</span>}</span>,
        'dash',
        'Requested bytes of blocks that are not freed by the program',
      )}
      {check(
        'rounded',
        <span>
          <span className="wide">Allocated, b</span>
          <span className="narrow">B</span>lock-rounded
        </span>,
        'rounded',
        roundedTitle(info),
        info.blockRounded.peakBytes === null,
      )}
      {check('startState', 'Start state', 'box', 'Blocks from before the recording as one flat base; off: as single allocations')}
      {check('peak', 'Peak')}
      <span className="sp" />
      <button
        className="btn quiet peak"
        title={`${exactBytes(info.peakActiveBytes)}, peak ${activeName(info)}, ${positionLabel('event', info.peakActiveEvent)}. Shows it (P).`}
        onClick={() => runCommand('go-to-peak')}
      >
        <i className="tri" aria-hidden="true" />
        <b className="num" data-testid="peak-value" data-bytes={info.peakActiveBytes} data-event={info.peakActiveEvent}>
          {memory(info.peakActiveBytes)}
        </b>
        <span className="t3">
          peak<span className="wide"> {activeName(info)}</span>
        </span>
      </button>
      <label className="pick" title="Fit: the axis fits the window. Fixed: it fits the whole recording.">
        <i>Y</i>
        <select value={s.y} onChange={e => setMemorySettings({ y: e.target.value === 'fixed' ? 'fixed' : 'fit' })}>
          <option value="fit">Fit</option>
          <option value="fixed">Fixed</option>
        </select>
        <Icon name="chevron" size={12} />
      </label>
    </div>
  )
}

/** The snapshot lies in another stretch of time than what the trace shows. */
function NotAligned({
  info,
  view,
  group,
}: {
  readonly info: AllocatorInfo
  readonly view: SessionView
  readonly group: number
}): ReactElement {
  const mine = view.groups.find(g => g.id === info.group)
  const other = view.groups.find(g => g.id === group)
  return (
    <div className="plot notaligned">
      <div className="panelbox">
        <Icon name="clock" size={20} />
        <h3>Snapshot and trace don&apos;t overlap in time</h3>
        <p>
          {mine && other && mine.calibrated && other.calibrated ? `${gap(mine, other)} ` : ''}Each is drawn in its own range; nothing was
          shifted.
        </p>
        <div className="acts">
          <button className="btn primary" onClick={() => info.group !== null && switchGroup(info.group)}>
            Show the snapshot&apos;s range
          </button>
          <button className="btn" onClick={() => useView.getState().setMemoryAxis('event')}>
            Show by event
          </button>
        </div>
      </div>
    </div>
  )
}

type Group = SessionView['groups'][number]

/** How far two groups lie apart, e.g. `The snapshot starts 4.2 s after the trace ends.`; `what` lies in `mine`. */
export function gap(
  mine: Pick<Group, 'originNs' | 'durationNs'>,
  other: Pick<Group, 'originNs' | 'durationNs'>,
  what = 'snapshot',
): string {
  const than = what === 'snapshot' ? 'the trace' : 'what is shown'
  const after = Number(mine.originNs - other.originNs) - other.durationNs
  const before = Number(other.originNs - mine.originNs) - mine.durationNs
  const seconds = (v: number): string => {
    const s = v / 1e9
    if (s >= 2 * 86_400) return `${num(s / 86_400, 1)} days`
    return s >= 7200 ? `${num(s / 3600, 1)} hours` : `${num(s, 1)} s`
  }
  if (after > 0) return `The ${what} starts ${seconds(after)} after ${than} ends.`
  if (before > 0) return `The ${what} ends ${seconds(before)} before ${than} starts.`
  return ''
}

const NOT_HERE = 'Nothing was recorded here'

function Readout({
  info,
  axis,
  cursor,
  at,
}: {
  readonly info: AllocatorInfo
  readonly axis: Axis
  readonly cursor: number | null
  readonly at: Answered<number, MemoryAt> | null
}): ReactElement {
  const pinned = useView(s => (s.pinned?.allocator === info.id ? s.pinned.allocation : null))
  const { details } = useAllocation(pinned === null ? null : info.id, pinned)
  const a = at?.answer ?? null
  const position = at?.question ?? cursor
  const missing = cursor === null ? 'Move the pointer over the chart' : a ? '' : NOT_HERE
  const cell = (label: string, id: string, told: number | undefined, unknown = '', note = ''): ReactElement => {
    const bytes = told !== undefined && Number.isFinite(told) ? told : undefined
    const title = bytes !== undefined ? `${exactBytes(bytes)}${note && `. ${note}`}` : told === undefined ? missing : unknown
    return (
      <span className="num" title={title}>
        {label}
        <b data-testid={`readout-${id}`} data-bytes={bytes}>
          {bytes === undefined ? '—' : memory(bytes)}
        </b>
      </span>
    )
  }
  return (
    <div className="readout">
      <span className="num">
        <span className="word">cursor</span>
        <b data-testid="readout-cursor" data-at={position ?? undefined} data-event={a?.event}>
          {position === null ? '—' : positionLabel(axis, position)}
        </b>
      </span>
      {cell(activeName(info), 'active', a?.activeBytes, '', DEFINITION)}
      {cell(allocatedName(info), 'allocated', a?.allocatedBytes, '', DEFINITION)}
      {cell('block-rounded', 'rounded', a ? (a.blockRoundedBytes ?? NaN) : undefined, roundedTitle(info), roundedTitle(info))}
      {cell(RESERVED, 'reserved', a?.reservedBytes, 'The segment table of the file is not whole: reserved bytes cannot be anchored')}
      <span className="num" title={a ? undefined : missing}>
        live
        <b data-testid="readout-live" data-count={a?.liveAllocations}>
          {a ? num(a.liveAllocations) : '—'}
        </b>
      </span>
      {cell('cached, free', 'cached', a ? cachedFree(a.reservedBytes, a.blockRoundedBytes) : undefined, roundedTitle(info), CACHED_FREE)}
      <span className="sp" />
      {details && (
        <span className="num who">
          pinned<b>{memory(details.size)}</b> <span className="t3">{details.label}</span>
        </span>
      )}
    </div>
  )
}
