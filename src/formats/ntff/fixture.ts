/** Writes NTFF files of every version for tests: small, deterministic, by the layout of README.md. */
import { HEADER_BYTES } from './schema'

/** A field of a protobuf message: varint, text, bytes or a message of fields. */
export type PbValue = number | bigint | string | Uint8Array | readonly PbField[]
export type PbField = readonly [number, PbValue]

/** Encodes a message. Negative numbers are written as 64-bit two's complement, as protobuf does. */
export function pbMessage(fields: readonly PbField[]): Uint8Array {
  const out: number[] = []
  const varint = (given: number | bigint): void => {
    let v = BigInt.asUintN(64, BigInt(given))
    for (; v >= 128n; v >>= 7n) out.push(Number(v & 127n) | 128)
    out.push(Number(v))
  }
  for (const [number, value] of fields) {
    if (typeof value === 'number' || typeof value === 'bigint') {
      varint(number * 8)
      varint(value)
      continue
    }
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value instanceof Uint8Array ? value : pbMessage(value)
    varint(number * 8 + 2)
    varint(bytes.length)
    for (const b of bytes) out.push(b)
  }
  return Uint8Array.from(out)
}

export interface NtffFixture {
  readonly version?: number
  readonly neffName?: string | null
  /** Hex of the bytes of field 2; by default what a C string of the first node's uuid gives. null: no field. */
  readonly uuidField?: string | null
  /** Hex uuids, one device node each. Version 6 writes them into the nodes. */
  readonly nodes?: readonly string[]
  readonly engines?: readonly number[]
  /** Duration of each subgraph in ps; null writes none. */
  readonly subgraphPs?: bigint | null
  /** [start, end] in ps (version 6). */
  readonly executions?: readonly (readonly [bigint, bigint])[]
  readonly instanceType?: string
  readonly instanceId?: string
  readonly pid?: number
  /** Records of 16 bytes in each of two trace sections. */
  readonly records?: number
  /** Fields appended to ntff_info. */
  readonly more?: readonly PbField[]
}

export const fromHex = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], h => parseInt(h, 16))

/** The uuid as the runtime copies it: up to its first 0x00; without one in 16 bytes the bytes behind it follow. */
export function cString(uuid: string): string {
  const bytes = fromHex(uuid)
  const nul = bytes.indexOf(0)
  return nul < 0 ? uuid + '241a' : uuid.slice(0, nul * 2)
}

export const FIXTURE_UUID = '0102030405060708090a0b0c0d0e0f10'

/** The bytes of an NTFF. */
export function ntffFixture(f: NtffFixture = {}): Uint8Array {
  const version = f.version ?? 6
  const nodes = f.nodes ?? [FIXTURE_UUID]
  const records = f.records ?? 3
  const engines = f.engines ?? [0, 1, 2, 3, 4]
  const instructions = 64
  const sectionBytes = records * 16
  let blob = 0
  const place = (bytes: number): number => (blob += bytes) - bytes
  const section = (traceType: number, block: number): PbField[] => [
    ...(traceType === 0 ? [] : ([[1, traceType]] as const)),
    [3, traceType === 4 ? 1 : 0],
    [4, block],
    [5, place(sectionBytes)],
    [6, sectionBytes],
    ...(version >= 6 ? ([[7, block]] as const) : []),
  ]
  const subgraph = (i: number): PbField[] => [
    [1, `sg0${i}`],
    [3, i + 4],
    ...engines.map((code): PbField => [
      4,
      version >= 6
        ? [...(code === 0 ? [] : ([[1, code]] as const)), [2, 0x7fff00000000n + BigInt(code)], [7, place(instructions)], [8, instructions]]
        : [
            ...(code === 0 ? [] : ([[1, code]] as const)),
            [2, 0x7fff00000000n + BigInt(code)],
            [3, new Uint8Array(instructions).fill(code)],
          ],
    ]),
    ...(version >= 6 ? [] : [[6, section(0, i)] as PbField, [6, section(4, i)] as PbField]),
    [
      7,
      [
        [1, 64],
        [3, 2],
        [4, 'qPoolDynamic'],
        [5, -1n],
        [7, 2],
      ],
    ],
    [
      11,
      [
        [2, 38912],
        [3, 'generic'],
      ],
    ],
    ...(f.subgraphPs === null ? [] : [[14, f.subgraphPs ?? 5_000_000n] as PbField]),
  ]
  const first = nodes[0] ?? FIXTURE_UUID
  const field2 = f.uuidField === undefined ? cString(first) : f.uuidField
  const executions = f.executions ?? (version >= 6 ? [[1_000_000_000_000n, 1_000_007_000_000n] as const] : [])
  const info: PbField[] = [
    ...(f.neffName === null ? [] : [[1, f.neffName ?? 'model.neff'] as PbField]),
    ...(field2 === null ? [] : [[2, fromHex(field2)] as PbField]),
    [3, 10001],
    ...nodes.map((uuid, i): PbField => [4, [[4, [[1, subgraph(i)]]], ...(version >= 6 ? [[5, fromHex(uuid)] as PbField] : [])]]),
    [5, version >= 5 ? 2 : 1],
    ...(version === 4 ? [[7, 1_734_000_000] as PbField] : []),
    [
      8,
      [
        [1, 2],
        [2, 30],
        [3, 1],
        [5, 'abc123'],
      ],
    ],
    [9, f.instanceType ?? 'trn2.3xlarge'],
    [
      13,
      [
        [2, 1],
        [3, 1_048_576],
      ],
    ],
    ...executions.map(([start, end]): PbField => [
      15,
      [
        [1, fromHex(first)],
        [2, start],
        [3, end],
      ],
    ]),
    ...(version >= 6 ? [[16, section(0, 4)] as PbField, [16, section(4, 9)] as PbField] : []),
    [17, f.instanceId ?? 'i-0abc'],
    [18, f.pid ?? 4321],
    ...(f.more ?? []),
  ]
  const message = pbMessage(info)
  const out = new Uint8Array(HEADER_BYTES + message.length + blob)
  out.fill(0xa7, 9, HEADER_BYTES) // the rest of the header is whatever was in memory
  out[0] = version
  new DataView(out.buffer).setBigUint64(1, BigInt(message.length), true)
  out.set(message, HEADER_BYTES)
  for (let i = HEADER_BYTES + message.length, n = 0; i + 16 <= out.length; i += 16)
    new DataView(out.buffer).setBigUint64(i + 8, BigInt(n++), true)
  return out
}
