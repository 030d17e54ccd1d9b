/** The notes of the open session: read from the host when it opens, written back a moment after each change. */
import { create } from 'zustand'
import type { Note } from '../../../shared/trace-api'
import { notify, openDialog } from '../shell/ui'
import { fail, request, useSession } from '../state/session'
import { useView } from '../state/view'
import { keptTimes, MOST_NOTES, MOST_TEXT, nextColor, notesIn, type PlacedNote } from './model'

export interface NotesState {
  readonly session: string | null
  /** Whether the host has told which notes there are; until then only those of now are known. */
  readonly known: boolean
  readonly notes: readonly Note[]
  /** Id of the note that Delete removes and the dialog edits. */
  readonly selected: string | null
}

const NONE: NotesState = { session: null, known: false, notes: [], selected: null }

export const useNotes = create<NotesState>()(() => NONE)

const SAVE_MS = 250
let timer: ReturnType<typeof setTimeout> | undefined
/** What is to be written; null when the host has the last state. */
let unsaved: { readonly session: string; readonly notes: readonly Note[] } | null = null

/** Writes what was changed at once. */
export function saveNotes(): void {
  clearTimeout(timer)
  const now = unsaved
  unsaved = null
  if (!now) return
  request('notes.set', { session: now.session, notes: [...now.notes] }).catch((e: unknown) => {
    // Not lost: written with the next change, or when the session is left.
    unsaved ??= now
    fail(e)
  })
}

function change(notes: readonly Note[], more: Partial<NotesState> = {}): void {
  const { session, known } = useNotes.getState()
  if (session === null) return
  useNotes.setState({ ...more, notes })
  if (!known) return // written with those of the host, once they are here
  unsaved = { session, notes }
  clearTimeout(timer)
  timer = setTimeout(saveNotes, SAVE_MS)
}

async function load(session: string | null): Promise<void> {
  saveNotes()
  useNotes.setState({ ...NONE, session })
  if (session === null) return
  const answer = await request('notes.get', { session })
  const s = useNotes.getState()
  if (s.session !== session || s.known) return
  useNotes.setState({ known: true })
  change([...answer.notes, ...s.notes].slice(0, MOST_NOTES))
  if (s.notes.length === 0) unsaved = null // nothing new
}

const originNow = (): bigint | null => {
  const { group } = useView.getState()
  return useSession.getState().view?.groups.find(g => g.id === group)?.originNs ?? null
}

/** The notes of the time group that is shown. */
export function notesHere(s: NotesState = useNotes.getState()): readonly PlacedNote[] {
  const origin = originNow()
  return origin === null ? [] : notesIn(s.notes, origin, useView.getState().extent)
}

const newId = (): string => Array.from(crypto.getRandomValues(new Uint8Array(12)), b => b.toString(16).padStart(2, '0')).join('')

/** Puts a mark (`end` null) or a range on the axis and selects it, or the one that is there already; answers its id, null where there is no axis or no room. */
export function addNote(start: number, end: number | null, text = ''): string | null {
  const origin = originNow()
  const { notes, session } = useNotes.getState()
  if (origin === null || session === null) return null
  const times = keptTimes(start, end, origin)
  const same = notes.find(n => n.startNs === times.startNs && n.endNs === times.endNs)
  if (same) {
    selectNote(same.id)
    return same.id
  }
  if (notes.length >= MOST_NOTES) {
    notify({ icon: 'warn', title: 'No more notes', detail: `A session holds ${MOST_NOTES} of them.` })
    return null
  }
  const note: Note = { id: newId(), ...times, text, color: nextColor(notes) }
  change([...notes, note], { selected: note.id })
  return note.id
}

/** Moves a note; times are ns of the shown group. */
export function moveNote(id: string, start: number, end: number | null): void {
  const origin = originNow()
  if (origin !== null) edit(id, keptTimes(start, end, origin))
}

export const writeNote = (id: string, text: string): void => edit(id, { text: text.slice(0, MOST_TEXT) })
export const colorNote = (id: string, color: number): void => edit(id, { color })

function edit(id: string, more: Partial<Note>): void {
  change(useNotes.getState().notes.map(n => (n.id === id ? { ...n, ...more } : n)))
}

/** Removes a note; the notice offers to take it back. */
export function removeNote(id: string): void {
  const { notes, session, selected } = useNotes.getState()
  const note = notes.find(n => n.id === id)
  if (!note) return
  change(
    notes.filter(n => n.id !== id),
    { selected: selected === id ? null : selected },
  )
  notify({
    icon: 'flag',
    title: note.endNs === null ? 'Mark removed' : 'Note removed',
    detail: note.text.trim() || 'It had no words.',
    action: {
      label: 'Undo',
      run: () => {
        const now = useNotes.getState()
        if (now.session === session && !now.notes.some(n => n.id === id)) change([...now.notes, note], { selected: id })
      },
    },
  })
}

export const selectNote = (id: string | null): void => useNotes.setState({ selected: id })

/** Opens the dialog with the words of a note. */
export function openNote(id: string): void {
  selectNote(id)
  openDialog('note')
}

/** Starts to keep notes with the sessions. Answers a function that stops it. */
export function followNotes(): () => void {
  const off = useSession.subscribe((s, was) => {
    // The host knows of a session once it has answered with a view of it.
    const now = s.view?.session ?? null
    if (now !== (was.view?.session ?? null)) void load(now).catch(fail)
  })
  // Selecting something else lets go of the note.
  const offView = useView.subscribe((s, was) => {
    if (s.selection !== was.selection && s.selection !== null) selectNote(null)
  })
  addEventListener('pagehide', saveNotes)
  return () => {
    off()
    offView()
    removeEventListener('pagehide', saveNotes)
  }
}
