/**
 * What the readers of NEFF and NTFF find, as columns. Rows point to their parents by row number, -1 means absent; every u64 of the files is exact (BigUint64Array, bigint).
 * Which field of the file a column comes from stands in the README of its format.
 */
import type { StringTable } from './columns'

/** Kinds of members of a tar archive; `other` is whatever is none of them. */
export const MEMBER_TYPES = ['file', 'folder', 'link', 'symlink', 'device', 'fifo', 'other'] as const
export type MemberType = (typeof MEMBER_TYPES)[number]

/** Members of the archive in a NEFF in their order. They are listed only: nothing of them is ever written anywhere. */
export interface NeffMembers {
  readonly count: number
  /** String id of the name as it stands in the archive; it may be hostile. */
  readonly name: Int32Array
  /** Bytes as declared in the archive. */
  readonly size: Float64Array
  /** Index into MEMBER_TYPES. */
  readonly type: Uint8Array
  /** String id of where a link leads; -1 for what is no link. */
  readonly target: Int32Array
  /** 1: the name (or the target of a link) would leave the folder that the archive is extracted into. */
  readonly unsafe: Uint8Array
  /** False when the list ends early: the file is cut or damaged, or a limit was met (the diagnostics say which). */
  readonly complete: boolean
}

/** A tensor of the graph as `tensor_map.json` of the first subgraph names it. */
export interface NeffTensor {
  readonly name: string
  readonly dtype: string
  /** input, output, or what the file says; '' for constants and where it says nothing. */
  readonly kind: string
  readonly constant: boolean
  readonly shape: readonly number[]
}

/** What small members say about the graph; null where the member is missing, larger than it is read, or no such JSON. */
export interface NeffGraph {
  /** `tool_version` of info.json: the compiler. */
  readonly toolVersion: string | null
  /** `target` of kelf-0.json, the architecture. */
  readonly target: string | null
  /** `graphs` of kelf-0.json, else folders `sgNN`. */
  readonly subgraphs: number | null
  /** Nodes of neff.json, inputs included. */
  readonly nodes: number | null
  /** Names of the nodes of neff.json that are inputs. */
  readonly inputs: number | null
  /** At most 1,000; null where no member tells them. */
  readonly tensors: readonly NeffTensor[] | null
}

export interface NeffContent {
  readonly packageVersion: 1 | 2
  readonly versionMajor: bigint
  readonly versionMinor: bigint
  readonly build: string
  readonly name: string
  /** 32 lower-case hex digits. */
  readonly uuid: string
  /** The stored hash as it stands in the header: 32 digits (MD5, package version 2) or 64 (SHA-256, version 1). */
  readonly hash: string
  /** Digest of the payload in the word order of `hash`; null when the payload is not whole. */
  readonly computedHash: string | null
  readonly hashValid: boolean | null
  readonly numTpb: number
  readonly requestedTpb: number
  /** One per node, 64 of them. */
  readonly tpbPerNode: Uint8Array
  readonly featureBits: bigint
  readonly lncSize: number
  /** Bytes of the payload, padding included, as the header declares them, and as they are there. */
  readonly payloadBytes: number
  readonly payloadBytesRead: number
  /** Bytes of the archive that were uncompressed for the list. */
  readonly uncompressedBytes: number
  readonly members: NeffMembers
  readonly graph: NeffGraph
  readonly strings: StringTable
}

// ───────────────────────────── NTFF ─────────────────────────────

/** Names of the engine codes 0 to 4. */
export const ENGINE_NAMES = ['PE', 'ACT', 'POOL', 'DVE', 'SP'] as const
/** Names of trace_type 0 to 5. */
export const TRACE_TYPES = ['INSTRUCTION', 'EVENT', 'ERROR', 'EXPLICIT', 'DMA', 'THROTTLE'] as const
/** Names of block_type 0 to 2. */
export const BLOCK_TYPES = ['NC', 'DMA', 'TOPSP'] as const

/** Codes outside their list of names are kept as they are. */
export interface NtffNodes {
  readonly count: number
  /** 0 not said, 1 CPU, 2 Neuron device, 3 collectives outside of the graph. */
  readonly kind: Uint8Array
  /** 32 lower-case hex digits (version 6); '' where the node carries none. */
  readonly uuid: readonly string[]
}

/** A subgraph runs on one core. */
export interface NtffSubgraphs {
  readonly count: number
  readonly node: Uint32Array
  readonly name: Int32Array
  readonly device: Uint32Array
  readonly core: Uint32Array
  /** Device picoseconds; valid where `hasDuration` is 1. */
  readonly durationPs: BigUint64Array
  readonly hasDuration: Uint8Array
}

/** Instructions of one engine of a subgraph. */
export interface NtffEngines {
  readonly count: number
  readonly subgraph: Uint32Array
  /** 0 to 4: ENGINE_NAMES. */
  readonly code: Uint32Array
  readonly address: BigUint64Array
  /** Version 6: where the instructions lie in the blob. 4 and 5: byte offset in the message. */
  readonly offset: BigUint64Array
  readonly size: BigUint64Array
  /** 1: in the blob, 0: in the message. */
  readonly inBlob: Uint8Array
}

export interface NtffQueues {
  readonly count: number
  readonly subgraph: Uint32Array
  readonly engine: Uint32Array
  readonly queue: Uint32Array
  /** 0 unknown, 1 instructions, 2 weights, 3 input, 4 output, 6 host to device. */
  readonly type: Uint32Array
  readonly name: Int32Array
  /** -1: none. */
  readonly traceEvent: BigInt64Array
  readonly axiPort: Uint32Array
}

export interface NtffMemory {
  readonly count: number
  readonly subgraph: Uint32Array
  readonly usage: Int32Array
  readonly bytes: BigUint64Array
}

/** Executions (version 6), device clock. */
export interface NtffExecutions {
  readonly count: number
  readonly uuid: readonly string[]
  readonly startPs: BigUint64Array
  readonly endPs: BigUint64Array
}

/** Where the records lie: 16 bytes each, the last 8 are a u64 device time in ps. */
export interface NtffSections {
  readonly count: number
  /** -1: of the session (version 6). */
  readonly subgraph: Int32Array
  /** TRACE_TYPES, BLOCK_TYPES. */
  readonly traceType: Uint32Array
  readonly blockType: Uint32Array
  readonly block: Uint32Array
  /** -1 where not said. */
  readonly core: Int32Array
  /** From the begin of the blob. */
  readonly offset: BigUint64Array
  readonly size: BigUint64Array
  /** Whole records. */
  readonly records: BigUint64Array
  /** 1: the section lies wholly within the file. */
  readonly whole: Uint8Array
}

/** Sizes of the notification buffers. */
export interface NtffBuffers {
  readonly count: number
  readonly blockType: Uint32Array
  readonly traceType: Uint32Array
  readonly bytes: BigUint64Array
}

export interface NtffContent {
  readonly version: number
  readonly messageBytes: number
  /** Bytes after the message. */
  readonly blobBytes: number
  readonly neffName: string | null
  /** The uuid as a C string: hex of at most 16 bytes, a prefix of the NEFF's uuid; '' where there is none. */
  readonly neffUuidPrefix: string
  /** Distinct full uuids of the nodes, else of the executions. */
  readonly neffUuids: readonly string[]
  readonly modelId: bigint | null
  readonly arch: number | null
  /** Unix seconds (version 4). */
  readonly startSeconds: bigint | null
  readonly runtimeVersion: string | null
  readonly driverVersion: string | null
  readonly collectivesVersion: string | null
  readonly instanceType: string | null
  readonly instanceId: string | null
  readonly pid: number | null
  readonly nodes: NtffNodes
  readonly subgraphs: NtffSubgraphs
  readonly engines: NtffEngines
  readonly queues: NtffQueues
  readonly memory: NtffMemory
  readonly executions: NtffExecutions
  readonly sections: NtffSections
  readonly buffers: NtffBuffers
  readonly strings: StringTable
}
