/** The three IPC channels between the preload and the Electron shell. There are no others. */
export const CHANNEL = {
  /** invoke: name, args -> Outcome. */
  request: 'workbench:request',
  /** invoke: path of a dropped file, told by the shell itself -> Outcome. */
  drop: 'workbench:drop',
  /** send: HostEvent. */
  event: 'workbench:event',
} as const

/** How an invocation ends. Errors travel as data: Electron would put its own words before the text that the user reads. */
export type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly text: string }
