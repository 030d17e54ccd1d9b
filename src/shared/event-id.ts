/** How an event is named where it must be found again: in the terminal, in exports, in notes. `<path of its file>:<its place among the file's events, from 0>`. */

/** The path is relative to the opened folder, as everywhere. The place does not change while the file does not. */
export const eventId = (path: string, row: number): string => `${path}:${row}`

/** Path and row of an id; null for what is none. */
export function parseEventId(id: string): { readonly path: string; readonly row: number } | null {
  const m = /^(.+):(\d{1,10})$/s.exec(id)
  const row = Number(m?.[2])
  return m && row < 2 ** 32 ? { path: m[1], row } : null
}
