/** Commands of the native menu; they arrive in the renderer as `{ type: 'menu', command }`. The same commands stand behind its buttons and keys. */
export const MENU_COMMANDS = [
  'open-folder',
  'open-file',
  'open-sample',
  'schema-import',
  'close-folder',
  'export-png',
  'toggle-theme',
  'zoom-in',
  'zoom-out',
  'fit',
  'go-back',
  'go-forward',
  'go-to-time',
  'zoom-to-selection',
  'mark',
  'note',
  'table-notes',
  'toggle-bands',
  'palette',
  'show-keys',
] as const
export type MenuCommand = (typeof MENU_COMMANDS)[number]
