/**
 * The runtime's allocation events of a system table as columns, by HBM. Keys: nrt_dma_mem_alloc and nrt_dma_mem_dealloc of the event catalogue
 * (src/formats/neuron-runtime). One pass over rows and their attributes.
 */
import { stringAt } from '../../shared/columns'
import {
  ATTR_NUMBER,
  attributeText,
  keyId,
  ROW_OPEN,
  ROW_SLICE,
  STOP_SUFFIX,
  typesNamed,
  type SystemTable,
} from '../../shared/system-tables'
import { categoryOf, type Category } from './categories'
import { ALLOC, FREE } from './model'

/** Names of the two events; the second ones are of releases that leave the prefix out. */
const NAMES = { alloc: ['nrt_dma_mem_alloc', 'dma_mem_alloc'], free: ['nrt_dma_mem_dealloc', 'dma_mem_dealloc'] }

/** Attributes in the order of the slots below. */
const KEYS = [
  'hbm_idx',
  'mla_idx',
  'usage_type',
  'allocated_bytes',
  'freed_bytes',
  'total_bytes',
  'usage_type_total_bytes',
  'return_code',
  'physical_address',
] as const
const HBM = 0
const MLA = 1
const USAGE = 2
const ALLOCATED = 3
const FREED = 4
const TOTAL = 5
const USAGE_TOTAL = 6
const RETURN_CODE = 7
const ADDRESS = 8
/** Where start and stop differ, these are the stop's to tell. */
const OF_STOP = new Set<number>([ALLOCATED, FREED, TOTAL, USAGE_TOTAL, RETURN_CODE, ADDRESS])

/** Allocation events in the order of the table's rows, failed ones included. */
export interface RawEvents {
  readonly count: number
  readonly row: Uint32Array
  readonly kind: Uint8Array
  /** Start and stop, ns relative to the table's epoch. */
  readonly start: Float64Array
  readonly time: Float64Array
  /** NaN where the event has none. */
  readonly bytes: Float64Array
  readonly total: Float64Array
  readonly categoryTotal: Float64Array
  /** Index into `Collected.categories`. */
  readonly category: Uint16Array
  /** 0n: none. */
  readonly address: BigUint64Array
}

export interface RawHbm {
  readonly device: number
  readonly hbm: number
  readonly instance: string
  readonly process: number
  /** Positions in `Collected.events` by time of the stop, without failed ones. */
  order: Uint32Array
  readonly failures: { readonly at: number; readonly returnCode: string }[]
}

/** How often something was seen, and its first row. */
export interface Seen {
  count: number
  row: number
}

export interface Collected {
  readonly events: RawEvents
  readonly hbms: readonly RawHbm[]
  readonly categories: readonly Category[]
  /** Starts without a stop: whether and how much was allocated is not known. */
  readonly open: Seen
  /** Events that name no HBM (stops whose start was lost). */
  readonly unplaced: Seen
  /** Events without bytes. */
  readonly sizeless: Seen
  /** Events whose nd_idx is another device than their mla_idx. */
  readonly otherDevice: Seen
  /** Events with a total, or an address, that is no whole number: it is there, but not used. */
  readonly unreadable: Seen
  /** Events of HBMs beyond the first MAX_HBMS. */
  readonly surplus: Seen
}

/** More HBMs than any host has (16 devices of at most 8), for a hundred processes. A file that names more of them is damaged. */
export const MAX_HBMS = 1024

/**
 * Reads all allocation events. The device is `mla_idx`, which the allocation itself names as the accelerator that holds the memory; `nd_idx` of the event where there is none
 * (a missing protobuf number cannot be told from device 0, an attribute can).
 */
export function collectHbm(t: SystemTable): Collected {
  const kindOf = new Int8Array(t.types.count).fill(-1)
  for (const name of NAMES.alloc) for (const type of typesNamed(t, name)) kindOf[type] = ALLOC
  for (const name of NAMES.free) for (const type of typesNamed(t, name)) kindOf[type] = FREE
  const seen = (): Seen => ({ count: 0, row: -1 })
  const out = { open: seen(), unplaced: seen(), sizeless: seen(), otherDevice: seen(), unreadable: seen(), surplus: seen() }
  const note = (c: Seen, row: number): void => {
    if (c.count++ === 0) c.row = row
  }
  let most = 0
  for (let row = 0; row < t.count; row++) if (kindOf[t.type[row]] >= 0 && t.state[row] !== ROW_OPEN) most++
  const e = {
    row: new Uint32Array(most),
    kind: new Uint8Array(most),
    start: new Float64Array(most),
    time: new Float64Array(most),
    bytes: new Float64Array(most),
    total: new Float64Array(most),
    categoryTotal: new Float64Array(most),
    category: new Uint16Array(most),
    address: new BigUint64Array(most),
  }
  const halves = new Uint32Array(e.address.buffer)
  const hbms: RawHbm[] = []
  const byKey = new Map<string, number>()
  const placeKeys = new Map<number, string>()
  const categories = new Categories(t)
  const slots = slotsOf(t)
  const at = new Int32Array(KEYS.length)
  /** HBM of each event; -1 for one that failed. */
  const owner = new Int32Array(most)
  let n = 0
  for (let row = 0; row < t.count; row++) {
    const kind = kindOf[t.type[row]]
    if (kind < 0) continue
    if (t.state[row] === ROW_OPEN) {
      note(out.open, row)
      continue
    }
    at.fill(-1)
    for (let i = t.attrStart[row]; i < t.attrStart[row + 1]; i++) {
      const slot = slots.get(t.attrKey[i])
      if (slot !== undefined && (slot >= STOP || at[slot] < 0)) at[slot % STOP] = i
    }
    const hbm = numberAt(t, at[HBM])
    if (!Number.isInteger(hbm)) {
      note(out.unplaced, row)
      continue
    }
    const place = t.place[row]
    const own = place < 0 ? -1 : t.places.device[place]
    const mla = numberAt(t, at[MLA])
    const device = Number.isInteger(mla) ? mla : own
    if (own >= 0 && device !== own) note(out.otherDevice, row)

    let where = placeKeys.get(place)
    if (where === undefined) {
      where = place < 0 ? '|NaN' : `${stringAt(t.strings, t.places.instance[place])}|${t.places.process[place]}`
      placeKeys.set(place, where)
    }
    const key = `${where}|${device}|${hbm}`
    let of = byKey.get(key)
    if (of === undefined) {
      if (hbms.length >= MAX_HBMS) {
        note(out.surplus, row)
        continue
      }
      const instance = place < 0 ? '' : stringAt(t.strings, t.places.instance[place])
      const process = place < 0 ? NaN : t.places.process[place]
      of = hbms.push({ device, hbm, instance, process, order: new Uint32Array(0), failures: [] }) - 1
      byKey.set(key, of)
    }
    e.row[n] = row
    e.kind[n] = kind
    e.start[n] = t.start[row]
    e.time[n] = t.state[row] === ROW_SLICE && t.duration[row] > 0 ? t.start[row] + t.duration[row] : t.start[row]
    e.bytes[n] = numberAt(t, at[kind === ALLOC ? ALLOCATED : FREED])
    e.total[n] = numberAt(t, at[TOTAL])
    e.categoryTotal[n] = numberAt(t, at[USAGE_TOTAL])
    e.category[n] = categories.of(at[USAGE])
    const used = at[ADDRESS] < 0 || addressAt(t, at[ADDRESS], halves, n)
    if (
      (!used && written(t, at[ADDRESS])) ||
      (Number.isNaN(e.total[n]) && written(t, at[TOTAL])) ||
      (Number.isNaN(e.categoryTotal[n]) && written(t, at[USAGE_TOTAL]))
    )
      note(out.unreadable, row)
    const returnCode = kind === ALLOC && at[RETURN_CODE] >= 0 ? attributeText(t, at[RETURN_CODE]).trim() : ''
    if (failed(returnCode)) {
      hbms[of].failures.push({ at: n, returnCode })
      owner[n] = -1
    } else {
      if (Number.isNaN(e.bytes[n])) note(out.sizeless, row)
      owner[n] = of
    }
    n++
  }
  const counts = new Uint32Array(hbms.length)
  for (let i = 0; i < n; i++) if (owner[i] >= 0) counts[owner[i]]++
  hbms.forEach((h, i) => (h.order = new Uint32Array(counts[i])))
  counts.fill(0)
  for (let i = 0; i < n; i++) if (owner[i] >= 0) hbms[owner[i]].order[counts[owner[i]]++] = i
  for (const h of hbms) {
    if (!h.order.every((x, i) => i === 0 || e.time[x] >= e.time[h.order[i - 1]])) h.order.sort((a, b) => e.time[a] - e.time[b] || a - b)
    h.failures.sort((a, b) => e.time[a.at] - e.time[b.at] || a.at - b.at)
  }
  hbms.sort(
    (a, b) =>
      a.device - b.device || a.hbm - b.hbm || (a.instance < b.instance ? -1 : a.instance > b.instance ? 1 : a.process - b.process || 0),
  )
  return { events: { count: n, ...e }, hbms, categories: categories.list, ...out }
}

/** Added to a slot for the key that only a stop has. */
const STOP = 16

/** Slot of each attribute key, by string id. */
function slotsOf(t: SystemTable): ReadonlyMap<number, number> {
  const slots = new Map<number, number>()
  KEYS.forEach((key, slot) => {
    const plain = keyId(t, key)
    if (plain >= 0) slots.set(plain, slot)
    const stop = OF_STOP.has(slot) ? keyId(t, key + STOP_SUFFIX) : -1
    if (stop >= 0) slots.set(stop, slot + STOP)
  })
  return slots
}

/** Distinct categories by name, found by attribute. */
class Categories {
  readonly list: Category[] = []
  readonly #t: SystemTable
  readonly #ids = new Map<string, number>()
  /** Equal texts may have different string ids, so these are a cache only; numbers have none. */
  readonly #byString = new Map<number, number>()
  readonly #byText = new Map<string, number>()

  constructor(t: SystemTable) {
    this.#t = t
  }

  of(at: number): number {
    const id = at < 0 ? -1 : this.#t.attrText[at]
    const cached = this.#byString.get(id)
    if (cached !== undefined) return cached
    const text = at < 0 ? '' : attributeText(this.#t, at)
    let n = this.#byText.get(text)
    if (n === undefined) {
      const c = categoryOf(text)
      n = this.#ids.get(c.name)
      // Categories are kept in 16 bits; a file that makes up more of them than that has one for the rest.
      if (n === undefined) this.#ids.set(c.name, (n = this.list.length < MOST ? this.list.push(c) - 1 : MOST - 1))
      if (this.#byText.size < 4 * MOST) this.#byText.set(text, n)
    }
    if (id !== ATTR_NUMBER && this.#byString.size < 4 * MOST) this.#byString.set(id, n)
    return n
  }
}
const MOST = 1024

/** Whether a return code says that nothing was allocated. NRT_SUCCESS is 0. */
const failed = (code: string): boolean => code !== '' && !/^(0+|0x0+|(nrt_)?success|ok)$/i.test(code)

/** A whole number from 0 to 2^53, decimal or 0x text; NaN otherwise. */
function numberAt(t: SystemTable, at: number): number {
  if (at < 0) return NaN
  if (t.attrText[at] === ATTR_NUMBER) return t.attrNumber[at]
  const text = attributeText(t, at).trim()
  if (!/^(\d+|0[xX][0-9a-fA-F]+)$/.test(text)) return NaN
  const v = Number(text)
  return v <= Number.MAX_SAFE_INTEGER ? v : NaN
}

/** Whether an attribute says anything: an empty text is what others leave out. */
const written = (t: SystemTable, at: number): boolean => at >= 0 && attributeText(t, at).trim() !== ''

/** A 64-bit address, decimal or 0x text, into its halves; nothing, and false, where it is none. */
function addressAt(t: SystemTable, at: number, halves: Uint32Array, i: number): boolean {
  if (t.attrText[at] === ATTR_NUMBER) {
    halves[2 * i] = t.attrNumber[at] % 2 ** 32
    halves[2 * i + 1] = Math.floor(t.attrNumber[at] / 2 ** 32)
    return true
  }
  const { bytes, offsets } = t.strings
  const from = offsets[t.attrText[at]]
  const to = offsets[t.attrText[at] + 1]
  // Nearly always 0x and lower-case digits, a million times: read without making a text.
  if (to - from > 2 && to - from <= 18 && bytes[from] === 0x30 && (bytes[from + 1] | 0x20) === 0x78) {
    let low = 0
    let high = 0
    for (let k = from + 2; k < to; k++) {
      const c = bytes[k]
      const letter = c | 0x20
      const digit = c >= 0x30 && c <= 0x39 ? c - 0x30 : letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
      if (digit < 0) return false
      high = ((high << 4) | (low >>> 28)) >>> 0
      low = ((low << 4) | digit) >>> 0
    }
    halves[2 * i] = low
    halves[2 * i + 1] = high
    return true
  }
  const text = attributeText(t, at).trim()
  if (!/^(\d{1,20}|0[xX][0-9a-fA-F]{1,16})$/.test(text)) return false
  const v = BigInt(text)
  if (v >= 1n << 64n) return false
  halves[2 * i] = Number(v & 0xffff_ffffn)
  halves[2 * i + 1] = Number(v >> 32n)
  return true
}
