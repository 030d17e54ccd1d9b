/** Samples that the runtime takes of the host while it records, and its own file about the session. */
import { pbMessage, type PbField } from '../../formats/ntff/fixture'
import { MIB } from '../../shared/units'
import type { Random } from './random'
import { varint, type ModelIds } from './runtime'

/** A real run samples once a second; the simulated one is short and is sampled more often. */
const PERIOD_NS = 10_000_000
const CPUS = 8

const framed = (messages: readonly Uint8Array[]): Buffer => Buffer.concat(messages.flatMap(m => [varint(m.length), m]))

/** Times of the samples, Unix ns. */
function times(startNs: bigint, endNs: number): readonly bigint[] {
  const out: bigint[] = []
  for (let t = PERIOD_NS / 2; t < endNs; t += PERIOD_NS) out.push(startNs + BigInt(t))
  return out
}

/** cpu_util.pb: index of the core (0 is not written), percent as a float, Unix ns. */
export function cpuUtil(startNs: bigint, endNs: number, r: Random): Buffer {
  const messages: Uint8Array[] = []
  for (const time of times(startNs, endNs))
    for (let cpu = 0; cpu < CPUS; cpu++) {
      // The program's thread keeps one core busy, autograd a second one.
      const base = cpu === 1 ? 88 : cpu === 5 ? 46 : 4
      const float = Buffer.alloc(5)
      float[0] = 2 * 8 + 5
      float.writeFloatLE(Math.min(100, base + r() * 11), 1)
      messages.push(Buffer.concat([cpu === 0 ? new Uint8Array() : pbMessage([[1, cpu]]), float, pbMessage([[3, time]])]))
    }
  return framed(messages)
}

/** host_mem.pb: resident bytes of the process (whole pages), Unix ns. */
export function hostMemory(startNs: bigint, endNs: number, r: Random): Buffer {
  let pages = (9_200 * MIB) / 4096
  return framed(
    times(startNs, endNs).map(time => {
      pages += Math.round(r() * 900 - 250)
      return pbMessage([
        [1, pages * 4096],
        [2, time],
      ])
    }),
  )
}

/** trace_info.pb: what the session is, and the names behind ids. Its field numbers are not known; readers tell the fields by what they hold. */
export function traceInfo(o: {
  readonly pid: number
  readonly startNs: bigint
  readonly instanceId: string
  readonly models: readonly ModelIds[]
  readonly profiles: readonly string[]
}): Uint8Array {
  const name = (m: ModelIds): PbField => [
    2,
    [
      [1, m.id],
      [2, m.name],
    ],
  ]
  return pbMessage([
    ...o.profiles.map((p): PbField => [2, [[1, p]]]),
    [3, o.models.map(name)],
    [5, o.instanceId],
    [6, 'trn2.3xlarge'],
    [7, '2.31.24.0'],
    [9, o.pid],
    [10, o.startNs],
    [12, 2],
  ])
}
