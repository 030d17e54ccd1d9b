/** Details of a runtime allocation: size first, then life, place, events, its PyTorch side with the stack, and what the HBM holds at the cursor. */
import type { ReactElement } from 'react'
import type { HbmAllocationDetails, HbmEventRef, HbmInfo } from '../../../shared/hbm-api'
import { address, duration, exactBytes, memory, num, timeMs } from '../../../shared/format'
import { hbmToken } from '../../../paint/hbm/raster'
import { KeyValues, Missing, type KeyValue } from '../details/KeyValues'
import { CopyButton, Stack } from '../memory/Stack'
import { Icon } from '../shell/icons'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { groupRows, inMib, percent } from './figures'
import { selectSlice, showPytorch } from './go'
import { useHbmSettings } from './settings'
import { useHbmAt, useRuntimeAllocation } from './useHbm'
import '../memory/details.css'
import './hbm.css'

/** Shows the runtime allocation of the shared selection; nothing where the selection is something else. */
export function RuntimeDetails(): ReactElement | null {
  const s = useView(v => v.selection)
  return s?.type === 'runtime' ? <One key={`${s.hbm}/${s.allocation}`} hbm={s.hbm} allocation={s.allocation} /> : null
}

function One({ hbm, allocation }: { readonly hbm: number; readonly allocation: number }): ReactElement {
  const info = useSession(s => s.view?.hbm?.find(h => h.id === hbm) ?? null)
  const { details: d, error } = useRuntimeAllocation(hbm, allocation)
  if (error)
    return (
      <div className="adetails">
        <div className="hero">
          <div className="exact">The details could not be read: {error}</div>
        </div>
      </div>
    )
  if (!d || !info) return <div className="adetails" aria-busy="true" />
  const color = d.category === null ? 'unknown' : info.categories[d.category].color
  return (
    <div className="adetails" data-testid="runtime-details" data-allocation={d.allocation}>
      <div className="hero">
        <div className="big num" data-testid="runtime-size" data-bytes={d.size}>
          {memory(d.size)}
        </div>
        <div className="exact num">{exactBytes(d.size)}</div>
        <div className="tags">
          <span className="chip">
            <i className="sw" style={{ background: `var(${hbmToken(color)})` }} />
            {d.categoryName}
          </span>
          <span className="chip">{info.label}</span>
          {d.link?.how === 'id' && (
            <span className="chip ok" title={info.join?.text}>
              <Icon name="link" size={12} />
              trace id
            </span>
          )}
          {d.link?.how === 'inferred' && (
            <span className="chip warn" title="No id links it: found by address and size in overlapping time">
              inferred
            </span>
          )}
          {!d.link && <span className="chip">not linked</span>}
        </div>
      </div>
      <Facts d={d} />
      <Stack title="Linked Python stack" frames={d.frames} note={stackNote(d, info)} />
      <AtCursor info={info} />
      {d.attributes.length > 0 && (
        <section aria-label="Attributes">
          <div className="sect">
            Attributes <span className="t3">as stored</span>
          </div>
          <KeyValues
            rows={d.attributes.map((a, i) => [
              `${a.key}${d.attributes.some((b, k) => k !== i && b.key === a.key) ? `, ${a.of}` : ''}`,
              <span className="mono selectable" title={a.value} key={i}>
                {a.value}
              </span>,
            ])}
          />
        </section>
      )}
    </div>
  )
}

function stackNote(d: HbmAllocationDetails, info: HbmInfo): string {
  switch (d.framesFrom) {
    case 'alloc':
      return ''
    case 'segment':
      return 'Of the request that made PyTorch take this segment from the runtime.'
    case 'block':
      return 'From the segment table: the allocation itself was not recorded.'
    case 'none':
      if (d.link) return 'PyTorch recorded no frames for it: record the history with stacks ("python" or "all").'
      if (info.join === null) return 'There is no memory snapshot in this session to link it to.'
      return 'Nothing of the memory snapshot is linked to it: it may be memory outside PyTorch, such as code, rings and scratchpads.'
  }
}

function Facts({ d }: { readonly d: HbmAllocationDetails }): ReactElement {
  const event = (e: HbmEventRef): ReactElement => (
    <button className="link" title="Selects it in the System Trace" onClick={() => void selectSlice(e.source, e.row)}>
      {e.name}
    </button>
  )
  const link = d.link
  const rows: (KeyValue | false)[] = [
    [
      'Allocated',
      d.allocTime === null ? <span className="soft">before the recording</span> : <span className="num">{timeMs(d.allocTime)}</span>,
    ],
    [
      'Freed',
      d.freeTime === null ? (
        <span className="soft">still live at the end</span>
      ) : (
        <span className="num">
          {d.freeLost ? 'by ' : ''}
          {timeMs(d.freeTime)}
          {d.freeLost && (
            <span className="t3" title="Its address was given out again without a free in the recording">
              free lost
            </span>
          )}
        </span>
      ),
    ],
    [
      'Lifetime',
      d.allocTime !== null && d.freeTime !== null ? (
        <span className="num">
          {d.freeLost ? 'at most ' : ''}
          {duration(d.freeTime - d.allocTime)}
        </span>
      ) : (
        <Missing why={d.allocTime === null ? 'Its begin was not recorded' : 'It was not freed in the recording'} />
      ),
    ],
    [
      'Address',
      d.address === null ? <Missing why="The file has no address for it" /> : <span className="mono selectable">{address(d.address)}</span>,
    ],
    [
      'Trace id',
      d.traceId === null ? (
        <Missing why="No key of its events links to PyTorch" />
      ) : (
        <>
          <span className="mono selectable">{d.traceId}</span>
          <CopyButton label="Copy trace id" text={d.traceId} small />
        </>
      ),
    ],
    [
      'Event',
      d.allocEvent ? (
        <>
          {event(d.allocEvent)}
          {d.nc !== null && <span className="t3 num">NC:{d.nc}</span>}
        </>
      ) : (
        <Missing why="Its allocation was not recorded" />
      ),
    ],
    d.freeEvent !== null && ['Free event', event(d.freeEvent)],
    d.parents.length > 0 && [
      'Inside',
      <span className="files" key="in">
        {d.parents.map(p => (
          <span key={p.row}>{event(p)}</span>
        ))}
      </span>,
    ],
    [
      'PyTorch',
      link ? (
        <>
          <button
            className="link"
            data-testid="pytorch-link"
            title={link.kind === 'segment' ? 'Shows the PyTorch Allocator at its allocation' : 'Pins it in the tab PyTorch Allocator'}
            onClick={() => showPytorch(link, d.allocTime)}
          >
            {link.kind === 'segment' ? `segment of ${memory(link.bytes)}` : `allocation of ${memory(link.bytes)}`}
          </button>
          {d.blocks !== null && (
            <span className="t3 num" title="PyTorch allocations that lay inside the segment while it was there">
              {num(d.blocks)} {d.blocks === 1 ? 'block' : 'blocks'}
            </span>
          )}
        </>
      ) : (
        <Missing why="Nothing of a memory snapshot is linked to it" />
      ),
    ],
    (d.model !== null || d.modelId !== null) && ['Model', <span title={d.modelId ?? undefined}>{d.model ?? d.modelId}</span>],
    d.thread !== null && ['Thread', <span className="num">{d.thread}</span>],
    d.trackingId !== null && ['Tracking id', <span className="mono selectable">{d.trackingId}</span>],
    d.sequenceId !== null && ['Sequence id', <span className="mono selectable">{d.sequenceId}</span>],
  ]
  return <KeyValues rows={rows} />
}

function AtCursor({ info }: { readonly info: HbmInfo }): ReactElement {
  const cursor = useView(s => s.cursor)
  const group = useView(s => s.group)
  const grouping = useHbmSettings(s => s.grouping)
  const at = useHbmAt(info, info.group === group ? cursor : null)
  const a = cursor === null ? null : (at?.answer ?? null)
  const total = a?.totalBytes ?? null
  return (
    <section aria-label={`${info.label} at cursor`}>
      <div className="sect">
        {info.label} at cursor {at && cursor !== null && <span className="t3 num">{timeMs(at.question)}</span>}
      </div>
      {total === null ? (
        <p className="note">{cursor === null ? 'Move the pointer over the chart.' : 'Nothing is known at this time.'}</p>
      ) : (
        <table className="mini shares">
          <tbody>
            {groupRows(info, grouping, a)
              .filter(r => r.bytes !== null && r.bytes > 0)
              .map(r => (
                <tr key={r.label}>
                  <td>
                    <i className="sw" style={{ background: `var(${hbmToken(r.color)})` }} />
                    {r.label}
                  </td>
                  <td className="n num" title={exactBytes(r.bytes ?? NaN)}>
                    {inMib(r.bytes ?? 0)}
                  </td>
                  <td className="p num">{percent(r.bytes ?? 0, total)}</td>
                </tr>
              ))}
          </tbody>
          <tfoot>
            <tr>
              <td>Total</td>
              <td className="n num">{inMib(total)}</td>
              <td />
            </tr>
          </tfoot>
        </table>
      )}
    </section>
  )
}
