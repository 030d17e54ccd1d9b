/** One measured process of a peer: `peers.mjs json-parse|pickleparser FILE` prints one JSON line in the shape of run-reader. */
import { readFileSync } from 'node:fs'

const [, , peer, file] = process.argv
const done = (ms, count) => process.stdout.write(JSON.stringify({ ms, count, rssMb: process.resourceUsage().maxRSS / 1024 }) + '\n')
if (peer === 'json-parse') {
  const started = performance.now()
  const value = JSON.parse(readFileSync(file, 'utf8'))
  done(performance.now() - started, (value.traceEvents ?? value).length)
} else if (peer === 'pickleparser') {
  const { Parser } = await import('pickleparser')
  console.warn = () => {} // one line per large integer would be measured too
  const started = performance.now()
  const value = new Parser().parse(readFileSync(file))
  done(
    performance.now() - started,
    value.device_traces.reduce((s, t) => s + t.length, 0),
  )
} else throw new Error(`no peer ${peer}`)
