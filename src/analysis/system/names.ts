/** Names of models from another file: ntrace.pb has ids only, trace_info.pb their names. */
import { stringTable, type StringTable } from '../../shared/columns'
import type { SystemTable } from '../../shared/system-tables'

/** The table with the names of its models filled in where it has none. Answers the same table where nothing is added. */
export function withModelNames(t: SystemTable, names: ReadonlyMap<bigint, string>): SystemTable {
  if (names.size === 0) return t
  const added: string[] = []
  const idOf = new Map<bigint, number>()
  const first = t.strings.offsets.length - 1
  const modelName = t.modelName.slice()
  for (let i = 0; i < t.count; i++) {
    const model = t.model[i] as bigint
    if (model === 0n || (modelName[i] as number) >= 0) continue
    let id = idOf.get(model)
    if (id === undefined) {
      const name = names.get(model)
      id = name === undefined ? -1 : first + added.push(name) - 1
      idOf.set(model, id)
    }
    modelName[i] = id
  }
  return added.length === 0 ? t : { ...t, modelName, strings: appended(t.strings, added) }
}

function appended(a: StringTable, texts: readonly string[]): StringTable {
  const b = stringTable(texts)
  const n = a.offsets[a.offsets.length - 1] as number
  const bytes = new Uint8Array(n + b.bytes.length)
  bytes.set(a.bytes.subarray(0, n))
  bytes.set(b.bytes, n)
  const offsets = new Uint32Array(a.offsets.length + texts.length)
  offsets.set(a.offsets)
  for (let i = 1; i <= texts.length; i++) offsets[a.offsets.length - 1 + i] = n + (b.offsets[i] as number)
  return { bytes, offsets }
}
