/** Marks and notes on the time axis. */
import { selectedRange } from '../selected'
import { addNote, openNote, removeNote, useNotes } from '../../notes/state'
import { fail } from '../../state/session'
import { useView } from '../../state/view'
import { snapToEdge } from '../../trace/current'
import type { Command } from '../command'
import { hasView } from '../when'

/** Where a mark goes: the cursor, drawn to an edge that the pointer is near; without a cursor the middle of the window. */
function markAt(): number {
  const { cursor, window: w } = useView.getState()
  if (cursor === null) return (w.start + w.end) / 2
  const at = snapToEdge(cursor)
  if (at !== cursor) useView.getState().setCursor(at)
  return at
}

async function note(): Promise<void> {
  const range = await selectedRange()
  if (!range) return
  const id = addNote(range.start, range.end > range.start ? range.end : null)
  if (id !== null) openNote(id)
}

const hasRange = (): boolean => {
  const s = useView.getState().selection
  return hasView() && (s?.type === 'range' || s?.type === 'slice')
}
const selected = (): string | null => useNotes.getState().selected

export const MARKS: readonly Command[] = [
  {
    id: 'mark',
    title: 'Mark the cursor',
    group: 'Marks',
    keys: ['KeyM'],
    shown: 'M',
    when: hasView,
    run: () => void addNote(markAt(), null),
  },
  {
    id: 'mark-named',
    title: 'Mark the cursor and name it…',
    group: 'Marks',
    keys: ['Shift+KeyM'],
    shown: 'Shift M',
    when: hasView,
    run: () => {
      const id = addNote(markAt(), null)
      if (id !== null) openNote(id)
    },
  },
  {
    id: 'note',
    title: 'Note on the selected range or slice…',
    group: 'Marks',
    keys: ['KeyN'],
    shown: 'N',
    when: hasRange,
    run: () => void note().catch(fail),
  },
  {
    id: 'edit-note',
    title: 'Edit the chosen mark or note…',
    group: 'Marks',
    keys: ['Shift+KeyN'],
    shown: 'Shift N',
    when: () => hasView() && selected() !== null,
    run: () => {
      const id = selected()
      if (id !== null) openNote(id)
    },
  },
  {
    id: 'delete-note',
    title: 'Remove the chosen mark or note',
    group: 'Marks',
    keys: ['Delete'],
    shown: 'Del',
    when: () => hasView() && selected() !== null,
    run: () => {
      const id = selected()
      if (id !== null) removeNote(id)
    },
  },
]
