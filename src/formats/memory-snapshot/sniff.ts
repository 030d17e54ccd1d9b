/** Is this a memory snapshot? Answered from the first bytes; the name only helps where a pickle does not tell. */
import { DiagnosticSink, type Diagnostic } from '../../shared/diagnostics'
import { Machine } from '../pickle/machine'
import { OBJ, STR } from '../pickle/tags'
import { key } from './keys'
import { BLOCK, EVENT, isDict, isList, RUN, SEGMENT } from './kinds'
import { SnapshotShapes } from './shapes'

const TOP_KEYS = new Set([key('segments'), key('device_traces'), key('allocator_settings'), key('external_annotations')])
const SEGMENT_HINTS = new Set([key('total_size'), key('segment_type'), key('blocks'), key('allocated_size'), key('segment_pool_id')])

/**
 * True when `head` (the first bytes of the uncompressed file, a few KiB are plenty) is a pickle that leads to a snapshot: a dict with keys like `segments` or
 * `device_traces`, or a list of segments. A pickle that leads elsewhere counts as one only when the name says `snapshot` (so that its reader can say what is wrong with it).
 */
export function sniffSnapshot(head: Uint8Array, name: string): boolean {
  if (head.length === 0) return false
  const sink = new DiagnosticSink(name)
  const m = new Machine(sink)
  const shapes = new SnapshotShapes(m, sink)
  m.shapes = shapes
  m.append(head)
  const state = m.run(true)
  if (leadsToSnapshot(m, state === 'stop')) return true
  const isPickle = state === 'stop' ? looksLikePickle(head) : m.fault?.code === 'pickle-truncated' && looksLikePickle(head)
  const isHostile = state === 'fault' && looksLikePickle(head)
  return /snapshot/i.test(name) && /\.(pickle|pkl|p)(\.gz)?$/i.test(name) && (isPickle || isHostile)
}

/** Starts with PROTO 2..5, or as protocol 0 or 1 starts a container, a global or a mark. */
const looksLikePickle = (head: Uint8Array): boolean =>
  (head[0] === 0x80 && (head[1] as number) <= 5) || (head.length > 1 && '(]}c'.includes(String.fromCharCode(head[0] as number)))

function leadsToSnapshot(m: Machine, stopped: boolean): boolean {
  const store = m.store
  const at = stopped ? m.sp : 0
  if (m.sp + (stopped ? 1 : 0) === 0 || m.tags[at] !== OBJ) return false
  const root = m.vals[at] as number
  const kind = store.objKind[root] as number
  if (isDict(kind)) {
    for (let n = store.objA[root] as number; n >= 0; n = store.nodeNext[store.nodeNext[n] as number] as number)
      if (store.nodeTag[n] === STR && TOP_KEYS.has(store.nodeVal[n] as number)) return true
    for (let i = at + 1; i < m.sp; i++) {
      if (m.tags[i] === STR && TOP_KEYS.has(m.vals[i] as number)) return true
      if (m.tags[i] === OBJ && [SEGMENT, EVENT].includes(store.objKind[m.vals[i] as number] as number)) return true
    }
    return false
  }
  if (!isList(kind)) return false
  if (kind === RUN + SEGMENT) return true
  for (let i = at + 1; i < m.sp; i++) {
    if (m.tags[i] === STR && SEGMENT_HINTS.has(m.vals[i] as number)) return true
    if (m.tags[i] === OBJ && [SEGMENT, BLOCK].includes(store.objKind[m.vals[i] as number] as number)) return true
  }
  return false
}

/** A zip archive is often taken for a snapshot; null for anything else. */
export function otherForm(head: Uint8Array): Omit<Diagnostic, 'file' | 'count'> | null {
  if (!String.fromCharCode(...head).startsWith('PK\u0003\u0004')) return null
  return {
    severity: 'error',
    code: 'not-a-pickle',
    offset: 0,
    message: 'The file is a zip archive, as torch.save writes it, not a pickle.',
    meaning: 'Nothing of it is shown: snapshots are pickles, JSON, or the pages of _memory_viz.',
    action: 'Write the snapshot with profiler.export_snapshot(name) or with _dump_snapshot(path) of the memory module.',
  }
}
