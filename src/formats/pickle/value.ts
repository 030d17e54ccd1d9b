/** Any pickle as plain JavaScript values: for small files and tests. The snapshot reader does not go this way. */
import { DiagnosticSink } from '../../shared/diagnostics'
import type { ByteSource, ReadOptions, ReadResult } from '../../shared/reader'
import { faultDiagnostic } from './faults'
import { feed } from './feed'
import { Machine } from './machine'
import type { Store } from './store'
import {
  BYTES,
  DICT,
  DICT_EMPTY,
  DICT_PLAIN,
  FALSE,
  FLOAT,
  FROZENSET,
  INT,
  LIST,
  LIST_EMPTY,
  NONE,
  OBJ,
  OPAQUE,
  SET,
  STR,
  TRUE,
} from './tags'
import { decodeText } from './text'

/** Inert stand-in for a class, function or the result of a call. `items` holds what was appended, set (key, value, key, ...) or given as state. */
export class OpaqueValue {
  readonly items: ReadValue[] = []
  readonly name: string
  args: ReadValue | undefined
  constructor(name: string) {
    this.name = name
  }
}
export class TupleValue {
  readonly items: ReadValue[] = []
}
/** A Python float; ints are numbers (within ±2^53) or bigints. */
export class FloatValue {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}
export type ReadValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | FloatValue
  | TupleValue
  | OpaqueValue
  | ReadValue[]
  | Map<ReadValue, ReadValue>
  | Set<ReadValue>

/**
 * Reads one pickle. Dicts become Maps (a key `__proto__` is a key like any other), shared and cyclic values stay shared. Nothing is resolved or run; a fault gives a null
 * table and a diagnostic. `table.value` is the value.
 */
export async function readPickleValue(
  source: ByteSource,
  opts: ReadOptions = {},
): Promise<ReadResult<{ readonly value: ReadValue; readonly protocol: number }>> {
  const sink = new DiagnosticSink(source.name)
  const machine = new Machine(sink)
  const state = await feed(machine, source, opts)
  if (state === 'cancelled')
    sink.add({
      severity: 'info',
      code: 'cancelled',
      message: 'Reading was cancelled.',
      meaning: 'Nothing of this file is shown.',
      action: 'Read it again.',
    })
  if (machine.fault) sink.add(faultDiagnostic(machine.fault, 'Nothing of this file can be used.'))
  if (state !== 'stop') return { table: null, diagnostics: sink.list }
  return { table: { value: toValue(machine.store, machine.rootTag, machine.rootVal), protocol: machine.protocol }, diagnostics: sink.list }
}

/** Without recursion: shells first, their content from a work list. */
function toValue(store: Store, rootTag: number, rootVal: number): ReadValue {
  const made = new Map<number, ReadValue>()
  const work: number[] = []
  const get = (tag: number, val: number): ReadValue => {
    if (tag === NONE) return null
    if (tag === TRUE || tag === FALSE) return tag === TRUE
    if (tag === INT) return val
    if (tag === FLOAT) return new FloatValue(val)
    if (tag === STR) return decodeText(store.strings.raw(val))
    if (tag === BYTES) return store.strings.raw(val).slice()
    if (tag !== OBJ) return store.integer(tag, val)
    let shell = made.get(val)
    if (shell === undefined) {
      const kind = store.objKind[val] as number
      if (kind === LIST || kind === LIST_EMPTY) shell = []
      else if (kind === DICT || kind === DICT_EMPTY || kind === DICT_PLAIN) shell = new Map()
      else if (kind === SET || kind === FROZENSET) shell = new Set()
      else if (kind === OPAQUE) shell = new OpaqueValue((store.opaques[store.objA[val] as number] as { name: string }).name)
      else shell = new TupleValue()
      made.set(val, shell)
      work.push(val)
    }
    return shell
  }
  const root = get(rootTag, rootVal)
  for (let obj = work.pop(); obj !== undefined; obj = work.pop()) {
    const shell = made.get(obj)
    let from = obj
    if (shell instanceof OpaqueValue) {
      const o = store.opaques[store.objA[obj] as number] as (typeof store.opaques)[number]
      if (o.tag !== NONE) shell.args = get(o.tag, o.val)
      from = o.items
      if (store.objKind[from] === LIST_EMPTY) continue
    }
    if (store.objKind[obj] === LIST_EMPTY || store.objKind[obj] === DICT_EMPTY) continue
    const list = shell instanceof TupleValue || shell instanceof OpaqueValue ? shell.items : shell
    for (let n = store.objA[from] as number; n >= 0; n = store.nodeNext[n] as number) {
      const item = get(store.nodeTag[n] as number, store.nodeVal[n] as number)
      if (Array.isArray(list)) list.push(item)
      else if (list instanceof Set) list.add(item)
      else if (list instanceof Map) {
        n = store.nodeNext[n] as number
        list.set(item, get(store.nodeTag[n] as number, store.nodeVal[n] as number))
      }
    }
  }
  return root
}
