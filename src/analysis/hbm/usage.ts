/** Device memory of an export that has totals over time but no allocations (SystemProfileHbmUsage, device_mem_usage): the same curve without a table of live allocations. */
import { withIndex } from './index-of'
import type { DiagnosticSink } from '../../shared/diagnostics'
import type { HbmUsageTable, SystemTable } from '../../shared/system-tables'
import { num } from '../../shared/format'
import { categoryOf, compareCategories } from './categories'
import type { HbmModel } from './model'

/** One model for each (device, HBM) of the table. Rows without a total are left out and counted. Times are moved to the epoch of `table`. */
export function usageModels(u: HbmUsageTable, table: Pick<SystemTable, 'epochNs' | 'range'>, sink: DiagnosticSink): readonly HbmModel[] {
  const shift = Number(u.epochNs - table.epochNs)
  const rows = new Map<string, number[]>()
  let left = 0
  for (let i = 0; i < u.count; i++) {
    if (!(u.total[i] >= 0) || Number.isNaN(u.time[i])) {
      left++
      continue
    }
    const key = `${u.device[i]}|${u.hbm[i]}`
    const list = rows.get(key)
    if (list) list.push(i)
    else rows.set(key, [i])
  }
  if (left > 0)
    sink.add({
      severity: 'warning',
      code: 'hbm-usage-rows',
      count: left,
      message: `${num(left)} rows of device memory usage have no time or no total.`,
      meaning: 'They are left out of the curve.',
      action: 'Export the profile again, if they are many.',
    })
  // Several spellings of one category would be one column each; the file's columns are kept as they are.
  const named = u.categories.map((c, i) => ({ category: categoryOf(c.name), i }))
  named.sort((a, b) => compareCategories(a.category, b.category))
  return [...rows.values()].map(list => one(u, named, list, shift, table.range?.[1] ?? -Infinity))
}

function one(
  u: HbmUsageTable,
  named: readonly { readonly category: ReturnType<typeof categoryOf>; readonly i: number }[],
  rows: number[],
  shift: number,
  rangeEnd: number,
): HbmModel {
  rows.sort((a, b) => u.time[a] - u.time[b] || a - b)
  const n = rows.length
  const pick = (column: ArrayLike<number>, add = 0): Float64Array => Float64Array.from(rows, r => column[r] + add)
  const time = pick(u.time, shift)
  const total = pick(u.total)
  let peakEvent = 0
  for (let i = 1; i < n; i++) if (total[i] > total[peakEvent]) peakEvent = i
  const usage = named.map(c => pick(u.categories[c.i].bytes))
  let unattributed = false
  for (let i = 0; i < n && !unattributed; i++) {
    let all = 0
    for (const c of usage) all += c[i] || 0
    unattributed = total[i] > all
  }
  return withIndex({
    kind: 'usage',
    device: u.device[rows[0]],
    hbm: u.hbm[rows[0]],
    instance: '',
    process: NaN,
    count: n,
    time,
    total,
    totals: 'runtime',
    until: Math.max(time[n - 1], rangeEnd),
    categories: named.map(({ category }, c) => {
      let peak = -1
      for (let i = 0; i < n; i++) if (usage[c][i] > (peak < 0 ? -1 : usage[c][peak])) peak = i
      return {
        ...category,
        startBytes: 0,
        startKnown: false,
        peakBytes: peak < 0 ? NaN : usage[c][peak],
        peakTime: peak < 0 ? NaN : time[peak],
      }
    }),
    startBytes: NaN,
    unattributed,
    events: null,
    usage,
    allocations: null,
    peakBytes: total[peakEvent],
    peakEvent,
    allocs: 0,
    frees: 0,
    liveAtEnd: 0,
    failures: [],
    failureCount: 0,
    gaps: [],
  })
}
