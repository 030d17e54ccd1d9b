/**
 * Reader of ntrace.pb, the runtime's system trace. Framing and schema are not public: both are decided on the first messages, and what was decided must hold for the
 * whole file. See the README beside it.
 */
import type { ByteSource, ReadOptions } from '../../shared/reader'
import type { SchemaCheck, SchemaVerdict, SystemReadResult, SystemTable } from '../../shared/system-tables'
import { assess, type Assessment } from './assess'
import { buildRows } from './build'
import { builtinSchemas } from './builtin'
import { EventDecoder } from './decode'
import { eventNumbering, ROLES, type Numbering, type Role, type SchemaDescription } from './description'
import { FIRST_NS, LAST_NS } from './evidence'
import { Findings, framingText } from './findings'
import { Cutter, type CutEnd } from './framing'
import { timesInOrder } from './in-order'
import { inferNumbering } from './infer'
import { MessageReader, type MessageRows } from './messages'
import { tryFramings, type FramingTry } from './sample'
import { EventStore } from './store'

export interface SystemReadOptions extends ReadOptions {
  /** Interned ids and their names, from trace_info.pb. */
  readonly names?: ReadonlyMap<bigint, string>
  /** Dropped events, where trace_info.pb tells. */
  readonly dropped?: number | null
}

/** What is looked at to decide. */
const HEAD_BYTES = 1024 * 1024
const SAMPLE = 600
/** Roles whose field numbers are certain in the built-in schemas: their tags are known. */
const PINNED: readonly Role[] = ['hint', 'attributes', 'nrta_seq_id']

/** A way to read the file that passed on its first messages. */
interface Candidate {
  readonly origin: SchemaDescription['origin']
  readonly title: string
  readonly numbering: Numbering
  readonly fit: FramingTry
  readonly assessment: Assessment
  readonly unknown: readonly number[]
}

/**
 * Reads a system trace into columns. Never throws on bad data. Where no schema fits, or the data could be read in two ways, the table is null, the verdict's origin is
 * null and the diagnostics say what was seen. A file that ends inside a message gives what stands before.
 */
export async function readNtrace(source: ByteSource, opts: SystemReadOptions = {}): Promise<SystemReadResult<SystemTable>> {
  const findings = new Findings(source.name)
  const refused = (framing: string | null, checks: readonly SchemaCheck[]): SystemReadResult<SystemTable> => ({
    table: null,
    verdict: { origin: null, framing, schema: null, checks, unverified: [] },
    diagnostics: findings.list,
  })
  const { head, whole } = await readHead(source, HEAD_BYTES)
  if (head.length === 0) {
    if (!findings.problem(source)) findings.empty('events')
    return refused(null, [])
  }
  const { fits, failed } = tryFramings(head, whole, SAMPLE)
  if (fits.length === 0) {
    if (failed.some(t => t.end.end === 'cut' && t.framing.name !== 'message')) findings.tooShort('system trace')
    else findings.noFraming(failed, 'system trace')
    return refused(null, [])
  }
  const reasons: string[] = []
  let nearest: { readonly fit: FramingTry; readonly assessment: Assessment } | null = null
  for (const candidate of candidates(fits, opts.schemas ?? [])) {
    if (!candidate.ok) {
      if (candidate.assessment && (!nearest || passed(candidate.assessment) > passed(nearest.assessment)))
        nearest = { fit: candidate.fit, assessment: candidate.assessment }
      if (candidate.imported) findings.importedFailed(candidate.title, candidate.assessment?.checks ?? [])
      reasons.push(`${candidate.title}: ${candidate.reason}`)
      continue
    }
    const result = await decode(source, candidate.candidate, findings, opts, refused)
    if (typeof result !== 'string') return result
    reasons.push(`${candidate.title}: ${result}`)
  }
  findings.refused('system trace', reasons, nearest?.fit ?? fits[0] ?? null)
  return refused((nearest?.fit ?? fits[0])?.framing.name ?? null, nearest?.assessment.checks ?? [])
}

const passed = (a: Assessment): number => a.checks.filter(c => c.ok).length

type Tried =
  | { readonly ok: true; readonly title: string; readonly candidate: Candidate }
  | {
      readonly ok: false
      readonly title: string
      readonly imported: boolean
      readonly reason: string
      readonly fit: FramingTry
      readonly assessment: Assessment | null
    }

/** Every way to read the file, in the order in which they are to be tried; each is looked at when the ones before have failed. */
function* candidates(fits: readonly FramingTry[], imported: readonly SchemaDescription[]): Generator<Tried> {
  for (const schema of [...imported, ...builtinSchemas()]) {
    const own = schema.origin === 'imported'
    const numbering = eventNumbering(schema)
    if (!numbering) continue
    let best: { readonly fit: FramingTry; readonly assessment: Assessment } | null = null
    let some = false
    for (const fit of fits) {
      const assessment = assess(fit.sample, numbering, own, own ? [] : PINNED)
      if (assessment.ok) {
        some = true
        yield {
          ok: true,
          title: schema.title,
          candidate: { origin: schema.origin, title: schema.title, numbering, fit, assessment, unknown: [] },
        }
      } else if (!best || passed(assessment) > passed(best.assessment)) best = { fit, assessment }
    }
    if (!some && best)
      yield {
        ...{ ok: false, title: schema.title, imported: own, ...best },
        reason: best.assessment.checks.filter(c => !c.ok).map(c => `${c.name}: ${c.detail}`)[0] ?? 'a check failed',
      }
  }
  for (const fit of fits) {
    const title = `by its values (${framingText(fit.framing.name)})`
    const { numbering, reason, unknown, idsAlike } = inferNumbering(fit.sample)
    const found = numbering ? assess(fit.sample, numbering, false) : null
    const assessment = found && idsAlike ? { ...found, unverified: [...new Set<Role>([...found.unverified, 'tracking_id'])] } : found
    if (numbering && assessment?.ok)
      yield { ok: true, title, candidate: { origin: 'inferred', title, numbering, fit, assessment, unknown } }
    else
      yield {
        ok: false,
        title,
        imported: false,
        fit,
        assessment,
        reason: reason || (assessment?.checks.find(c => !c.ok)?.detail ?? 'a check failed'),
      }
  }
}

/** Decodes the whole file. Answers a reason where what was decided on the first messages does not hold for all of them. */
async function decode(
  source: ByteSource,
  c: Candidate,
  findings: Findings,
  opts: SystemReadOptions,
  refused: (framing: string | null, checks: readonly SchemaCheck[]) => SystemReadResult<SystemTable>,
): Promise<SystemReadResult<SystemTable> | string> {
  const used = new Set(ROLES.filter(r => c.numbering.has(r) && (!c.assessment.unverified.includes(r) || r === 'tracking_id')))
  const time = c.numbering.get('timestamp')
  const told = time ? await timesInOrder(source, time, c.fit.sample) : false
  for (const ordered of told ? [true, false] : [false]) {
    const run = await decodeAs(source, c, used, ordered, opts)
    if (run === 'other order') continue
    if (typeof run === 'number') {
      findings.cancelled(run)
      return refused(c.fit.framing.name, c.assessment.checks)
    }
    const fault = wholeFault(run)
    if (fault !== null) {
      if (run.end.end === 'bad') findings.damaged(run.end.at, run.end.messages, c.fit.framing.name)
      return fault
    }
    const problem = findings.problem(source)
    if (run.end.end === 'cut' && !problem) findings.cut(run.end.at, ...run.end.tail)
    return tableOf(c, run, used, problem, findings, opts)
  }
  // Never: any order is an order that is expected the second time.
  return 'its messages are in no order'
}

interface Run {
  readonly store: EventStore
  readonly decoder: EventDecoder
  readonly made: MessageRows
  readonly epoch: bigint
  readonly end: CutEnd
  readonly bytes: number
}

/** Messages are turned into rows after so many bytes: their columns stay in the processor's cache. */
const PART = 128 * 1024

/** `ordered`: messages are expected in order of time. A number: it was cancelled after so many bytes. */
async function decodeAs(
  source: ByteSource,
  c: Candidate,
  used: ReadonlySet<Role>,
  ordered: boolean,
  opts: SystemReadOptions,
): Promise<Run | number | 'other order'> {
  const epoch = firstTime(c)
  const store = new EventStore()
  const decoder = new EventDecoder(store, c.numbering, new Set(ROLES.filter(r => !used.has(r))), epoch)
  const cutter = new Cutter(c.fit.framing, decoder.message)
  const reader = new MessageReader(store, ordered, used.has('thread_id'))
  let bytes = 0
  let consumed = 0
  let told = performance.now()
  reading: for await (const chunk of source.chunks()) {
    if (opts.signal?.aborted) return bytes
    const more = source.consumed - consumed
    for (let at = 0; at < chunk.length; at += PART) {
      const part = chunk.subarray(at, at + PART)
      if (!cutter.feed(part)) break reading
      if (!reader.advance((consumed + (more * (at + part.length)) / chunk.length) / source.size)) return 'other order'
    }
    bytes += chunk.length
    consumed += more
    const now = performance.now()
    if (now - told >= 100) {
      told = now
      opts.onProgress?.(source.consumed, source.size, `${store.messages.toLocaleString('en-US')} events`)
    }
  }
  const end = cutter.finish()
  const made = reader.finish()
  return made ? { store, decoder, made, epoch, end, bytes } : 'other order'
}

/** null where the whole file bears out what its first messages said. */
function wholeFault({ end, decoder: d, store: { messages } }: Run): string | null {
  if (end.end === 'bad') return `byte ${end.at} begins no message`
  if (d.mismatches > 0.001 * messages) return `${d.mismatches} fields have another wire type further on`
  if (d.untimed > 0.1 * messages) return `${d.untimed} of ${messages} messages have no time`
  if (d.unphased > 0.01 * messages) return `${d.unphased} of ${messages} messages have no phase`
  return null
}

function tableOf(
  c: Candidate,
  { store, decoder, made, epoch, end, bytes }: Run,
  used: ReadonlySet<Role>,
  problem: boolean,
  findings: Findings,
  opts: SystemReadOptions,
): SystemReadResult<SystemTable> {
  const { pairs } = made
  findings.stray(made.stray)
  const { rows, named } = buildRows(store, made.raw, made.range, used, opts.names ?? new Map())
  const framing: SchemaCheck = {
    name: 'framing',
    ok: true,
    detail: `${framingText(c.fit.framing.name)}: ${end.messages} messages ${end.end === 'whole' ? 'to the end of the file' : 'and a part of one'}`,
  }
  const verdict: SchemaVerdict = {
    origin: c.origin,
    framing: c.fit.framing.name,
    schema: c.origin === 'inferred' ? null : c.title,
    checks: [framing, ...c.assessment.checks],
    unverified: [...c.assessment.unverified, ...c.unknown.map(f => `field ${f}`)],
  }
  const dropped = opts.dropped ?? null
  if (c.origin !== 'imported') findings.notExact(c.origin, c.unknown)
  findings.unverified(c.assessment.unverified)
  findings.names(named)
  findings.untimed(decoder.untimed)
  findings.unphased(decoder.unphased)
  findings.clashes(pairs.clashes, pairs.matched)
  findings.unmatched(pairs.openStarts, pairs.openStops)
  findings.lost(rows.cores, dropped)
  const table: SystemTable = {
    kind: 'system',
    source: 'ntrace',
    verdict,
    epochNs: epoch + BigInt(made.zero),
    clock: 'unix-nanoseconds',
    ...rows,
    messages: store.messages,
    dropped,
    ...{ cpu: null, hostMemory: null, hbmUsage: null, info: null },
    complete: end.end === 'whole' && !problem,
    bytesRead: bytes,
  }
  return { table, verdict, diagnostics: findings.list }
}

/** A time of the sample that all others are counted from. */
function firstTime(c: Candidate): bigint {
  const f = c.fit.sample.fields.get(c.numbering.get('timestamp')?.field ?? 0)
  return f?.value.find(v => v >= FIRST_NS && v <= LAST_NS) ?? FIRST_NS
}

/** The first bytes of a source, and whether they are all of it. */
export async function readHead(source: ByteSource, limit: number): Promise<{ readonly head: Uint8Array; readonly whole: boolean }> {
  const parts: Uint8Array[] = []
  let length = 0
  let whole = true
  for await (const chunk of source.chunks()) {
    if (length >= limit) {
      whole = false
      break
    }
    const take = Math.min(chunk.length, limit - length)
    parts.push(chunk.slice(0, take))
    length += take
    if (take < chunk.length) {
      whole = false
      break
    }
  }
  const head = new Uint8Array(length)
  let at = 0
  for (const p of parts) {
    head.set(p, at)
    at += p.length
  }
  return { head, whole }
}
