/**
 * ntrace.pb, trace_info.pb, cpu_util.pb, host_mem.pb. Their schema is not public and they have no magic number, so the kind comes from the name;
 * the content can only contradict it: under none of the known ways to frame protobuf messages do its first bytes parse.
 * Which framing is in use is not stated anywhere public either; all plausible ones are tried.
 */
import type { FileKind } from '../../shared/catalog'
import { isWhole, type Probe } from '../probe'
import { varint, walkFields, type Walk } from '../protobuf/wire'
import { cutFinding, sniffed, type Sniffed } from '../sniffed'

export const RUNTIME_KINDS: readonly FileKind[] = ['ntrace', 'trace-info', 'cpu-util', 'host-memory']

export const FRAMINGS = ['varint-delimited', 'u32-delimited', 'u64-delimited', 'message'] as const
export type Framing = (typeof FRAMINGS)[number]

/** How far the bytes parse under one framing: whole messages to the end, cut inside the last one, or not at all. */
export function tryFraming(b: Uint8Array, framing: Framing): Walk {
  if (framing === 'message') return walkFields(b, 0, b.length)
  let at = 0
  let messages = 0
  const view = new DataView(b.buffer, b.byteOffset, b.length)
  while (at < b.length) {
    let length: number
    let from: number
    if (framing === 'varint-delimited') {
      ;[length, from] = varint(b, at)
      if (from < 0) return { end: from === -1 ? 'cut' : 'bad', at, fields: messages }
    } else {
      from = at + (framing === 'u32-delimited' ? 4 : 8)
      if (from > b.length) return { end: 'cut', at, fields: messages }
      length = framing === 'u32-delimited' ? view.getUint32(at, true) : Number(view.getBigUint64(at, true))
    }
    if (length === 0 || length >= 2 ** 31) return { end: 'bad', at, fields: messages }
    const end = Math.min(b.length, from + length)
    const walk = walkFields(b, from, end)
    if (walk.end === 'bad' || (walk.end === 'cut' && from + length <= b.length)) return { end: 'bad', at, fields: messages }
    if (from + length > b.length) return { end: 'cut', at, fields: messages }
    at = end
    messages++
  }
  return { end: 'whole', at, fields: messages }
}

/** `kind` is what the name says. null where the content is not protobuf under any framing. */
export function sniffRuntime(p: Probe, kind: FileKind): Sniffed | null {
  const tries = FRAMINGS.map(f => tryFraming(p.head, f))
  if (tries.some(t => t.end === 'whole')) return sniffed(kind)
  const cut = tries.filter(t => t.end === 'cut').sort((a, b) => b.at - a.at)[0]
  if (!cut) return null
  // A head that ends inside a message says nothing about the file's end.
  if (!isWhole(p)) return sniffed(kind)
  return sniffed(kind, 'truncated', {}, [cutFinding('The last message of the file is cut.', cut.at)])
}
