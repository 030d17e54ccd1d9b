/** Writes an ntrace.pb of about the given size in MB: `make-ntrace.mjs FILE MB`. Events as the tests have them, written by protobufjs, in batches. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { encodeEvents, frame, workload } from '../src/formats/neuron-runtime/fixture'

const [, , file, size] = process.argv
const STEPS = 500
const batch = workload({ steps: STEPS, cores: 4 })
const span = (batch.at(-1)?.timestamp ?? 0n) - (batch[0]?.timestamp ?? 0n) + 10_000n
const ids = batch.reduce((n, e) => (e.id !== undefined && e.id > n ? e.id : n), 0n)
const out = openSync(file, 'w')
let bytes = 0
for (let b = 0n; bytes < Number(size) * 1e6; b++) {
  const events = batch.map(e => ({
    ...e,
    timestamp: e.timestamp + b * span,
    tracking_id: e.tracking_id + b * 2n * ids,
    id: (e.id ?? 0n) + b * ids,
    parent_id: e.parent_id ? e.parent_id + b * ids : 0n,
  }))
  const part = frame(encodeEvents(events), 'varint')
  writeSync(out, part)
  bytes += part.length
}
closeSync(out)
