/** How results leave the program: one JSON document, or text for people. */
import type { Diagnostic } from '../shared/diagnostics'

export interface Io {
  /** Resolved against for relative paths. */
  readonly cwd: string
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether progress may be drawn on stderr. */
  readonly progress: boolean
}

/** What a command answers: the document of `--json`, and whether anything was read (exit code 0 or 1). */
export interface Outcome {
  readonly document: object
  readonly read: boolean
  /** It was read, but a check that was asked for failed: exit code 1 too. */
  readonly failed?: boolean
}

const escaped = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * JSON text with bigints as decimal strings. What would steer a terminal and JSON leaves as it is (DEL, the second set of control characters, marks of direction) is
 * escaped: the value is the same.
 */
export const toJson = (document: object): string =>
  JSON.stringify(document, (_, v: unknown) => (typeof v === 'bigint' ? v.toString() : v), 2).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    escaped,
  ) + '\n'

/** Text of the outside world (names, messages) without control characters and marks of direction, so that a file cannot steer the terminal. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, escaped)

/** A document with nothing but the reason why nothing could be read. */
export const failed = (file: string, code: string, message: string, action: string): Outcome => {
  const d: Diagnostic = { severity: 'error', code, file, offset: null, message, meaning: 'Nothing could be read.', action, count: 1 }
  return { document: { diagnostics: [d] }, read: false }
}

/** One line on stderr that follows the reading; nothing where stderr is no terminal. */
export function progressLine(io: Io, name: string): (done: number, total: number, note: string) => void {
  if (!io.progress) return () => undefined
  return (done, total) => io.err(`\r\u001b[K${plain(name)}  ${total > 0 ? Math.floor((done / total) * 100) : 0} %`)
}
export const endProgress = (io: Io): void => {
  if (io.progress) io.err('\r\u001b[K')
}
