/** What the pointer is on: size first, then place and life, then who asked for it. Opens beside the pointer and stays inside the window. */
import { useLayoutEffect, useRef, type ReactElement, type RefObject } from 'react'
import type { AllocatorInfo, Axis, MemoryPicture } from '../../../shared/api'
import { address, exactBytes, memory, num } from '../../../shared/format'
import { factOf, type Hit } from '../../../paint/memory/hit'
import { groupToken } from '../../../paint/memory/raster'
import { request, useSession } from '../state/session'
import { useView } from '../state/view'
import { shortFile } from './frames'
import { lifeWords } from './life'
import { useAllocation } from './useAllocation'
import { useAsk } from './useAsk'

export type Drawn = Extract<Hit, { readonly kind: 'allocation' | 'smaller' }>

export interface HoverTarget {
  readonly hit: Drawn
  /** Picture in which it was found. */
  readonly picture: MemoryPicture
  /** Pointer, client px. */
  readonly x: number
  readonly y: number
}

/** How many of "n smaller" are listed. */
const LISTED = 5
const GAP = 14

interface Props {
  readonly info: AllocatorInfo
  readonly axis: Axis
  readonly target: HoverTarget
  readonly bounds: RefObject<HTMLElement | null>
}

export function Tooltip({ info, axis, target, bounds }: Props): ReactElement {
  const tip = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const e = tip.current
    if (!e) return
    const w = e.offsetWidth
    const h = e.offsetHeight
    const area = bounds.current?.getBoundingClientRect()
    const right = Math.min(innerWidth, area?.right ?? innerWidth)
    const x = target.x + GAP + w <= right - 4 ? target.x + GAP : target.x - GAP - w
    const y = Math.min(Math.max(target.y - 66, 8), innerHeight - h - 8)
    e.style.transform = `translate(${Math.round(Math.max(4, x))}px, ${Math.round(y)}px)`
  })
  return (
    <div className="tip" role="tooltip" ref={tip} data-testid="tooltip">
      {target.hit.kind === 'allocation' ? (
        <One info={info} axis={axis} picture={target.picture} allocation={target.hit.allocation} />
      ) : (
        <Smaller info={info} axis={axis} hit={target.hit} />
      )}
    </div>
  )
}

function One({
  info,
  axis,
  picture,
  allocation,
}: {
  readonly info: AllocatorInfo
  readonly axis: Axis
  readonly picture: MemoryPicture
  readonly allocation: number
}): ReactElement {
  const k = factOf(picture, allocation)
  const { details: d } = useAllocation(info.id, allocation)
  const pinned = useView(s => s.pinned?.allocator === info.id && s.pinned.allocation === allocation)
  const size = k < 0 ? NaN : picture.size[k]
  const life = lifeWords(
    axis,
    { start: picture.start[k] === 1, from: picture.from[k], to: picture.to[k] },
    d && d.freeRequestedEvent !== null && d.freeCompletedEvent === null,
  )
  const frames = d?.frames ?? []
  const user = frames.filter(f => !f.library)
  const top = (user.length ? user : frames).slice(0, 2)
  return (
    <>
      <div className="big num">
        <i className="sw" style={{ background: `var(${groupToken(picture.group[k])})` }} />
        <span data-testid="tooltip-size" data-bytes={size} data-allocation={allocation} title={exactBytes(size)}>
          {memory(size)}
        </span>
        <span className="t3">{exactBytes(size)} requested</span>
      </div>
      <dl>
        <dt>Address</dt>
        <dd className="mono" data-testid="tooltip-address" data-address={d?.address}>
          {d ? address(d.address) : '…'}
        </dd>
        <dt>From, to</dt>
        <dd className="num" data-testid="tooltip-life">
          {life.range}
        </dd>
        <dt>Lifetime</dt>
        <dd className="num">{life.lifetime}</dd>
        {d?.traceId && (
          <>
            <dt>Trace id</dt>
            <dd className="mono">{d.traceId}</dd>
          </>
        )}
      </dl>
      <div className="stk" data-testid="tooltip-stack">
        {top.length > 0 ? (
          top.map((f, i) => (
            <div key={i}>
              <span className={i === 0 ? 't1 ell' : 'ell'}>{f.name}</span>
              <span className="t3 at">{shortFile(f)}</span>
            </div>
          ))
        ) : (
          <div>
            <span className="t3">{d ? 'No frames were recorded' : picture.labels[picture.label[k]]}</span>
          </div>
        )}
        {d?.framesFrom === 'free' && <div className="t3">Frames of the free: the alloc was not recorded</div>}
      </div>
      {!pinned && <div className="foot">Click to pin</div>}
    </>
  )
}

function Smaller({
  info,
  axis,
  hit,
}: {
  readonly info: AllocatorInfo
  readonly axis: Axis
  readonly hit: Extract<Hit, { readonly kind: 'smaller' }>
}): ReactElement {
  const session = useSession(s => s.session)
  const version = useSession(s => s.view?.version ?? 0)
  const { event, from, to } = hit
  const { value, error } = useAsk(`${session}/${info.id}/${axis}/${version}`, `${event},${from},${to}`, { event, from, to }, q =>
    request('memory.smaller', { session: session ?? '', allocator: info.id, axis, ...q, limit: LISTED }),
  )
  const a = value?.question.event === event && value.question.from === from && value.question.to === to ? value.answer : null
  return (
    <>
      <div className="big num">
        <i className="sw" style={{ background: `var(${groupToken(hit.group)})` }} />
        <span data-testid="tooltip-smaller">{a ? `${num(a.total)} smaller` : 'Smaller ones'}</span>
        {a && (
          <span className="t3" title={exactBytes(a.totalBytes)}>
            {memory(a.totalBytes)} requested
          </span>
        )}
      </div>
      <p className="t3 why">In this pixel row, each thinner than the row.</p>
      {error && <p className="t3 why">{error}</p>}
      {a && (
        <div className="stk">
          {a.list.map(s => (
            <div key={s.allocation}>
              <span className="ell">{s.label || (s.start ? 'before recording' : '—')}</span>
              <span className="t3 num" title={exactBytes(s.size)}>
                {memory(s.size)}
              </span>
            </div>
          ))}
          {a.total > a.list.length && <div className="t3">and {num(a.total - a.list.length)} more</div>}
        </div>
      )}
      <div className="foot">Click pins the largest</div>
    </>
  )
}
