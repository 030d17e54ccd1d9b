/** Conditions that several commands share. */
import { useSession } from '../state/session'
import { useUi } from '../shell/ui'
import { useView } from '../state/view'

export const hasView = (): boolean => useSession.getState().view !== null
export const hasRoot = (): boolean => useSession.getState().root !== null
/** The event axis has its own window; keys act on it while the pointer or the focus is in the Memory Viewer. */
export const onEvents = (): boolean => useView.getState().memoryAxis === 'event' && useUi.getState().panel === 'memory'
