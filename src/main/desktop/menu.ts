/** The native menu. It does nothing itself: its items send commands to the page, which has the same ones behind its buttons and keys. */
import { Menu, type MenuItemConstructorOptions } from 'electron'
import type { MenuCommand } from '../../shared/menu'

export interface MenuOptions {
  readonly name: string
  readonly mac: boolean
  /** Developer tools are offered by a program that is not packaged only. */
  readonly developer: boolean
  readonly send: (command: MenuCommand) => void
}

/** Template of the menu, as data. */
export function menuTemplate({ name, mac, developer, send }: MenuOptions): MenuItemConstructorOptions[] {
  const item = (label: string, command: MenuCommand, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    id: command,
    ...(accelerator ? { accelerator } : {}),
    click: () => send(command),
  })
  const line: MenuItemConstructorOptions = { type: 'separator' }
  return [
    ...(mac ? [{ label: name, role: 'appMenu' as const }] : []),
    {
      label: 'File',
      submenu: [
        item('Open folder…', 'open-folder', 'CmdOrCtrl+O'),
        item('Open file…', 'open-file', 'CmdOrCtrl+Shift+O'),
        item('Open sample profile', 'open-sample'),
        line,
        item('Close folder', 'close-folder'),
        line,
        item('Import trace schema…', 'schema-import'),
        item('Export PNG…', 'export-png', 'CmdOrCtrl+Shift+E'),
        line,
        mac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        item('Dark or light', 'toggle-theme'),
        line,
        item('Zoom in on the time axis', 'zoom-in'),
        item('Zoom out of the time axis', 'zoom-out'),
        item('Whole time range', 'fit'),
        item('Steps and annotations behind the plots', 'toggle-bands'),
        line,
        { label: 'Larger text', role: 'zoomIn' },
        { label: 'Smaller text', role: 'zoomOut' },
        { label: 'Normal text', role: 'resetZoom' },
        line,
        { role: 'togglefullscreen' },
        ...(developer ? [{ role: 'toggleDevTools' as const }] : []),
      ],
    },
    {
      label: 'Go',
      submenu: [
        // Without accelerators: Electron would take the keys from text fields too, and the page has them.
        item('Back to the window before', 'go-back'),
        item('Forward to the window after', 'go-forward'),
        line,
        item('Time…', 'go-to-time'),
        item('Selection', 'zoom-to-selection'),
        line,
        item('Mark the cursor', 'mark'),
        item('Note on the selection…', 'note'),
        item('Marks and notes', 'table-notes'),
        line,
        item('Command…', 'palette'),
      ],
    },
    { role: 'windowMenu' },
    { label: 'Help', role: 'help', submenu: [item('Keys and mouse', 'show-keys')] },
  ]
}

export function setMenu(options: MenuOptions): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(options)))
}
