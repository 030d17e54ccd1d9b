/**
 * Reader of Chrome traces ("Trace Event Format", as Kineto writes it). See the README beside it for the layout and for what is tolerated.
 */
import type { ByteSource, ReadOptions, ReadResult } from '../../shared/reader'
import type { ClockDomain, TraceTable } from '../../shared/tables'
import { Utf8Check } from '../json/utf8'
import { sourceProblem } from '../source-problem'
import { Findings } from './findings'
import { TraceScanner } from './scanner'

/** Start of 2000 and of 2100 in Unix ns: times in between are taken for Unix times. */
const YEAR_2000 = 946_684_800_000_000_000n
const YEAR_2100 = 4_102_444_800_000_000_000n
const EXACT_NS = 2 ** 53

/**
 * Reads a trace into columns, one row per event in file order. Never throws on bad data; the table is null when the input has no event list.
 *
 * Time 0 of the columns (`epochNs`) is `baseTimeNanoseconds` (0 where absent) plus the smallest `ts` outside phase M, so times are exact and not
 * negative. In a file that spans more than 2^53 ns (104 days) it is the median `ts`, so that a stray time does not blur the others, and a
 * diagnostic says so. A set signal ends the read with a `cancelled` diagnostic and without a table.
 */
export async function readTrace(source: ByteSource, opts: ReadOptions = {}): Promise<ReadResult<TraceTable>> {
  const findings = new Findings(source.name)
  const scanner = new TraceScanner(findings)
  const utf8 = new Utf8Check()
  let bytes = 0
  let told = performance.now()
  for await (const chunk of source.chunks()) {
    if (opts.signal?.aborted) {
      findings.add('info', 'cancelled', bytes, 'Reading was cancelled.', 'Nothing of this file is shown.', 'Read it again.')
      return { table: null, diagnostics: findings.finish() }
    }
    bytes += chunk.length
    utf8.feed(chunk)
    scanner.feed(chunk)
    if (source.consumed > 0) scanner.expected = (scanner.values.rows.count * source.size) / source.consumed
    const now = performance.now()
    if (now - told >= 100) {
      told = now
      opts.onProgress?.(source.consumed, source.size, `${scanner.values.rows.count.toLocaleString('en-US')} events`)
    }
    if (scanner.done) break
  }
  scanner.finish()
  utf8.finish()
  if (utf8.count > 0 && scanner.found) findings.invalidUtf8(utf8.first, utf8.count)
  const damaged = addSourceProblem(source, findings)
  addEnd(scanner, findings, bytes, damaged)
  const table = scanner.found ? tableOf(scanner, findings, scanner.done ? scanner.offset : bytes) : null
  if (table && scanner.bareArray && noPhase(table)) {
    findings.add(
      'error',
      'trace-not-a-trace',
      null,
      'The file is a JSON list, but none of its entries is a trace event.',
      'There is nothing to show.',
      'Open a trace.json as the profiler wrote it.',
    )
    return { table: null, diagnostics: findings.finish() }
  }
  return { table, diagnostics: findings.finish() }
}

const noPhase = (t: TraceTable): boolean => t.phase.every(p => p === 0) && (t.count > 0 || !t.complete)

/** Damage below the format (gzip, disk) as a diagnostic; true when there was one. */
function addSourceProblem(source: ByteSource, findings: Findings): boolean {
  const found = sourceProblem(source)
  if (found) findings.add(found.severity, found.code, found.offset, found.message, found.meaning, found.action)
  return found !== null
}

/** Says how the input ended: empty, something else, cut. */
function addEnd(s: TraceScanner, findings: Findings, bytes: number, damaged: boolean): void {
  if (bytes === 0) {
    if (!damaged)
      findings.add('error', 'trace-empty', 0, 'The file is empty.', 'There is nothing to show.', 'Wait until the profiler has written it.')
  } else if (!s.found && s.whole) {
    findings.add(
      'error',
      'trace-not-a-trace',
      null,
      'The file is JSON, but has no list `traceEvents`.',
      'There is nothing to show.',
      'Open a trace.json as the profiler wrote it.',
    )
  } else if (!s.found && s.lost) {
    findings.add(
      'error',
      'trace-not-a-trace',
      null,
      'No list `traceEvents` was found behind the place where the file is damaged.',
      'There is nothing to show.',
      'Open a trace.json as the profiler wrote it.',
    )
  } else if (!s.found && !s.done) {
    findings.add('error', 'trace-truncated', s.offset, 'The file ends before its events begin.', 'There is nothing to show.', AGAIN)
  } else if (s.found && !s.closed) {
    findings.add(
      'warning',
      'trace-truncated',
      s.cutAt,
      s.lost
        ? 'The file is damaged or cut inside its list of events, and the end of the list was not found.'
        : `The file ends inside its list of events; the last whole one ends before byte ${s.cutAt}.`,
      s.bareArray || s.metadata.has('baseTimeNanoseconds')
        ? 'The whole events before it are used; later ones are missing.'
        : 'The whole events before it are used; later ones are missing, and so is what may follow the list, such as the base time of the clock.',
      AGAIN,
    )
  } else if (s.found && !s.whole && !s.lost) {
    findings.add(
      'warning',
      'trace-truncated-tail',
      s.offset,
      'The file ends after its events, inside of what follows them.',
      'All events are there; members such as the base time of the clock may be missing.',
      AGAIN,
    )
  }
}
const AGAIN = 'If the run is still writing, it is read again when the file changes; otherwise copy the file again.'

function tableOf(s: TraceScanner, findings: Findings, bytes: number): TraceTable {
  const baseTimeNs = s.metadata.baseTime()
  const { relativeTo, span } = chooseZero(s, findings)
  s.values.rows.relative(relativeTo.us, relativeTo.ns)
  const epochNs = (baseTimeNs ?? 0n) + BigInt(relativeTo.us) * 1000n + BigInt(relativeTo.ns)
  const r = s.values.rows
  return {
    kind: 'chrome-trace',
    epochNs,
    clock: clockOf(epochNs, baseTimeNs, span !== null, findings),
    baseTimeNs,
    count: r.count,
    phase: r.cut(r.phase),
    ts: r.cut(r.ts),
    dur: r.cut(r.dur),
    name: r.cut(r.name),
    cat: r.cut(r.cat),
    thread: r.cut(r.thread),
    id: r.cut(r.id),
    argsOffset: r.cut(r.argsOffset),
    argsLength: r.cut(r.argsLength),
    strings: s.values.strings.table(),
    threads: s.values.threads.table(),
    counters: s.values.counters.table(),
    ids: s.values.ids.table(),
    extentNs: span === null ? null : [(baseTimeNs ?? 0n) + span[0], (baseTimeNs ?? 0n) + span[1]],
    metadata: s.metadata.members,
    rank: s.metadata.rank,
    complete: s.closed,
    bytesRead: bytes,
  }
}

/** Zero of the columns, and the exact [smallest ts, largest ts + dur] in ns outside phase M (null without any time). */
function chooseZero(
  s: TraceScanner,
  findings: Findings,
): { readonly relativeTo: { readonly us: number; readonly ns: number }; readonly span: readonly [bigint, bigint] | null } {
  const { ts, rest, dur, phase, count } = s.values.rows
  let first = -1
  let n = 0
  for (let i = 0; i < count; i++) {
    if (phase[i] === 0x4d || Number.isNaN(ts[i])) continue
    n++
    if (first < 0 || ts[i] < ts[first] || (ts[i] === ts[first] && rest[i] < rest[first])) first = i
  }
  if (first < 0) return { relativeTo: { us: 0, ns: 0 }, span: null }
  const low = { us: ts[first], ns: rest[first] }
  let last = 0
  let lastRow = first
  let negative = 0
  for (let i = 0; i < count; i++) {
    if (phase[i] === 0x4d || Number.isNaN(ts[i])) continue
    const end = (ts[i] - low.us) * 1000 + (rest[i] - low.ns) + (dur[i] > 0 ? dur[i] : 0)
    if (dur[i] < 0) negative++
    if (end > last) {
      last = end
      lastRow = i
    }
  }
  const exact = (i: number): bigint => BigInt(ts[i]) * 1000n + BigInt(rest[i])
  const span = [exact(first), exact(lastRow) + (dur[lastRow] > 0 ? BigInt(dur[lastRow]) : 0n)] as const
  if (negative)
    findings.add(
      'warning',
      'trace-negative-duration',
      null,
      `${negative} ${negative === 1 ? 'event has' : 'events have'} a negative \`dur\`.`,
      'They are drawn with length 0.',
      'Check the program that wrote the file.',
      negative,
    )
  if (last < EXACT_NS) return { relativeTo: low, span }
  const times = new Float64Array(n)
  let k = 0
  for (let i = 0; i < count; i++) if (phase[i] !== 0x4d && !Number.isNaN(ts[i])) times[k++] = ts[i]
  const middle = times.sort()[n >> 1]
  const far = times.reduce((sum, t) => sum + (Math.abs(t - middle) * 1000 >= EXACT_NS ? 1 : 0), 0)
  findings.add(
    'warning',
    'trace-time-outlier',
    null,
    'The times of this file lie more than 104 days apart.',
    `${far} of ${n} events are so far from the middle one that their times are rounded; the time range is stretched by them.`,
    'Check the events with the smallest and the largest `ts`.',
    Math.max(1, far),
  )
  return { relativeTo: { us: middle, ns: 0 }, span }
}

function clockOf(epochNs: bigint, baseTimeNs: bigint | null, timed: boolean, findings: Findings): ClockDomain {
  if (!timed) return 'none'
  if (findings.count('trace-two-base-times') > 0) return 'unknown'
  const plausible = epochNs >= YEAR_2000 && epochNs < YEAR_2100
  if (baseTimeNs !== null) {
    if (plausible) return 'kineto-base-time'
    findings.add(
      'warning',
      'trace-base-time',
      null,
      `baseTimeNanoseconds and the smallest ts give ${epochNs} ns, which is no Unix time between 2000 and 2100.`,
      'The trace is drawn in a time range of its own.',
      'Check the program that wrote the file.',
    )
    return 'unknown'
  }
  if (plausible) return 'unix-microseconds'
  findings.add(
    'info',
    'trace-clock-unknown',
    null,
    'The file has no baseTimeNanoseconds and its times are no Unix times.',
    'The trace is drawn in a time range of its own; it cannot be lined up with other files.',
    'None needed.',
  )
  return 'unknown'
}
