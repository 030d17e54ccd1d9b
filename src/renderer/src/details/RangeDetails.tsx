/** A range of time that was dragged out: where it lies and how long it is. */
import type { ReactElement } from 'react'
import { duration, timeMs } from '../../../shared/format'
import { runCommand } from '../commands/registry'
import { KeyValues } from './KeyValues'

export function RangeDetails({ start, end }: { readonly start: number; readonly end: number }): ReactElement {
  return (
    <>
      <div className="hero">
        <div className="big num selectable">{duration(end - start)}</div>
        <div className="exact num selectable">{Math.round(end - start).toLocaleString('en-US')} ns</div>
      </div>
      <KeyValues
        rows={[
          ['From', <span className="num">{timeMs(start)}</span>],
          ['To', <span className="num">{timeMs(end)}</span>],
        ]}
      />
      <div className="acts pad">
        <button className="btn" onClick={() => runCommand('focus-selection')}>
          Centre, then fit
        </button>
      </div>
    </>
  )
}
