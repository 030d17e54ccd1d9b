/** One measured process of a peer: `peers.mjs json-parse|pickleparser FILE` prints one JSON line in the shape of run-reader. */
import { readFileSync } from 'node:fs'

const [, , peer, file] = process.argv

/** As `peakMb` of took.ts. */
function peakMb() {
  try {
    return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]) / 1024
  } catch {
    return process.resourceUsage().maxRSS / 1024
  }
}

/** @param {() => unknown[][]} load answers the lists of events */
async function measure(load) {
  const cpu = process.cpuUsage()
  const started = performance.now()
  const lists = await load()
  const ms = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  const count = lists.reduce((s, l) => s + l.length, 0)
  process.stdout.write(JSON.stringify({ ms, cpuMs: (user + system) / 1000, count, rssMb: peakMb() }) + '\n')
}

if (peer === 'json-parse')
  await measure(() => {
    const value = JSON.parse(readFileSync(file, 'utf8'))
    return [value.traceEvents ?? value]
  })
else if (peer === 'pickleparser') {
  const { Parser } = await import('pickleparser')
  console.warn = () => {} // one line per large integer would be measured too
  await measure(() => new Parser().parse(readFileSync(file)).device_traces)
} else throw new Error(`no peer ${peer}`)
