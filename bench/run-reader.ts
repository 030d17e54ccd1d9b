/**
 * One measured process: `run-reader.mjs trace|snapshot|ntrace FILE` reads the file as the program does, then builds what the views need (tracks, replay), and
 * prints one JSON line. `rssMb` is the peak up to the end of reading, `preparedRssMb` that of both.
 */
import { fileSource } from '../src/formats/source'
import { readTrace } from '../src/formats/chrome-trace/read'
import { readSnapshot } from '../src/formats/memory-snapshot/read'
import { readNtrace } from '../src/formats/neuron-runtime/ntrace'
import { replayAll } from '../src/analysis/allocator/replay'
import { buildSystemModel } from '../src/analysis/system/tracks'
import { buildTraceModel } from '../src/analysis/trace/tracks'
import { peakMb, took } from './took'

const [, , kind, file] = process.argv
const source = await fileSource(file, file)
const cpu = process.cpuUsage()
const started = performance.now()
const read =
  kind === 'trace' ? await readTrace(source, {}) : kind === 'ntrace' ? await readNtrace(source, {}) : await readSnapshot(source, {})
const ms = performance.now() - started
const { user, system } = process.cpuUsage(cpu)
const rssMb = peakMb()
await source.close()
const { table, diagnostics } = read
if (!table?.complete) throw new Error(`${file} was not read whole: ${diagnostics.map(d => d.message).join(' ')}`)
const count =
  table.kind === 'chrome-trace' ? table.count : table.kind === 'system' ? table.messages : table.devices.reduce((s, d) => s + d.count, 0)
const prepared = took(
  () =>
    void (table.kind === 'chrome-trace' ? buildTraceModel(table) : table.kind === 'system' ? buildSystemModel(table) : replayAll(table)),
)
process.stdout.write(
  JSON.stringify({
    ms,
    cpuMs: (user + system) / 1000,
    count,
    rssMb,
    preparedMs: prepared.clock,
    preparedRssMb: peakMb(),
    node: process.version,
  }) + '\n',
)
