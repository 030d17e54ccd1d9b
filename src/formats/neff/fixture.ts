/** Writes NEFF files for tests: small, deterministic, by the layout of README.md. Members may be as hostile as a test wants. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { HEADER_BYTES } from './header'

export interface TarMember {
  readonly name: string
  readonly data?: string | Uint8Array
  /** Type flag of ustar: '0' file, '1' hard link, '2' symbolic link, '3' device, '5' folder. */
  readonly type?: string
  readonly link?: string
  /** Size in the header, where it lies. */
  readonly size?: number
}

const BLOCK = 512
const padded = (n: number, block: number): number => Math.ceil(n / block) * block

/** A tar as a compiler writes it: ustar headers, contents in blocks of 512, two empty blocks at the end unless `open`. */
export function tarFixture(members: readonly TarMember[], open = false): Uint8Array {
  const parts: Buffer[] = []
  for (const m of members) {
    const data = typeof m.data === 'string' ? Buffer.from(m.data) : Buffer.from(m.data ?? [])
    const h = Buffer.alloc(BLOCK)
    h.write(m.name, 0, 100)
    h.write('0000644\0', 100)
    h.write('0000000\0', 108)
    h.write('0000000\0', 116)
    h.write((m.size ?? data.length).toString(8).padStart(11, '0') + '\0', 124)
    h.write('00000000000\0', 136)
    h.write('        ', 148)
    h.write(m.type ?? '0', 156)
    h.write(m.link ?? '', 157, 100)
    h.write('ustar\u000000', 257)
    const sum = h.reduce((n, b) => n + b, 0)
    h.write(sum.toString(8).padStart(6, '0') + '\0 ', 148)
    parts.push(h, data, Buffer.alloc(padded(data.length, BLOCK) - data.length))
  }
  if (!open) parts.push(Buffer.alloc(2 * BLOCK))
  return Buffer.concat(parts)
}

export const FIXTURE_MEMBERS: readonly TarMember[] = [
  { name: 'info.json', data: JSON.stringify({ tool_version: '2.23.1', name: 'model.neff' }) },
  { name: 'kelf-0.json', data: JSON.stringify({ graphs: [{ name: 'sg00' }, { name: 'sg01' }], target: 'cayman' }) },
  { name: 'sg00/', type: '5' },
  { name: 'sg00/PE.bin', data: new Uint8Array(700).fill(7) },
  {
    name: 'sg00/tensor_map.json',
    data: JSON.stringify({
      q: { dtype: 'float32', kind: 'input', is_const: false, tf_shape: [128, 512] },
      w: { dtype: 'bfloat16', is_const: true, sim_shape: [8, 1] },
    }),
  },
  { name: 'sg01/PE.bin', data: new Uint8Array(3) },
  { name: 'neff.json', data: JSON.stringify({ nodes: [{ op: 'null' }, { op: 'null' }, { op: 'tvm_op' }] }) },
]

export interface NeffFixture {
  readonly packageVersion?: 1 | 2
  readonly major?: number
  readonly uuid?: string
  readonly name?: string
  readonly lncSize?: number
  readonly members?: readonly TarMember[]
  /** The payload as it is, instead of an archive of `members`. */
  readonly payload?: Uint8Array
  /** The stored hash in hex, where it lies. */
  readonly hash?: string
  /** The declared payload size, where it lies. */
  readonly payloadBytes?: bigint
}

export const NEFF_UUID = '0102030405060708090a0b0c0d0e0f10'

/** The bytes of a NEFF: header and payload, padded with zeros to a multiple of 10240. */
export function neffFixture(f: NeffFixture = {}): Uint8Array {
  const packageVersion = f.packageVersion ?? 2
  const major = f.major ?? 2
  const tar = tarFixture(f.members ?? FIXTURE_MEMBERS)
  const content = packageVersion === 1 ? tar : gzipSync(tar)
  const payload = f.payload ?? Buffer.concat([content, Buffer.alloc(padded(content.length, 10_240) - content.length)])
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeBigUInt64LE(BigInt(packageVersion), 0)
  header.writeBigUInt64LE(BigInt(HEADER_BYTES), 8)
  header.writeBigUInt64LE(f.payloadBytes ?? BigInt(payload.length), 0x10)
  header.writeBigUInt64LE(BigInt(major), 0x18)
  header.write('build-1', 0x28)
  header.writeUInt32LE(1, 0xa8)
  const digest = createHash(packageVersion === 1 ? 'sha256' : 'md5')
    .update(payload)
    .digest()
  if (packageVersion === 2 && major !== 1) digest.swap32()
  Buffer.from(f.hash ?? digest.toString('hex'), 'hex').copy(header, 0xac)
  Buffer.from(f.uuid ?? NEFF_UUID, 'hex').copy(header, 0xcc)
  header.write(f.name ?? 'model.neff', 0xdc, 256)
  header.writeUInt32LE(1, 0x1dc)
  header[0x1e0] = 1
  header.writeBigUInt64LE(major === 1 ? 0n : 0xc00n, 0x220)
  header.writeUInt32LE(f.lncSize ?? (major === 1 ? 1 : 2), 0x228)
  return Buffer.concat([header, payload])
}
