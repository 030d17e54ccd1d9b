/** Finds events by name, args and stack: the field, where to look, and the hits. */
import { useCallback, useEffect, useMemo, useRef, type KeyboardEvent, type ReactElement } from 'react'
import type { SearchAnswer, SearchHit } from '../../../shared/trace-api'
import { num } from '../../../shared/format'
import { Icon } from '../shell/icons'
import { request, useSession } from '../state/session'
import { useView } from '../state/view'
import { laneId } from '../stats/lane'
import { LaneNotes } from '../stats/LaneNotes'
import { useLane } from '../stats/useLane'
import { DataTable } from '../table/DataTable'
import { sortRows, rowsCsv } from '../table/rows'
import type { AllRows } from '../table/types'
import { currentTrace } from '../trace/current'
import { useLayout } from '../trace/layoutStore'
import { columnsOf, writtenColumns } from './columns'
import { accept, allHits, endSearch, goTo, LISTED, sameHit, step, useSearch, type Fields, type Found } from './state'
import '../table/controls.css'
import './search.css'

const LANE = laneId('search')
const set = useSearch.setState

interface Question {
  readonly query: string
  readonly regex: boolean
  readonly matchCase: boolean
  readonly fields: Fields
  readonly shownOnly: boolean
}

export function SearchTab(): ReactElement {
  const { query, regex, matchCase, fields, shownOnly, found, sort, current: at } = useSearch()
  const session = useSession(s => s.session)
  const group = useView(s => s.group)
  const layout = useLayout(s => (shownOnly ? s.layout : null))
  const selection = useView(s => s.selection)
  const anywhere = fields.names || fields.args || fields.stacks

  const question: Question | null = query === '' || !anywhere ? null : { query, regex, matchCase, fields, shownOnly }
  const key = question && JSON.stringify([question, layout])
  const lane = useLane<Question, SearchAnswer>(`${group}`, key ?? '', question, (id, q) =>
    request('trace.search', { session: id, group, ...asked(q), limit: LISTED, lane: LANE }),
  )
  useEffect(() => set({ pending: question !== null && lane.pending }), [question !== null, lane.pending]) // eslint-disable-line react-hooks/exhaustive-deps
  const answer = lane.value?.answer ?? null
  useEffect(() => {
    if (question === null) {
      endSearch(LANE)
      set({ found: null, current: -1, pending: false, wish: null })
    } else if (answer && session !== null && !lane.pending) accept(session, group, answer)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key stands for the question
  }, [answer, lane.pending, key, session, group])
  useEffect(() => () => endSearch(LANE), [])

  const shown = found && found.session === session && found.group === group ? found : null
  const hits = shown?.hits ?? NONE
  const columns = useMemo(() => columnsOf(shown?.offset ?? 0, hits), [shown?.offset, hits])
  const view = useSession(s => s.view)
  const written = useMemo(() => writtenColumns(columns, view, group), [columns, view, group])
  const allCsv = async (): Promise<AllRows> => {
    if (!shown) throw new Error('Nothing was found yet.')
    const all = await allHits(shown)
    const own = columnsOf(0, all)
    return { csv: rowsCsv(sortRows(all, own, sort), writtenColumns(own, view, group)), rows: all.length, of: shown.answer.total }
  }
  const open = useCallback((h: SearchHit) => {
    const { found: now } = useSearch.getState()
    if (now) void goTo(now, now.offset + now.hits.findIndex(x => sameHit(x, h)))
  }, [])
  const selected = selection?.type === 'slice' ? hits.find(h => sameHit(h, selection)) : undefined
  return (
    <>
      <div className="tabbar">
        <Field query={query} regex={regex} matchCase={matchCase} error={question ? (answer?.error ?? null) : null} />
        <span className="search-steps" role="group" aria-label="Hits">
          <span className="num" role="status" aria-live="polite" data-testid="search-count" data-total={shown?.answer.total}>
            {countWords(shown, at, question !== null && lane.pending)}
          </span>
          <StepButton by={-1} disabled={!shown || shown.answer.total === 0} />
          <StepButton by={1} disabled={!shown || shown.answer.total === 0} />
        </span>
        <span className="search-where" role="group" aria-label="Where to look">
          <span className="lbl" aria-hidden="true">
            In
          </span>
          {FIELDS.map(f => (
            <Check
              key={f.id}
              label={f.label}
              title={f.title}
              on={fields[f.id]}
              onChange={on => set({ fields: { ...fields, [f.id]: on } })}
            />
          ))}
        </span>
        <Check
          label="Visible tracks only"
          title="Only tracks that have a row now: not folded away, hidden or filtered out"
          on={shownOnly}
          onChange={on => set({ shownOnly: on })}
        />
      </div>
      {question && <LaneNotes lane={lane} failed="The search failed" />}
      {shown?.answer.incomplete && question && (
        <p className="tab-note" role="status" data-testid="search-incomplete">
          <Icon name="warn" size={14} />
          <span className="ell" title={shown.answer.incomplete}>
            Not everything was searched: {shown.answer.incomplete}.
          </span>
        </p>
      )}
      <DataTable
        label="Hits"
        rows={hits}
        columns={columns}
        rowKey={keyOf}
        onSelect={open}
        onOpen={open}
        selected={selected ? keyOf(selected) : null}
        sort={sort}
        onSort={s => set({ sort: s })}
        csvName="search"
        written={written}
        allCsv={shown && shown.answer.total > hits.length ? allCsv : undefined}
        total={shown?.answer.total}
        noun={NOUN}
        stale={lane.pending && shown !== null}
        empty={emptyWords(question, query, anywhere, answer, lane.pending, lane.error)}
        note={shown && shown.answer.total > 0 && <Summary found={shown} />}
      />
    </>
  )
}

const NONE: readonly SearchHit[] = []
const NOUN = ['hit', 'hits'] as const
const keyOf = (h: SearchHit): string => `${h.source}/${h.row}/${h.track}`

/** The tracks that have a row are those at the time of asking. */
const asked = ({ shownOnly, fields, ...q }: Question) => ({
  ...q,
  fields: { ...fields },
  tracks: shownOnly ? [...(currentTrace()?.input?.rows.byTrack.keys() ?? [])].slice(0, 20_000) : null,
})

const FIELDS: readonly { readonly id: keyof Fields; readonly label: string; readonly title: string }[] = [
  { id: 'names', label: 'Names', title: 'Names of slices and instants' },
  { id: 'args', label: 'Args', title: 'Arguments of framework events, attributes and ids of runtime events' },
  { id: 'stacks', label: 'Stacks', title: 'Enclosing Python functions (with_stack=True) and call stacks among the arguments' },
]

function Field({
  query,
  regex,
  matchCase,
  error,
}: {
  readonly query: string
  readonly regex: boolean
  readonly matchCase: boolean
  readonly error: string | null
}): ReactElement {
  const input = useRef<HTMLInputElement>(null)
  const focus = useSearch(s => s.focus)
  useEffect(() => {
    if (focus === 0) return
    input.current?.focus()
    input.current?.select()
  }, [focus])
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.key === 'Enter' || e.key === 'F3') step(e.shiftKey ? -1 : 1)
    // The text stays, and so does what is lit: only the field is left.
    else if (e.key === 'Escape') leave(input.current)
    else return
    e.preventDefault()
    e.stopPropagation()
  }
  return (
    <span className={error ? 'field filter bad' : 'field filter'}>
      <Icon name="search" size={12} />
      <input
        ref={input}
        type="search"
        aria-label="Search events"
        aria-invalid={error ? true : undefined}
        aria-keyshortcuts="Enter Shift+Enter"
        title={error ?? undefined}
        placeholder="Search events"
        value={query}
        maxLength={500}
        onChange={e => set({ query: e.target.value, current: -1 })}
        onKeyDown={onKeyDown}
      />
      <Toggle label="Match case" text="Aa" on={matchCase} onChange={on => set({ matchCase: on, current: -1 })} />
      <Toggle label="Regular expression" text=".*" on={regex} onChange={on => set({ regex: on, current: -1 })} />
    </span>
  )
}

/** The focus goes to the timeline, where keys move the window. */
function leave(input: HTMLInputElement | null): void {
  input?.blur()
  document.querySelector<HTMLElement>('.trace-rows')?.focus({ preventScroll: true })
}

function Toggle({
  label,
  text,
  on,
  onChange,
}: {
  readonly label: string
  readonly text: string
  readonly on: boolean
  readonly onChange: (on: boolean) => void
}): ReactElement {
  return (
    <button className={on ? 'btn quiet on' : 'btn quiet'} aria-pressed={on} aria-label={label} title={label} onClick={() => onChange(!on)}>
      {text}
    </button>
  )
}

function Check({
  label,
  title,
  on,
  onChange,
}: {
  readonly label: string
  readonly title: string
  readonly on: boolean
  readonly onChange: (on: boolean) => void
}): ReactElement {
  return (
    <label className="search-check" title={title}>
      <input type="checkbox" checked={on} onChange={e => onChange(e.target.checked)} />
      {label}
    </label>
  )
}

function StepButton({ by, disabled }: { readonly by: 1 | -1; readonly disabled: boolean }): ReactElement {
  const label = by > 0 ? 'Next hit' : 'Previous hit'
  return (
    <button
      className="btn quiet icon"
      disabled={disabled}
      aria-label={label}
      title={`${label} (${by > 0 ? '' : 'Shift '}Enter, ${by > 0 ? '' : 'Shift '}F3)`}
      onClick={() => step(by)}
    >
      <Icon name={by > 0 ? 'down' : 'up'} size={12} />
    </button>
  )
}

function countWords(found: Found | null, at: number, pending: boolean): string {
  if (!found || found.answer.error !== null) return pending ? 'Searching…' : ''
  const { total } = found.answer
  const words = total === 0 ? 'no hits' : at < 0 ? `${num(total)} ${total === 1 ? 'hit' : 'hits'}` : `${num(at + 1)} of ${num(total)}`
  return pending ? `${words}, searching…` : words
}

function emptyWords(
  q: Question | null,
  query: string,
  anywhere: boolean,
  a: SearchAnswer | null,
  pending: boolean,
  error: string | null,
): string {
  if (query === '') return 'Type what to look for. Hits are listed here and lit in the timeline.'
  if (!anywhere) return 'Choose where to look: names, args or stacks.'
  if (error !== null) return 'No hits.'
  if (a?.error) return `${a.error}.`
  if (pending || a === null || q === null) return 'Searching…'
  return `Nothing matches “${query}”.`
}

/** On how many tracks, and which have most. */
function Summary({ found: { answer, offset, hits } }: { readonly found: Found }): ReactElement {
  const tracks = useSession(s => s.view?.tracks)
  const most = [...answer.byTrack].sort((a, b) => b[1] - a[1])
  const name = (id: number): string => tracks?.find(t => t.id === id)?.name ?? 'a track'
  const listed = most.slice(0, 12).map(([id, n]) => `${name(id)} ${num(n)}`)
  const cut = answer.total > hits.length ? ` · ${num(offset + 1)} to ${num(offset + hits.length)} by time are listed` : ''
  const said = `on ${num(most.length)} ${most.length === 1 ? 'track' : 'tracks'}: ${listed.slice(0, 4).join(', ')}${most.length > 4 ? ', …' : ''}${cut}`
  return (
    <span
      title={`${listed.join('\n')}${most.length > listed.length ? `\nand ${num(most.length - listed.length)} more` : ''}`}
      data-testid="search-tracks"
    >
      {said}
    </span>
  )
}
