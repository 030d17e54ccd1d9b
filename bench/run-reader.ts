/** One measured process: `run-reader.js trace|snapshot FILE` reads the file with our reader and prints one JSON line. */
import { fileSource } from '../src/formats/source'
import { readTrace } from '../src/formats/chrome-trace/read'
import { readSnapshot } from '../src/formats/memory-snapshot/read'
import { replayAll } from '../src/analysis/allocator/replay'

const [, , kind, file] = process.argv
const source = await fileSource(file, file)
const started = performance.now()
let count = 0
let replayMs = 0
if (kind === 'trace') count = (await readTrace(source, {})).table?.count ?? 0
else {
  const { table } = await readSnapshot(source, {})
  count = table?.devices.reduce((s, d) => s + d.count, 0) ?? 0
  if (process.argv[4] === 'replay' && table) {
    const t = performance.now()
    replayAll(table)
    replayMs = performance.now() - t
  }
}
const ms = performance.now() - started - replayMs
await source.close()
process.stdout.write(JSON.stringify({ ms, replayMs, count, rssMb: process.resourceUsage().maxRSS / 1024 }) + '\n')
