/** Carries calls from the host to an engine and the answers back; buffers of answers are transferred. */
import { RequestError } from '../../../shared/api'
import { buffersOf } from '../../../shared/columns'
import type { Diagnostic } from '../../../shared/diagnostics'
import type { FileVerdict } from '../../../shared/schema-api'
import type { Prepared } from '../prepared'
import type { EngineCall, EngineFile, EngineInit, EngineReply, PortLike } from '../protocol'
import { Engine, type EngineDeps } from './engine'

type Method = (engine: Engine, args: never) => unknown

/** What may be called, by name. Changes of tables answer the new view. */
const METHODS = new Map<string, Method>(
  Object.entries({
    table: (e, a: { readonly file: EngineFile; readonly prepared: Prepared; readonly diagnostics: readonly Diagnostic[] }) =>
      e.setFile(a.file, a.prepared, a.diagnostics),
    failed: (e, a: { readonly file: string; readonly diagnostics: readonly Diagnostic[]; readonly verdict?: FileVerdict }) =>
      e.fail(a.file, a.diagnostics, a.verdict),
    drop: (e, a: { readonly file: string }) => e.drop(a.file),
    'trace.slices': (e, a: never) => e.slices(a),
    'trace.counter': (e, a: never) => e.counter(a),
    'trace.overview': (e, a: never) => e.overview(a),
    'trace.slice': (e, a: never) => e.slice(a),
    'memory.picture': (e, a: never) => e.picture(a),
    'memory.at': (e, a: never) => e.at(a),
    'memory.smaller': (e, a: never) => e.smaller(a),
    'memory.allocation': (e, a: never) => e.allocation(a),
    'hbm.picture': (e, a: never) => e.hbmPicture(a),
    'hbm.at': (e, a: never) => e.hbmAt(a),
    'hbm.live': (e, a: never) => e.hbmLive(a),
    'hbm.csv': (e, a: never) => e.hbmCsv(a),
    'hbm.allocation': (e, a: never) => e.hbmAllocation(a),
    choose: (e, a: { readonly file: string }) => e.choose(a.file),
    shift: (e, a: { readonly shifts: ReadonlyMap<string, bigint> }) => e.shift(a.shifts),
  } satisfies Record<string, Method>),
)

/** Serves calls that arrive on `port`. The first one is `init`. */
export function serveEngine(port: PortLike, deps: EngineDeps): void {
  let engine: Engine | null = null
  port.on('message', message => {
    const call = message as EngineCall
    if (call.method === 'init') engine = new Engine(call.args as EngineInit, deps)
    else void answer(port, engine, call)
  })
}

async function answer(port: PortLike, engine: Engine | null, { call, method, args }: EngineCall): Promise<void> {
  let reply: EngineReply
  let transfer: readonly ArrayBuffer[] = []
  try {
    const run = METHODS.get(method)
    if (!engine || !run) throw new Error(`the engine has no method ${method}`)
    const result = await run(engine, args as never)
    reply = { call, ok: true, result }
    // Answers own their buffers; the views of changed tables hold none.
    transfer = buffersOf(result)
  } catch (e) {
    reply = { call, ok: false, refused: e instanceof RequestError, message: e instanceof Error ? e.message : String(e) }
  }
  port.postMessage(reply, transfer)
}
