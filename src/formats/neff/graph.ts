/** What the small JSON members of a NEFF say about its graph. Every shape is checked; what does not fit is "not said". */
import type { NeffGraph, NeffTensor } from '../../shared/device-tables'

/** Members up to this are read. */
export const TEXT_LIMIT = 1024 * 1024
const MAX_TENSORS = 1000
const MAX_RANK = 64
const NAME_LENGTH = 1024

const TENSOR_MAP = /^(\.\/)?sg0+\/tensor_map\.json$/
const bare = (name: string): string => name.replace(/^\.\//, '')

/** Whether a member of this name is read. */
export const isWanted = (name: string): boolean => ['info.json', 'neff.json', 'kelf-0.json'].includes(bare(name)) || TENSOR_MAP.test(name)

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (v: unknown): Fields | null => (v !== null && typeof v === 'object' && !Array.isArray(v) ? (v as Fields) : null)
const textOf = (v: unknown): string | null => (typeof v === 'string' && v !== '' ? v.slice(0, NAME_LENGTH) : null)

function parse(text: string | undefined): Fields | null {
  if (text === undefined) return null
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return null
  }
}

/** `texts`: contents of members by name. `folders`: how many folders `sgNN` the list has, null where it is not whole. */
export function graphOf(texts: ReadonlyMap<string, string>, folders: number | null): NeffGraph {
  const of = (name: string): Fields | null => parse(texts.get(name) ?? texts.get(`./${name}`))
  const kelf = of('kelf-0.json')
  const neff = of('neff.json')
  const nodes = neff && Array.isArray(neff['nodes']) ? (neff['nodes'] as readonly unknown[]) : null
  const graphs = kelf && Array.isArray(kelf['graphs']) ? kelf['graphs'].length : null
  const map = [...texts.keys()].find(name => TENSOR_MAP.test(name))
  return {
    toolVersion: textOf(of('info.json')?.['tool_version']),
    target: textOf(kelf?.['target']),
    subgraphs: graphs ?? (folders === 0 ? null : folders),
    nodes: nodes?.length ?? null,
    inputs: nodes?.filter(n => fieldsOf(n)?.['op'] === 'null').length ?? null,
    tensors: map === undefined ? null : tensorsOf(parse(texts.get(map))),
  }
}

function tensorsOf(map: Fields | null): readonly NeffTensor[] | null {
  if (!map) return null
  const out: NeffTensor[] = []
  for (const [name, value] of Object.entries(map)) {
    if (out.length >= MAX_TENSORS) break
    const t = fieldsOf(value)
    if (!t) continue
    const shape: readonly unknown[] = Array.isArray(t['tf_shape']) ? t['tf_shape'] : Array.isArray(t['sim_shape']) ? t['sim_shape'] : []
    out.push({
      name: name.slice(0, NAME_LENGTH),
      dtype: textOf(t['dtype']) ?? '',
      kind: textOf(t['kind']) ?? '',
      constant: t['is_const'] === true,
      shape: shape.filter((n): n is number => typeof n === 'number' && Number.isSafeInteger(n)).slice(0, MAX_RANK),
    })
  }
  return out
}
