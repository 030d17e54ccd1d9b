/** Commands about what is selected. */
import { hideAlignment } from '../../alignment/state'
import { closeDrawer, useDrawer } from '../../drawer/state'
import { selectNote, useNotes } from '../../notes/state'
import { closeOver, hideDiagnostics, useUi } from '../../shell/ui'
import { useView } from '../../state/view'
import type { Command } from '../command'

/** Esc, one step at a time: the pin and the selection, then what stands over or beside the centre. */
function clear(): void {
  const v = useView.getState()
  const ui = useUi.getState()
  if (useNotes.getState().selected !== null) selectNote(null)
  else if (v.pinned || v.selection) {
    v.pin(null)
    v.select(null)
  } else if (ui.over) closeOver()
  else if (ui.diagnostics) hideDiagnostics()
  else if (ui.alignment) hideAlignment()
  else if (useDrawer.getState().tab !== null) closeDrawer()
  else if (ui.notices.length) useUi.setState({ notices: [] })
  else if (v.cursor !== null || v.eventCursor !== null) {
    v.setCursor(null)
    v.setEventCursor(null)
  }
}

export const SELECTION: readonly Command[] = [
  {
    id: 'clear',
    title: 'Clear pin and selection, then close what is open',
    group: 'Selection',
    keys: ['Escape'],
    shown: 'Esc',
    run: clear,
  },
]
