/** Keys and texts that the format defines. They are interned first, so their string ids are their positions here. */
import { ACTIONS, BLOCK_STATES } from '../../shared/tables'
import type { Interner } from '../pickle/interner'

const NAMES = [
  'action',
  'addr',
  'size',
  'stream',
  'time_us',
  'frames',
  'compile_context',
  'user_metadata',
  'device_free',
  'pool_id',
  'category', // prettier-ignore
  'name',
  'filename',
  'line', // prettier-ignore
  'device',
  'address',
  'total_size',
  'allocated_size',
  'active_size',
  'requested_size',
  'segment_type',
  'segment_pool_id',
  'is_expandable',
  'blocks', // prettier-ignore
  'state',
  'history',
  'real_size',
  'stage', // prettier-ignore
  'segments',
  'device_traces',
  'allocator_settings',
  'external_annotations',
  'host_segments',
  'host_traces',
  'categories', // prettier-ignore
] as const
export type Key = (typeof NAMES)[number]

export const KEY_COUNT = NAMES.length
export const key = (name: Key): number => NAMES.indexOf(name)
/** String id of the first action and the first block state; the others follow. */
export const ACTION_ID = KEY_COUNT
export const STATE_ID = ACTION_ID + ACTIONS.length
export const AWAITING_FREE_ID = STATE_ID + BLOCK_STATES.length
/** `history` blocks and others where text is absent. */
export const EMPTY_ID = AWAITING_FREE_ID + 1

export function internKeys(strings: Interner): void {
  for (const text of [...NAMES, ...ACTIONS, ...BLOCK_STATES, 'active_awaiting_free', '']) strings.internText(text)
}

/** One flag per key id: the keys that a kind of dict defines. */
export function keySet(...names: readonly Key[]): Uint8Array {
  const set = new Uint8Array(KEY_COUNT)
  for (const n of names) set[key(n)] = 1
  return set
}
