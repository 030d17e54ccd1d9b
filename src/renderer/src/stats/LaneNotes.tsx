/** What a lane of long questions has to say: that one failed, or was cancelled. The rows of before stay below. */
import type { ReactElement } from 'react'
import { Icon } from '../shell/icons'

interface Props {
  readonly lane: { readonly error: string | null; readonly cancelled?: boolean; readonly retry: () => void }
  /** `The gaps could not be found`. */
  readonly failed: string
  /** `The counting was cancelled`, and what asks again; absent: it is asked again by itself. */
  readonly cancelled?: string
  readonly again?: string
  /** Whether rows of before are shown. */
  readonly kept?: boolean
}

export function LaneNotes({ lane, failed, cancelled, again = 'Try again', kept = false }: Props): ReactElement {
  return (
    <>
      {lane.error !== null && (
        <p className="tab-note" role="alert">
          <Icon name="warn" size={14} />
          {failed}: {lane.error}
          <button className="btn" onClick={lane.retry}>
            Try again
          </button>
        </p>
      )}
      {cancelled !== undefined && lane.cancelled && (
        <p className="tab-note" role="status">
          <Icon name="warn" size={14} />
          {cancelled}
          {kept ? '; the rows are those of before' : ''}.
          <button className="btn" onClick={lane.retry}>
            {again}
          </button>
        </p>
      )}
    </>
  )
}
