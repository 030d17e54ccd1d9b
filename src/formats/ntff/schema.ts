/**
 * The known fields of NTFF's messages by number, with what they hold. Sources and certainty: README.md beside this. Unknown fields are skipped, as protobuf does.
 * Values: 'u32' and 'u64' varints, 'text' and 'bytes' and 'msg' length-delimited.
 */
export type Value = 'u32' | 'u64' | 'text' | 'bytes' | 'msg' | 'double'

/** Wire type that each kind of value has. */
export const WIRE_OF: Readonly<Record<Value, number>> = { u32: 0, u64: 0, text: 2, bytes: 2, msg: 2, double: 1 }

export const INFO = {
  neffName: [1, 'text'],
  neffUuid: [2, 'bytes'],
  modelId: [3, 'u64'],
  node: [4, 'msg'],
  arch: [5, 'u32'],
  startSeconds: [7, 'u64'],
  runtimeVersion: [8, 'msg'],
  instanceType: [9, 'text'],
  notificationVersion: [10, 'u32'],
  driverVersion: [11, 'msg'],
  collectivesVersion: [12, 'msg'],
  buffer: [13, 'msg'],
  ultraserver: [14, 'msg'],
  execution: [15, 'msg'],
  section: [16, 'msg'],
  instanceId: [17, 'text'],
  pid: [18, 'u64'],
} as const satisfies Readonly<Record<string, readonly [number, Value]>>

/** Wire types of the fields of ntff_info; a known field of another type means that this is not NTFF. */
export const INFO_WIRE: ReadonlyMap<number, number> = new Map(Object.values(INFO).map(([n, v]) => [n, WIRE_OF[v]]))

export const NODE = { cpu: 3, device: 4, uuid: 5, outside: 6 } as const
export const SUBGRAPH = { name: 1, device: 2, core: 3, engine: 4, section: 6, queue: 7, memory: 11, duration: 14 } as const
export const ENGINE = { code: 1, address: 2, bytes: 3, offset: 7, size: 8 } as const
export const QUEUE = { engine: 1, queue: 2, type: 3, name: 4, traceEvent: 5, axiPort: 7 } as const
export const MEMORY = { bytes: 2, usage: 3 } as const
export const SECTION = { traceType: 1, blockType: 3, block: 4, offset: 5, size: 6, core: 7 } as const
export const EXECUTION = { uuid: 1, start: 2, end: 3 } as const
export const BUFFER = { blockType: 1, traceType: 2, bytes: 3 } as const
export const VERSION = { major: 1, minor: 2, patch: 3, hash: 5 } as const

export const HEADER_BYTES = 128
/** Versions that tools accept. 1 to 3 have not been seen. */
export const MAX_VERSION = 6
/** A record is 16 bytes; the last 8 are a u64 device time in ps. */
export const RECORD_BYTES = 16
