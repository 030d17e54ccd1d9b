/** Details of a slice: its args as text, with a search that marks what it finds. */
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from 'react'
import { num } from '../../../shared/format'
import { copyText } from '../memory/copy'
import { Icon } from '../shell/icons'
import { pieces } from './pieces'

/** Shorter args are read at a glance. */
const SEARCHABLE = 120

export function Args({ text, notice }: { readonly text: string | null; readonly notice: string | null }): ReactElement {
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const box = useRef<HTMLPreElement>(null)
  const parts = useMemo(() => pieces(text ?? '', query), [text, query])
  const hits = (parts.length - 1) / 2
  const shown = hits === 0 ? 0 : Math.min(at, hits - 1)
  useEffect(() => {
    if (query !== '') box.current?.querySelector('mark.on')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [query, shown])
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.key !== 'Enter' || hits === 0) return
    e.preventDefault()
    setAt((shown + (e.shiftKey ? hits - 1 : 1)) % hits)
  }
  return (
    <section aria-label="Args">
      <div className="sect">
        Args
        <span className="sp" />
        {text !== null && text.length > SEARCHABLE && (
          <span className="field args-search">
            <input
              type="search"
              aria-label="Search in the args"
              placeholder="Search"
              title="Enter goes to the next, Shift Enter to the one before"
              value={query}
              onKeyDown={onKeyDown}
              onChange={e => {
                setQuery(e.target.value)
                setAt(0)
              }}
            />
            {query !== '' && (
              <span className="num" role="status">
                {hits === 0 ? 'none' : `${num(shown + 1)} of ${num(hits)}`}
              </span>
            )}
          </span>
        )}
        {text !== null && (
          <button className="btn quiet icon" aria-label="Copy args" title="Copy args" onClick={() => void copyText(text)}>
            <Icon name="copy" size={12} />
          </button>
        )}
      </div>
      {notice && <p className="notice">{notice}</p>}
      {text === null ? (
        !notice && <p className="notice">The event has no args.</p>
      ) : (
        <pre className="args mono selectable" tabIndex={0} aria-label="Args" ref={box}>
          {parts.map((p, i) =>
            i % 2 === 0 ? (
              p
            ) : (
              <mark key={i} className={(i - 1) / 2 === shown ? 'on' : ''}>
                {p}
              </mark>
            ),
          )}
        </pre>
      )}
    </section>
  )
}
