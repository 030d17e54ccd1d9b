/**
 * Device memory of a system table: one model for each HBM of each Neuron device (of each process, where a file has several). Linear in the number of events.
 *
 * Rules:
 * - An event counts at the time of its stop: only then the runtime has the memory and its address.
 * - The total after an event is the runtime's own `total_bytes`, that of the category its `usage_type_total_bytes`. Where an event has none, the change is added to the value
 *   before. A running sum is compared at each step; where it parts from the runtime's figure a diagnostic says so, and the runtime's figure stands.
 * - A recording that begins in the middle of a run begins with bytes: a category's bytes before its first event are that event's category total less the change. Before the first
 *   event of an HBM nothing is known.
 * - A live allocation is an (HBM, physical address). A free of an address that nothing lives at ends a part of the start state. An allocation at a live address ends the one there:
 *   its free was lost, unless a free that had begun before comes later (frees and allocations of two threads may stop in the other order).
 * - An allocation with a return code other than 0 is a failure: it changes nothing.
 */
import { DiagnosticSink, type Diagnostic } from '../../shared/diagnostics'
import { attributeNumber, type SystemTable } from '../../shared/system-tables'
import { compareCategories, type Category } from './categories'
import { collectHbm, type Collected, type RawHbm } from './collect'
import { reportCollected, reportHbm, type Steps } from './findings'
import { withIndex } from './index-of'
import { allocationsOf } from './lives'
import { ALLOC, FREE, MAX_FAILURES, NO_CATEGORY, type HbmFailure, type HbmModel } from './model'
import { usageModels } from './usage'

export interface HbmModels {
  readonly models: readonly HbmModel[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Models of a table, by device and HBM. An HBM of which the file has both allocations and an export's totals is told by the allocations, unless these have no totals of the
 * runtime. `file` names it in diagnostics.
 */
export function buildHbm(table: SystemTable, file: string): HbmModels {
  const sink = new DiagnosticSink(file)
  const collected = collectHbm(table)
  reportCollected(sink, collected, table)
  const built = collected.hbms.filter(h => h.order.length > 0 || h.failures.length > 0).map(h => build(table, collected, h, sink))
  const usage = table.hbmUsage ? usageModels(table.hbmUsage, table, sink) : []
  const models = built.map(m => (m.totals === 'runtime' ? m : (usage.find(u => same(u, m)) ?? m)))
  models.push(...usage.filter(u => !built.some(m => same(u, m))))
  models.sort((a, b) => a.device - b.device || a.hbm - b.hbm)
  return { models, diagnostics: sink.list }
}

const same = (a: HbmModel, b: HbmModel): boolean => a.device === b.device && a.hbm === b.hbm

function build(table: SystemTable, collected: Collected, raw: RawHbm, sink: DiagnosticSink): HbmModel {
  const { events: e } = collected
  const { order } = raw
  const n = order.length
  const { categories, map } = categoriesOf(collected, raw)
  const time = new Float64Array(n)
  const row = new Uint32Array(n)
  const kind = new Uint8Array(n)
  const category = new Uint16Array(n)
  const bytes = new Float64Array(n)
  const address = new BigUint64Array(n)
  const delta = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    const x = order[i]
    time[i] = e.time[x]
    row[i] = e.row[x]
    kind[i] = e.kind[x]
    category[i] = map[e.category[x]]
    address[i] = e.address[x]
    // Without bytes (said in a diagnostic) the event changes what its own totals say, or nothing.
    bytes[i] = Number.isNaN(e.bytes[x]) ? 0 : e.bytes[x]
    delta[i] = kind[i] === ALLOC ? bytes[i] : -bytes[i]
  }
  const gaps = gapsOf(table, raw.device)
  const lives = allocationsOf({ kind, category, bytes, address, time, row, start: i => e.start[order[i]] })

  // ── totals ──
  const freedUnknown = new Float64Array(categories.length)
  for (let a = 0; a < lives.allocations.startCount; a++) freedUnknown[lives.allocations.category[a]] += lives.allocations.size[a]
  const steps: Steps = { total: newStep(), category: newStep(), lost: newStep(), exceed: newStep() }
  const lostUntil = gaps[0]?.end ?? -Infinity
  const whole = curve(
    i => e.total[order[i]],
    delta,
    null,
    sum(freedUnknown),
    (i, expected, told) => {
      const step = time[i] <= lostUntil ? steps.lost : steps.total
      noteStep(step, row[i], time[i], told - expected)
    },
  )
  const byCategory = categories.map(() => [] as number[])
  for (let i = 0; i < n; i++) byCategory[category[i]].push(i)
  const categoryTotal = new Float64Array(n)
  const starts = categories.map((_, c) => {
    const rows = byCategory[c]
    const one = curve(
      k => e.categoryTotal[order[rows[k]]],
      delta,
      rows,
      freedUnknown[c],
      (k, expected, told) => {
        const i = rows[k]
        noteStep(time[i] <= lostUntil ? steps.lost : steps.category, row[i], time[i], told - expected)
      },
    )
    rows.forEach((i, k) => (categoryTotal[i] = one.values[k]))
    return one
  })

  // ── peaks, and what no category accounts for ──
  const { values: total } = whole
  let peakEvent = -1
  for (let i = 0; i < n; i++) if (peakEvent < 0 || total[i] > total[peakEvent]) peakEvent = i
  const current = starts.map(s => s.start)
  const peaks = starts.map(s => ({ bytes: n > 0 ? s.start : 0, time: n > 0 ? time[0] : NaN }))
  let attributed = sum(current)
  let unattributed = false
  for (let i = 0; i < n; i++) {
    const c = category[i]
    attributed += categoryTotal[i] - current[c]
    current[c] = categoryTotal[i]
    const peak = peaks[c]
    // The first event is where the known time begins: what its own category held before was at no known time.
    if (categoryTotal[i] > peak.bytes || i === 0) peaks[c] = { bytes: categoryTotal[i], time: time[i] }
    if (total[i] > attributed) unattributed = true
    else if (total[i] < attributed) noteStep(steps.exceed, row[i], time[i], attributed - total[i])
  }
  const failures = failuresOf(table, collected, raw, map)
  const model = withIndex({
    kind: 'events',
    device: raw.device,
    hbm: raw.hbm,
    instance: raw.instance,
    process: raw.process,
    count: n,
    time,
    total,
    totals: whole.told > 0 || n === 0 ? 'runtime' : 'running-sum',
    until: Math.max(table.range?.[1] ?? -Infinity, n > 0 ? time[n - 1] : -Infinity),
    categories: categories.map((c, i) => ({
      ...c,
      startBytes: starts[i].start,
      startKnown: starts[i].told > 0,
      peakBytes: peaks[i].bytes,
      peakTime: peaks[i].time,
    })),
    startBytes: whole.told > 0 ? whole.start : NaN,
    unattributed,
    events: { row, kind, category, bytes, categoryTotal, allocation: lives.of, live: lives.live, liveBytes: lives.liveBytes },
    usage: null,
    allocations: lives.allocations,
    peakBytes: peakEvent < 0 ? 0 : total[peakEvent],
    peakEvent,
    allocs: kind.reduce((k, v) => k + (v === ALLOC ? 1 : 0), 0),
    frees: kind.reduce((k, v) => k + (v === FREE ? 1 : 0), 0),
    liveAtEnd: n > 0 ? lives.live[n - 1] : 0,
    failures: failures.slice(0, MAX_FAILURES),
    failureCount: failures.length,
    gaps,
  })
  reportHbm(sink, model, steps, lives)
  return model
}

const sum = (v: ArrayLike<number>): number => {
  let s = 0
  for (let i = 0; i < v.length; i++) s += v[i]
  return s
}

export interface Step {
  count: number
  row: number
  time: number
  /** Largest difference of a step, bytes. */
  most: number
}
const newStep = (): Step => ({ count: 0, row: -1, time: NaN, most: 0 })
function noteStep(s: Step, row: number, time: number, difference: number): void {
  if (s.count++ === 0) {
    s.row = row
    s.time = time
  }
  if (Math.abs(difference) > Math.abs(s.most)) s.most = difference
}

/** Categories of an HBM in the order of a stack, and where those of the whole table are among them. */
function categoriesOf(collected: Collected, raw: RawHbm): { readonly categories: readonly Category[]; readonly map: Uint16Array } {
  const used = new Uint8Array(collected.categories.length)
  for (const x of raw.order) used[collected.events.category[x]] = 1
  const ids = collected.categories.map((_, i) => i).filter(i => used[i] === 1)
  ids.sort((a, b) => compareCategories(collected.categories[a], collected.categories[b]))
  const map = new Uint16Array(collected.categories.length).fill(NO_CATEGORY)
  ids.forEach((id, i) => (map[id] = i))
  return { categories: ids.map(i => collected.categories[i]), map }
}

interface Curve {
  /** After each event. */
  readonly values: Float64Array
  /** Before the first. */
  readonly start: number
  /** How many events have the runtime's figure. */
  readonly told: number
}

/**
 * Values after each event: the runtime's figure where there is one, else the value before and the change. The start follows from the first figure; without any it is `least`.
 * `rows` are the positions of the events in `delta`, null for all of them. `differs` is called where a figure is not what the one before and the change give.
 */
function curve(
  figure: (k: number) => number,
  delta: Float64Array,
  rows: readonly number[] | null,
  least: number,
  differs: (k: number, expected: number, told: number) => void,
): Curve {
  const n = rows ? rows.length : delta.length
  const values = new Float64Array(n)
  const change = (k: number): number => delta[rows ? rows[k] : k]
  let first = 0
  let before = 0
  while (first < n && Number.isNaN(figure(first))) before += change(first++)
  let told = 0
  let start = least
  if (first < n) {
    start = figure(first) - before - change(first)
    if (start < 0) {
      differs(first, before + change(first), figure(first))
      start = 0
    }
  }
  let value = start
  for (let k = 0; k < n; k++) {
    const expected = value + change(k)
    const figured = figure(k)
    if (Number.isNaN(figured)) value = Math.max(0, expected)
    else {
      if (told++ > 0 && figured !== expected) differs(k, expected, figured)
      value = figured
    }
    values[k] = value
  }
  return { values, start, told }
}

/** The stretch of which events are lost: from the beginning of the source to the first event that the last of the device's cores with a lost head still has. */
function gapsOf(table: SystemTable, device: number): HbmModel['gaps'] {
  const lost = table.cores.filter(c => c.headLost && (device < 0 || c.device < 0 || c.device === device))
  if (lost.length === 0 || table.range === null) return []
  const end = Math.max(...lost.map(c => c.firstNs))
  const names = lost.slice(0, 8).map(c => `NC ${c.nc}`)
  if (lost.length > names.length) names.push(`${lost.length - names.length} more`)
  return end > table.range[0]
    ? [
        {
          start: table.range[0],
          end,
          reason: `the oldest events of ${names.join(', ')} were overwritten; totals stand at the events that are left`,
        },
      ]
    : []
}

function failuresOf(table: SystemTable, collected: Collected, raw: RawHbm, map: Uint16Array): HbmFailure[] {
  if (raw.failures.length === 0) return []
  const { events: e } = collected
  // The tensor that could not be placed knows its size: the event around the allocation. Only needed where the allocation itself does not tell.
  const sizes = new Map<bigint, number>()
  const wanted = new Set<bigint>()
  const asked = (at: number): number => {
    for (const key of ['size', 'requested_bytes', 'requested_size']) {
      const v = attributeNumber(table, e.row[at], key)
      if (v > 0) return v
    }
    return e.bytes[at] > 0 ? e.bytes[at] : NaN
  }
  for (const f of raw.failures) {
    const parent = table.parentId[e.row[f.at]]
    if (parent !== 0n && Number.isNaN(asked(f.at))) wanted.add(parent)
  }
  if (wanted.size > 0)
    for (let r = 0; r < table.count; r++) {
      if (table.id[r] === 0n || !wanted.has(table.id[r])) continue
      const v = attributeNumber(table, r, 'size')
      if (v > 0) sizes.set(table.id[r], v)
    }
  return raw.failures.map(({ at, returnCode }) => {
    const own = asked(at)
    return {
      time: e.time[at],
      row: e.row[at],
      bytes: Number.isNaN(own) ? (sizes.get(table.parentId[e.row[at]]) ?? NaN) : own,
      category: map[e.category[at]],
      returnCode: returnCode.slice(0, 80),
      total: e.total[at],
    }
  })
}
