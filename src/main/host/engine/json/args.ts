/** The `args` of the events of an export: those of a framework's trace are read from its file, those of the runtime stand in its table. */
import type { EngineContext, Part } from '../context'
import type { Turn } from '../lanes'
import { scanArgs } from '../search-args'
import type { TraceSource } from '../sources'

export interface ArgsRead {
  /** JSON text by row of the table. */
  readonly texts: ReadonlyMap<number, string>
  /** Why some or all are missing, a sentence; null: none is. */
  readonly note: string | null
}

/** Rows of `rows` that have args, and how many bytes these take in the file. */
export function argsSize({ table }: TraceSource, rows: Iterable<number>): { readonly rows: Uint32Array; readonly bytes: number } {
  const out: number[] = []
  let bytes = 0
  for (const row of rows) {
    if (!((table.argsOffset[row] as number) >= 0)) continue
    out.push(row)
    bytes += table.argsLength[row] as number
  }
  return { rows: Uint32Array.from(out), bytes }
}

/** Reads the args of rows (all have some) of the source of `part`. Never rejects for what is wrong with the file. */
export async function readArgs(context: EngineContext, part: Part, rows: Uint32Array, turn: Turn): Promise<ArgsRead> {
  const texts = new Map<number, string>()
  if (part.source.kind !== 'chrome-trace') return { texts, note: null }
  let bad = 0
  const scanned = await scanArgs(part.source, rows, context.deps.readBytes, turn, (row, text) => {
    if (isObject(text)) texts.set(row, text)
    else bad++
  })
  const { path } = part.source.file
  if (scanned.problem !== null) return { texts: new Map(), note: `The args of ${path} are left out: ${scanned.problem}.` }
  return {
    texts,
    note: bad > 0 ? `${bad.toLocaleString('en-US')} args of ${path} are left out: they are too long or no valid JSON.` : null,
  }
}

/** What goes into the file as it stands has to be JSON, also where a reader that mends could read it. */
function isObject(text: string): boolean {
  try {
    const v: unknown = JSON.parse(text)
    return typeof v === 'object' && v !== null && !Array.isArray(v)
  } catch {
    return false
  }
}
