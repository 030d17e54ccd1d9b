/** Right column: the selection, always in the same place. */
import type { ReactElement } from 'react'
import { RuntimeDetails } from '../hbm/RuntimeDetails'
import { AllocationDetails } from '../memory/AllocationDetails'
import { Boundary } from '../shell/Boundary'
import { Icon } from '../shell/icons'
import { closeDetails, openDetails, toggleOver, useUi } from '../shell/ui'
import { SliceDetails } from '../trace/SliceDetails'
import { useView, type Selection } from '../state/view'
import { FileDetails } from './FileDetails'
import { RangeDetails } from './RangeDetails'
import './details.css'

const TITLE: Readonly<Record<Selection['type'], string>> = {
  allocation: 'Allocation details',
  runtime: 'Runtime allocation',
  slice: 'Slice details',
  file: 'File details',
  range: 'Selected range',
}
const titleOf = (s: Selection | null): string => (s ? TITLE[s.type] : 'Details')

export function Details(): ReactElement {
  const selection = useView(s => s.selection)
  return (
    <>
      <div className="phead">
        <h2>{titleOf(selection)}</h2>
        <span className="sp" />
        {selection?.type === 'allocation' && <PinButton selection={selection} />}
        {selection?.type === 'runtime' && <RuntimePin selection={selection} />}
        <button className="btn icon" aria-label="Close details" title="Close details" onClick={closeDetails}>
          <Icon name="close" size={14} />
        </button>
      </div>
      <div className="scroll">
        <Boundary name={titleOf(selection)} resetOn={[selection]}>
          {selection?.type === 'allocation' && <AllocationDetails />}
          {selection?.type === 'runtime' && <RuntimeDetails />}
          {selection?.type === 'slice' && <SliceDetails />}
          {selection?.type === 'file' && <FileDetails file={selection.file} />}
          {selection?.type === 'range' && <RangeDetails start={selection.start} end={selection.end} />}
          {!selection && <Nothing />}
        </Boundary>
      </div>
    </>
  )
}

function PinButton({ selection: s }: { readonly selection: Extract<Selection, { type: 'allocation' }> }): ReactElement {
  const on = useView(v => v.pinned?.allocator === s.allocator && v.pinned.allocation === s.allocation)
  return <Pin on={on} set={() => useView.getState().pin(on ? null : { allocator: s.allocator, allocation: s.allocation })} />
}

function RuntimePin({ selection: s }: { readonly selection: Extract<Selection, { type: 'runtime' }> }): ReactElement {
  const on = useView(v => v.pinnedRuntime?.hbm === s.hbm && v.pinnedRuntime.allocation === s.allocation)
  return <Pin on={on} set={() => useView.getState().pinRuntime(on ? null : { hbm: s.hbm, allocation: s.allocation })} />
}

const Pin = ({ on, set }: { readonly on: boolean; readonly set: () => void }): ReactElement => (
  <button
    className={on ? 'btn icon on' : 'btn icon'}
    aria-label={on ? 'Unpin' : 'Pin'}
    aria-pressed={on}
    title={on ? 'Pinned (click to unpin)' : 'Pin'}
    onClick={set}
  >
    <Icon name="pin" size={14} />
  </button>
)

const HINTS: readonly (readonly [string, string])[] = [
  ['Pin', 'click'],
  ['Measure a range', 'drag'],
  ['Zoom at the pointer', 'Ctrl wheel'],
  ['Clear', 'Esc'],
]

function Nothing(): ReactElement {
  return (
    <>
      <div className="hero">
        <div className="headline">Nothing selected</div>
        <p className="t3">Click a slice or an allocation to keep it here. New data never takes your selection away.</p>
      </div>
      <ul className="hints">
        {HINTS.map(([what, how]) => (
          <li key={what}>
            {what}
            <kbd>{how}</kbd>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The closed column. */
export function DetailsRail(): ReactElement {
  const selection = useView(s => s.selection)
  const open = useUi(s => s.over === 'details' && !s.diagnostics)
  const over = useUi(s => s.over)
  return (
    <div className="rail">
      <button
        className={open ? 'btn icon on' : 'btn icon'}
        aria-label={`Open details: ${titleOf(selection)}`}
        title="Details"
        aria-expanded={open}
        onClick={() => (over === 'details' && open ? toggleOver('details') : openDetails())}
      >
        <Icon name="panel" />
      </button>
      <span className="vert" aria-hidden="true">
        {titleOf(selection)}
      </span>
    </div>
  )
}
