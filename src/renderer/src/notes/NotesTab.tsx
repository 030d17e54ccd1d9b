/** Marks and notes of the session: edit, jump, take along. */
import { useMemo, useState, type ReactElement } from 'react'
import { duration, timeMs } from '../../../shared/format'
import type { Note } from '../../../shared/trace-api'
import { reveal } from '../commands/focus'
import { jump } from '../commands/jump'
import { command, runCommand } from '../commands/registry'
import { keyCaps } from '../commands/keys'
import { saveFile } from '../export/save'
import { switchGroup } from '../shell/follow'
import { Icon } from '../shell/icons'
import { notify } from '../shell/ui'
import { fail, useSession } from '../state/session'
import { useView } from '../state/view'
import { DataTable } from '../table/DataTable'
import type { Column, Sort } from '../table/types'
import { MOST_TEXT, nameOf, notesCsv, notesIn, notesJson, placed } from './model'
import { openNote, removeNote, selectNote, useNotes, writeNote } from './state'
import './notes.css'

/** A note, and where it stands: in the range that is shown, in another one of the session, or in none (its file is gone). */
interface Row {
  readonly note: Note
  /** What its flag says while it has no words. */
  readonly name: string
  readonly at: number | null
  readonly group: number | null
  readonly groupLabel: string
}

function useRows(): readonly Row[] {
  const notes = useNotes(s => s.notes)
  const groups = useSession(s => s.view?.groups)
  const group = useView(s => s.group)
  return useMemo(() => {
    const list = [...(groups ?? [])].sort((a, b) => Number(b.id === group) - Number(a.id === group))
    return notes.map((note, i) => {
      const g = list.find(x => notesIn([note], x.originNs, { start: 0, end: Math.max(1, x.durationNs) }).length > 0)
      return {
        note,
        name: nameOf({ ...note, text: '' }, i + 1),
        at: g ? placed(note, g.originNs).start : null,
        group: g?.id ?? null,
        groupLabel: g && g.id !== group ? g.label : '',
      }
    })
  }, [notes, groups, group])
}

/** Shows a note: the range of the session that it lies in, the window, the cursor. */
function goToNote(r: Row): void {
  if (r.group === null) return
  if (r.group !== useView.getState().group) switchGroup(r.group)
  const origin = useSession.getState().view?.groups.find(g => g.id === r.group)?.originNs
  if (origin === undefined) return
  const { start, end } = placed(r.note, origin)
  const v = useView.getState()
  v.setCursor(start)
  if (end === null) jump(reveal(v.window, start, v.extent))
  else {
    v.select({ type: 'range', start, end })
    const pad = (end - start) * 0.1
    jump({ start: start - pad, end: end + pad })
  }
  selectNote(r.note.id)
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'text',
    title: 'Words',
    align: 'left',
    csv: 'text',
    value: r => r.note.text,
    cell: r => <Words note={r.note} name={r.name} />,
  },
  {
    id: 'start',
    title: 'At',
    align: 'right',
    width: '150px',
    csv: 'start_ns',
    value: r => r.note.startNs,
    cell: r => (r.at === null ? <span className="t3">not in these files</span> : timeMs(r.at)),
    hover: r => (r.groupLabel ? `In the range ${r.groupLabel}` : undefined),
  },
  {
    id: 'length',
    title: 'Length',
    align: 'right',
    width: '110px',
    csv: 'duration_ns',
    value: r => (r.note.endNs === null ? null : Number(BigInt(r.note.endNs) - BigInt(r.note.startNs))),
    cell: r =>
      r.note.endNs === null ? <span className="t3">moment</span> : duration(Number(BigInt(r.note.endNs) - BigInt(r.note.startNs))),
  },
  { id: 'unix', title: 'Unix ns', align: 'right', width: '170px', csv: 'unix_ns', value: r => r.note.startNs },
  {
    id: 'do',
    title: 'Do',
    align: 'left',
    width: '92px',
    csv: '',
    value: () => null,
    cell: r => (
      <>
        <button
          className="btn quiet icon"
          aria-label="Go to the note"
          title="Go there"
          disabled={r.group === null}
          onClick={() => goToNote(r)}
        >
          <Icon name="right" size={12} />
        </button>
        <button className="btn quiet icon" aria-label="Colour and words of the note" title="Edit" onClick={() => openNote(r.note.id)}>
          <Icon name="tag" size={12} />
        </button>
        <button className="btn quiet icon" aria-label="Remove the note" title="Remove" onClick={() => removeNote(r.note.id)}>
          <Icon name="close" size={12} />
        </button>
      </>
    ),
  },
]

function Words({ note, name }: { readonly note: Note; readonly name: string }): ReactElement {
  return (
    <span className="notes-name">
      <i className="sw" style={{ background: `var(--cat-${note.color + 1})` }} />
      <input
        aria-label="Words of the note"
        placeholder={name}
        maxLength={MOST_TEXT}
        value={note.text}
        onFocus={() => selectNote(note.id)}
        onChange={e => writeNote(note.id, e.target.value)}
        onKeyDown={e => {
          if (e.key === 'Enter' || e.key === 'Escape') {
            e.currentTarget.blur()
            e.preventDefault()
            e.stopPropagation()
          }
        }}
      />
    </span>
  )
}

const caps = (id: string): string => {
  const c = command(id)
  return c ? keyCaps(c).join(' ') : ''
}

export function NotesTab(): ReactElement {
  const rows = useRows()
  const selected = useNotes(s => s.selected)
  const ranged = useView(s => s.selection?.type === 'range' || s.selection?.type === 'slice')
  const pointed = useView(s => s.cursor !== null)
  const [sort, setSort] = useState<Sort>({ column: 'start', descending: false })
  const saveJson = async (): Promise<void> => {
    const saved = await saveFile(new Blob([notesJson(useNotes.getState().notes)], { type: 'application/json' }), 'notes.json')
    if (saved !== null) notify({ icon: 'check', title: 'Notes saved', detail: saved })
  }
  return (
    <>
      <div className="notes-bar">
        <button className="btn quiet" disabled={!pointed} title={`Mark the cursor (${caps('mark')})`} onClick={() => runCommand('mark')}>
          <Icon name="flag" size={12} />
          Mark the cursor
        </button>
        <button
          className="btn quiet"
          disabled={!ranged}
          title={`Note on the selection (${caps('note')})`}
          onClick={() => runCommand('note')}
        >
          <Icon name="tag" size={12} />
          Note on the selection
        </button>
        <span className="sp" />
        <button
          className="btn quiet"
          disabled={rows.length === 0}
          title="Saves all notes as JSON"
          onClick={() => void saveJson().catch(fail)}
        >
          <Icon name="export" size={12} />
          JSON
        </button>
      </div>
      <DataTable
        label="Marks and notes"
        rows={rows}
        columns={COLUMNS}
        rowKey={r => r.note.id}
        selected={selected}
        onSelect={r => selectNote(r.note.id)}
        onOpen={goToNote}
        sort={sort}
        onSort={setSort}
        csvName="notes"
        allCsv={() => Promise.resolve({ csv: notesCsv(rows.map(r => r.note)), rows: rows.length, of: rows.length })}
        noun={['note', 'notes']}
        empty={
          <>
            No notes yet. <kbd>M</kbd> marks the cursor, <kbd>N</kbd> puts a note on the selected range. They are kept with the session, not
            in its folder.
          </>
        }
      />
    </>
  )
}
