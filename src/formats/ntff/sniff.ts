/**
 * NTFF, the device profile of one NeuronCore: `[128-byte header][ntff_info, proto_size bytes][blob region]`; header: u8 version at 0, u64 LE proto_size at 1, the rest is uninitialised memory.
 * There is no magic number, so the message has to parse with the wire types of its known fields, and the sizes have to agree. Layout: README.md beside this.
 */
import { isWhole, type Probe } from '../probe'
import { walkFields } from '../protobuf/wire'
import { cutFinding, sniffed, type Sniffed } from '../sniffed'
import { ntffFacts } from './facts'
import { decodeMessage } from './message'
import { HEADER_BYTES, INFO_WIRE, MAX_VERSION } from './schema'

/** A message of version 6 up to this is looked at whole: what pairs a profile with its NEFFs may stand at its end. Of earlier versions it stands at the begin, and instructions make messages long. */
const LOOK_BYTES = 32 * 1024 * 1024

const sizeOf = (b: Uint8Array): number => Number(new DataView(b.buffer, b.byteOffset, b.length).getBigUint64(1, true))

/** How many first bytes of the file a second look needs to see the whole message; null where the first look saw it, or it is too long. */
export function ntffLook(p: Probe): number | null {
  if (p.head.length < HEADER_BYTES || (p.head[0] as number) < 6) return null
  const need = HEADER_BYTES + sizeOf(p.head)
  return need > p.head.length && need <= LOOK_BYTES && !isWhole(p) ? need : null
}

/** `named`: the file is called .ntff, which is needed to tell a file shorter than its header from anything else. */
export function sniffNtff(p: Probe, named: boolean): Sniffed | null {
  const b = p.head
  const version = b[0] ?? 0
  if (version < 1 || version > MAX_VERSION) return null
  // A file that ends before anything proves its kind is one by its name.
  const short = (message: string): Sniffed | null =>
    named && isWhole(p) ? sniffed('ntff', 'truncated', {}, [cutFinding(message, b.length)]) : null
  if (b.length < HEADER_BYTES) return short(`The file ends after ${b.length} of the 128 bytes of an NTFF header.`)
  const size = sizeOf(b)
  if (size < 2 || size >= 2 ** 31) return null
  const messageEnd = HEADER_BYTES + size
  const end = Math.min(b.length, messageEnd)
  let known = 0
  const walk = walkFields(b, HEADER_BYTES, end, f => {
    const wire = INFO_WIRE.get(f.number)
    if (wire === undefined) return f.number <= 64
    if (wire !== f.wire) return false
    known++
    return true
  })
  if (walk.end === 'bad') return null
  const protoSeen = messageEnd <= b.length
  if (known === 0) return protoSeen ? null : short(`The file has ${b.length} bytes, its header declares ${messageEnd}.`)
  if (protoSeen && walk.end === 'cut') return null // the message contradicts its declared size
  const { content, whole } = decodeMessage(b, version, HEADER_BYTES, messageEnd, null)
  const facts = ntffFacts({ version, ...content }, whole)
  const declared = BigInt(messageEnd) + (protoSeen ? blobEnd(content) : 0n)
  if (p.length !== null && declared > BigInt(p.length))
    return sniffed('ntff', 'truncated', facts, [
      cutFinding(`The file has ${p.length} bytes, its header and tables declare ${declared}.`, p.length),
    ])
  return sniffed('ntff', 'complete', facts)
}

/** End of the furthest range in the blob that the message names. */
function blobEnd({ sections, engines }: Pick<ReturnType<typeof decodeMessage>['content'], 'sections' | 'engines'>): bigint {
  let last = 0n
  for (let i = 0; i < sections.count; i++) if (sections.offset[i] + sections.size[i] > last) last = sections.offset[i] + sections.size[i]
  for (let i = 0; i < engines.count; i++)
    if (engines.inBlob[i] === 1 && engines.offset[i] + engines.size[i] > last) last = engines.offset[i] + engines.size[i]
  return last
}
