/**
 * Which kind a file is, decided by its content: the first bytes (gzip looked through), then the last ones for whether it is whole. The name is a hint where the content leaves it open:
 * an empty file, one cut before anything telling, and the runtime's .pb files, which have no magic.
 *
 * A name that the content contradicts does not decide: a NEFF called `trace.json` is a NEFF. Content that is nothing we know keeps the kind of its name, is `unreadable` and says so.
 */
import type { FileKind, FileState } from '../shared/catalog'
import { DiagnosticSink, type Diagnostic } from '../shared/diagnostics'
import { isDeviceProfile, isExplorerJson, sniffParquet } from './explorer/sniff'
import { isFrameworkMapping } from './framework-mapping/sniff'
import { firstElementKeys, jsonClosed, scanJson, type JsonHead } from './json/head'
import { sniffSnapshot } from './memory-snapshot/sniff'
import { kindOfName } from './names'
import { sniffNeff } from './neff/sniff'
import { RUNTIME_KINDS, sniffRuntime } from './neuron-runtime/sniff'
import { ntffLook, sniffNtff } from './ntff/sniff'
import { sniffPerfetto } from './perfetto/sniff'
import { isWhole, LONG_HEAD_BYTES, probeFile, type Probe } from './probe'
import { systemReason } from './system-error'
import { cutFinding, sniffed, type Finding, type Sniffed } from './sniffed'

export interface SniffResult {
  readonly kind: FileKind
  readonly state: FileState
  /** Bytes on disk when it was looked at; -1 where it cannot be opened. */
  readonly bytes: number
  readonly facts: Readonly<Record<string, unknown>>
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Looks at a file on disk. `name` is used for hints and in diagnostics (a path relative to the opened root). Never throws on what a file holds;
 * a file that cannot be opened has the state `unreadable` and a diagnostic with the system's reason.
 */
export async function sniffFile(path: string, name = path): Promise<SniffResult> {
  const sink = new DiagnosticSink(name)
  let probe: Probe
  try {
    probe = await probeFile(path, name)
    if (!isWhole(probe) && isOpenJson(probe)) probe = await probeFile(path, name, LONG_HEAD_BYTES)
  } catch (e) {
    sink.add({
      severity: 'error',
      code: 'file-unreadable',
      message: `The file cannot be opened: ${systemReason(e)}.`,
      meaning: 'Nothing of it is shown.',
      action: 'Check the permissions of the file.',
    })
    return { kind: kindOfName(name) ?? 'unknown', state: 'unreadable', bytes: -1, facts: {}, diagnostics: sink.list }
  }
  let found = sniffProbe(probe)
  const longer = found.kind === 'ntff' && found.state !== 'empty' && found.state !== 'unreadable' ? ntffLook(probe) : null
  if (longer !== null) found = sniffProbe(await probeFile(path, name, longer).catch(() => probe))
  for (const f of found.findings) sink.add(f)
  return { kind: found.kind, state: found.state, bytes: probe.bytes, facts: found.facts, diagnostics: sink.list }
}

/** The result for a file of 0 bytes, which need not be opened: its name is all there is. */
export const sniffEmpty = (name: string): SniffResult => ({
  kind: kindOfName(name) ?? 'unknown',
  state: 'empty',
  bytes: 0,
  facts: {},
  diagnostics: [],
})

/** Decides kind and state from the looked-at bytes. Pure. */
export function sniffProbe(p: Probe): Sniffed {
  const hint = kindOfName(p.name)
  if (p.bytes === 0) return sniffed(hint ?? 'unknown', 'empty')
  const found = p.head.length > 0 ? byContent(p, hint) : null
  const problem = problemFinding(p)
  const result = found ?? utf16(p, hint) ?? damagedTrace(p, hint) ?? byName(hint)
  if (!problem) return result
  return { ...result, state: result.state === 'unreadable' ? 'unreadable' : 'truncated', findings: [problem] }
}

/** A cut or damaged gzip stream, or a read error, as a finding. */
function problemFinding(p: Probe): Finding | null {
  if (!p.problem) return null
  if (p.problem.code === 'gzip-truncated') return cutFinding('The gzip stream ends too early.', p.problem.offset)
  return {
    severity: 'warning',
    code: p.problem.code,
    offset: p.problem.offset,
    message:
      p.problem.code === 'gzip-damaged' ? `The gzip stream is damaged: ${p.problem.message}.` : `Reading failed: ${p.problem.message}.`,
    meaning: 'What was decoded before that place can be used; the rest is missing.',
    action: 'Copy the file again from where it was written.',
  }
}

/** The kind that the content shows; null where it shows none. */
function byContent(p: Probe, hint: FileKind | null): Sniffed | null {
  const binary = sniffParquet(p) ?? sniffNeff(p) ?? sniffNtff(p, hint === 'ntff') ?? sniffPickle(p, hint)
  if (binary) return binary
  const json = scanJson(p.head)
  if (json) {
    const kind = jsonKind(p.head, json, hint)
    if (kind) {
      const found = jsonState(p, json, kind)
      return kind === 'explorer-json' && isDeviceProfile(json) ? { ...found, facts: { ...found.facts, profile: 'device' } } : found
    }
    // JSON that is none of the kinds we know is no protobuf message either.
    return null
  }
  const html = sniffHtml(p)
  if (html) return html
  const perfetto = sniffPerfetto(p, hint === 'perfetto-trace')
  if (perfetto) return perfetto
  return hint !== null && RUNTIME_KINDS.includes(hint) && !looksLikeText(p.head) ? sniffRuntime(p, hint) : null
}

const JSON_KINDS: readonly (FileKind | null)[] = ['chrome-trace', 'memory-snapshot', 'framework-mapping', 'explorer-json']

/** Text that some editors and shells save in two bytes per character; null for anything else. */
function utf16(p: Probe, hint: FileKind | null): Sniffed | null {
  const [a, b, c, d] = p.head
  const marked = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)
  const opens = (x: number | undefined): boolean => x === 0x7b || x === 0x5b
  const bare = (opens(a) && b === 0 && c !== 0 && d === 0) || (a === 0 && opens(b) && c === 0 && d !== 0)
  if (hint === null || !JSON_KINDS.includes(hint) || !(marked || bare)) return null
  return sniffed(hint, 'unreadable', {}, [
    {
      severity: 'warning',
      code: 'text-utf16',
      offset: 0,
      message: 'The file is UTF-16 text; JSON files are UTF-8.',
      meaning: 'Nothing of it is shown.',
      action: 'Convert it, for example with `iconv -f UTF-16 -t UTF-8`.',
    },
  ])
}

/**
 * A trace whose text is damaged before its kind shows, as two writers or a lost block leave it: its reader finds the whole events. Text that is no JSON must have a phase or the
 * list of events; valid JSON that is named like a trace must have a phase where one would stand if the list had another name or none.
 */
function damagedTrace(p: Probe, hint: FileKind | null): Sniffed | null {
  const named = hint === 'chrome-trace'
  if (!named && hint !== null) return null
  const json = scanJson(p.head)
  const more = json?.end === 'closed' && p.head.subarray(json.stop).some(c => c > 0x20)
  if (json === null || json.end === 'bad' || more) {
    const listed = /"traceEvents"\s*:\s*\[/.test(Buffer.from(p.head.buffer, p.head.byteOffset, p.head.length).toString('latin1'))
    if (!(named ? listed || contains(p.head, '"ph"') : listed && json !== null)) return null
  } else {
    const event = (at: number): boolean => scanJson(p.head, at)?.members.some(m => m.key === 'ph') ?? false
    if (!named || !json.members.some(m => m.key === 'ph' || event(m.at) || firstElementKeys(p.head, m.at)[0] === 'ph')) return null
  }
  const damage: Finding = {
    severity: 'warning',
    code: 'json-damaged',
    offset: json?.end === 'bad' ? json.stop : 0,
    message: 'The JSON text is damaged near its beginning.',
    meaning: 'Whole events are read; what is damaged is told once the file was read.',
    action: 'Check how the file was written or copied; two processes writing one file look like this.',
  }
  const last = p.tail.findLast(c => c > 0x20)
  const whole = p.length === null || last === 0x7d || last === 0x5d
  return sniffed('chrome-trace', whole ? 'complete' : 'truncated', {}, [damage])
}

/** Content that shows nothing: the name's kind with a contradiction, or unknown. */
function byName(hint: FileKind | null): Sniffed {
  if (hint === null) return sniffed('unknown')
  return sniffed(hint, 'unreadable', {}, [
    {
      severity: 'warning',
      code: 'not-what-it-claims',
      offset: 0,
      message: `The file is named like a ${hint} file but its content is not one.`,
      meaning: 'Nothing of it is shown.',
      action: 'Check whether the file was overwritten or misnamed.',
    },
  ])
}

// ───────────────────────────── JSON ─────────────────────────────

/** Members that only Kineto and Chrome write beside `traceEvents`; enough to tell a trace whose events lie beyond the looked-at bytes. */
const TRACE_KEYS = [
  'schemaVersion',
  'deviceProperties',
  'distributedInfo',
  'displayTimeUnit',
  'baseTimeNanoseconds',
  'traceName',
  'systemTraceEvents',
  'stackFrames',
  'otherData',
]
/** `segments` alone is a common word: its elements have to look like segments. */
const SNAPSHOT_KEYS = ['device_traces', 'host_segments', 'host_traces', 'external_annotations', 'allocator_settings']

function jsonKind(b: Uint8Array, json: JsonHead, hint: FileKind | null): FileKind | null {
  if (json.shape === 'array') {
    const keys = firstElementKeys(b, json.at)
    if (keys.includes('ph')) return 'chrome-trace'
    if (keys.includes('total_size') || (keys.includes('blocks') && keys.includes('address'))) return 'memory-snapshot'
  } else {
    const keys = json.members.map(m => m.key)
    if (keys.includes('traceEvents')) return 'chrome-trace'
    if (isFrameworkMapping(b, json, hint === 'framework-mapping')) return 'framework-mapping'
    if (keys.some(k => SNAPSHOT_KEYS.includes(k))) return 'memory-snapshot'
    const segments = json.members.find(m => m.key === 'segments')
    if (segments && firstElementKeys(b, segments.at).some(k => k === 'total_size' || k === 'blocks')) return 'memory-snapshot'
    if (isExplorerJson(json, b)) return 'explorer-json'
    if (json.end !== 'closed' && keys.some(k => TRACE_KEYS.includes(k))) return 'chrome-trace'
  }
  // Nothing telling was seen: the name decides, unless the whole outermost value was.
  const open = json.end === 'cut' || json.end === 'full' || (json.shape === 'array' && json.members.length === 0)
  return open && hint !== null && JSON_KINDS.includes(hint) ? hint : null
}

function jsonState(p: Probe, json: JsonHead, kind: FileKind): Sniffed {
  if (p.length === null) return sniffed(kind) // end of a large gzip file, not looked at
  if (json.end === 'closed' || jsonClosed(p.tail, p.tailAt, json.at, p.head[json.at] as number)) return sniffed(kind)
  return sniffed(kind, 'truncated', {}, [cutFinding('The JSON text ends before its closing bracket.', p.length)])
}

/** JSON whose kind the first bytes leave open, or damaged in them, so that a longer look is worth it. */
function isOpenJson(p: Probe): boolean {
  const json = scanJson(p.head)
  return json !== null && (json.end === 'cut' || json.end === 'bad') && jsonKind(p.head, json, null) === null
}

// ───────────────────────────── snapshots ─────────────────────────────

const contains = (b: Uint8Array, text: string): boolean => Buffer.from(b.buffer, b.byteOffset, b.length).includes(text, 0, 'latin1')

/** Allocator snapshots as pickles: the marks of protocol 0 to 5 and the keys of the first bytes. Any pickle that is named .pickle or .pkl counts: its reader tells what it holds. */
function sniffPickle(p: Probe, hint: FileKind | null): Sniffed | null {
  const b = p.head
  const marked = b[0] === 0x80 && (b.length === 1 ? isWhole(p) : (b[1] as number) <= 5)
  // Protocols 0 and 1 have no mark: MARK, EMPTY_DICT or EMPTY_LIST begins them. `(` is no JSON, `}` and `]` cannot begin one either.
  const bare = b[0] === 0x28 || b[0] === 0x7d || b[0] === 0x5d
  if (!marked && !bare) return null
  const keyed = contains(b, 'device_traces') || contains(b, 'segments') || (contains(b, 'total_size') && contains(b, 'blocks'))
  if (!(marked && hint === 'memory-snapshot') && !(keyed && sniffSnapshot(b, p.name))) return null
  if (p.length !== null && p.tail[p.tail.length - 1] !== 0x2e)
    return sniffed('memory-snapshot', 'truncated', {}, [cutFinding('The pickle ends before its STOP mark.', p.length)])
  return sniffed('memory-snapshot')
}

/** The page that PyTorch's _memory_viz writes: `const local_files = [{"name", "base64"}]`. */
function sniffHtml(p: Probe): Sniffed | null {
  if (!/^\s*<(!doctype html|html|script)/i.test(Buffer.from(p.head.subarray(0, 200)).toString('latin1'))) return null
  if (!contains(p.head, 'local_files')) return null
  if (p.length !== null && !contains(p.tail, 'add_local_files(') && !contains(p.tail, '</script>'))
    return sniffed('memory-snapshot', 'truncated', {}, [cutFinding('The page ends before its snapshot does.', p.length)])
  return sniffed('memory-snapshot')
}

/** Printable text from the first byte on; protobuf has control bytes within its first few. */
function looksLikeText(b: Uint8Array): boolean {
  return b.subarray(0, 512).every(c => (c >= 0x20 && c < 0x7f) || c === 0x0a || c === 0x0d || c === 0x09)
}
