/** `framework_mapping_<time>.json` of torch_neuronx: `{"version": 1, "data": [{"nrta_seq_id", "framework_op_exec_ids": [...]}]}`. */
import { firstElementKeys, type JsonHead } from '../json/head'

export function isFrameworkMapping(head: Uint8Array, json: JsonHead): boolean {
  if (json.shape !== 'object') return false
  const data = json.members.find(m => m.key === 'data')
  return data !== undefined && firstElementKeys(head, data.at).some(k => k === 'nrta_seq_id' || k === 'framework_op_exec_ids')
}
