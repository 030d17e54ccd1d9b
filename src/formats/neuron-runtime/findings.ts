/** What the readers of the runtime's files say to the user. */
import { DiagnosticSink } from '../../shared/diagnostics'
import type { SchemaCheck, SystemCore } from '../../shared/system-tables'
import { num } from '../../shared/format'
import type { NamedType } from './names'
import type { FieldSeen, FramingTry, Sample } from './sample'

const IMPORT =
  'Give the program the exact schema: `schema import FILE` (or File > Import trace schema) takes a .proto file, a descriptor set, or the libnrt.so that the run used, which is only searched, never loaded. Or open an export of Neuron Explorer beside it.'
const RING = 'Raise max_events_per_nc (NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC), filter events, or record a shorter time.'

const NAMES: Readonly<Record<string, string>> = {
  varint: 'varint lengths',
  u32: '4-byte lengths',
  u64: '8-byte lengths',
  wrapper: 'one message with a repeated field',
  message: 'one single message',
}
export const framingText = (name: string): string => NAMES[name] ?? name

const short = (v: bigint): string =>
  v < 10n ** 12n ? String(v) : `${String(v).slice(0, 1)}.${String(v).slice(1, 3)}e${String(v).length - 1}`

/** One field as the data shows it: `field 2: varint, 1 to 45`. */
function fieldText(f: FieldSeen, count: number): string {
  const kinds = ([0, 1, 2, 5] as const)
    .filter(w => f.wires[w] > 0)
    .map(w => ({ 0: 'varint', 1: 'fixed 64', 2: 'length-delimited', 5: 'fixed 32' })[w])
  const share = f.messages === count ? '' : ` in ${Math.round((100 * f.messages) / count)} %`
  if (f.wires[2] > 0) {
    const what =
      f.entries === f.times
        ? `pairs such as ${JSON.stringify((f.pairs.find(p => p.length > 0)?.[0]?.[0] ?? '').slice(0, 30))}`
        : f.texts === f.times
          ? 'text'
          : 'bytes'
    return `${f.number} ${kinds.join('/')} (${what})${share}`
  }
  let least: bigint | null = null
  let most = 0n
  f.value.forEach((v, i) => {
    if (f.has[i] === 0) return
    if (least === null || v < least) least = v
    if (v > most) most = v
  })
  return `${f.number} ${kinds.join('/')} ${short(least ?? 0n)}${most !== least ? `…${short(most)}` : ''}${share}`
}

export const fieldsText = (s: Sample): string =>
  [...s.fields.values()]
    .slice(0, 24)
    .map(f => fieldText(f, s.count))
    .join('; ') + (s.fields.size > 24 ? `; and ${s.fields.size - 24} more` : '')

const triesText = (tries: readonly FramingTry[]): string =>
  tries
    .map(
      t =>
        `${framingText(t.framing.name)}: ${t.end.messages > 0 ? `${num(t.end.messages)} messages, then ` : ''}no message at byte ${num(t.end.at)}`,
    )
    .join('; ')

export class Findings {
  readonly sink: DiagnosticSink
  constructor(file: string) {
    this.sink = new DiagnosticSink(file)
  }

  get list(): DiagnosticSink['list'] {
    return this.sink.list
  }

  cancelled(at: number): void {
    this.sink.add({
      severity: 'info',
      code: 'cancelled',
      offset: at,
      message: 'Reading was cancelled.',
      meaning: 'Nothing of this file is shown.',
      action: 'Read it again.',
    })
  }

  empty(what: string): void {
    this.sink.add({
      severity: 'info',
      code: 'system-empty',
      offset: 0,
      message: 'The file is empty.',
      meaning: `The runtime recorded no ${what}.`,
      action: 'None: this is normal where nothing of the kind happened.',
    })
  }

  /** Damage below the format, as the source tells it. True when there was one. */
  problem(source: object): boolean {
    const p = (source as { readonly problem?: { readonly code: string; readonly message: string; readonly offset: number } | null }).problem
    if (!p) return false
    const read = p.code === 'read-error'
    this.sink.add({
      severity: 'warning',
      code: p.code,
      offset: p.offset,
      message: read ? `The file could not be read on: ${p.message}.` : `The compressed stream is cut or damaged: ${p.message}.`,
      meaning: 'What was decoded before that place is shown.',
      action: read ? 'Check the disk and read it again.' : 'Copy the file again, or wait until it is written.',
    })
    return true
  }

  noFraming(failed: readonly FramingTry[], what: string): void {
    this.sink.add({
      severity: 'error',
      code: 'system-no-framing',
      offset: Math.max(0, ...failed.map(t => t.end.at)),
      message: `The bytes are no protobuf messages under any known framing (${triesText(failed)}).`,
      meaning: `Nothing of the ${what} is shown.`,
      action: 'Check that the file is whole and is what its name says.',
    })
  }

  tooShort(what: string): void {
    this.sink.add({
      severity: 'warning',
      code: 'system-cut',
      offset: 0,
      message: 'The file does not hold one whole message yet.',
      meaning: `Nothing of the ${what} is shown.`,
      action: 'If the run is still writing, it is read again when the file changes; otherwise copy the file again.',
    })
  }

  refused(what: string, reasons: readonly string[], fit: FramingTry | null): void {
    const seen = fit ? ` Seen: ${num(fit.sample.count)} messages (${framingText(fit.framing.name)}), fields ${fieldsText(fit.sample)}.` : ''
    this.sink.add({
      severity: 'error',
      code: 'system-schema-unknown',
      message: `The messages fit none of the schemas that are known, and their fields cannot be told by their values: ${reasons.join('; ')}.${seen}`,
      meaning: `Nothing of the ${what} is shown: wrong figures would be worse than none.`,
      action: IMPORT,
    })
  }

  importedFailed(title: string, checks: readonly SchemaCheck[]): void {
    const bad = checks.filter(c => !c.ok).map(c => `${c.name}: ${c.detail}`)
    this.sink.add({
      severity: 'warning',
      code: 'system-schema-failed',
      message: `The imported schema ${title} does not fit this file (${bad.join('; ')}).`,
      meaning: 'It was not used; other ways to read the file were tried.',
      action: 'Import the schema of the runtime that wrote the file, or remove this one (`schema remove`).',
    })
  }

  notExact(origin: 'built-in' | 'alternative' | 'inferred', unknown: readonly number[]): void {
    const how = {
      'built-in': 'the built-in reconstruction of the schema, which this data confirms',
      alternative: 'the alternative numbering of the reconstruction; the first one does not fit',
      inferred: `what its values show; no known schema fits${unknown.length > 0 ? ` (fields without a meaning: ${unknown.join(', ')})` : ''}`,
    }[origin]
    this.sink.add({
      severity: 'info',
      code: 'system-schema-not-exact',
      message: `The file was decoded by ${how}.`,
      meaning: 'The checks that it passed are listed with the file. What they cannot tell is marked.',
      action: IMPORT,
    })
  }

  unverified(roles: readonly string[]): void {
    if (roles.length === 0) return
    this.sink.add({
      severity: 'info',
      code: 'system-unverified',
      message: `Nothing in the data tells these fields from each other: ${roles.join(', ')}.`,
      meaning: 'They are not used, and nothing is grouped by them.',
      action: IMPORT,
    })
  }

  damaged(at: number, messages: number, framing: string): void {
    this.sink.add({
      severity: 'error',
      code: 'system-damaged',
      offset: at,
      message: `After ${num(messages)} messages (${framingText(framing)}) the bytes are no message any more.`,
      meaning: 'The file is not shown: what the messages before say cannot be trusted.',
      action: 'Copy the file again from where it was written.',
    })
  }

  cut(at: number, have: number, want: number): void {
    this.sink.add({
      severity: 'info',
      code: 'system-cut',
      offset: at,
      message: `The file ends inside a message (${num(have)}${want > 0 ? ` of ${num(want)}` : ''} bytes of it are there).`,
      meaning: 'All whole messages before it are shown.',
      action: 'If the run is still writing, it is read again when the file changes; otherwise copy the file again.',
    })
  }

  untimed(count: number): void {
    if (count === 0) return
    this.sink.add({
      severity: 'warning',
      code: 'system-untimed',
      message: `${num(count)} messages have no time between 2015 and 2100, or one more than 104 days from the others.`,
      meaning: 'They are counted but not shown.',
      action: 'None.',
      count,
    })
  }

  /** Messages whose time is far from that of their neighbours in the file and from all others. */
  stray(count: number): void {
    if (count === 0) return
    this.sink.add({
      severity: 'warning',
      code: 'system-time-stray',
      message: `${count === 1 ? 'One message has a time' : `${num(count)} messages have times`} far from all others, in the middle of the file.`,
      meaning:
        'The time is probably damaged. It is shown where it says; the span of the session and the slice concerned are then too long.',
      action: 'Compare with the other files of the session, or copy the file again from where it was written.',
      count,
    })
  }

  unphased(count: number): void {
    if (count === 0) return
    this.sink.add({
      severity: 'warning',
      code: 'system-phase',
      message: `${num(count)} messages are neither start, stop nor instant.`,
      meaning: 'They are shown as instants.',
      action: 'None.',
      count,
    })
  }

  /** `pairs`: all of them. Ids that are hardly ever unique are not those of one recording. */
  clashes(count: number, pairs: number): void {
    if (count === 0) return
    const many = count > 0.1 * pairs
    this.sink.add({
      severity: many ? 'warning' : 'info',
      code: 'system-pairs-ambiguous',
      message: `${num(count)} of ${num(pairs)} stops with a start met several open starts with their id.`,
      meaning: many
        ? 'The last start of the same core and thread was taken; durations may be wrong. So many speak for a file that was put together from several, or written twice: counts are then too large.'
        : 'The last start of the same core and thread was taken.',
      action: many ? 'Copy the file again from where it was written; read the parts one by one.' : 'None.',
      count,
    })
  }

  /** Samples of one core, or of the host, that stand at the same time as another one. `cores`: no field tells which core a sample is of. */
  repeated(count: number, cores = false): void {
    if (count === 0) return
    this.sink.add({
      severity: 'warning',
      code: 'system-samples-repeated',
      message: `${num(count)} samples have the time of another one${cores ? ', and no field tells cores apart' : ''}.`,
      meaning: `All are counted and shown. ${cores ? 'They may be of several cores, or the file' : 'The file'} was written twice or put together from several.`,
      action: 'Copy the file again from where it was written.',
      count,
    })
  }

  names(named: readonly NamedType[]): void {
    const inferred = named.filter(t => t.inferred)
    if (inferred.length > 0)
      this.sink.add({
        severity: 'info',
        code: 'system-names-inferred',
        message: `The attributes of ${num(inferred.length)} event numbers are those of other events than the catalogue has under them (${listed(inferred.map(t => `${t.number}: ${t.name}`))}).`,
        meaning: 'The numbering of this runtime release differs. These names follow the attributes and are marked as inferred.',
        action: 'None.',
        count: inferred.length,
      })
    const unknown = named.filter(t => t.nameFrom === 'number')
    if (unknown.length > 0)
      this.sink.add({
        severity: 'info',
        code: 'system-events-unknown',
        message: `${num(unknown.length)} event numbers are not known (${listed(unknown.map(t => String(t.number)))}).`,
        meaning: 'Their events are shown under their number.',
        action: 'None.',
        count: unknown.length,
      })
  }

  unmatched(starts: number, stops: number): void {
    if (starts + stops === 0) return
    this.sink.add({
      severity: 'info',
      code: 'system-unmatched',
      message: `${num(starts)} starts have no stop and ${num(stops)} stops have no start.`,
      meaning: 'They are shown without a length.',
      action: 'None: what runs while the recording begins or ends has one half only.',
      count: starts + stops,
    })
  }

  lost(cores: readonly SystemCore[], dropped: number | null): void {
    const some = cores.filter(c => c.headLost)
    if (some.length > 0)
      this.sink.add({
        severity: 'warning',
        code: 'system-events-lost',
        message: `The earliest events of ${listed(some.map(c => `NeuronCore ${c.nc}${c.device > 0 ? ` of device ${c.device}` : ''} (at least ${num(c.droppedAtLeast ?? 0)})`))} are missing: stops without their starts.`,
        meaning:
          'Each core has a ring buffer that loses its oldest events, or the recording began in between. Before the first event of these cores nothing is known.',
        action: RING,
        count: some.reduce((n, c) => n + (c.droppedAtLeast ?? 0), 0),
      })
    if (dropped !== null && dropped > 0)
      this.sink.add({
        severity: 'warning',
        code: 'system-events-dropped',
        message: `The runtime dropped ${num(dropped)} events while it recorded.`,
        meaning: 'The oldest events of the cores are missing.',
        action: RING,
        count: dropped,
      })
  }
}

const listed = (items: readonly string[]): string =>
  items.length > 8 ? `${items.slice(0, 8).join(', ')} and ${items.length - 8} more` : items.join(', ')
