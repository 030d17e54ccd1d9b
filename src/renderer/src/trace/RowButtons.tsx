/** Pin, hide and menu of the row whose name the pointer is over. For the mouse alone: keys and the menu do the same. */
import type { ReactElement } from 'react'
import { PINNED_KEY, type Row } from '../../../paint/timeline'
import { GUTTER } from '../../../paint/geometry'
import { Icon } from '../shell/icons'
import { hideRow, pinRow } from './rowActions'

export interface RowPlace {
  readonly row: Row
  /** Top and height in the panel, CSS px. */
  readonly top: number
  readonly height: number
}

export function RowButtons({
  place,
  onMenu,
}: {
  readonly place: RowPlace
  readonly onMenu: (row: Row, x: number, y: number) => void
}): ReactElement | null {
  const { row, top, height } = place
  if (row.type === 'note') return null
  const pinned = row.type === 'track' && row.group === PINNED_KEY
  const title = row.type === 'track' ? row.label : row.title
  return (
    <div
      className="row-buttons"
      data-own-pointer=""
      style={{ top: top + Math.max(0, Math.min(height, 22) - 21) / 2, right: `calc(100% - ${GUTTER - 2}px)` }}
    >
      {row.type === 'track' && (
        <button
          tabIndex={-1}
          aria-label={`${pinned ? 'Unpin' : 'Pin'} ${title}`}
          title={pinned ? 'Unpin' : 'Pin to the top'}
          onClick={() => pinRow(row)}
        >
          <Icon name="pin" size={12} />
        </button>
      )}
      {row.key !== PINNED_KEY && (
        <button tabIndex={-1} aria-label={`Hide ${title}`} title="Hide (H)" onClick={() => hideRow(row)}>
          <Icon name="hidden" size={12} />
        </button>
      )}
      <button
        tabIndex={-1}
        aria-label={`Menu of ${title}`}
        title="More"
        onClick={e => {
          const box = e.currentTarget.getBoundingClientRect()
          onMenu(row, box.left, box.bottom + 2)
        }}
      >
        <Icon name="more" size={12} />
      </button>
    </div>
  )
}
