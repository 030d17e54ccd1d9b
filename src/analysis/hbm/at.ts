/** An HBM at one instant, and what is live in it. */
import { HBM_KNOWN, HBM_UNKNOWN, HBM_UNSURE, type HbmAt } from '../../shared/hbm-api'
import { Categories, inGap, isKnown, stateAt } from './curve'
import type { HbmModel } from './model'

/** State that an instant shows; -1 where nothing is known (before the first event, after the source's last one). */
export const knownState = (m: HbmModel, time: number): number => (isKnown(m, time) ? stateAt(m, time) : -1)

const NOTHING: Omit<HbmAt, 'reservedBytes' | 'outsideBytes' | 'crossCheck'> = {
  known: HBM_UNKNOWN,
  totalBytes: null,
  categories: [],
  startBytes: [],
  unattributedBytes: null,
  freeBytes: null,
  liveAllocations: 0,
  liveBytes: 0,
  tensorBytes: null,
}

/** Figures of the runtime at a time (ns relative to the table's epoch). `capacity` null: not known. */
export function hbmAt(m: HbmModel, time: number, capacity: number | null): Omit<HbmAt, 'reservedBytes' | 'outsideBytes' | 'crossCheck'> {
  const state = knownState(m, time)
  const none = m.categories.map(() => null)
  if (state < 0) return { ...NOTHING, categories: none, startBytes: none }
  const categories = new Categories(m)
  categories.read(state)
  const { bytes: values, start: starts } = categories
  const told = (v: number): number | null => (Number.isNaN(v) ? null : v)
  const total = m.total[state]
  let rest = total
  let tensors: number | null = null
  values.forEach((v, i) => {
    if (Number.isNaN(v)) return
    rest -= v
    if (m.categories[i].family === 'Tensors') tensors = (tensors ?? 0) + v
  })
  return {
    known: inGap(m, time) ? HBM_UNSURE : HBM_KNOWN,
    totalBytes: total,
    categories: [...values].map(told),
    startBytes: [...starts].map(told),
    unattributedBytes: Math.max(0, rest),
    freeBytes: capacity === null || capacity < total ? null : capacity - total,
    liveAllocations: m.events?.live[state] ?? 0,
    liveBytes: m.events?.liveBytes[state] ?? 0,
    tensorBytes: tensors,
  }
}

/** PyTorch's reserved bytes against the runtime's total: what the runtime holds besides, or why that cannot be said. */
export function crossCheck(
  total: number | null,
  tensorBytes: number | null,
  reserved: number | null,
): Pick<HbmAt, 'reservedBytes' | 'outsideBytes' | 'crossCheck'> {
  if (total === null || reserved === null) return { reservedBytes: reserved, outsideBytes: null, crossCheck: null }
  if (reserved > total)
    return {
      reservedBytes: reserved,
      outsideBytes: null,
      crossCheck:
        "PyTorch holds more than the runtime's total for this HBM: its memory lies in other HBMs too, or the two are not aligned in time, or the recording lacks allocations.",
    }
  return {
    reservedBytes: reserved,
    outsideBytes: total - reserved,
    crossCheck:
      tensorBytes !== null && reserved > tensorBytes
        ? "PyTorch holds more than the runtime's tensors: part of its memory is counted in another category, or lies in another HBM."
        : null,
  }
}
