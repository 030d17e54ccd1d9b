/** Carries calls from the host to an engine and the answers back; buffers of answers are transferred. */
import { RequestError, type RequestArgs } from '../../../shared/api'
import { buffersOf } from '../../../shared/columns'
import type { Diagnostic } from '../../../shared/diagnostics'
import type { FileVerdict } from '../../../shared/schema-api'
import type { Prepared } from '../prepared'
import type { EngineCall, EngineFile, EngineInit, EngineReply, PortLike } from '../protocol'
import { traceBands } from './bands'
import { traceChain } from './chain'
import { traceChildren } from './children'
import { traceCompare } from './compare'
import { Engine, type EngineDeps } from './engine'
import { traceGaps } from './gaps'
import { Turn } from './lanes'
import { traceOccurrences } from './occurrences'
import { traceRange } from './range'
import { searchMarks, searchPage, traceSearch } from './search'
import { traceStats } from './stats'
import { traceStatsCsv } from './stats-csv'
import { traceJson } from './window-json'

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
    'trace.tiles': (e, a: never) => e.tiles(a),
    'trace.counter': (e, a: never) => e.counter(a),
    'trace.overview': (e, a: never) => e.overview(a),
    'trace.slice': (e, a: never) => e.slice(a),
    'trace.stats': (e, a: RequestArgs<'trace.stats'>) => traceStats(e.context, a, e.lanes.begin(a.lane)),
    'trace.statsCsv': (e, a: never) => traceStatsCsv(e.context, a, new Turn()),
    'trace.range': (e, a: RequestArgs<'trace.range'>) => traceRange(e.context, a, e.lanes.begin(a.lane)),
    'trace.occurrences': (e, a: never) => traceOccurrences(e.context, a, e.lanes.begin('occurrences')),
    'trace.children': (e, a: never) => traceChildren(e.context, a),
    'trace.chain': (e, a: never) => traceChain(e.context, a, e.lanes.begin('chain')),
    'trace.search': (e, a: RequestArgs<'trace.search'>) => traceSearch(e.context, a, e.lanes.begin(a.lane)),
    'trace.searchPage': (e, a: never) => searchPage(e.context, a),
    'trace.searchMarks': (e, a: never) => searchMarks(e.context, a, new Turn()),
    'trace.gaps': (e, a: RequestArgs<'trace.gaps'>) => traceGaps(e.context, a, e.lanes.begin(a.lane)),
    'trace.compare': (e, a: RequestArgs<'trace.compare'>) => traceCompare(e.context, a, e.lanes.begin(a.lane)),
    'trace.json': (e, a: never) => traceJson(e.context, a, new Turn()),
    'trace.bands': (e, a: never) => traceBands(e.context, a),
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
