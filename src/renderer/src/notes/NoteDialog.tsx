/** The words and the colour of one note. */
import { useId, useState, type FormEvent, type ReactElement } from 'react'
import { duration, timeMs } from '../../../shared/format'
import { Modal } from '../shell/Modal'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { MOST_TEXT, NOTE_COLORS, placed } from './model'
import { colorNote, removeNote, useNotes, writeNote } from './state'
import './notes.css'

export function NoteDialog({ onClose }: { readonly onClose: () => void }): ReactElement | null {
  const note = useNotes(s => s.notes.find(n => n.id === s.selected))
  const group = useView(s => s.group)
  const origin = useSession(s => s.view?.groups.find(g => g.id === group)?.originNs)
  const id = useId()
  const [text, setText] = useState(note?.text ?? '')
  const [color, setColor] = useState(note?.color ?? 0)
  if (!note || origin === undefined) return null
  const { start, end } = placed(note, origin)
  const onSubmit = (e: FormEvent): void => {
    e.preventDefault()
    onClose()
    writeNote(note.id, text)
    colorNote(note.id, color)
  }
  return (
    <Modal title={end === null ? 'Mark' : 'Note on a range'} className="note-dialog" onClose={onClose}>
      <form onSubmit={onSubmit}>
        <p className="num t3">
          {end === null ? timeMs(start) : `${timeMs(start)} to ${timeMs(end)}, ${duration(end - start)}`}, Unix {note.startNs} ns
        </p>
        <label htmlFor={id}>Words</label>
        <span className="field">
          <input id={id} data-autofocus maxLength={MOST_TEXT} value={text} autoComplete="off" onChange={e => setText(e.target.value)} />
        </span>
        <fieldset>
          <legend>Colour</legend>
          {Array.from({ length: NOTE_COLORS }, (_, c) => (
            <label key={c} title={`Colour ${c + 1}`}>
              <input type="radio" name={`${id}-color`} checked={c === color} aria-label={`Colour ${c + 1}`} onChange={() => setColor(c)} />
              <i className="sw" style={{ background: `var(--cat-${c + 1})` }} />
            </label>
          ))}
        </fieldset>
        <div className="bot">
          <button
            className="btn"
            type="button"
            onClick={() => {
              onClose()
              removeNote(note.id)
            }}
          >
            Remove
          </button>
          <span className="sp" />
          <button className="btn" type="button" onClick={onClose}>
            Cancel
          </button>
          <button className="btn primary" type="submit">
            Keep
          </button>
        </div>
      </form>
    </Modal>
  )
}
