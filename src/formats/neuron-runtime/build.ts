/** From rows to the columns of the table: names, strings, places. */
import { ATTR_NUMBER, NAME_FROM, type SystemTable } from '../../shared/system-tables'
import { stringAt, type StringTable } from '../../shared/columns'
import type { Role } from './description'
import { nameTypes, type NamedType, type SeenType } from './names'
import { MAX_KEYS } from './merge'
import { coresOf } from './places'
import type { RawRows, SeenTypes } from './rows'
import { LISTED, NUMBER, type EventStore } from './store'

type FromFile =
  | 'kind'
  | 'source'
  | 'verdict'
  | 'epochNs'
  | 'clock'
  | 'messages'
  | 'dropped'
  | 'cpu'
  | 'hostMemory'
  | 'hbmUsage'
  | 'info'
  | 'complete'
  | 'bytesRead'
/** The columns of a SystemTable that come from messages. */
export type BuiltRows = Omit<SystemTable, FromFile>

export interface Built {
  readonly rows: BuiltRows
  readonly named: readonly NamedType[]
}

/** Share of the events of a number that must have the same hint for it to be the name. */
const HINT_SHARE = 0.9

/** `used`: roles that may be believed. `names`: interned ids (models). `range`: first and last time. The rows and the store are used up. */
export function buildRows(
  s: EventStore,
  raw: RawRows,
  range: SystemTable['range'],
  used: ReadonlySet<Role>,
  names: ReadonlyMap<bigint, string>,
): Built {
  const { types, places, ...columns } = raw
  const cores = used.has('nc_idx') ? coresOf(places) : []
  const named = nameTypes(seenTypes(s, types))
  const nameIds = named.map(t => s.texts.internText(t.name))
  // Types in the order of their numbers; rows have them in the order in which they came.
  const rank = new Map(named.map((t, k) => [t.number, k]))
  const toType = Int32Array.from(types.numbers, n => rank.get(n) as number)
  for (let r = 0; r < columns.count; r++) columns.type[r] = toType[columns.type[r] as number] as number
  const modelName = modelNames(s, columns.model, names)
  const { strings, textAt, listAt } = joined(s)
  const { attrText } = columns
  for (let k = 0; k < attrText.length; k++) {
    const t = attrText[k] as number
    attrText[k] = t === NUMBER ? ATTR_NUMBER : t <= LISTED ? listAt + LISTED - t : t + textAt
  }
  for (let r = 0; r < modelName.length; r++) if ((modelName[r] as number) >= 0) modelName[r] = (modelName[r] as number) + textAt
  const messages = new Map(types.numbers.map((n, k) => [n, types.messages[k] as number]))
  const rows: BuiltRows = {
    ...columns,
    ...{ modelName, strings, cores, range },
    types: {
      count: named.length,
      number: Int32Array.from(named, t => t.number),
      name: Int32Array.from(nameIds, v => v + textAt),
      source: Uint8Array.from(named, t => t.source),
      nameFrom: Uint8Array.from(named, t => NAME_FROM.indexOf(t.nameFrom)),
      inferred: Uint8Array.from(named, t => Number(t.inferred)),
      messages: Float64Array.from(named, t => messages.get(t.number) ?? 0),
    },
    places: places.take(used),
  }
  return { rows, named }
}

/** String ids (of `texts`) of the models' names; -1 where there is none. */
function modelNames(s: EventStore, model: BigUint64Array, names: ReadonlyMap<bigint, string>): Int32Array {
  const out = new Int32Array(model.length).fill(-1)
  if (names.size === 0) return out
  const known = new Map<bigint, number>()
  for (let r = 0; r < model.length; r++) {
    const m = model[r] as bigint
    if (m === 0n) continue
    let text = known.get(m)
    if (text === undefined) {
      const name = names.get(m)
      known.set(m, (text = name === undefined ? -1 : s.texts.internText(name)))
    }
    out[r] = text
  }
  return out
}

/** One string table of keys, repeated texts and listed ones, in this order. */
function joined(s: EventStore): { readonly strings: StringTable; readonly textAt: number; readonly listAt: number } {
  const keys = s.keys.table()
  const texts = s.texts.table()
  const { list } = s
  const textAt = keys.offsets.length - 1
  const listAt = textAt + texts.offsets.length - 1
  const bytes = new Uint8Array(keys.bytes.length + texts.bytes.length + list.used)
  bytes.set(keys.bytes)
  bytes.set(texts.bytes, keys.bytes.length)
  bytes.set(list.bytes.subarray(0, list.used), keys.bytes.length + texts.bytes.length)
  const offsets = new Uint32Array(listAt + list.count + 1)
  offsets.set(keys.offsets)
  for (let i = 1; i < texts.offsets.length; i++) offsets[textAt + i] = (texts.offsets[i] as number) + keys.bytes.length
  for (let i = 1; i <= list.count; i++) offsets[listAt + i] = (list.offsets[i] as number) + keys.bytes.length + texts.bytes.length
  return { strings: { bytes, offsets }, textAt, listAt }
}

function seenTypes(s: EventStore, types: SeenTypes): readonly SeenType[] {
  const keyNames = Array.from({ length: Math.min(MAX_KEYS, s.keys.count) }, (_, k) => s.keys.text(k))
  const texts = s.texts.table()
  return types.numbers.map((number, t): SeenType => {
    const messages = types.messages[t] as number
    const [hint, times] = [...(types.hints[t] ?? [])].sort((a, b) => b[1] - a[1])[0] ?? [-1, 0]
    const keys = types.keys[t]
    return {
      number,
      messages,
      keys: new Set(keyNames.filter((_, k) => keys?.[k] === 1)),
      hint: times >= HINT_SHARE * messages ? stringAt(texts, hint) : null,
    }
  })
}
