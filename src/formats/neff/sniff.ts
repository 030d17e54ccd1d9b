/** NEFF, the compiled graph, by its header (header.ts) and the beginning of its payload: gzip (package version 2) or tar (1). */
import type { Probe } from '../probe'
import { cutFinding, sniffed, type Sniffed } from '../sniffed'
import { HEADER_BYTES, headerFacts, headerSizes, parseHeader } from './header'

const text = new TextDecoder('utf-8')

export function sniffNeff(p: Probe): Sniffed | null {
  const b = p.head
  const sizes = headerSizes(b)
  if (!sizes) return null
  const { packageVersion, payloadBytes } = sizes
  const header = parseHeader(b)
  if (b.length >= HEADER_BYTES + 2 && packageVersion === 2 && !(b[HEADER_BYTES] === 0x1f && b[HEADER_BYTES + 1] === 0x8b)) return null
  if (b.length >= HEADER_BYTES + 262 && packageVersion === 1 && text.decode(b.subarray(HEADER_BYTES + 257, HEADER_BYTES + 262)) !== 'ustar')
    return null
  const facts = header ? headerFacts(header) : { packageVersion, payloadBytes }
  const declared = HEADER_BYTES + payloadBytes
  if (p.length !== null && declared > p.length)
    return sniffed('neff', 'truncated', facts, [cutFinding(`The file has ${p.length} bytes, its header declares ${declared}.`, p.length)])
  return sniffed('neff', 'complete', facts)
}
