/**
 * Reader of PyTorch memory snapshots (`torch.cuda.memory._dump_snapshot` and its relatives): streaming, columns only, data only. Layout and sources: README.md beside this.
 */
import { DiagnosticSink } from '../../shared/diagnostics'
import type { ByteSource, ReadOptions, ReadResult } from '../../shared/reader'
import type { SnapshotTable } from '../../shared/tables'
import { faultDiagnostic } from '../pickle/faults'
import { feed } from '../pickle/feed'
import { PickleFault } from '../pickle/store'
import { Machine, type Fault } from '../pickle/machine'
import type { CheckedSource } from '../source'
import { assemble } from './assemble'
import { otherForm } from './sniff'
import { salvage, type Salvaged } from './salvage'
import { SnapshotShapes } from './shapes'

/**
 * Reads a snapshot. Never throws on bad data, resolves no name and runs nothing.
 * - a whole file: the table with `complete: true`;
 * - a file that ends early or is damaged: the whole records before that place, `complete: false` and a diagnostic with the offset; `segments.complete` and
 *   `devices[i].complete` tell which lists are whole;
 * - a file that is no snapshot (another pickle, JSON, a zip): a null table and a diagnostic that says what was found;
 * - cancelled: a null table and a `cancelled` diagnostic.
 */
export async function readSnapshot(source: ByteSource, opts: ReadOptions = {}): Promise<ReadResult<SnapshotTable>> {
  const sink = new DiagnosticSink(source.name)
  const machine = new Machine(sink)
  const shapes = new SnapshotShapes(machine, sink)
  machine.shapes = shapes
  const state = await feed(machine, source, opts, () => `${shapes.events.count.toLocaleString('en-US')} events`)
  if (state === 'cancelled') {
    sink.add({
      severity: 'info',
      code: 'cancelled',
      message: 'Reading was cancelled.',
      meaning: 'Nothing of this file is shown.',
      action: 'Read it again.',
    })
    return { table: null, diagnostics: sink.list }
  }
  const bytesRead = machine.bytesFed - machine.waiting
  const trailing = machine.total - bytesRead
  const open = state === 'stop' ? null : salvaged(machine, shapes)
  const fault = machine.fault
  machine.drop()
  const whole = { rootTag: machine.rootTag, rootVal: machine.rootVal, segmentsWhole: true, tracesWhole: true, openDevice: -1 }
  const found = open ?? (state === 'stop' ? whole : null)
  const table = found === null ? 'no pickle value' : assemble(machine, shapes, sink, { ...found, complete: state === 'stop', bytesRead })

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
  if (typeof table === 'string') {
    const other = otherForm(machine.head)
    if (other) sink.add(other)
    else {
      if (fault) sink.add(faultDiagnostic(machine.bytesFed === 0 ? empty(fault) : fault, 'Nothing of this file could be read.'))
      if (!fault || open)
        sink.add({
          severity: 'error',
          code: 'not-a-snapshot',
          offset: 0,
          message: `The file is a pickle, but no memory snapshot: it holds ${table}.`,
          meaning: 'There is nothing to show.',
          action: 'A snapshot is written by profiler.export_snapshot(name) or by _dump_snapshot(path) of the memory module.',
        })
    }
    return { table: null, diagnostics: sink.list }
  }
  if (fault) sink.add(faultDiagnostic(fault, cutMeaning(table, found?.tracesWhole ?? false)))
  else if (trailing > 0 && Number.isFinite(trailing))
    sink.add({
      severity: 'info',
      code: 'pickle-trailing-bytes',
      offset: bytesRead,
      message: `${trailing.toLocaleString('en-US')} bytes follow the end of the pickle.`,
      meaning: 'They are not read, as Python does not read them either.',
      action: 'Nothing to do.',
    })
  tellSettings(table, sink)
  return { table, diagnostics: sink.list }
}

/** What the open containers hold; null also where closing them meets a limit or a value that cannot take them. The fault is then that one, unless there was one before. */
function salvaged(machine: Machine, shapes: SnapshotShapes): Salvaged | null {
  try {
    return salvage(machine, shapes)
  } catch (e) {
    if (!(e instanceof PickleFault)) throw e
    machine.fault ??= { code: e.code, message: e.message, offset: machine.offset }
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
  const host = ['host_segments', 'host_traces'].filter(k => Object.hasOwn(table.unknown, k))
  if (host.length > 0)
    sink.add({
      severity: 'info',
      code: 'snapshot-host-memory',
      message: `The file also holds pinned host memory (${host.join(', ')}).`,
      meaning: 'It is kept as text and is in no figure.',
      action: 'Nothing to do.',
    })
}
