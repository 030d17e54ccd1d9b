/** The browser shell's picker: folders and known files below the folders that the host serves. Only ids of the host are used. */
import { useEffect, useState, type KeyboardEvent, type ReactElement } from 'react'
import type { BrowseAnswer, BrowseEntry } from '../../../shared/api'
import { fileSize } from '../../../shared/format'
import { addBrowsedNeffs, openBrowsed } from '../commands/open'
import { importBrowsed } from '../schema/state'
import { request, words } from '../state/session'
import { Icon } from './icons'
import { Modal } from './Modal'
import { dayText } from './words'

type State =
  | { readonly kind: 'loading' }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'list'; readonly answer: BrowseAnswer; readonly now: number }

/** What is chosen, and its words. */
export interface BrowsePurpose {
  readonly title: string
  /** known: those that can be opened. any: all of them, and no folder can be chosen. */
  readonly files: 'none' | 'known' | 'any'
  /** Buttons: on a folder's row, and for the folder that is shown. */
  readonly verb: string
  readonly here: string
  readonly none: string
  readonly limit: string
  readonly choose: (id: string) => Promise<void>
}
export const OPEN: BrowsePurpose = {
  title: 'Open',
  files: 'known',
  verb: 'Open',
  here: 'Open this folder',
  none: 'No folder and no file of a known kind in here.',
  limit: 'Only folders that the host serves can be opened.',
  choose: openBrowsed,
}
export const ADD_NEFFS: BrowsePurpose = {
  title: 'Add NEFF folder',
  files: 'none',
  verb: 'Add',
  here: 'Add this folder',
  none: 'No folder in here. This folder itself can be added.',
  limit: 'Only folders that the host serves can be added.',
  choose: addBrowsedNeffs,
}
export const IMPORT_SCHEMA: BrowsePurpose = {
  title: 'Import trace schema',
  files: 'any',
  verb: 'Import',
  here: '',
  none: 'Nothing in here.',
  limit: 'A .proto file, a descriptor set, or libnrt.so below a folder that the host serves.',
  choose: importBrowsed,
}

export function BrowseDialog({ purpose, onClose }: { readonly purpose: BrowsePurpose; readonly onClose: () => void }): ReactElement {
  const [folder, setFolder] = useState<string | null>(null)
  const [state, setState] = useState<State>({ kind: 'loading' })
  const any = purpose.files === 'any'
  useEffect(() => {
    let live = true
    request('browse.list', { id: folder, any }).then(
      answer => live && setState({ kind: 'list', answer, now: Date.now() }),
      (e: unknown) => live && setState({ kind: 'error', text: words(e) }),
    )
    return () => {
      live = false
    }
  }, [folder, any])
  const here = state.kind === 'list' ? state.answer.folder : null
  const entries = state.kind === 'list' ? state.answer.entries.filter(e => purpose.files !== 'none' || e.type === 'folder') : []

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
    else void purpose.choose(entry.id)
  }

  return (
    <Modal title={purpose.title} className="browse" onClose={onClose}>
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
        {state.kind === 'list' && !entries.length && <p className="note">{purpose.none}</p>}
        {state.kind === 'list' &&
          entries.map((entry, i) => (
            <div className="entry" key={entry.id}>
              <button
                className="row"
                autoFocus={i === 0}
                onClick={() => enter(entry)}
                title={entry.type === 'folder' ? `Go into ${entry.name}` : `${purpose.verb} ${entry.name}`}
              >
                <Icon name={entry.type} />
                <span className="ell t1">{entry.name}</span>
                <span className="sp" />
                <span className="t3 num">{entry.bytes === null ? '' : fileSize(entry.bytes)}</span>
                <span className="t3 num when">{entry.mtimeMs ? dayText(entry.mtimeMs, state.now) : ''}</span>
              </button>
              {entry.type === 'folder' && !any && (
                <button className="btn" aria-label={`${purpose.verb} ${entry.name}`} onClick={() => void purpose.choose(entry.id)}>
                  {purpose.verb}
                </button>
              )}
            </div>
          ))}
        {state.kind === 'list' && state.answer.cut && <p className="note">{state.answer.cut}</p>}
      </div>
      <div className="bot">
        <span className="t3">{purpose.limit}</span>
        <span className="sp" />
        <button className="btn lg" onClick={onClose}>
          Cancel
        </button>
        {here && !any && (
          <button className="btn lg primary" onClick={() => void purpose.choose(here.id)}>
            <Icon name="folder" size={14} />
            {purpose.here}
          </button>
        )}
      </div>
    </Modal>
  )
}
