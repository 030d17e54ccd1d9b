/**
 * The logic of a parse worker: reads one file after the other into a table, builds its models and hands the buffers over. The readers come as an argument,
 * so that this runs in a thread, or in process in tests.
 */
import { buffersOf } from '../../shared/columns'
import type { Diagnostic } from '../../shared/diagnostics'
import type { ReadOptions, ReadResult } from '../../shared/reader'
import type { SchemaVerdict } from '../../shared/system-tables'
import type { ParsedTable } from '../../shared/tables'
import { prepare } from './prepared'
import { stampOf } from './stamp'
import type { FileStamp, ParseMessage, ParseRequest, PortLike } from './protocol'

const PROGRESS_MS = 100
/** What is going on after the last byte. */
const PREPARING: Readonly<Partial<Record<ParsedTable['kind'], string>>> = {
  'chrome-trace': 'arranging tracks',
  'memory-snapshot': 'replaying events',
}

export type ReadFile = (request: ParseRequest, options: ReadOptions) => Promise<ReadResult<ParsedTable>>

/** Answers the parse requests that arrive on `port`, one at a time. Never throws: what goes wrong becomes a diagnostic of the file. */
export function serveParse(port: PortLike, read: ReadFile): void {
  let queue = Promise.resolve()
  port.on('message', request => {
    queue = queue.then(() => parseOne(port, read, request as ParseRequest))
  })
}

async function parseOne(port: PortLike, read: ReadFile, request: ParseRequest): Promise<void> {
  const { job } = request
  const send = (m: ParseMessage, transfer: readonly ArrayBuffer[] = []): void => port.postMessage(m, transfer)
  let stamp: FileStamp | null = null
  let last = 0
  try {
    stamp = await stampOf(request.path)
    const result: ReadResult<ParsedTable> & { readonly verdict?: SchemaVerdict } = await read(request, {
      // Readers promise to keep to 100 ms; the pipe to the window is worth a second look.
      onProgress: (done, total, note) => {
        const now = performance.now()
        if (now - last < PROGRESS_MS) return
        last = now
        send({ type: 'progress', job, done, total, note })
      },
    })
    const { table, diagnostics } = result
    if (table) send({ type: 'progress', job, done: stamp.bytes, total: stamp.bytes, note: PREPARING[table.kind] ?? '' })
    const prepared = table && prepare(table, request.name)
    const refused = table === null && result.verdict ? { verdict: result.verdict } : {}
    send({ type: 'done', job, prepared, diagnostics, stamp, ...refused }, buffersOf(prepared))
  } catch (e) {
    send({ type: 'done', job, prepared: null, diagnostics: [failure(request.name, e)], stamp })
  }
}

/** A file that cannot be opened is the file's state; anything else that a reader throws is a bug and is said to be one. */
function failure(file: string, e: unknown): Diagnostic {
  const code = e instanceof Error && 'code' in e && typeof e.code === 'string' ? e.code : null
  const message = e instanceof Error ? e.message : String(e)
  if (code !== null && /^E[A-Z]+$/.test(code))
    return {
      severity: 'error',
      code: 'file-unreadable',
      file,
      offset: null,
      message: `The file cannot be read: ${code === 'ENOENT' ? 'it is gone' : code === 'EACCES' || code === 'EPERM' ? 'access is denied' : message}.`,
      meaning: 'Nothing of this file is shown.',
      action: code === 'EACCES' || code === 'EPERM' ? 'Change its permissions, then retry.' : 'Check that it is still there, then retry.',
      count: 1,
    }
  return {
    severity: 'error',
    code: 'reader-failed',
    file,
    offset: null,
    message: `The reader stopped on an internal error: ${message.slice(0, 300)}.`,
    meaning: 'Nothing of this file is shown; other files are not affected.',
    action: 'Retry. If it happens again, this is a bug of Neuron Workbench: please report it with the file.',
    count: 1,
  }
}
