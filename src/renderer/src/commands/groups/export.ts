/** Files for others: pictures, events, statistics. */
import { openExport, type Kind } from '../../export/state'
import { useSession } from '../../state/session'
import { useView } from '../../state/view'
import { makesTrace } from '../../../../shared/api'
import type { Command } from '../command'

/** Something is drawn that a picture can hold. */
function canDraw(): boolean {
  const { view } = useSession.getState()
  return view !== null && (view.tracks.length > 0 || view.allocators.length > 0)
}
/** The shown time range has events. */
function hasEvents(): boolean {
  const { view } = useSession.getState()
  const { group } = useView.getState()
  return view?.tracks.some(t => t.group === group && makesTrace(t)) ?? false
}
const file = (kind: Kind, title: string, when: () => boolean, keys: readonly string[] = [], shown?: string): Command => ({
  id: `export-${kind}`,
  title,
  group: 'Window',
  keys,
  ...(shown ? { shown } : {}),
  when,
  run: () => openExport(kind),
})

export const EXPORT: readonly Command[] = [
  file('png', 'Export PNG', canDraw, ['$mod+KeyE', '$mod+Shift+KeyE'], 'Mod E'),
  file('svg', 'Export SVG', canDraw),
  file('json', 'Export the events as Chrome trace JSON', hasEvents),
  file('csv', 'Export statistics as CSV', hasEvents),
]
