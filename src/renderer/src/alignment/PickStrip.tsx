/** What to click next while two events are picked, and the shift that would follow, before it is made. Over the tracks in the panel's head, never over data. */
import type { ReactElement } from 'react'
import { Icon } from '../shell/icons'
import { baseName } from '../shell/words'
import { useSession } from '../state/session'
import { shiftText } from './decimal'
import { applyPick, cancelPick, usePick, type PickState } from './state'
import './alignment.css'

export function PickStrip(): ReactElement | null {
  const pick = usePick(s => s.pick)
  const ranges = useSession(s => s.view?.groups.length ?? 0)
  if (!pick) return null
  return (
    <div className="strip picking" role="status" data-testid="pick-strip">
      <Icon name="link" size={14} />
      <span className="wrap">
        <Words pick={pick} ranges={ranges} />
      </span>
      <span className="sp" />
      {pick.stage === 'ready' && <ShiftButton />}
      <CancelButton />
    </div>
  )
}

function Words({ pick, ranges }: { readonly pick: PickState; readonly ranges: number }): ReactElement {
  if (pick.stage === 'ready') return <Offer pick={pick} />
  return (
    <>
      {pick.note && <b>{pick.note} </b>}
      {pick.stage === 'first' ? (
        <>
          Click the event of <b>{baseName(pick.path)}</b> that is to move.
        </>
      ) : (
        <>
          <b>{pick.first.name}</b> of {baseName(pick.first.path)} moves. Click the event of another file that it should line up with.
        </>
      )}
      {ranges > 1 && ' Other ranges are chosen in the top bar.'}
    </>
  )
}

const Offer = ({ pick }: { readonly pick: Extract<PickState, { stage: 'ready' }> }): ReactElement => (
  <>
    Shift {baseName(pick.first.path)} by <b className="num">{shiftText(pick.byNs)}</b>
    {pick.byNs !== pick.shiftNs && <span className="num"> to {shiftText(pick.shiftNs)} in all</span>}: {pick.first.name} then begins with{' '}
    {pick.second.name} of {baseName(pick.second.path)}.
  </>
)

const ShiftButton = (): ReactElement => (
  <button className="btn primary" onClick={applyPick}>
    Shift
  </button>
)
const CancelButton = (): ReactElement => (
  <button className="btn" onClick={cancelPick} title="Cancel (Esc)">
    Cancel
  </button>
)

/** The same in the panel. */
export function PickOffer(): ReactElement | null {
  const pick = usePick(s => s.pick)
  const ranges = useSession(s => s.view?.groups.length ?? 0)
  if (!pick) return null
  return (
    <div className="pick-offer">
      <p>
        <Words pick={pick} ranges={ranges} />
      </p>
      <div className="acts">
        {pick.stage === 'ready' && <ShiftButton />}
        <CancelButton />
      </div>
    </div>
  )
}
