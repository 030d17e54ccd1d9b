/**
 * Exports of Neuron Explorer: Parquet tables (`<Table>.parquet`, `<Table>_0.parquet`, …) and the JSON of `view --output-format json`.
 * Member names as in the documentation and in real output; both spellings of trace_event(s) occur.
 */
import { firstElementKeys, type JsonHead } from '../json/head'
import type { Probe } from '../probe'
import { cutFinding, sniffed, type Sniffed } from '../sniffed'
import { tableOfName } from './tables'

const SYSTEM = [
  'trace_event',
  'trace_events',
  'mem_usage',
  'cpu_util',
  'device_mem_usage',
  'system_profile_metadata',
  'device_profile_list',
]
const DEVICE = [
  'neff_header',
  'nc_mem_usage',
  'semaphore_update',
  'layer_summary',
  'instruction',
  'dma',
  'ntff_header',
  'metadata',
  'summary',
]

/** `b`: the bytes that `json` was found in; the answer of the runtime's fetch call is told by the keys of its first event. */
export function isExplorerJson(json: JsonHead, b: Uint8Array): boolean {
  if (json.shape !== 'object') return false
  const keys = new Set(json.members.map(m => m.key))
  const events = json.members.find(m => m.key === 'events')
  if (events) {
    const first = firstElementKeys(b, events.at)
    if (first.includes('event_type') && (first.includes('phase') || first.includes('tracking_id'))) return true
  }
  return (
    SYSTEM.some(k => keys.has(k)) || keys.has('neff_header') || keys.has('semaphore_update') || DEVICE.filter(k => keys.has(k)).length >= 3
  )
}

/** The JSON of a device profile (`view --output-format json` of an NTFF): Neuron Explorer's own as well, but of another view that is not drawn here. */
export function isDeviceProfile(json: JsonHead): boolean {
  const keys = new Set(json.members.map(m => m.key))
  return json.shape === 'object' && !SYSTEM.some(k => keys.has(k)) && !keys.has('events') && DEVICE.some(k => keys.has(k))
}

const magicAt = (b: Uint8Array, at: number): boolean =>
  b.length >= at + 4 && b[at] === 0x50 && b[at + 1] === 0x41 && b[at + 2] === 0x52 && b[at + 3] === 0x31

/** Parquet: "PAR1" at both ends, before the last one the u32 length of the footer. The table is what the name says; `_<n>` numbers the parts of a large table. */
export function sniffParquet(p: Probe): Sniffed | null {
  if (!magicAt(p.head, 0)) return null
  const named = tableOfName(p.name)
  const facts = named ? { table: named.table } : {}
  const t = p.tail
  const length = p.length ?? 0
  const footer = t.length >= 8 ? new DataView(t.buffer, t.byteOffset, t.length).getUint32(t.length - 8, true) : 0
  if (length < 12 || !magicAt(t, t.length - 4) || footer + 12 > length)
    return sniffed('explorer-parquet', 'truncated', facts, [
      {
        ...cutFinding('The footer of the Parquet file is missing.', length),
        meaning: 'Without its footer nothing in the file can be read.',
      },
    ])
  return sniffed('explorer-parquet', 'complete', facts)
}
