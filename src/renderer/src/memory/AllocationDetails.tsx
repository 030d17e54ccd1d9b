/** Details of one allocation: size first, then life, place, links, stack, and what the same line of code holds. */
import type { ReactElement, ReactNode } from 'react'
import type { AllocationDetails as Details, AllocatorInfo } from '../../../shared/api'
import { address, duration, exactBytes, memory, num, timeMs } from '../../../shared/format'
import { groupToken } from '../../../paint/memory/raster'
import { KeyValues, Missing, type KeyValue } from '../details/KeyValues'
import { Icon } from '../shell/icons'
import { showRuntime, selectSlice } from '../hbm/go'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { shortFile } from './frames'
import { CopyButton, Stack } from './Stack'
import { useAllocation } from './useAllocation'
import './details.css'

/** Shows the allocation of the shared selection; nothing where the selection is something else. The column's head is the frame's. */
export function AllocationDetails(): ReactElement | null {
  const selection = useView(s => s.selection)
  return selection?.type === 'allocation' ? (
    <One key={`${selection.allocator}/${selection.allocation}`} allocator={selection.allocator} allocation={selection.allocation} />
  ) : null
}

function One({ allocator, allocation }: { readonly allocator: number; readonly allocation: number }): ReactElement {
  const info = useSession(s => s.view?.allocators.find(a => a.id === allocator) ?? null)
  const { details: d, error } = useAllocation(allocator, allocation)
  if (error)
    return (
      <div className="adetails">
        <div className="hero">
          <div className="exact">The details could not be read: {error}</div>
        </div>
      </div>
    )
  if (!d || !info) return <div className="adetails" aria-busy="true" />
  return (
    <div className="adetails" data-testid="allocation-details" data-allocation={d.allocation}>
      <Hero d={d} info={info} />
      <LifeBar d={d} info={info} />
      <Facts d={d} info={info} />
      <Runtime d={d} />
      <Stack title="Python stack" frames={d.frames} note={framesNote(d)} />
      {d.freeFrames.length > 0 && d.framesFrom !== 'free' && <Stack title="Freed by" frames={d.freeFrames} note="" closed />}
      <ThisLine d={d} />
    </div>
  )
}

const ORIGIN: Readonly<Record<Details['origin'], { readonly word: string; readonly title: string }>> = {
  recorded: { word: 'recorded', title: 'Its allocation is an event of the snapshot' },
  'live-at-start': {
    word: 'before recording',
    title: 'Live in the segment table without an allocation in the recording: it was made before',
  },
  'unknown-free': { word: 'before recording', title: 'Freed in the recording without an allocation in it: it was made before' },
  'pending-free': {
    word: 'before recording, pending free',
    title: 'In the segment table as pending free, without an allocation in the recording',
  },
}

function Hero({ d, info }: { readonly d: Details; readonly info: AllocatorInfo }): ReactElement {
  return (
    <div className="hero">
      <div className="big num" data-testid="details-size" data-bytes={d.size}>
        {memory(d.size)}
      </div>
      <div className="exact num">{exactBytes(d.size)} requested</div>
      <div className="tags">
        <span className="chip" title={info.groups[d.group]?.file ? `${info.groups[d.group].file}:${info.groups[d.group].line}` : undefined}>
          <i className="sw" style={{ background: `var(${groupToken(d.group)})` }} />
          <span className="ell">{info.groups[d.group]?.label ?? d.label}</span>
        </span>
        <span className="chip" title={ORIGIN[d.origin].title}>
          {ORIGIN[d.origin].word}
        </span>
        {d.category && <span className="chip">{d.category}</span>}
        <span className="chip">
          rank {info.rank}, device {info.device}
        </span>
      </div>
    </div>
  )
}

/** Where the life lies in the recording; by events where there are no times. */
function LifeBar({ d, info }: { readonly d: Details; readonly info: AllocatorInfo }): ReactElement {
  const cursor = useView(s => (info.timeRange ? s.cursor : s.eventCursor))
  const group = useView(s => s.group)
  const [r0, r1] = info.timeRange ?? [-1, Math.max(info.events, 1)]
  const span = Math.max(r1 - r0, 1e-9)
  const at = (v: number): number => Math.min(100, Math.max(0, ((v - r0) / span) * 100))
  const from = info.timeRange ? d.allocTime : d.allocEvent < 0 ? null : d.allocEvent
  const to = info.timeRange ? d.freeCompletedTime : d.freeCompletedEvent
  const a = from === null ? 0 : at(from)
  const b = to === null ? 100 : at(to)
  const here = cursor !== null && cursor >= r0 && cursor <= r1 && (!info.timeRange || info.group === group)
  const end = (v: number): string => (info.timeRange ? timeMs(v, 1) : v < 0 ? 'start' : `event ${num(v)}`)
  return (
    <div className="life" title="Its life within the recording">
      <div className="rail2">
        <i
          style={{ left: `${a}%`, width: `max(2px, ${b - a}%)`, background: `var(${groupToken(d.group)})` }}
          className={`${from === null ? 'openl' : ''} ${to === null ? 'openr' : ''}`}
        />
        {here && cursor !== null && <u style={{ left: `${at(cursor)}%` }} />}
      </div>
      <div className="ends num">
        <span>{end(r0)}</span>
        <span>{end(r1)}</span>
      </div>
    </div>
  )
}

const missing = (why: string): ReactElement => <Missing why={why} />

function Facts({ d, info }: { readonly d: Details; readonly info: AllocatorInfo }): ReactElement {
  const timed = info.timeRange !== null
  const when = (event: number | null, time: number | null): ReactNode =>
    event === null ? null : (
      <>
        <span className="num" data-time={time ?? undefined}>
          {time === null ? (timed ? missing('This event has no time') : `event ${num(event)}`) : timeMs(time)}
        </span>
        {time !== null && <span className="t3 num">event {num(event)}</span>}
      </>
    )
  const pending = d.freeRequestedEvent !== null && d.freeCompletedEvent === null
  const fromHere = d.origin === 'recorded'
  const lifetime =
    d.allocTime !== null && d.freeCompletedTime !== null
      ? duration(d.freeCompletedTime - d.allocTime)
      : !timed && fromHere && d.freeCompletedEvent !== null
        ? `${num(d.freeCompletedEvent - d.allocEvent)} events`
        : null
  const rows: (KeyValue | false)[] = [
    ['Allocated', fromHere ? when(d.allocEvent, d.allocTime) : <span className="soft">before the recording</span>],
    // A free that was asked for long before it happened: the block waited for another stream.
    d.freeRequestedEvent !== null &&
      (pending || (d.freeCompletedEvent !== null && d.freeCompletedEvent > d.freeRequestedEvent + 1)) && [
        'Free asked',
        when(d.freeRequestedEvent, d.freeRequestedTime),
      ],
    [
      'Freed',
      when(d.freeCompletedEvent, d.freeCompletedTime) ?? (
        <span className="soft">{pending || d.origin === 'pending-free' ? 'pending at the end' : 'still live at the end'}</span>
      ),
    ],
    [
      'Lifetime',
      lifetime ? (
        <span className="num">{lifetime}</span>
      ) : (
        missing(fromHere ? 'It was not freed in the recording' : 'Its begin was not recorded')
      ),
    ],
    [
      'Address',
      <span className="mono selectable" key="a">
        {address(d.address)}
      </span>,
    ],
    [
      'Segment',
      d.segment ? (
        <>
          <span
            className="num"
            title={`${address(d.segment.address)}, ${exactBytes(d.segment.bytes)}${d.segment.expandable ? ', expandable' : ''}`}
          >
            {memory(d.segment.bytes)}
          </span>
          <span className="t3 num">
            {d.segment.type} offset {memory(d.segment.offset)}
          </span>
        </>
      ) : (
        missing('Its segment is not in the table at the end of the recording')
      ),
    ],
    [
      'Block',
      d.blockBytes === null ? (
        missing('The segment table holds this block no longer: its rounded size is not known')
      ) : (
        <>
          <span className="num" title={exactBytes(d.blockBytes)}>
            {memory(d.blockBytes)}
          </span>
          <span className="t3">rounded</span>
        </>
      ),
    ],
    ['Stream', <span className="num">{d.stream || missing('The snapshot names no stream')}</span>],
    [
      'Pool',
      d.pool === null ? (
        missing('This version of PyTorch stores no pool')
      ) : (
        <>
          <span className="num">{d.pool}</span>
          <span className="t3">{d.pool === '0,0' ? 'default' : 'private'}</span>
        </>
      ),
    ],
    ['Inside', d.inside ? <Inside inside={d.inside} /> : missing('No slice of the framework trace covers the time of the allocation')],
    ['Freed by', <FreedBy d={d} key="f" />],
  ]
  if (d.compileContext && d.compileContext !== 'N/A') rows.push(['Compiled in', <span title={d.compileContext}>{d.compileContext}</span>])
  if (d.userMetadata)
    rows.push([
      'Metadata',
      <span className="selectable" title={d.userMetadata}>
        {d.userMetadata}
      </span>,
    ])
  for (const x of d.extras)
    rows.push([
      x.key,
      <span className="selectable mono" title={x.value}>
        {x.value}
      </span>,
    ])
  return <KeyValues rows={rows} />
}

function FreedBy({ d }: { readonly d: Details }): ReactElement {
  const f = d.freeFrames.find(x => !x.library) ?? d.freeFrames[0]
  if (!f)
    return missing(
      d.freeCompletedEvent === null && d.freeRequestedEvent === null
        ? 'It was not freed in the recording'
        : 'No frames were recorded for the free',
    )
  return (
    <>
      <span>{f.name}</span>
      <span className="t3 mono" title={`${f.file}:${f.line}`}>
        {shortFile(f)}
      </span>
    </>
  )
}

function Inside({ inside }: { readonly inside: NonNullable<Details['inside']> }): ReactElement {
  return (
    <>
      <button className="link" title="Found by time only. Selects the slice." onClick={() => void selectSlice(inside.source, inside.row)}>
        {inside.name}
      </button>
      <span className="t3" title="Inferred: the innermost slice that covers the time of the allocation">
        {inside.track}, by time
      </span>
    </>
  )
}

/** The trace id, and the runtime allocations that hold this one; each leads to the HBM tab. */
function Runtime({ d }: { readonly d: Details }): ReactElement | null {
  const hbm = useSession(s => s.view?.hbm)
  if (!d.traceId && !d.runtime) return null
  const links = d.runtime ?? []
  return (
    <div className="linked" data-testid="runtime-links">
      {d.traceId && (
        <div className="r1">
          <Icon name="link" size={12} />
          Trace id <span className="mono selectable">{d.traceId}</span>
          <span className="sp" />
          <CopyButton label="Copy trace id" text={d.traceId} small />
        </div>
      )}
      {links.map(l => (
        <div className="r2 to" key={`${l.hbm}/${l.allocation}`}>
          <button className="link" title="Shows it in the HBM tab" onClick={() => showRuntime(l)}>
            {memory(l.bytes)} {l.category}
          </button>
          <span title={`${exactBytes(l.bytes)} at ${address(l.address.replace(/^0x/, ''))}`}>
            {hbm?.find(h => h.id === l.hbm)?.label ?? 'HBM'}, {l.how === 'id' ? 'by trace id' : 'inferred by address and size'}
          </span>
        </div>
      ))}
      {links.length === 0 && (
        <div className="r2">
          {d.runtime ? 'No allocation of the runtime is linked to it.' : 'There is no runtime trace in this session to link it to.'}
        </div>
      )}
    </div>
  )
}

function framesNote(d: Details): string {
  switch (d.framesFrom) {
    case 'alloc':
      return ''
    case 'block':
      return 'From the segment table: the allocation itself was not recorded.'
    case 'free':
      return 'Frames of the free: the allocation itself was not recorded, who made it is not known.'
    case 'none':
      return 'No frames were recorded for it: record the history with stacks ("python" or "all") to see them.'
  }
}

function ThisLine({ d }: { readonly d: Details }): ReactElement | null {
  const f = d.frames.find(x => !x.library)
  if (!d.sameLine) return null
  const row = (k: string, n: number, bytes: number | null): ReactElement => (
    <tr>
      <td>{k}</td>
      <td className="p num">{num(n)}</td>
      <td className="n num" title={bytes === null ? undefined : exactBytes(bytes)}>
        {bytes === null ? '' : memory(bytes)}
      </td>
    </tr>
  )
  return (
    <section aria-label="This line">
      <div className="sect">
        This line <span className="t3 mono ell">{f ? shortFile(f) : d.label}</span>
      </div>
      <table className="mini">
        <tbody>
          {row('Allocations', d.sameLine.count, null)}
          {row('Live at the peak', d.sameLine.liveAtPeak, d.sameLine.liveAtPeakBytes)}
        </tbody>
      </table>
    </section>
  )
}
