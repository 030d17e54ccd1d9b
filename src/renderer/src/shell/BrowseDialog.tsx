/** The browser shell's picker: folders and known files below the folders that the host serves. Only ids of the host are used. */
import { useEffect, useState, type KeyboardEvent, type ReactElement } from 'react'
import type { BrowseAnswer, BrowseEntry } from '../../../shared/api'
import { fileSize } from '../../../shared/format'
import { openBrowsed } from '../commands/open'
import { request, words } from '../state/session'
import { Icon } from './icons'
import { Modal } from './Modal'
import { dayText } from './words'

type State =
  | { readonly kind: 'loading' }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'list'; readonly answer: BrowseAnswer; readonly now: number }

export function BrowseDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [folder, setFolder] = useState<string | null>(null)
  const [state, setState] = useState<State>({ kind: 'loading' })
  useEffect(() => {
    let live = true
    request('browse.list', { id: folder }).then(
      answer => live && setState({ kind: 'list', answer, now: Date.now() }),
      (e: unknown) => live && setState({ kind: 'error', text: words(e) }),
    )
    return () => {
      live = false
    }
  }, [folder])
  const here = state.kind === 'list' ? state.answer.folder : null

  const onKeyDown = (e: KeyboardEvent<HTMLElement>): void => {
    const rows = [...e.currentTarget.querySelectorAll<HTMLElement>('button.row')]
    const at = rows.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: Math.min(at + 1, rows.length - 1), ArrowUp: Math.max(at - 1, 0), Home: 0, End: rows.length - 1 }[e.key]
    if (to !== undefined) rows[to]?.focus()
    else if (e.key === 'Backspace' && here) setFolder(here.parent)
    else return
    e.preventDefault()
  }
  const enter = (entry: BrowseEntry): void => {
    if (entry.type === 'folder') setFolder(entry.id)
    else void openBrowsed(entry.id)
  }

  return (
    <Modal title="Open" className="browse" onClose={onClose}>
      <div className="where">
        <button
          className="btn icon"
          aria-label="One folder up"
          title="One folder up (Backspace)"
          disabled={!here}
          onClick={() => here && setFolder(here.parent)}
        >
          <Icon name="up" size={14} />
        </button>
        <b className="ell">{here ? here.name : 'Served folders'}</b>
      </div>
      <div className="entries" onKeyDown={onKeyDown} role="group" aria-label={here ? `Content of ${here.name}` : 'Served folders'}>
        {state.kind === 'error' && <p className="note">{state.text}</p>}
        {state.kind === 'list' && !state.answer.entries.length && <p className="note">No folder and no file of a known kind in here.</p>}
        {state.kind === 'list' &&
          state.answer.entries.map((entry, i) => (
            <div className="entry" key={entry.id}>
              <button
                className="row"
                autoFocus={i === 0}
                onClick={() => enter(entry)}
                title={entry.type === 'folder' ? `Go into ${entry.name}` : `Open ${entry.name}`}
              >
                <Icon name={entry.type} />
                <span className="ell t1">{entry.name}</span>
                <span className="sp" />
                <span className="t3 num">{entry.bytes === null ? '' : fileSize(entry.bytes)}</span>
                <span className="t3 num when">{entry.mtimeMs ? dayText(entry.mtimeMs, state.now) : ''}</span>
              </button>
              {entry.type === 'folder' && (
                <button className="btn" aria-label={`Open ${entry.name}`} onClick={() => void openBrowsed(entry.id)}>
                  Open
                </button>
              )}
            </div>
          ))}
        {state.kind === 'list' && state.answer.cut && <p className="note">{state.answer.cut}</p>}
      </div>
      <div className="bot">
        <span className="t3">Only folders that the host serves can be opened.</span>
        <span className="sp" />
        <button className="btn lg" onClick={onClose}>
          Cancel
        </button>
        {here && (
          <button className="btn lg primary" onClick={() => void openBrowsed(here.id)}>
            <Icon name="folder" size={14} />
            Open this folder
          </button>
        )}
      </div>
    </Modal>
  )
}
