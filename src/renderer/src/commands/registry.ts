/**
 * The commands of the program, in one list: keys, help and native menu all read it. A command that cannot run now does nothing and is not offered.
 */
import type { AllocatorInfo } from '../../../shared/api'
import type { Selection } from '../state/view'
import { useView } from '../state/view'
import { fail, request, useSession } from '../state/session'
import { toggleTheme } from '../theme'
import { closeDetails, closeOver, hideDiagnostics, openDialog, toggleDiagnostics, useUi } from '../shell/ui'
import { focusRuntime, goToHbmPeak, peakedHbm } from '../hbm/go'
import { focusWindow, peakTime, reveal } from './focus'
import { jump } from './jump'
import { closeDrawer, toggleDrawer, useDrawer, type DrawerTab } from '../drawer/state'
import { hideAlignment, toggleAlignment } from '../alignment/state'
import { importSchema, showSchemas } from '../schema/state'
import { addNeffs, closeRoot, openFile, openFolder, openSample } from './open'

export interface Command {
  /** Stable name; those of `shared/menu` are what the native menu sends. */
  readonly id: string
  readonly title: string
  readonly group: 'Move' | 'Go to' | 'Selection' | 'Tables' | 'Window'
  /**
   * Keys in the notation of tinykeys. `Key…` names the physical key, so that W A S D lie together on every layout; `$mod` is Ctrl, on macOS Cmd.
   * The first is shown in the help.
   */
  readonly keys: readonly string[]
  /** How the help writes the key where it differs from the notation. */
  readonly shown?: string
  /** Whether holding the key down repeats it. */
  readonly repeat?: boolean
  readonly when?: () => boolean
  readonly run: () => void
}

const ZOOM = 0.8
const PAN = 0.1

const hasView = (): boolean => useSession.getState().view !== null
/** The event axis has its own window; keys act on it while the pointer or the focus is in the Memory Viewer. */
const onEvents = (): boolean => useView.getState().memoryAxis === 'event' && useUi.getState().panel === 'memory'

function zoom(factor: number): void {
  const v = useView.getState()
  if (!onEvents()) return v.zoom(factor)
  const { start, end } = v.eventWindow
  const c = v.eventCursor !== null && v.eventCursor >= start && v.eventCursor <= end ? v.eventCursor : (start + end) / 2
  v.setEventWindow({ start: c - (c - start) * factor, end: c + (end - c) * factor })
}
function pan(share: number): void {
  const v = useView.getState()
  if (!onEvents()) return v.pan(share)
  const d = (v.eventWindow.end - v.eventWindow.start) * share
  v.setEventWindow({ start: v.eventWindow.start + d, end: v.eventWindow.end + d })
}

async function focusAllocation(s: Extract<Selection, { type: 'allocation' }>): Promise<void> {
  const { session, view } = useSession.getState()
  const allocator = view?.allocators.find(a => a.id === s.allocator)
  if (!session || !allocator) return
  const a = await request('memory.allocation', { session, allocator: s.allocator, allocation: s.allocation })
  const v = useView.getState()
  if (v.selection !== s) return // the answer is late: something else is selected now
  if (onEvents()) {
    const start = Math.max(a.allocEvent, -1)
    const end = a.freeCompletedEvent ?? allocator.events
    v.setEventWindow(focusWindow(v.eventWindow, { start, end: Math.max(end, start + 1) }, v.eventExtent, 4))
    return
  }
  const start = a.allocTime ?? allocator.timeRange?.[0] ?? null
  const end = a.freeCompletedTime ?? allocator.timeRange?.[1] ?? null
  if (start !== null && end !== null) jump(focusWindow(v.window, { start, end }, v.extent))
}

function focusSelection(): void {
  const v = useView.getState()
  const s = v.selection
  if (s?.type === 'allocation') void focusAllocation(s).catch(fail)
  else if (s?.type === 'runtime') void focusRuntime(s).catch(fail)
  else if (s?.type === 'slice') jump(focusWindow(v.window, { start: s.start, end: s.start + s.duration }, v.extent))
  else if (s?.type === 'range') jump(focusWindow(v.window, s, v.extent))
  else fit()
}

function fit(): void {
  const v = useView.getState()
  if (onEvents()) v.setEventWindow(v.eventExtent)
  else jump(v.extent)
}

const shownAllocator = (): AllocatorInfo | null => {
  const id = useView.getState().allocator
  return useSession.getState().view?.allocators.find(a => a.id === id) ?? null
}

function goToPeak(): void {
  const hbm = peakedHbm()
  if (hbm) return goToHbmPeak(hbm)
  const a = shownAllocator()
  const v = useView.getState()
  if (!a) return
  if (v.memoryAxis === 'event') {
    const at = a.peakActiveEvent
    v.setEventCursor(at)
    v.setEventWindow(reveal(v.eventWindow, at, v.eventExtent, 4))
  }
  const at = peakTime(a)
  if (at === null || a.group !== v.group) return
  v.setCursor(at)
  jump(reveal(v.window, at, v.extent))
}

/** Esc, one step at a time: the pin and the selection, then what stands over or beside the centre. */
function clear(): void {
  const v = useView.getState()
  const ui = useUi.getState()
  if (v.pinned || v.selection) {
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

/** A tab of the tables below the timeline. */
const table = (tab: DrawerTab, title: string, keys: readonly string[] = [], shown?: string): Command => ({
  id: `table-${tab}`,
  title,
  group: 'Tables',
  keys,
  ...(shown ? { shown } : {}),
  when: hasView,
  run: () => toggleDrawer(tab),
})

export const COMMANDS: readonly Command[] = [
  { id: 'zoom-in', title: 'Zoom in', group: 'Move', keys: ['KeyW'], shown: 'W', repeat: true, when: hasView, run: () => zoom(ZOOM) },
  { id: 'zoom-out', title: 'Zoom out', group: 'Move', keys: ['KeyS'], shown: 'S', repeat: true, when: hasView, run: () => zoom(1 / ZOOM) },
  { id: 'pan-left', title: 'Move left', group: 'Move', keys: ['KeyA'], shown: 'A', repeat: true, when: hasView, run: () => pan(-PAN) },
  { id: 'pan-right', title: 'Move right', group: 'Move', keys: ['KeyD'], shown: 'D', repeat: true, when: hasView, run: () => pan(PAN) },
  {
    id: 'focus-selection',
    title: 'Centre the selection, again to fit it; without one show everything',
    group: 'Go to',
    keys: ['KeyF'],
    shown: 'F',
    when: hasView,
    run: focusSelection,
  },
  { id: 'fit', title: 'Show the whole range', group: 'Go to', keys: ['Shift+KeyF'], shown: 'Shift F', when: hasView, run: fit },
  {
    id: 'go-to-peak',
    title: 'Go to the peak of the shown memory',
    group: 'Go to',
    keys: ['KeyP'],
    shown: 'P',
    when: () => shownAllocator() !== null || peakedHbm() !== null,
    run: goToPeak,
  },
  {
    id: 'clear',
    title: 'Clear pin and selection, then close what is open',
    group: 'Selection',
    keys: ['Escape'],
    shown: 'Esc',
    run: clear,
  },
  table('statistics', 'Statistics of the range or of everything'),
  table('search', 'Search events'),
  table('gaps', 'Idle gaps of the NeuronCores'),
  table('steps', 'Training steps'),
  table('chain', 'Dependencies of the selected event'),
  table('notes', 'Marks and notes'),
  { id: 'open-folder', title: 'Open folder', group: 'Window', keys: ['$mod+KeyO'], shown: 'Mod O', run: () => void openFolder() },
  {
    id: 'open-file',
    title: 'Open single file',
    group: 'Window',
    keys: ['$mod+Shift+KeyO'],
    shown: 'Mod Shift O',
    run: () => void openFile(),
  },
  { id: 'open-sample', title: 'Open the sample profile', group: 'Window', keys: [], run: () => void openSample() },
  {
    id: 'add-neff-folder',
    title: 'Add NEFF folder…',
    group: 'Window',
    keys: [],
    when: () => useSession.getState().root !== null,
    run: () => void addNeffs(),
  },
  { id: 'schema-import', title: 'Import trace schema…', group: 'Window', keys: [], run: () => void importSchema() },
  { id: 'schemas', title: 'Show the imported trace schemas', group: 'Window', keys: [], run: showSchemas },
  { id: 'close-folder', title: 'Close folder', group: 'Window', keys: [], when: () => useSession.getState().root !== null, run: closeRoot },
  {
    id: 'export-png',
    title: 'Export PNG',
    group: 'Window',
    keys: ['$mod+KeyE', '$mod+Shift+KeyE'],
    shown: 'Mod E',
    when: canExport,
    run: () => openDialog('export'),
  },
  {
    id: 'diagnostics',
    title: 'Show or hide the diagnostics',
    group: 'Window',
    keys: [],
    when: () => useSession.getState().root !== null,
    run: toggleDiagnostics,
  },
  { id: 'alignment', title: 'Show or hide the alignment of clocks', group: 'Window', keys: [], when: hasView, run: toggleAlignment },
  { id: 'close-details', title: 'Close the details', group: 'Window', keys: [], when: hasView, run: closeDetails },
  { id: 'toggle-theme', title: 'Switch theme', group: 'Window', keys: ['KeyT'], shown: 'T', run: toggleTheme },
  { id: 'show-keys', title: 'Show all keys', group: 'Window', keys: ['Shift+?', '?'], shown: '?', run: () => openDialog('help') },
]

/** Something is drawn that a picture can hold. */
export function canExport(): boolean {
  const { view } = useSession.getState()
  return view !== null && (view.tracks.length > 0 || view.allocators.length > 0)
}

export const command = (id: string): Command | undefined => COMMANDS.find(c => c.id === id)

/** Runs a command by its id; an unknown one or one that cannot run now is no error. Answers whether it ran. */
export function runCommand(id: string): boolean {
  const c = command(id)
  if (!c || (c.when && !c.when())) return false
  c.run()
  return true
}
