/** How each file came to its place on the time axis, how far to trust that, and shifts by hand. Stands in the details column, like the diagnostics. */
import { useRef, type KeyboardEvent, type ReactElement } from 'react'
import type { SessionView } from '../../../shared/api'
import type { ClockInfo } from '../../../shared/clock-api'
import { duration } from '../../../shared/format'
import { KeyValues, Missing } from '../details/KeyValues'
import { Icon } from '../shell/icons'
import { baseName, count } from '../shell/words'
import { useSession } from '../state/session'
import { shiftText } from './decimal'
import { PickOffer } from './PickStrip'
import { ShiftEditor } from './ShiftEditor'
import { hideAlignment, startPick, undoShift, usePick } from './state'
import { CONFIDENCE, isoLocal, METHOD, onUnixTime } from './words'
import './alignment.css'

export function AlignmentPanel(): ReactElement {
  const view = useSession(s => s.view)
  const box = useRef<HTMLDivElement>(null)
  const clocks = view?.clocks ?? []
  const files = [...new Set(clocks.map(c => c.file))]
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.key.toLowerCase() !== 'z' || !(e.ctrlKey || e.metaKey) || e.shiftKey || e.altKey) return
    // A number that is being written has an undo of its own.
    if (e.target instanceof HTMLInputElement && e.target.dataset['draft'] === 'true') return
    e.preventDefault()
    void undoShift()
  }
  return (
    <div className="alignment" ref={box} onKeyDown={onKeyDown} tabIndex={-1} data-testid="alignment">
      <div className="phead">
        <h2>Alignment</h2>
        <span className="sp" />
        <button className="btn quiet" onClick={() => void undoShift()} title="Take the last shift by hand back (Ctrl Z)">
          <Icon name="retry" size={12} className="mirrored" />
          Undo
        </button>
        <button className="btn icon" aria-label="Close alignment" title="Close" onClick={hideAlignment}>
          <Icon name="close" size={14} />
        </button>
      </div>
      <div className="scroll">
        {view && <Summary view={view} />}
        <PickOffer />
        {files.map(file => (
          <FileCard key={file} clocks={clocks.filter(c => c.file === file)} alone={files.length === 1} />
        ))}
        {!files.length && (
          <div className="fill">
            <Icon name="clock" />
            <h3>No file with times yet</h3>
            <p>Files appear here as they are read.</p>
          </div>
        )}
      </div>
    </div>
  )
}

function Summary({ view }: { readonly view: SessionView }): ReactElement | null {
  if (view.groups.length < 2) return null
  return (
    <div className="alignment-note" role="note">
      <Icon name="warn" size={14} className="warn" />
      <p>
        {count(view.groups.length, 'range')} that don&rsquo;t overlap: {view.groups.map(g => g.label).join('; ')}. Each is drawn by itself.
        Nothing is shifted unless you do it here.
      </p>
    </div>
  )
}

function FileCard({ clocks, alone }: { readonly clocks: readonly ClockInfo[]; readonly alone: boolean }): ReactElement | null {
  const source = useSession(s => s.view?.sources.find(o => o.index === clocks[0]?.source))
  const picking = usePick(s => s.pick)
  const whole = clocks.find(c => c.part === '')
  if (!whole) return null
  const shiftNs = BigInt(whole.shiftNs)
  const timed = whole.method !== 'none' && whole.startNs !== null
  const pickable = source?.kind === 'chrome-trace' || source?.kind === 'system' || source?.kind === 'memory-snapshot'
  const event = source?.kind === 'memory-snapshot' ? 'allocation' : 'event'
  return (
    <section className="clock" aria-label={whole.path}>
      <h3 title={whole.path}>
        <span className="ell">{baseName(whole.path)}</span>
        <Confidence of={whole} />
        {shiftNs !== 0n && <span className="chip info num">shifted by hand {shiftText(shiftNs)}</span>}
      </h3>
      {clocks.map(c => (
        <ClockFacts key={c.part} clock={c} alone={alone} />
      ))}
      {timed && <ShiftEditor file={whole.file} path={whole.path} shiftNs={shiftNs} />}
      {timed && pickable && !alone && (
        <div className="acts">
          <button
            className="btn"
            disabled={picking !== null && picking.stage !== 'ready'}
            onClick={() => startPick(whole.file, whole.path)}
          >
            <Icon name="link" size={12} />
            Pick the {event} to move…
          </button>
        </div>
      )}
    </section>
  )
}

function Confidence({ of: { confidence } }: { readonly of: ClockInfo }): ReactElement {
  const { icon, cls, word, title } = CONFIDENCE[confidence]
  return (
    <span className={`chip ${cls}`} title={title}>
      <Icon name={icon} size={12} />
      {word}
    </span>
  )
}

function ClockFacts({ clock: c, alone }: { readonly clock: ClockInfo; readonly alone: boolean }): ReactElement {
  const unix = onUnixTime(c)
  return (
    <>
      {c.part !== '' && (
        <h4>
          Hardware events <span className="t3">{c.part}</span>
          <Confidence of={c} />
        </h4>
      )}
      <KeyValues
        rows={[
          [
            'Method',
            <span className="wrap">
              {METHOD[c.method]}
              <span className="how">{c.text}</span>
            </span>,
          ],
          c.method !== 'none' && [
            'Correction',
            c.offsetNs === null ? (
              <span className="t3 wrap">none applied</span>
            ) : (
              <span className="num">{shiftText(BigInt(c.offsetNs))}</span>
            ),
          ],
          c.method !== 'none' && [
            'Residual',
            c.residualNs === null ? (
              <Missing why="nothing tells how precise these times are" />
            ) : (
              <span className="num">≤ {duration(c.residualNs)}</span>
            ),
          ],
          c.part === '' && c.startNs !== null && ['Begins', <Instant ns={c.startNs} unix={unix} />],
          c.part === '' && c.endNs !== null && ['Ends', <Instant ns={c.endNs} unix={unix} />],
          c.part === '' &&
            c.startNs !== null &&
            !alone && [
              'Overlaps',
              c.overlaps.length ? (
                <span className="wrap">{c.overlaps.map(baseName).join(', ')}</span>
              ) : (
                <span className="wrap warn">
                  <Icon name="warn" size={12} className="warn" /> no other file
                </span>
              ),
            ],
        ]}
      />
    </>
  )
}

/** Local time, and Unix ns below it; of a clock of its own only its ns. */
function Instant({ ns, unix }: { readonly ns: string; readonly unix: boolean }): ReactElement {
  return (
    <span className="instant mono">
      {unix && <span>{isoLocal(BigInt(ns))}</span>}
      <span className="t3">
        {ns}&nbsp;ns{unix ? '' : ', own clock'}
      </span>
    </span>
  )
}
