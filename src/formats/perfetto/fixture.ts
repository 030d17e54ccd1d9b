/** Writes a run as a Perfetto trace for tests, by protobufjs from the schema in resources/proto: nothing of the reader is used. Deterministic. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import protobuf from 'protobufjs'
import type { FixtureEvent, FixtureRun } from '../explorer/fixture'
import { total } from '../explorer/fixture'

const proto = join(import.meta.dirname, '../../../resources/proto/perfetto-trace.proto')
const root = protobuf.parse(readFileSync(proto, 'utf8'), new protobuf.Root(), { keepCase: true }).root
const Trace = root.lookupType('perfetto.protos.Trace')

export type Packet = Readonly<Record<string, unknown>>

/** 64-bit values as protobufjs takes them. */
export function long(v: bigint): unknown {
  const u = BigInt.asUintN(64, v)
  return { low: Number(BigInt.asIntN(32, u)), high: Number(BigInt.asIntN(32, u >> 32n)), unsigned: true }
}

export const traceBytes = (packets: readonly Packet[]): Uint8Array => Trace.encode({ packet: packets }).finish()

export interface PerfettoOptions {
  /** Names are interned, defaults and clocks belong to the sequence; otherwise every packet says all. */
  readonly interned?: boolean
  /**
   * none: no clock is named. realtime: clock 1. boot: clock 6 and a snapshot. late: the snapshot stands at the end. sequence: clock 64, incremental, in units of 1 ns.
   */
  readonly clock?: 'none' | 'realtime' | 'boot' | 'late' | 'sequence'
  readonly compressed?: boolean
}

const BOOT = 1_700_000_000_000_000_000n
const SEQUENCE = 7

/** Packets of a run: tracks by worker, core, thread and source, slices as begin and end, counters of CPU and device memory. */
export function perfettoPackets(run: FixtureRun, { interned = false, clock = 'none' }: PerfettoOptions = {}): readonly Packet[] {
  const packets: Packet[] = []
  const processTrack = 10n
  const track = (e: FixtureEvent): string =>
    [`gid${e.worker}`, ...(e.nc === null ? [] : [`nc${e.nc}`]), `tid${e.thread}`, e.source].join('-')
  const tracks = new Map([...new Set(run.events.map(track))].map((name, i) => [name, 2n ** 63n + BigInt(i)]))
  const snapshot: Packet = {
    clock_snapshot: {
      clocks: [
        { clock_id: 1, timestamp: long(BOOT + 500n) },
        { clock_id: 6, timestamp: long(500n) },
      ],
    },
  }
  if (clock === 'boot') packets.push(snapshot)
  const first = run.events[0].start
  let last = first - 1_000_000n
  if (clock === 'sequence')
    packets.push({
      trusted_packet_sequence_id: SEQUENCE,
      clock_snapshot: {
        clocks: [
          { clock_id: 1, timestamp: long(last) },
          { clock_id: 64, timestamp: long(0n), is_incremental: true },
        ],
      },
    })
  packets.push({ track_descriptor: { uuid: long(processTrack), process: { pid: run.events[0].process, process_name: run.instance } } })
  for (const [name, uuid] of tracks) packets.push({ track_descriptor: { uuid: long(uuid), parent_uuid: long(processTrack), name } })

  const iids = {
    event_names: new Map<string, number>(),
    debug_annotation_names: new Map<string, number>(),
    debug_annotation_string_values: new Map<string, number>(),
  }
  let begun = false
  const timed: { readonly time: bigint; readonly event: Packet; readonly names: readonly (readonly [keyof typeof iids, string])[] }[] = []
  for (const e of run.events) {
    const track_uuid = long(tracks.get(track(e)) ?? 0n)
    const given: Readonly<Record<string, string | number | bigint>> = {
      id: e.id,
      ...(e.core === null ? {} : { pcore_idx: e.core }),
      ...(e.stream === null ? {} : { framework_stream_id: e.stream }),
      ...e.attributes,
    }
    const names: (readonly [keyof typeof iids, string])[] = [['event_names', e.name]]
    const iid = (of: keyof typeof iids, name: string): number => {
      const known = iids[of].get(name)
      if (known !== undefined) return known
      names.push([of, name])
      iids[of].set(name, iids[of].size + 1)
      return iids[of].size
    }
    const debug_annotations = Object.entries(given).map(([k, v]) => ({
      ...(interned ? { name_iid: iid('debug_annotation_names', k) } : { name: k }),
      ...(typeof v === 'string'
        ? interned
          ? { string_value_iid: iid('debug_annotation_string_values', v) }
          : { string_value: v }
        : typeof v === 'bigint'
          ? { uint_value: long(v) }
          : { int_value: v }),
    }))
    const nameOf = interned ? { name_iid: iid('event_names', e.name) } : { name: e.name }
    const event = { ...nameOf, track_uuid, debug_annotations, flow_ids: e.flow.map(f => long(BigInt(f))), categories: ['runtime'] }
    if (e.start === e.end) timed.push({ time: e.start, event: { type: 3, ...event }, names })
    else timed.push({ time: e.start, event: { type: 1, ...event }, names }, { time: e.end, event: { type: 2, track_uuid }, names: [] })
  }
  for (const { time, event, names } of timed) {
    const fresh: Record<string, unknown[]> = {}
    for (const [of, name] of names) {
      const bytes = new TextEncoder().encode(name)
      if (interned)
        (fresh[of] ??= []).push({ iid: iids[of].get(name), ...(of === 'debug_annotation_string_values' ? { str: bytes } : { name }) })
    }
    const boot = clock === 'boot' || clock === 'late'
    const timestamp = clock === 'sequence' ? time - last : boot ? time - BOOT : time
    last = time
    packets.push({
      timestamp: long(timestamp),
      track_event: event,
      trusted_packet_sequence_id: SEQUENCE,
      ...(clock === 'realtime' ? { timestamp_clock_id: 1 } : {}),
      ...(clock === 'sequence' && (begun || !interned) ? (interned ? {} : { timestamp_clock_id: 64 }) : {}),
      ...(interned && Object.keys(fresh).length > 0 ? { interned_data: fresh } : {}),
      ...(interned && !begun
        ? { sequence_flags: 1, ...(clock === 'sequence' ? { trace_packet_defaults: { timestamp_clock_id: 64 } } : {}) }
        : interned
          ? { sequence_flags: 2 }
          : {}),
    })
    begun = true
  }
  const stamp = (time: bigint): Packet =>
    clock === 'boot' || clock === 'late' ? { timestamp: long(time - BOOT) } : { timestamp: long(time), timestamp_clock_id: 1 }
  const counter = (uuid: bigint, name: string, values: readonly (readonly [bigint, number])[]): void => {
    packets.push({ track_descriptor: { uuid: long(uuid), name, counter: {} } })
    for (const [time, v] of values)
      packets.push({ ...stamp(time), track_event: { type: 4, track_uuid: long(uuid), double_counter_value: v } })
  }
  for (const [i, id] of [...new Set(run.cpu.map(c => c.cpu))].entries())
    counter(
      100n + BigInt(i),
      `${run.instance}/CPU:${id}/host_cpu_util`,
      run.cpu.filter(c => c.cpu === id).map(c => [c.time, c.util] as const),
    )
  for (const hbm of [0, 1])
    counter(
      200n + BigInt(hbm),
      `${run.instance}/ND:0/HBM:${hbm}/neuron_hbm_usage`,
      run.hbm.filter(h => h.hbm === hbm).map(h => [h.time, total(h.categories)] as const),
    )
  if (clock === 'late') packets.push(snapshot)
  return packets
}

export function perfettoFile(run: FixtureRun, options: PerfettoOptions = {}): Uint8Array {
  const packets = perfettoPackets(run, options)
  return traceBytes(options.compressed ? [{ compressed_packets: deflateSync(traceBytes(packets)) }] : packets)
}
