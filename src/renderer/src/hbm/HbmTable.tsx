/** Live runtime allocations at the cursor: only the rows in sight exist, and only a stretch of them around is asked for. */
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactElement, type ReactNode } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'
import type { HbmInfo, HbmRow, HbmSort } from '../../../shared/hbm-api'
import { address, exactBytes, memory, num, timeMs } from '../../../shared/format'
import { MIB } from '../../../shared/units'
import { hbmToken } from '../../../paint/hbm/raster'
import { saveFile } from '../export/save'
import { observeElementRect } from './observe'
import { Icon } from '../shell/icons'
import { notify } from '../shell/ui'
import { fail, request, useSession } from '../state/session'
import { useView } from '../state/view'
import { ageMs, csvName } from './figures'
import { JoinDialog } from './JoinDialog'
import { setHbmSettings, useHbmSettings } from './settings'
import { useHbmLive } from './useHbm'

const ROW = 22

const HEAD: Readonly<Record<HbmSort, { readonly label: string; readonly right?: boolean }>> = {
  size: { label: 'Size, MiB', right: true },
  category: { label: 'Category' },
  address: { label: 'Address' },
  age: { label: 'Age, ms', right: true },
  model: { label: 'Model' },
  traceId: { label: 'Trace id' },
  label: { label: 'Python frame' },
}
const COLUMNS: readonly HbmSort[] = ['category', 'size', 'address', 'age', 'model', 'traceId', 'label']
/** Columns whose first click sorts downwards. */
const DOWN: ReadonlySet<HbmSort> = new Set(['size', 'age'])

interface Props {
  readonly info: HbmInfo
  readonly cursor: number | null
  /** Whether it is shown while the user has not said: not where the panel is too low for chart and table. */
  readonly room: boolean
}

export function HbmTable({ info, cursor, room }: Props): ReactElement {
  const id = useId()
  const [order, setOrder] = useState<{ readonly sort: HbmSort; readonly descending: boolean }>({ sort: 'size', descending: true })
  const [filter, setFilter] = useState('')
  const [first, setFirst] = useState(0)
  const [active, setActive] = useState(-1)
  const [joining, setJoining] = useState(false)
  const open = useHbmSettings(s => s.table) ?? room
  const pinned = useView(s => (s.pinnedRuntime?.hbm === info.id ? s.pinnedRuntime.allocation : null))
  const scroller = useRef<HTMLDivElement>(null)
  const { value, error } = useHbmLive(info, cursor, order, filter, first)
  const live = value?.answer ?? null
  const count = live?.passed ?? 0
  const rowAt = (i: number): HbmRow | null => (value ? (value.answer.rows[i - value.question.offset] ?? null) : null)
  const stale = value !== null && (value.question.at !== cursor || value.question.filter !== filter)

  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualizer is used in this component only, nothing memoises its answers
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 6,
    observeElementRect,
  })
  const items = virtual.getVirtualItems()
  const top = items[0]?.index ?? 0
  useEffect(() => setFirst(top), [top])
  const back = (): void => {
    setActive(-1)
    scroller.current?.scrollTo({ top: 0 })
  }

  const pin = (i: number): void => {
    const r = rowAt(i)
    if (r) useView.getState().pinRuntime({ hbm: info.id, allocation: r.allocation })
  }
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.altKey || e.ctrlKey || e.metaKey || count === 0 || (e.target as Element).closest('button')) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? ROW) / ROW) - 2)
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[e.key]
    if (by !== undefined) {
      const next = Math.min(count - 1, Math.max(0, active < 0 && Math.abs(by) === 1 ? (by > 0 ? 0 : count - 1) : active + by))
      setActive(next)
      virtual.scrollToIndex(next)
    } else if ((e.key === 'Enter' || e.key === ' ') && active >= 0) pin(active)
    else return
    e.preventDefault()
    e.stopPropagation()
  }
  const sortBy = (sort: HbmSort): void => {
    setOrder(o => ({ sort, descending: o.sort === sort ? !o.descending : DOWN.has(sort) }))
    back()
  }
  const csv = async (): Promise<void> => {
    const { session } = useSession.getState()
    if (session === null || cursor === null) return
    const { text, rows, notice } = await request('hbm.csv', { session, hbm: info.id, at: cursor, ...order, filter })
    const saved = await saveFile(new Blob([text], { type: 'text/csv' }), csvName(info, cursor))
    if (saved !== null)
      notify({ icon: 'check', title: `${num(rows)} ${rows === 1 ? 'row' : 'rows'} saved`, detail: notice ? `${saved}. ${notice}` : saved })
  }

  return (
    <section className={`hbm-live${open ? '' : ' closed'}`} aria-label="Live runtime allocations at cursor">
      <div className="lhead">
        <button className="btn quiet twist" aria-expanded={open} onClick={() => setHbmSettings({ table: !open })}>
          <Icon name={open ? 'chevron' : 'right'} size={12} />
          <h3>
            Live<span className="wide"> runtime</span> allocations at cursor
          </h3>
        </button>
        <span className="t3 num ell" data-testid="hbm-counts" role="status">
          {live ? counts(live, filter) : cursor === null ? 'put the cursor on a time' : ''}
        </span>
        {live !== null && live.missingBytes !== null && live.missingBytes > 0 && (
          <span
            className="t3 num ell more"
            title={`${exactBytes(live.missingBytes)} of the runtime's total are in no row: allocated before the recording began and still there`}
            data-testid="hbm-missing"
            data-bytes={live.missingBytes}
          >
            <i className="sw start" /> {memory(live.missingBytes)} in no row
          </span>
        )}
        <span className="sp" />
        {info.join && (
          <button className="btn quiet" title="Which key links runtime and PyTorch, and what was tried" onClick={() => setJoining(true)}>
            <Icon name="link" size={12} />
            Join
          </button>
        )}
        <label className="field">
          <Icon name="filter" size={12} />
          <input
            type="search"
            aria-label="Filter rows"
            placeholder="Filter rows"
            value={filter}
            maxLength={200}
            onChange={e => {
              setFilter(e.target.value)
              back()
            }}
          />
        </label>
        <button
          className="btn"
          disabled={cursor === null || count === 0}
          title="Saves all rows as CSV"
          onClick={() => void csv().catch(fail)}
        >
          CSV
        </button>
      </div>
      {error && (
        <p className="hbm-note" role="alert">
          The allocations could not be read: {error}
        </p>
      )}
      {!error && (live === null || count === 0) ? (
        <p className="hbm-note lbody">
          {cursor === null
            ? 'Move the pointer over the chart: the table lists what is live there.'
            : live === null
              ? ''
              : live.total > 0
                ? 'No live allocation has all these words in its category, address, model, trace id or frame.'
                : live.missingBytes
                  ? `No allocation of the recording is live at this time. ${memory(live.missingBytes)} were allocated before it began.`
                  : 'Nothing is live at this time.'}
        </p>
      ) : (
        <div
          className={`tbl lbody${stale ? ' stale' : ''}`}
          ref={scroller}
          role="grid"
          aria-label="Live runtime allocations"
          aria-rowcount={count + 1}
          aria-colcount={COLUMNS.length}
          aria-activedescendant={active >= 0 && active < count ? `${id}-${active}` : undefined}
          tabIndex={0}
          data-testid="hbm-table"
          data-at={value?.question.at}
          onKeyDown={onKeyDown}
        >
          <div role="rowgroup" className="thead">
            <div role="row" aria-rowindex={1} className="tr">
              {COLUMNS.map(c => (
                <div
                  key={c}
                  role="columnheader"
                  className={HEAD[c].right ? 'right' : ''}
                  aria-sort={order.sort === c ? (order.descending ? 'descending' : 'ascending') : 'none'}
                >
                  <button onClick={() => sortBy(c)} title={`Sort by ${HEAD[c].label}`}>
                    {HEAD[c].label}
                    {order.sort === c && <Icon name={order.descending ? 'chevron' : 'up'} size={12} />}
                  </button>
                </div>
              ))}
            </div>
          </div>
          <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
            {items.map(v => {
              const r = rowAt(v.index)
              return (
                <div
                  key={v.index}
                  id={`${id}-${v.index}`}
                  role="row"
                  aria-rowindex={v.index + 2}
                  aria-selected={r !== null && r.allocation === pinned}
                  className={`tr${v.index === active ? ' active' : ''}`}
                  style={{ transform: `translateY(${v.start}px)` }}
                  data-allocation={r?.allocation}
                  onClick={() => {
                    setActive(v.index)
                    pin(v.index)
                  }}
                >
                  <Cells info={info} r={r} />
                </div>
              )
            })}
          </div>
        </div>
      )}
      {joining && info.join && <JoinDialog join={info.join} onClose={() => setJoining(false)} />}
    </section>
  )
}

type Counts = {
  readonly total: number
  readonly passed: number
  readonly passedBytes: number
  readonly linked: number
  readonly inferred: number
}

/** `1,164 rows · 188 linked by trace id · 9 inferred`. */
function counts(l: Counts, filter: string): string {
  const parts = [
    filter ? `${num(l.passed)} of ${num(l.total)} rows, ${memory(l.passedBytes)}` : `${num(l.total)} ${l.total === 1 ? 'row' : 'rows'}`,
  ]
  if (l.linked > 0) parts.push(`${num(l.linked)} linked by trace id`)
  if (l.inferred > 0) parts.push(`${num(l.inferred)} inferred`)
  return parts.join(' · ')
}

const dash = <span className="t3">—</span>

function Cells({ info, r }: { readonly info: HbmInfo; readonly r: HbmRow | null }): ReactElement {
  const cell = (key: HbmSort, content: ReactNode, className = '', title?: string): ReactElement => (
    <div role="gridcell" key={key} className={className} title={title}>
      {content}
    </div>
  )
  if (r === null) return <>{COLUMNS.map(c => cell(c, <span className="t3">…</span>))}</>
  const category = r.category === null ? null : info.categories[r.category]
  return (
    <>
      {cell(
        'category',
        <>
          <i className="sw" style={{ background: `var(${hbmToken(category?.color ?? 'unknown')})` }} />
          {category?.name ?? 'unknown'}
          {category?.inferredName && <span className="t3"> *</span>}
        </>,
        '',
        category === null
          ? 'The file names no category'
          : category.inferredName
            ? 'Name inferred from the order of the usage types'
            : undefined,
      )}
      {cell('size', sizeMib(r.size), 'num right t1', exactBytes(r.size))}
      {cell('address', r.address === null ? dash : address(r.address), 'mono')}
      {cell('age', r.age === null ? dash : ageMs(r.age), 'num right', r.age === null ? 'Allocated before the recording' : timeMs(r.age))}
      {cell('model', r.model ?? dash, '', r.model ?? undefined)}
      {cell('traceId', r.traceId ?? dash, 'mono', r.traceId ?? undefined)}
      {cell(
        'label',
        r.link ? (
          <span className="lk">
            <Icon name="link" size={12} />
            <span className="ell">{r.label ?? (r.link.kind === 'segment' ? 'segment' : 'no frames')}</span>
            {r.link.how === 'inferred' && <span className="chip warn">inferred</span>}
          </span>
        ) : (
          dash
        ),
        '',
        r.label ?? undefined,
      )}
    </>
  )
}

/** Sizes below 0.1 MiB keep digits that tell them apart. */
const sizeMib = (bytes: number): string => num(bytes / MIB, bytes >= MIB / 10 || bytes === 0 ? 1 : 4)
