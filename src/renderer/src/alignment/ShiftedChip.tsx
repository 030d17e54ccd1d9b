/** Says in the head of a panel that something in it was shifted by hand. Opens the alignment. */
import type { ReactElement } from 'react'
import type { SourceInfo } from '../../../shared/api'
import { Icon } from '../shell/icons'
import { baseName } from '../shell/words'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { shiftText } from './decimal'
import { showAlignment } from './state'
import './alignment.css'

/** `kinds`: what the panel draws. Only files of the shown time group count. */
export function ShiftedChip({ kinds }: { readonly kinds: readonly SourceInfo['kind'][] }): ReactElement | null {
  const view = useSession(s => s.view)
  const group = useView(s => s.group)
  const here = new Set(view?.sources.filter(s => s.group === group && kinds.includes(s.kind)).map(s => s.file))
  const shifted = (view?.clocks ?? []).filter(c => c.part === '' && c.shiftNs !== '0' && here.has(c.file))
  if (!shifted.length) return null
  const title = shifted.map(c => `${baseName(c.path)} ${shiftText(BigInt(c.shiftNs))}`).join('\n')
  return (
    <button className="chip info shifted num" title={`${title}\nShow the alignment`} onClick={showAlignment}>
      <Icon name="clock" size={12} />
      shifted by hand {shifted.length === 1 ? shiftText(BigInt(shifted[0].shiftNs)) : `(${shifted.length} files)`}
    </button>
  )
}
