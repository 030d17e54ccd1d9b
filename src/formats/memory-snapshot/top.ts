/** The top-level value: what a snapshot is made of, or what was found instead. */
import type { DiagnosticSink } from '../../shared/diagnostics'
import type { Builder } from '../pickle/builder'
import { DICT_EMPTY, LIST, LIST_EMPTY, NONE, OBJ, STR } from '../pickle/tags'
import { key, type Key } from './keys'
import { BLOCK, EVENT, isDict, isList, RUN, SEGMENT } from './kinds'
import type { Value } from './lists'

/** The parts of a snapshot: objects of the store, null where absent. */
export interface Top {
  /** A bare list of segments. */
  readonly bareList: boolean
  readonly segments: number | null
  readonly traces: number | null
  readonly settings: Value | null
  readonly annotations: number | null
  readonly hostSegments: number | null
  readonly hostTraces: number | null
  readonly categories: readonly number[]
  readonly others: readonly (readonly [key: number, tag: number, val: number])[]
}

export function topLevel(m: Builder, rootTag: number, rootVal: number, sink: DiagnosticSink): Top | string {
  const store = m.store
  const obj = rootVal
  const kind = store.kind(rootTag, obj)
  const bare = { traces: null, settings: null, annotations: null, hostSegments: null, hostTraces: null, categories: [], others: [] }
  if (kind === RUN + SEGMENT) return { bareList: true, segments: obj, ...bare }
  if (!isDict(kind)) return describe(m, rootTag, obj)
  // A key that is set twice keeps its last value, as in Python.
  const pairs = new Map<number, Value>()
  const twice = new Set<number>()
  if (kind !== DICT_EMPTY)
    for (let n = store.objA[obj] as number; n >= 0; n = store.nodeNext[n] as number) {
      const tag = store.nodeTag[n] as number
      const k = store.nodeVal[n] as number
      n = store.nodeNext[n] as number
      if (tag === STR && pairs.has(k)) twice.add(k)
      if (tag === STR) pairs.set(k, [store.nodeTag[n] as number, store.nodeVal[n] as number])
    }
  for (const k of twice)
    sink.add({
      severity: 'warning',
      code: 'snapshot-duplicate-key',
      message: `The key '${m.text(k).slice(0, 80)}' stands more than once at the top of the file.`,
      meaning: 'Its last value counts, as in Python.',
      action: 'Check what wrote the file.',
    })
  const list = (name: Key): number | null => {
    const v = pairs.get(key(name))
    if (!v || v[0] !== OBJ || !isList(store.objKind[v[1]] as number)) return null
    pairs.delete(key(name))
    return v[1]
  }
  const segments = list('segments')
  const traces = list('device_traces')
  if (segments === null && traces === null) return describe(m, rootTag, obj)
  const annotations = list('external_annotations')
  const hostSegments = list('host_segments')
  const hostTraces = list('host_traces')
  const settings = pairs.get(key('allocator_settings')) ?? null
  pairs.delete(key('allocator_settings'))
  const categories: number[] = []
  const named = list('categories')
  if (named !== null && store.objKind[named] === LIST)
    for (let n = store.objA[named] as number; n >= 0; n = store.nodeNext[n] as number)
      categories.push(store.nodeTag[n] === STR ? (store.nodeVal[n] as number) : -1)
  return {
    bareList: false,
    segments,
    traces,
    settings,
    annotations,
    hostSegments,
    hostTraces,
    categories,
    others: [...pairs].map(([k, v]) => [k, v[0], v[1]]),
  }
}

/** What a value is, in words. */
function describe(m: Builder, tag: number, val: number): string {
  const json = m.family === 'json'
  if (tag === NONE) return json ? 'the value null' : 'the value None'
  if (tag === STR) return 'a text'
  const kind = m.store.kind(tag, val)
  if (kind < 0) return 'a plain value'
  if (isDict(kind)) {
    const dict = json ? 'object' : 'dict'
    const keys: string[] = []
    for (let n = m.store.objA[val] as number; n >= 0 && keys.length < 6; n = m.store.nodeNext[m.store.nodeNext[n] as number] as number)
      keys.push(m.store.nodeTag[n] === STR ? `'${m.text(m.store.nodeVal[n] as number).slice(0, 40)}'` : 'a key that is no text')
    const a = json ? 'an' : 'a'
    return keys.length === 0 ? `an empty ${dict}` : `${a} ${dict} with the keys ${keys.join(', ')}${keys.length === 6 ? ', …' : ''}`
  }
  if (kind === LIST_EMPTY) return 'an empty list'
  if (kind === RUN + EVENT) return 'a list of trace entries without the segments around it'
  if (isList(kind)) return 'a list whose items are no segments'
  if (kind === SEGMENT || kind === BLOCK || kind === EVENT) return 'a single record of a snapshot'
  return 'a value of another kind'
}
