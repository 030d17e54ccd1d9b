/** The small facts of an NTFF for `inspect`, the tree and the pairing with NEFFs. */
import { ENGINE_NAMES, type NtffContent } from '../../shared/device-tables'

/**
 * How long the execution took on the device: end - start of the executions (version 6; the longest where there are several), else the longest subgraph; null where neither is said.
 * An execution that ends before it starts says nothing.
 */
export function executionDuration(c: Pick<NtffContent, 'executions' | 'subgraphs'>): bigint | null {
  let longest: bigint | null = null
  const take = (v: bigint): void => {
    if (longest === null || v > longest) longest = v
  }
  const { executions: x, subgraphs: s } = c
  for (let i = 0; i < x.count; i++) if (x.endPs[i] >= x.startPs[i]) take(x.endPs[i] - x.startPs[i])
  if (longest === null) for (let i = 0; i < s.count; i++) if (s.hasDuration[i] === 1) take(s.durationPs[i])
  return longest
}

/** A count as a JSON number where that is exact, as decimal text beyond 2^53. */
const exactNumber = (v: bigint): number | string => (v <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(v) : v.toString())

/**
 * `messageWhole`: false where not all of the message was seen; then what only the whole message tells is null.
 * `neffUuid`: the first node's; of versions without one the 16 bytes of the prefix, null where the prefix is shorter. `neffUuidPrefix` only where no node names its NEFF,
 * `neffUuids` only where there are several.
 */
export function ntffFacts(c: Omit<NtffContent, 'messageBytes' | 'blobBytes'>, messageWhole: boolean): Readonly<Record<string, unknown>> {
  const duration = messageWhole ? executionDuration(c) : null
  const engines = ENGINE_NAMES.filter((_, code) => c.engines.code.includes(code))
  const records = c.sections.records.reduce((n, v) => n + v, 0n)
  return {
    version: c.version,
    neffName: c.neffName,
    neffUuid: c.neffUuids[0] ?? (c.neffUuidPrefix.length === 32 ? c.neffUuidPrefix : null),
    ...(c.neffUuids.length > 1 ? { neffUuids: c.neffUuids } : {}),
    ...(c.neffUuids.length === 0 && c.neffUuidPrefix !== '' ? { neffUuidPrefix: c.neffUuidPrefix } : {}),
    archCode: c.arch,
    instanceType: c.instanceType,
    instanceId: c.instanceId,
    pid: c.pid,
    engines: messageWhole ? engines : null,
    executionDurationPs: duration === null ? null : exactNumber(duration),
    ...(c.runtimeVersion === null ? {} : { runtimeVersion: c.runtimeVersion }),
    ...(c.startSeconds === null ? {} : { startSeconds: c.startSeconds.toString() }),
    ...(messageWhole ? { executions: c.executions.count, subgraphs: c.subgraphs.count, traceRecords: exactNumber(records) } : {}),
  }
}
