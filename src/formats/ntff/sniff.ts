/**
 * NTFF, the device profile of one NeuronCore. Layout as checked on real files of versions 4 to 6:
 * `[128-byte header][ntff_info, proto_size bytes][blob region]`; header: u8 version at 0, u64 LE proto_size at 1, the rest is uninitialised memory.
 * There is no magic number, so the message has to parse with the wire types of its known fields, and the sizes have to agree.
 */
import { isWhole, type Probe } from '../probe'
import { walkFields } from '../protobuf/wire'
import { cutFinding, sniffed, type Sniffed } from '../sniffed'

const HEADER = 128
/** Wire types of ntff_info's known fields; a known field of another type means that this is not NTFF. */
const WIRE: Readonly<Record<number, number>> = {
  1: 2, // NEFF file name
  2: 2, // NEFF uuid
  3: 0,
  4: 2, // nodes
  5: 0, // arch
  7: 0, // start, Unix seconds
  8: 2, // runtime version
  9: 2, // instance type
  10: 0,
  11: 2,
  12: 2,
  13: 2,
  14: 2,
  15: 2, // executions
  16: 2, // session notifications
  17: 2, // instance id
  18: 0, // pid
}
const text = new TextDecoder('utf-8')

/** `named`: the file is called .ntff, which is needed to tell a file shorter than its header from anything else. */
export function sniffNtff(p: Probe, named: boolean): Sniffed | null {
  const b = p.head
  const version = b[0] ?? 0
  if (version < 1 || version > 6) return null
  if (b.length < HEADER + 2) {
    // Too short for the message to prove anything.
    return named && isWhole(p) && b.length < HEADER
      ? sniffed('ntff', 'truncated', {}, [cutFinding(`The file ends after ${b.length} of the 128 bytes of an NTFF header.`, b.length)])
      : null
  }
  const size = Number(new DataView(b.buffer, b.byteOffset, b.length).getBigUint64(1, true))
  if (size < 2 || size >= 2 ** 31) return null
  const end = Math.min(b.length, HEADER + size)
  const facts: Record<string, unknown> = { version }
  let known = 0
  let blob = 0
  const walk = walkFields(b, HEADER, end, f => {
    const wire = WIRE[f.number]
    if (wire === undefined) return f.number <= 64
    if (wire !== f.wire) return false
    known++
    const payload = b.subarray(f.start, f.end)
    if (f.number === 1) facts['neffName'] = text.decode(payload)
    else if (f.number === 9) facts['instanceType'] = text.decode(payload)
    else if (f.number === 17) facts['instanceId'] = text.decode(payload)
    else if (f.number === 18) facts['pid'] = f.value
    else if (f.number === 16) blob = Math.max(blob, regionEnd(b, f.start, f.end))
    else if (f.number === 4) blob = Math.max(blob, nodeRegionEnd(b, f.start, f.end, version))
    return true
  })
  if (walk.end === 'bad' || known === 0) return null
  const protoSeen = HEADER + size <= b.length
  if (protoSeen && walk.end === 'cut') return null // the message contradicts its declared size
  const declared = HEADER + size + (protoSeen ? blob : 0)
  if (p.length !== null && declared > p.length)
    return sniffed('ntff', 'truncated', facts, [
      cutFinding(`The file has ${p.length} bytes, its header and tables declare ${declared}.`, p.length),
    ])
  return sniffed('ntff', 'complete', facts)
}

/** End of the blob range of a trace_info: offset (5) + size (6). */
function regionEnd(b: Uint8Array, start: number, end: number): number {
  let offset = 0
  let size = 0
  walkFields(b, start, end, f => {
    if (f.wire !== 0) return
    if (f.number === 5) offset = f.value
    else if (f.number === 6) size = f.value
  })
  return offset + size
}

/** neff_node_info.4 (nd_node).1 (subgraph_info): engine_instruction_info (4) has its range in fields 7 and 8 (v6), trace_info (6) in 5 and 6 (v4, v5). */
function nodeRegionEnd(b: Uint8Array, start: number, end: number, version: number): number {
  let last = 0
  walkFields(b, start, end, node => {
    if (node.number !== 4 || node.wire !== 2) return
    walkFields(b, node.start, node.end, graph => {
      if (graph.number !== 1 || graph.wire !== 2) return
      walkFields(b, graph.start, graph.end, part => {
        if (part.wire !== 2) return
        if (part.number === 6) last = Math.max(last, regionEnd(b, part.start, part.end))
        if (part.number !== 4 || version < 6) return
        let offset = 0
        let size = 0
        walkFields(b, part.start, part.end, f => {
          if (f.wire !== 0) return
          if (f.number === 7) offset = f.value
          else if (f.number === 8) size = f.value
        })
        last = Math.max(last, offset + size)
      })
    })
  })
  return last
}
