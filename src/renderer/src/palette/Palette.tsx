/** Every command by its name: typed letters in any word order of the title, arrows, Enter. */
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from 'react'
import { keyCaps } from '../commands/keys'
import { COMMANDS, runCommand } from '../commands/registry'
import { Icon } from '../shell/icons'
import { Modal } from '../shell/Modal'
import { entries, offered, type Entry } from './order'
import { rememberCommand, useRecent } from './state'
import './palette.css'

/** Not offered by itself. */
const OWN = 'palette'
const PAGE = 8

export function Palette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const id = useId()
  const list = useRef<HTMLUListElement>(null)
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const recent = useRecent(s => s.ids)
  // What can run is asked once: the palette is over everything, nothing changes under it by the user's hand.
  const [{ shown: commands, missing }] = useState(() => offered(COMMANDS.filter(c => c.id !== OWN)))
  const [on] = useState(() => new Set(commands.filter(c => c.active?.()).map(c => c.id)))
  const shown = useMemo(() => {
    // What cannot run is named when it is asked for.
    const list = query.trim() === '' ? commands.filter(c => !missing.has(c.id)) : commands
    return entries(query, list, recent)
  }, [query, commands, missing, recent])
  const active = Math.min(at, shown.length - 1)
  const recentShown = query.trim() === '' ? shown.filter(e => recent.includes(e.command.id)).length : 0

  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active, shown])

  const run = (e: Entry | undefined): void => {
    if (!e || missing.has(e.command.id)) return
    rememberCommand(e.command.id)
    onClose()
    // Once the dialog is gone: the command may open another, and the focus is back where it was.
    setTimeout(() => runCommand(e.command.id))
  }
  const onKeyDown = (e: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE }[e.key]
    if (by !== undefined && shown.length > 0) {
      const next = active + by
      setAt(Math.abs(by) === 1 ? (next + shown.length) % shown.length : Math.min(shown.length - 1, Math.max(0, next)))
    } else if (e.key === 'Enter' && !e.nativeEvent.isComposing) run(shown[active])
    else return
    e.preventDefault()
  }

  return (
    <Modal title="Commands" className="palette" onClose={onClose}>
      <label className="palette-field">
        <Icon name="search" size={16} />
        <input
          data-autofocus
          role="combobox"
          aria-label="Find a command"
          aria-expanded={shown.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
          placeholder="Type what you want to do"
          spellCheck={false}
          autoComplete="off"
          value={query}
          onChange={e => {
            setQuery(e.target.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <ul className="palette-list" id={`${id}-list`} role="listbox" aria-label="Commands" ref={list}>
        {shown.map((e, i) => (
          <li
            key={e.command.id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === active}
            aria-disabled={missing.has(e.command.id) || undefined}
            className={`palette-row${i === active ? ' on' : ''}${i === recentShown && recentShown > 0 ? ' line' : ''}`}
            data-command={e.command.id}
            onPointerMove={() => setAt(i)}
            onClick={() => run(e)}
          >
            <span className="ell">{e.title.map((p, k) => (p.hit ? <mark key={k}>{p.text}</mark> : <span key={k}>{p.text}</span>))}</span>
            <span className="t3">{missing.get(e.command.id) ?? (i < recentShown ? 'recent' : e.command.group)}</span>
            {on.has(e.command.id) && (
              <span className="t3">
                <Icon name="check" size={12} /> active
              </span>
            )}
            <span className="sp" />
            <span className="caps">
              {keyCaps(e.command).map(k => (
                <kbd key={k}>{k}</kbd>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {shown.length === 0 && (
        <p className="palette-none" role="status">
          No command is called that. Events are found with the search, in its own table.
        </p>
      )}
      <div className="palette-foot" aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> move
        </span>
        <span>
          <kbd>Enter</kbd> run
        </span>
        <span>
          <kbd>Esc</kbd> close
        </span>
      </div>
    </Modal>
  )
}
