/** The document of the terminal command `trace`: what a trace holds, in figures. */
import { stringAt, stringCount } from '../../shared/columns'
import type { Diagnostic } from '../../shared/diagnostics'
import type { TraceTable } from '../../shared/tables'

export interface TraceReport {
  /** Entries of `traceEvents` (those that are objects). */
  readonly events: number
  /** By `ph`; key `None` where an event has none. */
  readonly byPhase: Readonly<Record<string, number>>
  /** By `cat`, phase M left out; key `None` where an event has none. */
  readonly byCategory: Readonly<Record<string, number>>
  /** From the smallest `ts` to the largest `ts` + `dur` (missing: 0) outside phase M, ns. 0 where no event has a time; `startNs` is null then. */
  readonly spanNs: number
  /** Base time (0 where absent) + smallest `ts` outside phase M: ns as a decimal string; null where no event has a time. */
  readonly startNs: string | null
  /** `baseTimeNanoseconds` as a decimal string. */
  readonly baseTimeNs: string | null
  /** Events named exactly `[memory]`. */
  readonly memoryEvents: number
  /** Phases s and f. */
  readonly flows: number
  /** Distinct (pid, tid) of X, B and E. */
  readonly tracks: number
  readonly diagnostics: readonly Diagnostic[]
}

const M = 0x4d

export function traceReport(table: TraceTable, diagnostics: readonly Diagnostic[]): TraceReport {
  const { phase, cat, name, thread, strings } = table
  const phases = new Uint32Array(256)
  const categories = new Uint32Array(stringCount(strings) + 1)
  // Threads from 1 on; 0 stands for events without pid and tid.
  const threads = new Uint8Array(table.threads.count + 1)
  const memoryId = idOf(table, '[memory]')
  let memoryEvents = 0
  for (let i = 0; i < table.count; i++) {
    const p = phase[i]
    phases[p]++
    if (p !== M) categories[cat[i] + 1]++
    if (memoryId >= 0 && name[i] === memoryId) memoryEvents++
    if (p === 0x58 || p === 0x42 || p === 0x45) threads[thread[i] + 1] = 1
  }
  const byPhase = new Map<string, number>()
  phases.forEach((n, p) => n && byPhase.set(p === 0 ? 'None' : String.fromCharCode(p), n))
  const byCategory = new Map<string, number>()
  categories.forEach((n, id) => {
    const key = id === 0 ? 'None' : stringAt(strings, id - 1)
    if (n) byCategory.set(key, (byCategory.get(key) ?? 0) + n)
  })
  const extent = extentOf(table)
  return {
    events: table.count,
    byPhase: sorted(byPhase),
    byCategory: sorted(byCategory),
    spanNs: extent ? Number(extent[1] - extent[0]) : 0,
    startNs: extent ? String(extent[0]) : null,
    baseTimeNs: table.baseTimeNs === null ? null : String(table.baseTimeNs),
    memoryEvents,
    flows: phases[0x73] + phases[0x66],
    tracks: threads.reduce((sum, t) => sum + t, 0),
    diagnostics,
  }
}

/** Most frequent first. fromEntries defines its keys, so that a category named like a property of objects is a key as well. */
const sorted = (counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)))

/** Exact extent as the reader found it, else from the columns. */
export function extentOf(t: TraceTable): readonly [bigint, bigint] | null {
  if (t.extentNs !== undefined) return t.extentNs
  let first = Infinity
  let last = -Infinity
  for (let i = 0; i < t.count; i++) {
    if (t.phase[i] === M || Number.isNaN(t.ts[i])) continue
    first = Math.min(first, t.ts[i])
    last = Math.max(last, t.ts[i] + (t.dur[i] > 0 ? t.dur[i] : 0))
  }
  return first === Infinity ? null : [t.epochNs + BigInt(first), t.epochNs + BigInt(last)]
}

function idOf(t: TraceTable, text: string): number {
  const { bytes, offsets } = t.strings
  for (let i = 0; i + 1 < offsets.length; i++)
    if (offsets[i + 1] - offsets[i] === text.length && bytes[offsets[i]] === text.charCodeAt(0) && stringAt(t.strings, i) === text) return i
  return -1
}
