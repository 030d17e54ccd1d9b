/** What the HBM tab works out of the host's answers. Pure, so that the rules can be read and tested. */
import type { HbmAt, HbmCategoryInfo, HbmGrouping, HbmInfo } from '../../../shared/hbm-api'
import { num } from '../../../shared/format'
import { GIB, MIB } from '../../../shared/units'

const NBSP = '\u00a0'

export interface GroupRow {
  readonly label: string
  readonly color: string
  /** Indices into HbmInfo.categories; empty for what no event names. */
  readonly categories: readonly number[]
  readonly unattributed: boolean
  /** Bytes at the asked time; null where not told. */
  readonly bytes: number | null
}

const UNATTRIBUTED = 'not named by any event'

const labelOf = (info: HbmInfo, grouping: HbmGrouping, c: HbmCategoryInfo): readonly [string, string] => {
  if (grouping === 'category') return [c.name, c.color]
  const g = grouping === 'family' ? info.families[c.family] : info.runtimeRows[c.runtimeRow]
  return [g.label, g.color]
}

/** Groups of the stack, top first, with their bytes in `at`; bytes that no event names come last, where there are any. */
export function groupRows(info: HbmInfo, grouping: HbmGrouping, at: HbmAt | null): readonly GroupRow[] {
  const order =
    grouping === 'category'
      ? info.categories.map(c => c.name)
      : (grouping === 'family' ? info.families : info.runtimeRows).filter(g => !g.unattributed).map(g => g.label)
  const rows = new Map<string, { color: string; categories: number[]; bytes: number | null }>()
  info.categories.forEach((c, i) => {
    const [label, color] = labelOf(info, grouping, c)
    const r = rows.get(label) ?? { color, categories: [], bytes: null }
    r.categories.push(i)
    const b = at?.categories[i] ?? null
    if (b !== null) r.bytes = (r.bytes ?? 0) + b
    rows.set(label, r)
  })
  const out: GroupRow[] = order.flatMap(label => {
    const r = rows.get(label)
    return r ? [{ label, ...r, unattributed: false }] : []
  })
  out.reverse()
  if (at?.unattributedBytes !== null && at?.unattributedBytes !== undefined && at.unattributedBytes > 0)
    out.push({ label: UNATTRIBUTED, color: 'unknown', categories: [], unattributed: true, bytes: at.unattributedBytes })
  return out
}

/** Figure of a column whose head says MiB: `16,420` from 100 on, else `63.0`; `<0.1` where it would read as 0. */
export function mib(bytes: number): string {
  if (bytes === 0) return '0'
  const v = bytes / MIB
  if (v >= 99.95) return num(v)
  return v < 0.05 ? '<0.1' : num(v, 1)
}

/** `16,419.8 MiB` whatever the size, as tables and tooltips write it. */
export const inMib = (bytes: number): string =>
  (bytes > 0 && bytes / MIB < 0.05 ? '<0.1' : num(bytes / MIB, bytes === 0 ? 0 : 1)) + NBSP + 'MiB'

/** Share of a total, `68.1 %`; '' without a total. */
export const percent = (bytes: number, total: number | null): string =>
  total === null || total <= 0 ? '' : num((100 * bytes) / total, 1) + NBSP + '%'

/** Age in ms for a column whose head says ms; `—` for what was there before the recording. */
export const ageMs = (ns: number | null): string => (ns === null ? '—' : num(ns / 1e6, ns < 1e6 ? 3 : 1))

/** `0.46 of 24 GiB`. */
export const freeOf = (free: number, capacity: number): string =>
  `${num(free / GIB, 2)} of ${num(capacity / GIB, capacity % GIB === 0 ? 0 : 2)}${NBSP}GiB`

/** `hbm_nd0_hbm1_1129.418ms.csv`: letters, digits, dots and `_` only. */
export const csvName = (info: Pick<HbmInfo, 'device' | 'hbm'>, at: number): string =>
  `hbm_${info.device === null ? '' : `nd${info.device}_`}hbm${info.hbm}_${(at / 1e6).toFixed(3)}ms.csv`
