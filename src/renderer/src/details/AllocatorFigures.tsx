/** The figures of one allocator of a snapshot, and its curves over the whole recording. */
import type { ReactElement } from 'react'
import type { AllocatorInfo } from '../../../shared/api'
import { exactBytes, memory, num, timeMs } from '../../../shared/format'
import { cachedFree, CACHED_FREE, DEFINITION, roundedReason } from '../memory/rounded'
import { useView } from '../state/view'
import { showAllocator } from '../shell/follow'
import { Icon } from '../shell/icons'
import { count } from '../shell/words'
import { KeyValues, Missing } from './KeyValues'
import { LazyChart } from './LazyChart'
import { inUnit, unitFor, type Unit } from './unit'

/** A figure in the unit of the table's head, the exact bytes on hover; `—` and the reason where it is not known. */
const Bytes = ({ v, unit, why = '' }: { readonly v: number | null; readonly unit: Unit; readonly why?: string }): ReactElement =>
  v === null || Number.isNaN(v) ? (
    <Missing why={why || 'the file does not tell it'} />
  ) : (
    <span title={exactBytes(v)} aria-label={exactBytes(v)}>
      {inUnit(v, unit)}
    </span>
  )

export function AllocatorFigures({
  session,
  allocator: a,
  version,
}: {
  readonly session: string
  readonly allocator: AllocatorInfo
  readonly version: number
}): ReactElement {
  const shown = useView(s => s.allocator === a.id)
  const { blockRounded: rounded } = a
  const largest = [a.peakActiveBytes, a.peakReservedBytes, a.peakAllocatedBytes, rounded.peakBytes ?? 0, rounded.endBytes ?? 0]
  const unit = unitFor(Math.max(...largest.filter(Number.isFinite)))
  const why = roundedReason(rounded)
  // Without the curve only the segment table's own figure is there: nothing is counted from it.
  const cached = (reserved: number, blocks: number | null): number => (rounded.peakBytes === null ? NaN : cachedFree(reserved, blocks))
  const lower = a.atLeast === true ? ' (at least)' : ''
  const caption = `figures-${a.id}`
  return (
    <section aria-label={`Allocator of device ${a.device}`}>
      <div className="sect">
        Allocator
        <span className="t3 num">device {a.device}</span>
        <span className="sp" />
        {!shown && (
          <button className="btn quiet" aria-label={`Show device ${a.device} in the Memory Viewer`} onClick={() => showAllocator(a)}>
            Show
          </button>
        )}
      </div>
      <table className="mini figures">
        <caption className="vh" id={caption}>
          Bytes of device {a.device} at the start, at the peak and at the end of the recording
        </caption>
        <thead>
          <tr>
            <td className="unit">{unit.name}</td>
            <th scope="col">Start</th>
            <th scope="col">Peak</th>
            <th scope="col">End</th>
          </tr>
        </thead>
        <tbody className="num selectable">
          <tr>
            <th scope="row">Active, requested{lower}</th>
            <td>
              <Bytes v={a.startActiveBytes} unit={unit} />
            </td>
            <td>
              <Bytes v={a.peakActiveBytes} unit={unit} />
            </td>
            <td>
              <Bytes v={a.endActiveBytes} unit={unit} />
            </td>
          </tr>
          <tr>
            <th scope="row">Allocated, requested{lower}</th>
            <td>
              <Missing why="only its peak and end are told" />
            </td>
            <td>
              <Bytes v={a.peakAllocatedBytes} unit={unit} />
            </td>
            <td>
              <Bytes v={a.endAllocatedBytes} unit={unit} />
            </td>
          </tr>
          <tr>
            <th scope="row">Allocated, block-rounded</th>
            <td>
              <Bytes v={rounded.startBytes} unit={unit} why={why} />
            </td>
            <td>
              <Bytes v={rounded.peakBytes} unit={unit} why={why} />
            </td>
            <td>
              <Bytes v={rounded.endBytes} unit={unit} why={why} />
            </td>
          </tr>
          <tr>
            <th scope="row">Reserved</th>
            <td>
              <Bytes v={a.startReservedBytes} unit={unit} />
            </td>
            <td>
              <Bytes v={a.peakReservedBytes} unit={unit} />
            </td>
            <td>
              <Bytes v={a.endReservedBytes} unit={unit} />
            </td>
          </tr>
          <tr>
            <th scope="row" title={CACHED_FREE}>
              Cached, free
            </th>
            <td>
              <Bytes v={cached(a.startReservedBytes, rounded.startBytes)} unit={unit} why={why} />
            </td>
            <td>
              <Missing why="it is told at the start, at the end and at the cursor" />
            </td>
            <td>
              <Bytes v={cached(a.endReservedBytes, rounded.endBytes)} unit={unit} why={why} />
            </td>
          </tr>
        </tbody>
      </table>
      <LazyChart session={session} allocator={a} version={version} />
      <KeyValues
        rows={[
          [
            'Peak at',
            a.peakActiveEvent < 0 ? (
              'the start state'
            ) : (
              <>
                <span className="num">{a.peakTime === null ? `event ${num(a.peakActiveEvent)}` : timeMs(a.peakTime)}</span>
                {a.peakTime !== null && <span className="t3 num">event {num(a.peakActiveEvent)}</span>}
              </>
            ),
          ],
          ['Events', <span className="num">{num(a.events)}</span>],
          ['Allocations', <span className="num">{num(a.allocations)}</span>],
          [
            'Start state',
            <span className="num">{a.startBlocks ? `${count(a.startBlocks, 'block')}, ${memory(a.startActiveBytes)}` : 'empty'}</span>,
          ],
          a.ooms.length > 0 && ['Out of memory', <span className="num">{count(a.ooms.length, 'time')}</span>],
          a.checkpoints[1] > 0 && [
            'Checkpoints',
            <span className="num">
              {a.checkpoints[0]} of {a.checkpoints[1]} agree
            </span>,
          ],
        ]}
      />
      <Rounded allocator={a} />
      <SelfCheck allocator={a} />
      {a.unknownFrees > 0 && (
        <p className="verdict">
          <Icon name="info" size={14} className="info" />
          <span>
            <b className="num">
              {count(a.unknownFrees, 'free')} without an allocation in the recording, {memory(a.unknownFreeBytes)}.
            </b>{' '}
            They were allocated before it began, so they count into the start state; who allocated them is not known.
          </span>
        </p>
      )}
      {a.endsEarly && (
        <p className="verdict">
          <Icon name="warn" size={14} className="warn" />
          <span>
            <b>The file ends early.</b> Peak and end are those of the part that could be read, and what was live before it is only partly
            known.
          </span>
        </p>
      )}
    </section>
  )
}

/** Whether the block-rounded figures are known, and which definition the figures follow. */
function Rounded({ allocator: a }: { readonly allocator: AllocatorInfo }): ReactElement {
  const { status } = a.blockRounded
  const confirmed = status === 'confirmed'
  return (
    <>
      <p className="verdict" data-testid="block-rounded" data-status={status}>
        <Icon
          name={confirmed ? 'check' : status === 'refuted' ? 'warn' : 'info'}
          size={14}
          className={confirmed ? 'ok' : status === 'refuted' ? 'warn' : 'info'}
        />
        <span>
          <b>Allocated, block-rounded</b> is what torch.cuda.memory_allocated() counts. {roundedReason(a.blockRounded)}.
        </span>
      </p>
      <p className="remark t3">{DEFINITION}.</p>
    </>
  )
}

/** The replay of the events against the segment table of the same file: the reader's own proof, shown with both figures. */
function SelfCheck({ allocator: a }: { readonly allocator: AllocatorInfo }): ReactElement {
  const { ok, replayBytes, tableBytes } = a.selfCheck
  return (
    <p className="verdict">
      <Icon name={ok ? 'check' : 'warn'} size={14} className={ok ? 'ok' : 'warn'} />
      <span>
        <b>{ok ? 'Self-check passed.' : 'Self-check failed.'}</b> At the end the replayed events hold{' '}
        <span className="num selectable">{exactBytes(replayBytes)}</span>, the segment table{' '}
        <span className="num selectable">{exactBytes(tableBytes)}</span> active.
        {!ok && ' The figures of this allocator are not reliable: events or blocks are missing from the file.'}
      </span>
    </p>
  )
}
