/**
 * What a file that ends early has given: the containers that are still open stand on the interpreter's stack with their items above them. Whole records are put into
 * their lists; the record that the cut goes through is left out.
 */
import type { Builder } from '../pickle/builder'
import { DICT, DICT_EMPTY, OBJ, STR, TUPLE } from '../pickle/tags'
import { key } from './keys'
import { EVENT, isList, SEGMENT } from './kinds'
import { type SnapshotShapes } from './shapes'

export interface Salvaged {
  readonly rootTag: number
  readonly rootVal: number
  /** The list of segments was whole. */
  readonly segmentsWhole: boolean
  /** Index of the device list that the cut goes through; -1: none was open. */
  readonly openDevice: number
  /** All of `device_traces` was whole. */
  readonly tracesWhole: boolean
}

/** A tuple is made whole: nothing above it on the stack is its item. */
const canGrow = (kind: number): boolean => kind !== TUPLE && isList(kind)

/** Closes what is open. The root is a dict (the keys met so far are set on it) or a list of segments; null where the stack holds neither. */
export function salvage(m: Builder, shapes: SnapshotShapes): Salvaged | null {
  if (m.sp === 0 || m.tags[0] !== OBJ) return null
  const store = m.store
  const root = m.vals[0] as number
  const kind = store.objKind[root] as number
  const marked = new Set<number>()
  for (let i = 0; i < m.mp; i++) marked.add(m.marks[i] as number)
  const done = (segmentsWhole: boolean, tracesWhole: boolean, openDevice: number): Salvaged => ({
    rootTag: OBJ,
    rootVal: root,
    segmentsWhole,
    tracesWhole,
    openDevice,
  })
  /** Appends the whole records above `list` and answers the position after them. */
  const close = (list: number, from: number, want: number): number => {
    if (!canGrow(store.objKind[list] as number)) return from
    let to = from
    while (to < m.sp && shapes.itemKind(m.tags[to] as number, m.vals[to] as number) === want) to++
    m.appendItems(OBJ, list, from, to)
    return to
  }

  if (isList(kind)) {
    close(root, 1, SEGMENT)
    return done(false, true, -1)
  }
  if (kind !== DICT && kind !== DICT_EMPTY) return null

  let segmentsWhole = has(m, root, key('segments'))
  let tracesWhole = has(m, root, key('device_traces'))
  let openDevice = -1
  for (let i = 1; i + 1 < m.sp; i += 2) {
    if (m.tags[i] !== STR) break
    const name = m.vals[i] as number
    const value = m.vals[i + 1] as number
    const shut = m.tags[i + 1] === OBJ && store.objKind[value] === TUPLE
    const listed = m.tags[i + 1] === OBJ && canGrow(store.objKind[value] as number)
    const child = i + 2
    // A list on top of the stack may have further items to come.
    const open = !shut && (marked.has(child) || (!m.marksAll && (child < m.sp ? m.tags[child] !== STR : listed)))
    if (open && name === key('segments') && listed) close(value, child, SEGMENT)
    else if (open && name === key('device_traces') && listed) openDevice = closeTraces(m, value, child, marked, close)
    else if (open) break
    else if (name === key('segments')) segmentsWhole = true
    else if (name === key('device_traces')) tracesWhole = true
    m.setItem(OBJ, root, i)
    if (open) break
  }
  return done(segmentsWhole, tracesWhole, openDevice)
}

/** Lists of events above `traces`; answers the index of the one that is cut. */
function closeTraces(
  m: Builder,
  traces: number,
  from: number,
  marked: ReadonlySet<number>,
  close: (list: number, from: number, want: number) => number,
): number {
  const store = m.store
  let index = length(m, traces)
  for (let i = from; i < m.sp; i++, index++) {
    if (m.tags[i] !== OBJ || !isList(store.objKind[m.vals[i] as number] as number)) return -1
    const child = i + 1
    const next = child < m.sp && m.tags[child] === OBJ ? (store.objKind[m.vals[child] as number] as number) : -1
    const open =
      canGrow(store.objKind[m.vals[i] as number] as number) && (marked.has(child) || (!m.marksAll && (child >= m.sp || !isList(next))))
    if (open) close(m.vals[i] as number, child, EVENT)
    m.appendItems(OBJ, traces, i, i + 1)
    if (open) return index
  }
  return -1
}

function length(m: Builder, list: number): number {
  let n = 0
  for (let node = m.store.objA[list] as number; node >= 0; node = m.store.nodeNext[node] as number) n++
  return n
}

function has(m: Builder, dict: number, name: number): boolean {
  const store = m.store
  if (store.objKind[dict] !== DICT) return false
  for (let n = store.objA[dict] as number; n >= 0;) {
    if (store.isString(store.nodeTag[n] as number, store.nodeVal[n] as number, name)) return true
    n = store.nodeNext[n] as number
    n = store.nodeNext[n] as number
  }
  return false
}
