/** The 1024-byte little-endian header of a NEFF. There is no magic number: the header size and the package version have to be what they always are. */
export const HEADER_BYTES = 1024
/** Payloads from here on are no plausible declaration. */
export const MAX_PAYLOAD = 2 ** 40

export interface NeffHeader {
  readonly packageVersion: 1 | 2
  readonly payloadBytes: number
  readonly versionMajor: bigint
  readonly versionMinor: bigint
  readonly build: string
  readonly numTpb: number
  /** As stored: 32 digits of MD5 (package version 2) or 64 of SHA-256 (1). */
  readonly hash: string
  readonly uuid: string
  readonly name: string
  readonly requestedTpb: number
  readonly tpbPerNode: Uint8Array
  readonly featureBits: bigint
  readonly lncSize: number
}

const text = new TextDecoder('utf-8')
const cString = (b: Uint8Array): string => {
  const nul = b.indexOf(0)
  return text.decode(nul < 0 ? b : b.subarray(0, nul))
}
const hex = (b: Uint8Array): string => Buffer.from(b.buffer, b.byteOffset, b.length).toString('hex')

/** The declared sizes alone, from the first 24 bytes; null where they are not those of a NEFF. */
export function headerSizes(b: Uint8Array): { readonly packageVersion: 1 | 2; readonly payloadBytes: number } | null {
  if (b.length < 0x18) return null
  const view = new DataView(b.buffer, b.byteOffset, b.length)
  const packageVersion = view.getBigUint64(0, true)
  if (packageVersion !== 1n && packageVersion !== 2n) return null
  if (view.getBigUint64(8, true) !== BigInt(HEADER_BYTES)) return null
  const payloadBytes = Number(view.getBigUint64(0x10, true))
  return payloadBytes >= MAX_PAYLOAD ? null : { packageVersion: packageVersion === 1n ? 1 : 2, payloadBytes }
}

/** The whole header; null where the bytes are no NEFF's, or fewer than a header. */
export function parseHeader(b: Uint8Array): NeffHeader | null {
  const sizes = headerSizes(b)
  if (!sizes || b.length < HEADER_BYTES) return null
  const view = new DataView(b.buffer, b.byteOffset, b.length)
  return {
    ...sizes,
    versionMajor: view.getBigUint64(0x18, true),
    versionMinor: view.getBigUint64(0x20, true),
    build: cString(b.subarray(0x28, 0xa8)),
    numTpb: view.getUint32(0xa8, true),
    hash: hex(b.subarray(0xac, sizes.packageVersion === 1 ? 0xcc : 0xbc)),
    uuid: hex(b.subarray(0xcc, 0xdc)),
    name: cString(b.subarray(0xdc, 0x1dc)),
    requestedTpb: view.getUint32(0x1dc, true),
    tpbPerNode: b.slice(0x1e0, 0x220),
    featureBits: view.getBigUint64(0x220, true),
    lncSize: view.getUint32(0x228, true),
  }
}

/** The facts that the header alone tells. `versionMajor` is a number where that is exact, which it always was. */
export const headerFacts = (h: NeffHeader): Readonly<Record<string, unknown>> => ({
  uuid: h.uuid,
  hash: h.hash,
  name: h.name,
  versionMajor: h.versionMajor <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(h.versionMajor) : h.versionMajor.toString(),
  lncSize: h.lncSize,
  payloadBytes: h.payloadBytes,
  packageVersion: h.packageVersion,
  version: `${h.versionMajor}.${h.versionMinor}`,
})
