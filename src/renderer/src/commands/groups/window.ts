/** Commands of the program itself: files, panels, export, theme, help. */
import { toggleAlignment } from '../../alignment/state'
import { toggleBands } from '../../bands/state'
import { importSchema, showSchemas } from '../../schema/state'
import { closeDetails, openDialog, toggleDiagnostics } from '../../shell/ui'
import { toggleTheme } from '../../theme'
import type { Command } from '../command'
import { addNeffs, closeRoot, openFile, openFolder, openSample } from '../open'
import { hasRoot, hasView } from '../when'
import { EXPORT } from './export'

export const WINDOW: readonly Command[] = [
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
    when: hasRoot,
    run: () => void addNeffs(),
  },
  { id: 'schema-import', title: 'Import trace schema…', group: 'Window', keys: [], run: () => void importSchema() },
  { id: 'schemas', title: 'Show the imported trace schemas', group: 'Window', keys: [], run: showSchemas },
  { id: 'close-folder', title: 'Close folder', group: 'Window', keys: [], when: hasRoot, run: closeRoot },
  ...EXPORT,
  {
    id: 'diagnostics',
    title: 'Show or hide the diagnostics',
    group: 'Window',
    keys: [],
    when: hasRoot,
    run: toggleDiagnostics,
  },
  { id: 'alignment', title: 'Show or hide the alignment of clocks', group: 'Window', keys: [], when: hasView, run: toggleAlignment },
  { id: 'close-details', title: 'Close the details', group: 'Window', keys: [], when: hasView, run: closeDetails },
  {
    id: 'palette',
    title: 'Find a command',
    group: 'Window',
    keys: ['$mod+KeyK', '$mod+Shift+KeyP'],
    shown: 'Mod K',
    run: () => openDialog('palette'),
  },
  {
    id: 'toggle-bands',
    title: 'Show or hide steps and annotations behind the plots',
    group: 'Window',
    keys: ['KeyB'],
    shown: 'B',
    when: hasView,
    run: toggleBands,
  },
  { id: 'toggle-theme', title: 'Switch theme', group: 'Window', keys: ['KeyT'], shown: 'T', run: toggleTheme },
  { id: 'show-keys', title: 'Show all keys', group: 'Window', keys: ['?'], shown: '?', run: () => openDialog('help') },
]
