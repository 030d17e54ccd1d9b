/** Export: a picture as PNG or SVG, the events of a range as Chrome trace JSON, statistics as CSV. The preview is the picture that is saved. */
import { useRef, useState, type ReactElement } from 'react'
import { fileSize, num } from '../../../shared/format'
import { useShownHbm } from '../hbm/useHbm'
import { useShownAllocator } from '../memory/MemoryPanel'
import { useNoteMarks } from '../notes/useNoteMarks'
import { Icon } from '../shell/icons'
import { Modal } from '../shell/Modal'
import { notify } from '../shell/ui'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { useTheme } from '../theme'
import { useLayout } from '../trace/layoutStore'
import { hasTrace, onEvents, rangeOf, ranges, TRACKS, views, withTrace, type ChosenRange, type What } from './choices'
import { eventsFile, statisticsFile } from './files'
import { Check, Pick } from './Pick'
import { fileName } from './prepare'
import { saveFile } from './save'
import { setExport, useExport, WIDTHS, type Kind } from './state'
import { usePicture } from './usePicture'
import './export.css'

const KINDS: readonly (readonly [Kind, string])[] = [
  ['png', 'Picture (PNG)'],
  ['svg', 'Picture for papers (SVG)'],
  ['json', 'Events (Chrome trace JSON)'],
  ['csv', 'Statistics (CSV)'],
]
const SAVE: Readonly<Record<Kind, string>> = { png: 'Save PNG', svg: 'Save SVG', json: 'Save JSON', csv: 'Save CSV' }

export function ExportDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const view = useSession(s => s.view)
  const allocator = useShownAllocator()
  const hbm = useShownHbm()
  const v = useView()
  const layout = useLayout(s => s.layout)
  const notes = useNoteMarks(v.group)
  const o = useExport()
  const dark = useTheme().name === 'dark'
  const offered = views(view, allocator, hbm)
  const [wanted, setWhat] = useState<What>(offered[0]?.what ?? 'both')
  const what = offered.some(c => c.what === wanted) ? wanted : (offered[0]?.what ?? 'trace')
  const [theme, setTheme] = useState<'dark' | 'light'>(dark ? 'light' : 'dark')
  const [problem, setProblem] = useState<string | null>(null)
  const [saving, setSaving] = useState(false)
  const stage = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)

  const traced = hasTrace(view)
  const kinds = KINDS.filter(([k]) => traced || k === 'png' || k === 'svg')
  const kind = kinds.some(([k]) => k === o.kind) ? o.kind : 'png'
  const picture = kind === 'png' || kind === 'svg'
  const events = picture && onEvents(what, allocator)
  const range = rangeOf(o, events)
  const choice = picture ? o.drawn : o.counted
  const tracks = TRACKS.filter(t => t.choice !== 'pinned' || layout.pinned.length > 0)
  const options = { ...o, kind, drawn: tracks.some(t => t.choice === o.drawn) ? o.drawn : 'layout' }

  const query = picture && range.ok && offered.length > 0 ? { what, window: range.window, allocator, hbm, notes, options } : null
  const key = JSON.stringify([
    what,
    theme,
    options,
    range,
    view?.session,
    view?.version,
    allocator?.id,
    hbm?.id,
    v.memoryAxis,
    layout,
    notes,
  ])
  const { picture: done, error } = usePicture(query, key, stage, canvas)

  const ready = picture ? done !== null : range.ok
  const save = async (): Promise<void> => {
    setSaving(true)
    setProblem(null)
    try {
      if (done && picture) {
        const saved = await saveFile(await done.file, done.name)
        if (saved === null) return
        notify({ icon: 'check', title: 'Picture saved', detail: saved })
      } else if (range.ok && !picture) {
        const all = o.range === 'all'
        const file =
          kind === 'json' ? await eventsFile(range.window, choice) : await statisticsFile(all ? null : range.window, o.by, choice)
        const saved = await saveFile(file.blob, dataName(kind, o.by, range))
        if (saved === null) return
        const detail = [`${saved}: ${file.detail}.`, ...file.notes].join(' ')
        notify({ icon: 'check', title: kind === 'json' ? 'Events saved' : 'Statistics saved', detail })
      }
      onClose()
    } catch (e) {
      setProblem(e instanceof Error ? e.message : String(e))
    } finally {
      setSaving(false)
    }
  }
  const failed = problem ?? error ?? (range.ok ? null : range.error)
  const status = picture
    ? done
      ? [done.name, done.bytes === null ? null : fileSize(done.bytes)].filter(Boolean).join(', ')
      : offered.length
        ? 'Drawing the picture'
        : 'There is nothing to draw yet'
    : saving
      ? 'Collecting the events'
      : range.ok
        ? dataName(kind, o.by, range)
        : ''
  return (
    <Modal title="Export" className="exp" onClose={onClose}>
      <div className="grid2">
        <div className="stage">
          {picture ? (
            <div className="sheet-img" data-theme={theme} ref={stage}>
              <canvas
                ref={canvas}
                role="img"
                hidden={kind === 'svg'}
                aria-label="Preview of the picture"
                data-testid="export-preview"
                data-ready={done ? `${done.width}x${done.height}` : undefined}
              />
              {kind === 'svg' && done?.url && <img src={done.url} alt="Preview of the picture" data-testid="export-svg" />}
            </div>
          ) : (
            <About kind={kind} />
          )}
        </div>
        <div className="opts">
          <Pick label="File" value={kind} onChange={k => setExport({ kind: k as Kind })} options={kinds} />
          {picture && <Pick label="Views" value={what} onChange={x => setWhat(x as What)} options={offered.map(c => [c.what, c.label])} />}
          <div>
            <Pick
              label="Range"
              value={ranges(events).some(r => r.kind === o.range) ? o.range : 'window'}
              onChange={r => setExport({ range: r as typeof o.range })}
              options={ranges(events).map(r => [r.kind, r.label])}
            />
            {o.range === 'typed' && !events && (
              <span className="field num typed">
                <input
                  value={o.typed}
                  aria-label="Range, two times"
                  placeholder="10 ms .. 20 ms"
                  autoComplete="off"
                  spellCheck={false}
                  aria-invalid={!range.ok}
                  onChange={e => setExport({ typed: e.target.value })}
                />
              </span>
            )}
            {range.ok && <span className="num val">{range.words}</span>}
          </div>
          {kind === 'csv' && (
            <Pick
              label="Rows by"
              value={o.by}
              onChange={by => setExport({ by: by as typeof o.by })}
              options={[
                ['name', 'Name'],
                ['track', 'Track'],
                ['category', 'Category'],
              ]}
            />
          )}
          {(!picture || withTrace(what)) && (
            <Pick
              label="Tracks"
              value={tracks.some(t => t.choice === choice) ? choice : 'layout'}
              onChange={c => setExport(picture ? { drawn: c as typeof choice } : { counted: c as typeof choice })}
              options={tracks.map(t => [t.choice, t.label])}
            />
          )}
          {picture && (
            <>
              <Pick
                label="Theme"
                value={theme}
                onChange={t => setTheme(t as 'dark' | 'light')}
                options={[
                  ['light', 'Light'],
                  ['dark', 'Dark'],
                ]}
              />
              <Pick
                label="Width"
                value={String(o.width)}
                onChange={w => setExport({ width: Number(w) })}
                options={WIDTHS.map(w => [String(w), `${num(w)} px`])}
              />
              {kind === 'png' && (
                <Pick
                  label="Size"
                  value={String(o.scale)}
                  onChange={s => setExport({ scale: Number(s) as typeof o.scale })}
                  options={([1, 2, 3] as const).map(s => [
                    String(s),
                    done ? `${num((done.width / o.scale) * s)} × ${num((done.height / o.scale) * s)} px (${s}×)` : `${s}×`,
                  ])}
                />
              )}
              <div className="col" role="group" aria-label="In the picture">
                <span className="lab">In the picture</span>
                <Check label="Legend" checked={o.legend} onChange={legend => setExport({ legend })} />
                <Check label="Source files" checked={o.sources} onChange={sources => setExport({ sources })} />
                <Check label="Pinned allocation" checked={o.pinned} onChange={pinned => setExport({ pinned })} />
                <Check label="Marks and notes" checked={o.notes} onChange={on => setExport({ notes: on })} />
              </div>
              {(done?.notes.length ?? 0) > 0 && (
                <ul className="exp-notes" data-testid="export-notes">
                  {done?.notes.map(n => (
                    <li key={n}>{n}</li>
                  ))}
                </ul>
              )}
            </>
          )}
        </div>
      </div>
      <div className="bot">
        {failed ? (
          <span className="err ell" role="alert" title={failed}>
            <Icon name="error" size={14} /> {failed}
          </span>
        ) : (
          <span className="t3 num ell" role="status">
            {status}
          </span>
        )}
        <span className="sp" />
        <button className="btn lg" onClick={onClose}>
          Cancel
        </button>
        <button className="btn lg primary" disabled={!ready || saving} onClick={() => void save()} data-testid="export-save">
          {SAVE[kind]}
        </button>
      </div>
    </Modal>
  )
}

const dataName = (kind: Kind, by: string, range: ChosenRange & { readonly ok: true }): string =>
  kind === 'json' ? `${fileName('trace', null, range.window)}.json` : `${fileName(`statistics_by_${by}`, null, range.window)}.csv`

/** What stands in a file that has no preview. */
function About({ kind }: { readonly kind: Kind }): ReactElement {
  return kind === 'json' ? (
    <div className="about">
      <h3>Events as Chrome trace JSON</h3>
      <p>
        Opens in Perfetto, in chrome://tracing and here. Slices that touch the range are whole, with their args, flows, counters and times
        to the nanosecond.
      </p>
      <p>Events of the runtime, of the hardware and samples of the host stand in processes of their own.</p>
      <p>At most 64 MiB: what does not fit is at the end of the range, and its number is told.</p>
    </div>
  ) : (
    <div className="about">
      <h3>Statistics as CSV</h3>
      <p>
        One row for each name, track or category, the largest total first: count, total, self, wall and overlap time, shortest, longest,
        mean, median and p95, in ns.
      </p>
      <p>Complete slices are counted. In a range they are clipped to it; those that only touch it are left out.</p>
    </div>
  )
}
