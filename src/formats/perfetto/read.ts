/** Reader of Perfetto traces (`system_profile.pftrace`) into the system's tables. Layout, sources and how sure: README.md beside this. */
import { DiagnosticSink } from '../../shared/diagnostics'
import type { ByteSource, ReadOptions } from '../../shared/reader'
import {
  ROW_SLICE,
  type SchemaCheck,
  type SchemaVerdict,
  type SystemReadResult,
  type SystemTable,
  type TraceInfoTable,
} from '../../shared/system-tables'
import { MAX_ROWS, NO_TIME, type SystemBuilder } from '../explorer/build'
import { sourceNamed } from '../explorer/events'
import { cancelled, NO_VERDICT, Origin, sourceProblem, tellBuilt, tellClock, timeCheck } from '../explorer/findings'
import { CpuSamples, HbmSamples } from '../explorer/samples'
import { REALTIME } from './clocks'
import { Packets } from './packets'
import { PerfettoTrace } from './trace'
import { describe, type Described } from './tracks'

/**
 * Reads the trace as a stream into a SystemTable. Never throws on bad data: what was read up to a damage is there, with `complete: false`; the table is null where the file has
 * no track events and no counters. A set signal ends the read with a `cancelled` diagnostic and without a table.
 *
 * Times are Unix times where the trace says how to get there (clock REALTIME, clock snapshots) or plainly holds some; otherwise the table's clock is `unknown`.
 */
export async function readPerfettoTrace(source: ByteSource, options: ReadOptions = {}): Promise<SystemReadResult<SystemTable>> {
  const sink = new DiagnosticSink(source.name)
  const trace = new PerfettoTrace()
  const packets = new Packets((b, start, end) => trace.packet(b, start, end))
  let bytes = 0
  let told = performance.now()
  for await (const chunk of source.chunks()) {
    if (options.signal?.aborted) {
      cancelled(sink)
      return { table: null, verdict: NO_VERDICT, diagnostics: sink.list }
    }
    bytes += chunk.length
    packets.feed(chunk)
    const now = performance.now()
    if (now - told >= 100) {
      told = now
      options.onProgress?.(source.consumed, source.size, `${trace.events.toLocaleString('en-US')} events`)
    }
    if (packets.badAt >= 0) break
  }
  packets.finish()
  const damaged = sourceProblem(source, sink)
  tellEnd(packets, bytes, damaged, sink)
  if (trace.builder.rows === 0 && trace.samples === 0) {
    sink.add({
      severity: 'error',
      code: 'perfetto-no-events',
      message: `None of the ${packets.count} packets holds a track event that can be read.`,
      meaning: 'There is nothing to show.',
      action: 'Open a system_profile.pftrace as Neuron Explorer writes it.',
    })
    return { table: null, verdict: NO_VERDICT, diagnostics: sink.list }
  }
  const complete = !damaged && !packets.cut && packets.badAt < 0
  const table = tableOf(trace, packets, complete, packets.badAt >= 0 ? packets.badAt : bytes, sink)
  return { table, verdict: table.verdict, diagnostics: sink.list }
}

function tellEnd(packets: Packets, bytes: number, damaged: boolean, sink: DiagnosticSink): void {
  if (packets.badAt >= 0)
    sink.add({
      severity: 'warning',
      code: 'perfetto-damaged',
      offset: packets.badAt,
      message: 'Behind this place the bytes are no packets.',
      meaning: 'What stands before it is shown.',
      action: 'Copy the file again.',
    })
  else if (packets.cut && !damaged)
    sink.add({
      severity: 'warning',
      code: 'perfetto-truncated',
      offset: packets.offset,
      message: `The file ends after ${bytes} bytes inside a packet.`,
      meaning: 'The whole packets before it are shown.',
      action: 'Wait until the export is written, or copy the file again.',
    })
  if (packets.tooLong > 0)
    sink.add({
      severity: 'warning',
      code: 'perfetto-long-packet',
      message: `${packets.tooLong} packets are longer than 16 MiB.`,
      meaning: 'They are passed over.',
      action: 'None needed.',
      count: packets.tooLong,
    })
}

function tableOf(trace: PerfettoTrace, packets: Packets, whole: boolean, bytesRead: number, sink: DiagnosticSink): SystemTable {
  const { builder } = trace
  const foreign = settleClocks(trace)
  const described = trace.trackIds.map(id => describe(id, trace.tracks))
  const origin = new Origin()
  const unplaced = placeRows(trace, described, origin)
  const complete = whole && trace.left.rows === 0 && trace.left.damaged === 0 && packets.tooLong === 0
  const verdict: SchemaVerdict = {
    origin: 'perfetto',
    framing: 'wrapper',
    schema: "Perfetto's public trace schema",
    checks: [],
    unverified: [],
  }
  const samples = counters(trace, sink)
  const info = infoOf(origin, verdict, complete, bytesRead)
  const built = builder.finish({
    verdict,
    dropped: null,
    cpu: samples.cpu.table(verdict, complete, bytesRead),
    hostMemory: null,
    hbmUsage: samples.hbm.table(null),
    info,
    complete,
    bytesRead,
    messages: trace.events,
  })
  tellBuilt({ ...built, withoutTime: built.withoutTime - foreign + trace.left.withoutTime }, sink)
  tellClock(built.table, sink)
  tellRest(trace, foreign, sink)
  const unmatched = trace.opens + trace.tails
  const checks: SchemaCheck[] = [
    timeCheck(built.table),
    {
      name: 'slices',
      ok: unmatched === 0,
      detail: `${trace.pairs} begins have their end, ${trace.opens} begins and ${trace.tails} ends have none`,
    },
    {
      name: 'tracks',
      ok: unplaced === 0,
      detail: unplaced === 0 ? 'every event has a described track' : `${unplaced} events are on tracks that are not described`,
    },
  ]
  if (trace.clocks.assumed > 0)
    checks.push({
      name: 'clock',
      ok: true,
      detail: `${trace.clocks.assumed} times on a clock that is not named as one of Unix are Unix times by their size`,
    })
  return { ...built.table, verdict: { ...verdict, checks } }
}

/**
 * Brings what was read before a clock snapshot to Unix time. Where times of several clocks are left that nothing connects, those of the most frequent one are kept; answers
 * how many rows had another.
 */
function settleClocks(trace: PerfettoTrace): number {
  const { builder, clock } = trace
  const rows = new Map<number, number>()
  for (let row = 0; row < builder.rows; row++) {
    const c = clock.a[row]
    const offset = c === REALTIME ? null : trace.clocks.offsetOf(c)
    if (offset !== null) {
      builder.start.a[row] += offset
      if (builder.stop.a[row] !== NO_TIME) builder.stop.a[row] += offset
      clock.a[row] = REALTIME
    }
    rows.set(clock.a[row], (rows.get(clock.a[row]) ?? 0) + 1)
  }
  if (rows.size < 2) return 0
  const [kept] = [...rows].reduce((a, b) => (b[1] > a[1] ? b : a))
  let foreign = 0
  for (let row = 0; row < builder.rows; row++)
    if (clock.a[row] !== kept) {
      builder.start.a[row] = NO_TIME
      foreign++
    }
  return foreign
}

/** Sets type and place of every row from its track, its annotations and its categories; answers how many rows have no described track. */
function placeRows(trace: PerfettoTrace, described: readonly Described[], origin: Origin): number {
  const b: SystemBuilder = trace.builder
  let unplaced = 0
  for (let row = 0; row < b.rows; row++) {
    const { place, path, source } = described[trace.track.a[row]]
    if (!trace.tracks.has(trace.trackIds[trace.track.a[row]])) unplaced++
    const own = trace.source.a[row]
    b.type.a[row] = b.typeOf(trace.eventNames[trace.name.a[row]], own > 0 ? own - 1 : sourceNamed(source))
    const instance = trace.instance.a[row] >= 0 ? trace.texts[trace.instance.a[row]] : place.instance
    const stream = trace.stream.a[row] >= 0 ? trace.texts[trace.stream.a[row]] : place.stream
    const process = orNumber(trace.process.a[row], place.process)
    origin.instance(instance)
    origin.process(process)
    b.place.a[row] = b.places.id({
      instance: instance === null ? -1 : b.text(instance),
      stream: stream === null ? -1 : b.text(stream),
      process,
      thread: orNumber(trace.thread.a[row], place.thread),
      worker: orIndex(trace.worker.a[row], place.worker),
      device: orIndex(trace.device.a[row], place.device),
      nc: orIndex(trace.nc.a[row], place.nc),
      core: orIndex(trace.core.a[row], place.core),
    })
    if (path !== '') b.attribute(row, '@track', path)
  }
  for (let row = 0; row < b.rows; row++) b.countMessages(b.type.a[row], b.state.a[row] === ROW_SLICE ? 2 : 1)
  return unplaced
}
const orNumber = (own: number, track: number): number => (Number.isNaN(own) ? track : own)
const orIndex = (own: number, track: number): number => (own >= 0 ? own : track)

/** Counter tracks whose names are those of the viewer's lanes become samples; the others are told. */
function counters(trace: PerfettoTrace, sink: DiagnosticSink): { readonly cpu: CpuSamples; readonly hbm: HbmSamples } {
  const cpu = new CpuSamples()
  const hbm = new HbmSamples()
  const others: string[] = []
  let unread = 0
  for (const [uuid, list] of trace.counters) {
    const { path } = describe(uuid, trace.tracks)
    const core = /CPU:(\w+)\s*\/\s*host_cpu_util$/.exec(path)
    const memory = /ND:(\d+)\s*\/\s*HBM:(\d+)\s*\/\s*neuron_hbm_usage$/.exec(path)
    if (!core && !memory) {
      unread += list.value.length
      others.push(path || `track ${uuid}`)
      continue
    }
    for (let i = 0; i < list.value.length; i++) {
      const offset = list.clock[i] === REALTIME ? 0n : trace.clocks.offsetOf(list.clock[i])
      const time = offset === null ? null : list.time[i] + offset
      if (core) cpu.add(time, /^\d+$/.test(core[1]) ? Number(core[1]) : -1, list.value[i])
      else if (memory) hbm.add(time, Number(memory[1]), Number(memory[2]), list.value[i])
    }
  }
  if (unread > 0)
    sink.add({
      severity: 'info',
      code: 'perfetto-counters',
      message: `${unread} values of ${others.length} counters are not drawn: ${others
        .slice(0, 10)
        .map(o => o.slice(0, 100))
        .join('; ')}${others.length > 10 ? '; …' : ''}.`,
      meaning: 'What these counters count is not told by the file in a way that is known here.',
      action: 'Open the trace in the Perfetto UI to see them.',
      count: unread,
    })
  if (cpu.left + hbm.left > 0)
    sink.add({
      severity: 'warning',
      code: 'perfetto-counter-time',
      message: `${cpu.left + hbm.left} values of counters have a clock that nothing connects to Unix time.`,
      meaning: 'They are left out.',
      action: 'None needed.',
      count: cpu.left + hbm.left,
    })
  return { cpu, hbm }
}

function infoOf(origin: Origin, verdict: SchemaVerdict, complete: boolean, bytesRead: number): TraceInfoTable | null {
  if (origin.instances.size === 0 && origin.processes.size === 0) return null
  return {
    kind: 'trace-info',
    verdict,
    pid: origin.one(origin.processes),
    sessionNs: null,
    instanceId: origin.one(origin.instances),
    instanceType: null,
    logicalNcSize: null,
    dataVersion: null,
    versions: [],
    profiles: [],
    names: new Map(),
    namesFrom: null,
    dropped: null,
    fields: [],
    complete,
    bytesRead,
  }
}

function tellRest(trace: PerfettoTrace, foreign: number, sink: DiagnosticSink): void {
  const { left, opens, tails } = trace
  const warn = (n: number, code: string, message: string, meaning: string, action = 'None needed.'): void => {
    if (n > 0) sink.add({ severity: 'warning', code, message, meaning, action, count: n })
  }
  if (opens + tails > 0)
    sink.add({
      severity: 'info',
      code: 'system-unmatched',
      message: `${opens} slices have no end and ${tails} ends no begin.`,
      meaning: 'They are kept as such: their other end is not in the file.',
      action: 'None needed.',
      count: opens + tails,
    })
  warn(left.damaged, 'perfetto-packet', `${left.damaged} packets are damaged.`, 'They are left out.', 'Copy the file again.')
  warn(
    left.rows,
    'system-rows-limit',
    `The trace has ${left.rows} events more than the ${MAX_ROWS} that are read.`,
    `The first ${MAX_ROWS} are shown.`,
  )
  warn(
    left.otherTypes,
    'perfetto-event-type',
    `${left.otherTypes} track events are neither begin, end, instant nor counter.`,
    'They are left out.',
  )
  warn(
    left.unnamed,
    'perfetto-name',
    `${left.unnamed} events name an interned string that the file does not have.`,
    'They are shown with its number.',
  )
  warn(left.dropped, 'perfetto-dropped', `The recorder lost packets ${left.dropped} times.`, 'Events are missing there.')
  warn(
    left.compressed,
    'perfetto-compressed',
    `${left.compressed} compressed packets cannot be read.`,
    'The events in them are missing.',
    'Export without compression.',
  )
  warn(
    left.samples,
    'perfetto-samples',
    `${left.samples} values of counters have no time or no value, or are beyond what is kept.`,
    'They are left out.',
  )
  warn(
    left.limits,
    'perfetto-limit',
    `${left.limits} names, tracks or slices are beyond what is kept.`,
    'Names are missing or slices stay open.',
  )
  warn(
    foreign + left.clocks,
    'perfetto-clocks',
    `${foreign + left.clocks} events have a clock that nothing connects to that of the others.`,
    'They are left out, or have no end.',
  )
}
