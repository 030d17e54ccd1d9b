/** One measured process of a peer: `peers.mjs json-parse|pickleparser|protobufjs FILE` prints one JSON line in the shape of run-reader. */
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
} else if (peer === 'protobufjs') {
  const protobuf = (await import('protobufjs')).default
  const { root } = protobuf.parse(
    `syntax = "proto3"; message ntrace_event {
      int32 type = 1; uint64 timestamp = 2; uint64 data = 3; uint32 nd_idx = 4; uint32 nc_idx = 5; string hint = 6; uint32 event_type = 7; uint64 duration = 8;
      uint32 thread_id = 9; uint64 id = 10; uint64 parent_id = 11; map<string, string> attributes = 12; uint32 status = 13; uint32 phase = 14; uint64 tracking_id = 15;
      optional uint64 nrta_seq_id = 16; }`,
    { keepCase: true },
  )
  const type = root.lookupType('ntrace_event')
  await measure(() => {
    const reader = protobuf.Reader.create(readFileSync(file))
    const events = []
    while (reader.pos < reader.len) events.push(type.decodeDelimited(reader))
    return [events]
  })
} else throw new Error(`no peer ${peer}`)
