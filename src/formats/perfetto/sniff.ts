/**
 * Perfetto traces (`.pftrace`): a protobuf message whose field 1 repeats TracePacket. Field numbers from perfetto's trace_packet.proto.
 * Only track descriptors (60), packet defaults (59) and their like are numbers that no other stream of field 1 messages uses, so one of them is asked for where the name doesn't tell.
 */
import { isWhole, type Probe } from '../probe'
import { walkFields } from '../protobuf/wire'
import { cutFinding, sniffed, type Sniffed } from '../sniffed'

/** timestamp, trusted_uid, trusted_packet_sequence_id, clock_snapshot, track_event, interned_data, trace_config, trace_packet_defaults, track_descriptor. */
const WIRE: Readonly<Record<number, number>> = { 8: 0, 3: 0, 10: 0, 6: 2, 11: 2, 12: 2, 33: 2, 59: 2, 60: 2 }

export function sniffPerfetto(p: Probe, named: boolean): Sniffed | null {
  if (p.head[0] !== 0x0a) return null
  let packets = 0
  let sure = false
  const walk = walkFields(p.head, 0, p.head.length, f => {
    if (f.number !== 1 || f.wire !== 2) return false
    const inner = walkFields(p.head, f.start, f.end, g => {
      const wire = WIRE[g.number]
      if (wire !== undefined && wire !== g.wire) return false
      if (g.number === 59 || g.number === 60) sure = true
      return true
    })
    packets++
    return inner.end === 'whole'
  })
  if (walk.end === 'bad' || (!sure && !(named && packets > 0))) return null
  if (walk.end === 'cut' && isWhole(p)) return sniffed('perfetto-trace', 'truncated', {}, [cutFinding('The last packet is cut.', walk.at)])
  return sniffed('perfetto-trace')
}
