/** Go to a time, or to a range (`10 ms .. 20 ms`): what was typed is read while it is typed, and said back in every form. */
import { useId, useState, type FormEvent, type ReactElement } from 'react'
import { duration, timeMs } from '../../../shared/format'
import { reveal } from '../commands/focus'
import { jump } from '../commands/jump'
import { Modal } from '../shell/Modal'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { isoText, unixNs } from '../time/parse'
import { readTarget, type Target } from './target'
import './goto.css'

/** Shows a time or a range: the cursor stands there, a range is selected and fills the window with a tenth on each side. */
export function goTo(t: Target): void {
  const v = useView.getState()
  if (t.end === null) {
    v.setCursor(t.start)
    jump(reveal(v.window, t.start, v.extent))
    return
  }
  const pad = (t.end - t.start) * 0.1
  v.select({ type: 'range', start: t.start, end: t.end })
  jump({ start: t.start - pad, end: t.end + pad })
}

export function GoTo({ onClose }: { readonly onClose: () => void }): ReactElement | null {
  const id = useId()
  const [text, setText] = useState('')
  const group = useView(s => s.group)
  const cursor = useView(s => s.cursor)
  const extent = useView(s => s.extent)
  const info = useSession(s => s.view?.groups.find(g => g.id === group))
  if (!info) return null
  const target = readTarget(text, { originNs: info.originNs, calibrated: info.calibrated, from: cursor }, extent)
  const onSubmit = (e: FormEvent): void => {
    e.preventDefault()
    if (!target.ok) return
    onClose()
    goTo(target)
  }
  return (
    <Modal title="Go to time" className="goto" onClose={onClose}>
      <form onSubmit={onSubmit}>
        <label htmlFor={id}>Time, or two times with .. between them</label>
        <span className="field num">
          <input
            id={id}
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            placeholder="12.5 ms"
            value={text}
            aria-invalid={text.trim() !== '' && !target.ok}
            aria-describedby={`${id}-told`}
            onChange={e => setText(e.target.value)}
          />
        </span>
        <div className="goto-told" id={`${id}-told`} role="status" data-testid="goto-told">
          {target.ok ? (
            <Told target={target} originNs={info.originNs} calibrated={info.calibrated} />
          ) : text.trim() === '' ? (
            <Examples calibrated={info.calibrated} />
          ) : (
            <p className="err">{target.error}</p>
          )}
        </div>
        <div className="bot">
          <span className="t3 num">
            The data goes from {timeMs(extent.start)} to {timeMs(extent.end)}.
          </span>
          <span className="sp" />
          <button className="btn" type="button" onClick={onClose}>
            Cancel
          </button>
          <button className="btn primary" type="submit" disabled={!target.ok}>
            Go
          </button>
        </div>
      </form>
    </Modal>
  )
}

function Told({
  target: { start, end },
  originNs,
  calibrated,
}: {
  readonly target: Target
  readonly originNs: bigint
  readonly calibrated: boolean
}): ReactElement {
  const ns = unixNs(start, originNs)
  const iso = calibrated ? isoText(ns) : null
  return (
    <dl className="num">
      <dt>{end === null ? 'On the axis' : 'From'}</dt>
      <dd>{timeMs(start, 6)}</dd>
      {end !== null && (
        <>
          <dt>To</dt>
          <dd>
            {timeMs(end, 6)}, {duration(end - start)}
          </dd>
        </>
      )}
      {calibrated && (
        <>
          <dt>Unix ns</dt>
          <dd>{String(ns)}</dd>
        </>
      )}
      {iso !== null && (
        <>
          <dt>UTC</dt>
          <dd>{iso}</dd>
        </>
      )}
    </dl>
  )
}

const Examples = ({ calibrated }: { readonly calibrated: boolean }): ReactElement => (
  <ul className="num t3">
    <li>12.5 ms, 1.2 s, 800 µs: as on the axis</li>
    <li>+5 ms, -200 µs: from the cursor</li>
    {calibrated && <li>1793628127100000000: Unix ns</li>}
    {calibrated && <li>2026-05-12T14:03:22.5Z: date and time of day; without a zone it is local</li>}
    <li>10 ms .. 20 ms: a range</li>
  </ul>
)
