/** The notes of a time group, as they are painted. */
import { useMemo } from 'react'
import type { NoteMark } from '../../../paint/timeline'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { nameOf, notesIn } from './model'
import { useNotes } from './state'

const NONE: readonly NoteMark[] = []

export function useNoteMarks(group: number): readonly NoteMark[] {
  const notes = useNotes(s => s.notes)
  const selected = useNotes(s => s.selected)
  const origin = useSession(s => s.view?.groups.find(g => g.id === group)?.originNs)
  const extent = useView(s => s.extent)
  const shown = useView(s => s.group)
  return useMemo(() => {
    if (origin === undefined || shown !== group || notes.length === 0) return NONE
    const number = new Map(notes.map((n, i) => [n.id, i + 1]))
    const kind = new Map(notes.map(n => [n.id, n]))
    return notesIn(notes, origin, extent).map(n => ({
      id: n.id,
      start: n.start,
      end: n.end,
      name: nameOf(kind.get(n.id) ?? { text: '', endNs: null }, number.get(n.id) ?? 0),
      color: n.color,
      selected: n.id === selected,
    }))
  }, [notes, selected, origin, extent, shown, group])
}
