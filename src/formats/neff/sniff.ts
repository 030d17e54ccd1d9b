/**
 * NEFF, the compiled graph. 1024-byte little-endian header without a magic number: u64 package version at 0 (1: raw tar, 2: gzip tar), u64 header size at 8 (1024),
 * u64 data size at 0x10, u64 major and minor version at 0x18 and 0x20, uuid at 0xCC, name[256] at 0xDC, u32 logical-core size at 0x228 (documentation of NEFF files; checked on real files).
 */
import type { Probe } from '../probe'
import { cutFinding, sniffed, type Sniffed } from '../sniffed'

const HEADER = 1024
const text = new TextDecoder('utf-8')

export function sniffNeff(p: Probe): Sniffed | null {
  const b = p.head
  if (b.length < 0x18) return null
  const view = new DataView(b.buffer, b.byteOffset, b.length)
  const packageVersion = view.getBigUint64(0, true)
  if (packageVersion !== 1n && packageVersion !== 2n) return null
  if (view.getBigUint64(8, true) !== BigInt(HEADER)) return null
  const dataBytes = Number(view.getBigUint64(0x10, true))
  if (dataBytes >= 2 ** 40) return null
  const facts: Record<string, unknown> = { packageVersion: Number(packageVersion), dataBytes }
  if (b.length >= HEADER) {
    const name = b.subarray(0xdc, 0x1dc)
    const nul = name.indexOf(0)
    facts['version'] = `${view.getBigUint64(0x18, true)}.${view.getBigUint64(0x20, true)}`
    facts['name'] = text.decode(nul < 0 ? name : name.subarray(0, nul))
    facts['uuid'] = Buffer.from(b.subarray(0xcc, 0xdc)).toString('hex')
    facts['lncSize'] = view.getUint32(0x228, true)
    if (b.length >= HEADER + 2 && packageVersion === 2n && !(b[HEADER] === 0x1f && b[HEADER + 1] === 0x8b)) return null
    if (b.length >= HEADER + 262 && packageVersion === 1n && text.decode(b.subarray(HEADER + 257, HEADER + 262)) !== 'ustar') return null
  }
  const declared = HEADER + dataBytes
  if (p.length !== null && declared > p.length)
    return sniffed('neff', 'truncated', facts, [cutFinding(`The file has ${p.length} bytes, its header declares ${declared}.`, p.length)])
  return sniffed('neff', 'complete', facts)
}
