/**
 * Reader of PyTorch memory snapshots (`torch.cuda.memory._dump_snapshot` and its relatives) as pickle, as JSON, and inside the pages of `_memory_viz`: streaming, columns
 * only, data only. Layout and sources: README.md beside this.
 */
import { DiagnosticSink, type Diagnostic } from '../../shared/diagnostics'
import type { ByteSource, ReadOptions, ReadResult } from '../../shared/reader'
import type { SnapshotTable } from '../../shared/tables'
import { JsonMachine } from '../json/machine'
import type { Builder, Fault } from '../pickle/builder'
import { faultDiagnostic } from '../pickle/faults'
import { feed } from '../pickle/feed'
import { Machine } from '../pickle/machine'
import { PickleFault } from '../pickle/store'
import type { CheckedSource } from '../source'
import { assemble } from './assemble'
import { peek, type Form } from './form'
import { SnapshotPage } from './page'
import { salvage, type Salvaged } from './salvage'
import { SnapshotShapes } from './shapes'
import { otherForm } from './sniff'

/**
 * Reads a snapshot. Never throws on bad data, resolves no name and runs nothing. The first bytes tell pickle, JSON and HTML apart.
 * - a whole file: the table with `complete: true`;
 * - a file that ends early or is damaged: the whole records before that place, `complete: false` and a diagnostic with the offset; `segments.complete` and
 *   `devices[i].complete` tell which lists are whole;
 * - a page: its first file; further ones are named in a diagnostic. Offsets inside of it count decoded bytes, and the message says so;
 * - a file that is no snapshot (another pickle, other JSON, a zip): a null table and a diagnostic that says what was found;
 * - cancelled: a null table and a `cancelled` diagnostic.
 */
export async function readSnapshot(source: ByteSource, opts: ReadOptions = {}): Promise<ReadResult<SnapshotTable>> {
  const sink = new DiagnosticSink(source.name)
  const read = opts.signal?.aborted ? 'cancelled' : await readAny(source, opts, sink)
  if (read === 'cancelled') {
    sink.add({
      severity: 'info',
      code: 'cancelled',
      message: 'Reading was cancelled.',
      meaning: 'Nothing of this file is shown.',
      action: 'Read it again.',
    })
    return { table: null, diagnostics: sink.list }
  }
  const problem = 'problem' in source ? (source as CheckedSource).problem : null
  if (problem)
    sink.add({
      severity: 'warning',
      code: problem.code,
      offset: problem.offset,
      message: `The file could not be read to its end (${problem.message}).`,
      meaning: 'What was read before that place is used.',
      action: 'Copy the file again.',
    })
  return { table: read, diagnostics: sink.list }
}

async function readAny(source: ByteSource, opts: ReadOptions, sink: DiagnosticSink): Promise<SnapshotTable | null | 'cancelled'> {
  const { form, source: whole } = await peek(source)
  if (form !== 'page') return readForm(whole, form, opts, sink, null)
  const page = new SnapshotPage(sink)
  const inner = await peek(decoded(whole, page))
  const inside = new DiagnosticSink(source.name)
  const table = await readForm(inner.source, inner.form, opts, inside, page)
  // A page without a snapshot has been told about.
  if (page.found)
    for (const d of inside.list) sink.add(d.offset === null ? d : { ...d, message: `In the snapshot inside the page: ${d.message}` })
  return table
}

/** The decoded bytes of the page's first file. A chunk may be empty, so that progress and cancel go on while other parts of the page pass by. */
function decoded(source: ByteSource, page: SnapshotPage): ByteSource & { readonly compressed: true } {
  return {
    name: source.name,
    size: source.size,
    // As of a compressed file: the size says little about the bytes that come out.
    compressed: true,
    get consumed() {
      return source.consumed
    },
    async *chunks() {
      for await (const chunk of source.chunks()) yield page.push(chunk)
      yield page.finish()
    },
  }
}

async function readForm(
  source: ByteSource,
  form: Form,
  opts: ReadOptions,
  sink: DiagnosticSink,
  page: SnapshotPage | null,
): Promise<SnapshotTable | null | 'cancelled'> {
  const json = form === 'json' ? new JsonMachine() : null
  const pickle = json ? null : new Machine(sink)
  const machine: Builder = (json ?? pickle) as Builder
  const shapes = new SnapshotShapes(machine, sink)
  machine.shapes = shapes
  const state = await feed(machine, source, opts, {
    note: () => `${shapes.events.count.toLocaleString('en-US')} events`,
    drain: page !== null,
  })
  if (state === 'cancelled') return 'cancelled'
  const bytesRead = machine.bytesFed - machine.waiting
  const trailing = machine.total - bytesRead
  const open = state === 'stop' ? null : salvaged(machine, shapes)
  const fault = machine.fault
  machine.drop()
  json?.tell(sink)
  const whole = { rootTag: machine.rootTag, rootVal: machine.rootVal, segmentsWhole: true, tracesWhole: true, openDevice: -1 }
  const found = open ?? (state === 'stop' ? whole : null)
  const protocol = pickle ? Math.max(0, pickle.protocol) : null
  const table =
    found === null
      ? `no ${machine.family} value`
      : assemble(machine, shapes, sink, { ...found, complete: state === 'stop', bytesRead, protocol, page: page !== null })
  if (typeof table === 'string') {
    tellNothing(machine, fault, open !== null, table, sink)
    return null
  }
  if (fault) sink.add(faultDiagnostic(fault, cutMeaning(table, found?.tracesWhole ?? false)))
  // Torch pads what it puts into a page.
  else if (page === null && trailing > 0 && Number.isFinite(trailing))
    sink.add({
      severity: 'info',
      code: `${machine.family}-trailing-bytes`,
      offset: bytesRead,
      message: `${trailing.toLocaleString('en-US')} bytes follow the end of the ${json ? 'JSON text' : 'pickle'}.`,
      meaning: `They are not read${json ? '' : ', as Python does not read them either'}.`,
      action: 'Nothing to do.',
    })
  tellSettings(table, sink)
  return table
}

/** Why there is no table; `found`: what stands there instead of a snapshot. */
function tellNothing(machine: Builder, fault: Fault | null, open: boolean, found: string, sink: DiagnosticSink): void {
  const other: Omit<Diagnostic, 'file' | 'count'> | null = machine.family === 'pickle' ? otherForm(machine.head) : null
  if (other) {
    sink.add(other)
    return
  }
  if (fault) sink.add(faultDiagnostic(machine.bytesFed === 0 ? empty(fault) : fault, 'Nothing of this file could be read.'))
  if (!fault || open)
    sink.add({
      severity: 'error',
      code: 'not-a-snapshot',
      offset: 0,
      message: `The file is ${machine.family === 'json' ? 'JSON' : 'a pickle'}, but no memory snapshot: it holds ${found}.`,
      meaning: 'There is nothing to show.',
      action: 'A snapshot is written by profiler.export_snapshot(name) or by _dump_snapshot(path) of the memory module.',
    })
}

/** What the open containers hold; null also where closing them meets a limit or a value that cannot take them. The fault is then that one, unless there was one before. */
function salvaged(machine: Builder, shapes: SnapshotShapes): Salvaged | null {
  try {
    return salvage(machine, shapes)
  } catch (e) {
    if (!(e instanceof PickleFault)) throw e
    machine.fault ??= { code: machine.codeOf(e), message: e.message, offset: machine.offset }
    return null
  }
}

const empty = (fault: Fault): Fault => ({ ...fault, message: 'the file is empty' })

function cutMeaning(table: SnapshotTable, tracesWhole: boolean): string {
  const events = table.devices.reduce((n, d) => n + d.count, 0).toLocaleString('en-US')
  const read = `${events} whole events and ${table.segments.count} whole segments before that place are used. `
  if (table.segments.complete === false)
    return table.segments.count === 0
      ? read + 'There is no segment table: what was live at the start and the reserved bytes are not known.'
      : read + 'The segment table is only partly there: what was live at the start and the reserved bytes are not known.'
  if (!tracesWhole)
    return (
      read + 'The history ends too early to be tied to the segment table: what was live at the start and the reserved bytes are not known.'
    )
  return read + 'Segments and history are whole; only what follows them is missing.'
}

/** The ring of the history was full: the oldest events are gone. The flag is one value or one per device (torch 2.11 on). */
function tellSettings(table: SnapshotTable, sink: DiagnosticSink): void {
  if (table.settings !== null && /"trace_alloc_overflowed": (true|\[[^\]]*true|[1-9]|\[[^\]]*[1-9])/.test(table.settings))
    sink.add({
      severity: 'info',
      code: 'snapshot-history-overflowed',
      message: 'The history was longer than the recording keeps: its oldest events were dropped.',
      meaning: 'What was allocated before the first kept event is part of the start state; all figures hold from there on.',
      action: 'Record with a larger max_entries to see more.',
    })
}
