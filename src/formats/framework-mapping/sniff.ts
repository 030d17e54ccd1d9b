/** `framework_mapping_<time>.json` of torch_neuronx: `{"version": 1, "data": [{"nrta_seq_id", "framework_op_exec_ids": [...]}]}`. */
import { firstElementKeys, scanJson, type JsonHead } from '../json/head'

/** `named`: the file is called like one, which is all that tells one without entries from any other JSON. */
export function isFrameworkMapping(head: Uint8Array, json: JsonHead, named = false): boolean {
  if (json.shape !== 'object') return false
  const data = json.members.find(m => m.key === 'data')
  if (data === undefined) return false
  if (firstElementKeys(head, data.at).some(k => k === 'nrta_seq_id' || k === 'framework_op_exec_ids')) return true
  const list = named && json.members.every(m => m.key === 'version' || m.key === 'data') ? scanJson(head, data.at, 1) : null
  return list?.shape === 'array' && list.end === 'closed' && list.members.length === 0
}
