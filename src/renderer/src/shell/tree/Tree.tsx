/** The tree of the opened root: one tab stop, arrow keys inside, only the visible rows in the document. */
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from 'react'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import type { Job, RootState, SessionView } from '../../../../shared/api'
import { fileSize, localTime } from '../../../../shared/format'
import { namedTime } from '../../state/choose'
import { openSession, useSession } from '../../state/session'
import { useView } from '../../state/view'
import { Icon } from '../icons'
import { closeOver, openDetails } from '../ui'
import { PAIR_WORD, pairSentence } from '../pairs'
import { baseName, KIND, modesText, splitName, stateChip } from '../words'
import { isExpandable, treeMove, treeRows, type FileRow, type SessionRow, type TreeRow } from './model'
import './tree.css'

const HEIGHT = { instance: 24, process: 24, session: 24, file: 22 } as const
/** The modes of a session stand under it; more than four take two lines at the width of the design. */
const modesHeight = (r: TreeRow): number =>
  r.type !== 'session' || !r.expanded || !r.session.modes.length ? 0 : r.session.modes.length > 4 ? 36 : 20

/** The last job of each file tells why its figures are missing. */
function lastJobs(jobs: ReadonlyMap<string, Job>): ReadonlyMap<string, Job> {
  const last = new Map<string, Job>()
  for (const j of jobs.values()) last.set(j.file, j)
  return last
}

/** The height comes with the layout of the frame. To ask for it at once, as the library does, would lay out the page within the task that made it. */
function observeElementRect(
  { scrollElement }: Virtualizer<HTMLDivElement, Element>,
  tell: (rect: { readonly width: number; readonly height: number }) => void,
): (() => void) | undefined {
  if (!scrollElement) return undefined
  const observer = new ResizeObserver(() => tell({ width: scrollElement.clientWidth, height: scrollElement.clientHeight }))
  observer.observe(scrollElement)
  return () => observer.disconnect()
}

function activate(row: TreeRow, toggle: (key: string, to: boolean) => void): void {
  if (row.type === 'file') {
    useView.getState().select({ type: 'file', file: row.file.id })
    openDetails()
  } else if (row.type === 'session') {
    const shown = useSession.getState().session === row.session.id
    if (shown) toggle(row.key, !row.expanded)
    else {
      if (useView.getState().selection?.type === 'file') useView.getState().select(null)
      toggle(row.key, true)
      void openSession(row.session.id)
      closeOver()
    }
  } else toggle(row.key, !row.expanded)
}

export function Tree({ root, filter }: { readonly root: RootState; readonly filter: string }): ReactElement {
  const session = useSession(s => s.session)
  const view = useSession(s => s.view)
  const jobs = useSession(s => s.jobs)
  const selected = useView(s => (s.selection?.type === 'file' ? s.selection.file : null))
  const [open, setOpen] = useState<ReadonlyMap<string, boolean>>(() => new Map())
  const [at, setAt] = useState<string | null>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()

  const rows = useMemo(
    () => treeRows(root.catalog, { rootName: root.name, session, open, filter }),
    [root.catalog, root.name, session, open, filter],
  )
  const last = useMemo(() => lastJobs(jobs), [jobs])
  const index = Math.max(
    0,
    rows.findIndex(r => r.key === (at ?? `s:${session ?? ''}`)),
  )
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualizer is used in this component only, nothing memoises its answers
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: i => rows[i].key,
    estimateSize: i => HEIGHT[rows[i].type] + modesHeight(rows[i]),
    overscan: 8,
    observeElementRect,
  })
  useEffect(() => virtual.measure(), [rows, virtual])

  const toggle = (key: string, to: boolean): void => setOpen(m => new Map(m).set(key, to))
  const focus = (i: number): void => {
    setAt(rows[i].key)
    virtual.scrollToIndex(i)
  }
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.altKey || e.ctrlKey || e.metaKey || !rows.length) return
    if (e.key === 'Enter' || e.key === ' ') {
      setAt(rows[index].key)
      activate(rows[index], toggle)
    } else {
      if (!/^(Arrow|Home$|End$)/.test(e.key)) return
      const move = treeMove(rows, index, e.key)
      if (move && 'focus' in move) focus(move.focus)
      else if (move) {
        setAt(move.open)
        toggle(move.open, move.to)
      }
    }
    e.preventDefault()
    e.stopPropagation()
  }
  const rowId = (r: TreeRow): string => `${id}-${r.key}`

  if (!rows.length)
    return (
      <div className="tree">
        <p className="treeempty">
          {filter
            ? `No file matches “${filter}”.`
            : root.scanning
              ? 'Looking through the folder'
              : root.watching
                ? 'No session yet. The folder is watched.'
                : 'No session found.'}
        </p>
      </div>
    )
  return (
    <div
      className="tree"
      role="tree"
      aria-label={`Profiles of ${root.name}`}
      tabIndex={0}
      ref={scroller}
      onKeyDown={onKeyDown}
      aria-activedescendant={rows[index] ? rowId(rows[index]) : undefined}
      onFocus={() => rows[index] && virtual.scrollToIndex(index)}
    >
      <div className="rows" role="presentation" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(item => {
          const r = rows[item.index]
          const isSelected =
            r.type === 'file' ? r.file.id === selected : r.type === 'session' && r.session.id === session && selected === null
          return (
            <div
              key={item.key}
              id={rowId(r)}
              role="treeitem"
              aria-level={r.level}
              aria-setsize={r.siblings}
              aria-posinset={r.position}
              aria-expanded={isExpandable(r) ? r.expanded : undefined}
              aria-selected={isSelected}
              className={`row${item.index === index ? ' at' : ''}${r.type === 'file' && isSelected ? ' selected' : ''}${
                r.type === 'session' && r.session.id === session ? ' open-session' : ''
              }`}
              style={{ height: item.size, transform: `translateY(${item.start}px)` }}
              onClick={() => {
                setAt(r.key)
                activate(r, toggle)
              }}
            >
              <RowContent row={r} view={view} job={r.type === 'file' ? last.get(r.file.id) : undefined} toggle={toggle} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Twisty({
  row,
  toggle,
}: {
  readonly row: TreeRow & { readonly expanded: boolean }
  readonly toggle: (k: string, to: boolean) => void
}): ReactElement {
  return (
    <span
      className="tw"
      onClick={e => {
        e.stopPropagation()
        toggle(row.key, !row.expanded)
      }}
    >
      <Icon name={row.expanded ? 'chevron' : 'right'} size={12} />
    </span>
  )
}

function RowContent({
  row,
  view,
  job,
  toggle,
}: {
  readonly row: TreeRow
  readonly view: SessionView | null
  readonly job: Job | undefined
  readonly toggle: (key: string, to: boolean) => void
}): ReactElement {
  switch (row.type) {
    case 'instance':
      return (
        <div className="node l-instance">
          <Twisty row={row} toggle={toggle} />
          <Icon name="cpu" size={14} />
          <span className="ell" title={row.label}>
            {row.label}
          </span>
          <span className="note num">{row.note}</span>
        </div>
      )
    case 'process':
      return (
        <div className="node l-process">
          <Twisty row={row} toggle={toggle} />
          <span className="rank num">{row.label}</span>
          <span className="note num ell">{row.note}</span>
        </div>
      )
    case 'session':
      return <SessionContent row={row} toggle={toggle} />
    case 'file':
      return <FileContent row={row} job={job} feeds={view?.sources.some(s => s.file === row.file.id) ?? false} />
  }
}

/** The folder, and the time that a plain number in its name stands for. */
function sessionTitle(row: SessionRow): string {
  const at = /^\d+$/.test(row.label) ? namedTime(row.label) : null
  return at === null ? row.session.dir : `${row.session.dir}\n${localTime(at)}`
}

function SessionContent({ row, toggle }: { readonly row: SessionRow; readonly toggle: (k: string, to: boolean) => void }): ReactElement {
  const modes = modesText(row.session.modes)
  return (
    <>
      <div className="node l-session">
        <Twisty row={row} toggle={toggle} />
        <span className="stamp num ell" title={sessionTitle(row)}>
          {row.label}
        </span>
        <span className={row.recording ? 'chip rec' : 'chip'}>{row.recording ? 'recording' : 'settled'}</span>
      </div>
      {modesHeight(row) > 0 && (
        <div className={modesHeight(row) > 20 ? 'modes two' : 'modes'} title={`Profile modes that the files show: ${modes}`}>
          {modes}
        </div>
      )}
    </>
  )
}

/** What a job that ended without figures says on the file's row. */
const jobChip = (job: Job | undefined): { readonly cls: string; readonly word: string } | null =>
  job?.state === 'cancelled' ? { cls: '', word: 'not read' } : job?.state === 'failed' ? { cls: 'err', word: 'not read' } : null

function FileContent({ row, job, feeds }: { readonly row: FileRow; readonly job: Job | undefined; readonly feeds: boolean }): ReactElement {
  const { file } = row
  const kind = KIND[file.kind]
  const chip = stateChip(file.state) ?? jobChip(job)
  const [head, tail] = splitName(baseName(row.label))
  const pair = row.pair ? PAIR_WORD[row.pair.verdict] : null
  const cls = ['file', feeds && 'feeds', row.bracket && `pair ${row.bracket}`, pair?.sign && 'lone'].filter(Boolean).join(' ')
  return (
    <div className={cls} title={`${file.path}\n${kind.title}${row.pair ? `\n${pairSentence(row.pair)}` : ''}`}>
      <Icon name={kind.icon} size={14} />
      <span className="name">
        <span className="head">{head}</span>
        {tail && <span className="tail">{tail}</span>}
      </span>
      {!chip && file.kind !== 'memory-snapshot' && <span className="kind">{pair?.word ?? kind.word}</span>}
      {chip && <span className={`chip ${chip.cls}`}>{chip.word}</span>}
      <span className="size num">{fileSize(file.bytes)}</span>
    </div>
  )
}
