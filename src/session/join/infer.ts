/**
 * Links without ids: a segment of the caching allocator and a runtime allocation with the same address and a size that fits, that live at the same time. The same address may be
 * there on several devices, so a link needs to be the only possible one on both sides.
 */
import { MIB } from '../../shared/units'
import { LINK_INFERRED, LINK_NONE, P_SEGMENT, P_SEGMENT_ROW, type PytorchRows, type RuntimeRows } from './model'

/** Bytes by which the runtime may round a segment up. */
const ROUNDING = 2 * MIB
/** ns by which the recorded lives may miss each other. */
const NEAR = 20e6

/** Adds inferred links to the columns for rows that have none. Linear in rows but for addresses that are used again and again. */
export function inferByAddress(
  p: PytorchRows,
  r: RuntimeRows,
  pytorchOf: Int32Array,
  runtimeOf: Int32Array,
  how: Uint8Array,
): { readonly linked: number; readonly ambiguous: number } {
  const byAddress = new Map<bigint, number[]>()
  for (let a = 0; a < p.count; a++)
    if ((p.kind[a] === P_SEGMENT || p.kind[a] === P_SEGMENT_ROW) && runtimeOf[a] < 0 && p.address[a] !== 0n) byAddress.set(p.address[a], [])
  if (byAddress.size === 0) return { linked: 0, ambiguous: 0 }
  for (let b = 0; b < r.count; b++) if (how[b] === LINK_NONE) byAddress.get(r.address[b])?.push(b)
  /** Entries of the history tell of segments of the table too: the table's rows are for those without one. */
  const told = new Set<string>()
  const options: { readonly a: number; readonly bs: readonly number[] }[] = []
  const wanted = new Map<number, number>()
  const consider = (a: number): void => {
    if (runtimeOf[a] >= 0) return
    const bs = (byAddress.get(p.address[a]) ?? []).filter(b => fits(p, a, r, b))
    if (bs.length === 0) return
    options.push({ a, bs })
    for (const b of bs) wanted.set(b, (wanted.get(b) ?? 0) + 1)
  }
  const where = (a: number): string => `${p.snapshot[a]}|${p.device[a]}|${p.address[a]}`
  for (let a = 0; a < p.count; a++) {
    if (p.kind[a] !== P_SEGMENT) continue
    if (Number.isNaN(p.end[a])) told.add(where(a))
    consider(a)
  }
  for (let a = 0; a < p.count; a++) if (p.kind[a] === P_SEGMENT_ROW && !told.has(where(a))) consider(a)
  let linked = 0
  let ambiguous = 0
  for (const { a, bs } of options) {
    const b = bs[0]
    if (bs.length > 1 || (wanted.get(b) ?? 0) > 1) {
      ambiguous++
      continue
    }
    pytorchOf[b] = a
    runtimeOf[a] = b
    how[b] = LINK_INFERRED
    linked++
  }
  return { linked, ambiguous }
}

function fits(p: PytorchRows, a: number, r: RuntimeRows, b: number): boolean {
  if (!(r.size[b] >= p.size[a] && r.size[b] <= p.size[a] + ROUNDING)) return false
  const from = Math.max(or(p.time[a], -Infinity), or(r.time[b], -Infinity))
  const to = Math.min(or(p.end[a], Infinity), or(r.end[b], Infinity))
  if (from > to + NEAR) return false
  // Both recorded: one allocation is written down by both at nearly the same moment.
  return Number.isNaN(p.time[a]) || Number.isNaN(r.time[b]) || Math.abs(p.time[a] - r.time[b]) <= 1e9
}

const or = (v: number, fallback: number): number => (Number.isNaN(v) ? fallback : v)
