/**
 * The table of the drawer: rows in sight only, a head that stays, order by click and key, the row focus by arrows, text that can be selected,
 * and the way out as TSV (clipboard) and CSV (file). Whoever has the rows says what they mean; nothing here knows about traces.
 */
import { useId, useMemo, useRef, useState, type ClipboardEvent, type KeyboardEvent, type MouseEvent, type ReactElement } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { num } from '../../../shared/format'
import { saveFile } from '../export/save'
import { observeElementRect } from '../hbm/observe'
import { copyText } from '../memory/copy'
import { Icon } from '../shell/icons'
import { notify } from '../shell/ui'
import { fail } from '../state/session'
import { nextSort, rowsCsv, rowsTsv, sortRows } from './rows'
import type { Column, DataTableProps } from './types'
import './table.css'

const ROW = 22
const GAP = 8
const PAD = 12
/** Least width of the column that takes the rest. */
const REST = '160px'

/** Columns of the grid, and the width below which it scrolls sideways. */
function gridOf<R>(columns: readonly Column<R>[]): { readonly template: string; readonly least: string } {
  return {
    template: columns.map(c => c.width ?? `minmax(${REST}, 1fr)`).join(' '),
    least: `calc(${[...columns.map(c => c.width ?? REST), `${GAP * (columns.length - 1) + 2 * PAD}px`].join(' + ')})`,
  }
}

/** A control inside a row acts for itself; text that was just selected is not a click. */
const isClick = (e: MouseEvent): boolean => !(e.target as Element).closest('button, input, label, a') && getSelection()?.type !== 'Range'

export function DataTable<R>(p: DataTableProps<R>): ReactElement {
  const { columns, rowKey, onOpen, onSelect } = p
  const written = p.written ?? columns
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const [activeKey, setActiveKey] = useState<string | null>(null)
  const rows = useMemo(() => (p.sorted ? p.rows : sortRows(p.rows, columns, p.sort)), [p.sorted, p.rows, columns, p.sort])
  const active = useMemo(() => (activeKey === null ? -1 : rows.findIndex(r => rowKey(r) === activeKey)), [rows, rowKey, activeKey])
  const sticks = columns.length > 0 && columns[0].width === undefined
  const { template, least } = useMemo(() => gridOf(columns), [columns])

  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualizer is used in this component only, nothing memoises its answers
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 6,
    // The head stands over the first rows and pushes the last ones down.
    scrollPaddingEnd: ROW,
    observeElementRect,
  })

  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.altKey || e.ctrlKey || e.metaKey || rows.length === 0 || (e.target as Element).closest('button, input, a')) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? ROW) / ROW) - 2)
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[e.key]
    if (by !== undefined) {
      const next = Math.min(rows.length - 1, Math.max(0, active < 0 && Math.abs(by) === 1 ? (by > 0 ? 0 : rows.length - 1) : active + by))
      setActiveKey(rowKey(rows[next]))
      virtual.scrollToIndex(next)
    } else if (e.key === 'Enter' && active >= 0) (onOpen ?? onSelect)?.(rows[active])
    else if (e.key === ' ' && active >= 0) (onSelect ?? onOpen)?.(rows[active])
    else return
    e.preventDefault()
    e.stopPropagation()
  }

  const copied = (): void =>
    notify({ icon: 'check', title: `${countOf(p, rows.length)} copied`, detail: 'Separated by tabs, exact values, with a head line.' })
  const onCopy = (e: ClipboardEvent): void => {
    if (getSelection()?.type === 'Range' || rows.length === 0) return // the selected text is meant
    e.clipboardData.setData('text/plain', rowsTsv(rows, written))
    e.preventDefault()
    copied()
  }
  const copy = async (): Promise<void> => {
    if (await copyText(rowsTsv(rows, written))) copied()
    else notify({ icon: 'warn', title: 'Not copied', detail: 'The clipboard could not be written to.' })
  }
  const csv = async (): Promise<void> => {
    const all = p.allCsv ? await p.allCsv() : { csv: rowsCsv(rows, written), rows: rows.length, of: p.total ?? rows.length }
    const saved = await saveFile(new Blob([all.csv], { type: 'text/csv' }), `${p.csvName}.csv`)
    if (saved === null) return
    const cut = all.of > all.rows
    notify({ icon: cut ? 'warn' : 'check', title: `${cut ? `Only ${num(all.rows)} of ` : ''}${countOf(p, all.of)} saved`, detail: saved })
  }

  const items = virtual.getVirtualItems()
  return (
    <div className="dt" style={{ '--dt-cols': template, '--dt-least': least } as React.CSSProperties}>
      <div
        className={`dt-grid${sticks ? ' sticks' : ''}${p.stale ? ' stale' : ''}${rows.length === 0 ? ' bare' : ''}`}
        ref={scroller}
        role="grid"
        aria-label={p.label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length}
        aria-busy={p.stale}
        aria-activedescendant={active >= 0 && items.some(v => v.index === active) ? `${id}-${active}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onCopy={onCopy}
      >
        <div role="rowgroup" className="dt-head">
          <div role="row" aria-rowindex={1} className="dt-row">
            {columns.map(c => {
              const on = p.sort.column === c.id
              return (
                <div
                  key={c.id}
                  role="columnheader"
                  className={c.align}
                  aria-sort={on ? (p.sort.descending ? 'descending' : 'ascending') : 'none'}
                >
                  <button title={c.help ?? `Sort by ${c.title}`} onClick={() => p.onSort(nextSort(p.sort, c))}>
                    <span>{c.title}</span>
                    {on && <Icon name={p.sort.descending ? 'chevron' : 'up'} size={12} />}
                  </button>
                </div>
              )
            })}
          </div>
        </div>
        {rows.length > 0 && (
          <div role="rowgroup" className="dt-body" style={{ height: virtual.getTotalSize() }}>
            {items.map(v => {
              const r = rows[v.index]
              const key = rowKey(r)
              return (
                <div
                  key={key}
                  id={`${id}-${v.index}`}
                  role="row"
                  aria-rowindex={v.index + 2}
                  aria-selected={onSelect ? key === p.selected : undefined}
                  className={`dt-row${v.index === active ? ' active' : ''}${onSelect || onOpen ? ' act' : ''}`}
                  style={{ transform: `translateY(${v.start}px)` }}
                  data-key={key}
                  onClick={e => {
                    if (!isClick(e)) return
                    setActiveKey(key)
                    onSelect?.(r)
                  }}
                  onDoubleClick={e => {
                    if (!(e.target as Element).closest('button, input, label, a')) onOpen?.(r)
                  }}
                >
                  {columns.map(c => (
                    <Cell key={c.id} row={r} column={c} />
                  ))}
                </div>
              )
            })}
          </div>
        )}
      </div>
      {rows.length === 0 && (
        <div className="dt-empty" role="status">
          {p.empty}
        </div>
      )}
      <div className="dt-foot">
        <span className="num" role="status" data-testid="table-counts">
          {p.total !== undefined && p.total > rows.length
            ? `${num(rows.length)} of ${countOf(p, p.total)}`
            : rows.length > 0
              ? countOf(p, rows.length)
              : ''}
        </span>
        {p.note && <span className="dt-note ell">{p.note}</span>}
        <span className="sp" />
        <button className="btn quiet" disabled={rows.length === 0} title="Copies the rows, separated by tabs" onClick={() => void copy()}>
          <Icon name="copy" size={12} />
          Copy
        </button>
        <button className="btn quiet" disabled={rows.length === 0} title="Saves all rows as CSV" onClick={() => void csv().catch(fail)}>
          <Icon name="export" size={12} />
          CSV
        </button>
      </div>
    </div>
  )
}

/** `1 row`, `3,400 rows`. */
const countOf = (p: { readonly noun?: readonly [string, string] }, n: number): string => {
  const [one, many] = p.noun ?? ['row', 'rows']
  return `${num(n)} ${n === 1 ? one : many}`
}

function Cell<R>({ row, column: c }: { readonly row: R; readonly column: Column<R> }): ReactElement {
  const value = c.cell ? null : c.value(row)
  return (
    <div role="gridcell" className={c.align === 'right' ? 'right num' : 'left'} title={c.hover?.(row)}>
      {c.cell ? c.cell(row) : value === null ? <span className="t3">—</span> : typeof value === 'number' ? num(value) : value}
    </div>
  )
}
