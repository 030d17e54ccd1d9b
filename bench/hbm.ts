/**
 * One measured process: `hbm.mjs N` asks the engine's queries of device memory of an HBM with N events, some thousand allocations live at a time, and prints one JSON line. The peers are
 * scans over all events per pixel column and over all allocations; both must count the same bytes and the same allocations.
 */
import { hbmAt } from '../src/analysis/hbm/at'
import { withIndex } from '../src/analysis/hbm/index-of'
import { hbmLive, type RowFacts } from '../src/analysis/hbm/live'
import type { HbmModel } from '../src/analysis/hbm/model'
import { hbmPicture } from '../src/analysis/hbm/picture'
import type { HbmSort } from '../src/shared/hbm-api'
import { sequence } from './synthetic'
import { hbmOf } from './synthetic-hbm'
import { peakMb, spread, took, type Took } from './took'

const WIDTH = 1400
const PAGE = 100

const n = Number(process.argv[2] ?? 2e6)
const plain = hbmOf(n)
let m: HbmModel = withIndex(hbmOf(2))
const prepare = took(() => (m = withIndex(plain)))
const a = m.allocations
if (!a || !m.events) throw new Error('no allocations')
const [t0, t1] = [m.time[0], m.until]
const facts: RowFacts = {
  model: k => (k % 3 === 0 ? null : `graph ${k % 3}`),
  traceId: k => (k % 2 ? String(1e6 + k) : null),
  link: () => null,
  how: k => (k % 5 === 1 ? 'id' : null),
  label: k => (k % 4 === 0 ? `forward block.py:${k % 1000}` : null),
}

// A small one first, so that the compiler's work is not measured.
const small = withIndex(hbmOf(20_000, 600))
for (let i = 0; i < 200; i++) {
  const time = small.time[(i * 7919) % small.count]
  hbmPicture(small, { start: small.time[0], end: time, width: WIDTH, grouping: 'category' })
  hbmAt(small, time, null)
  for (const sort of ['size', 'address', 'traceId'] as const)
    hbmLive(small, facts, { at: time, sort, descending: i % 2 === 0, filter: i % 3 === 0 ? 'block' : '', offset: 0, limit: PAGE })
}

const times = (count: number, f: (i: number) => void): readonly Took[] => Array.from({ length: count }, (_, i) => took(() => f(i)))
const random = sequence(9)
const whole = { start: t0, end: t1, width: WIDTH, grouping: 'category' as const }
const first = took(() => void hbmPicture(m, whole))
const full = times(100, () => void hbmPicture(m, whole))
const groupings = ['category', 'family', 'runtime'] as const
const zoomed = times(320, i => {
  const span = (t1 - t0) / 2 ** (1 + (i % 16))
  const start = t0 + ((i * 0.618) % 1) * (t1 - t0 - span)
  hbmPicture(m, { start, end: start + span, width: WIDTH, grouping: groupings[i % 3] })
})

const shown = hbmPicture(m, whole)
const scan = took(() => {
  for (let c = 0; c < WIDTH; c += 20) {
    const from = t0 + ((t1 - t0) * c) / WIDTH
    const to = c === WIDTH - 1 ? Infinity : t0 + ((t1 - t0) * (c + 1)) / WIDTH
    let most = -Infinity
    for (let i = 0; i < m.count; i++) if (m.time[i] < to && (i + 1 === m.count || m.time[i + 1] > from)) most = Math.max(most, m.total[i])
    if (most !== shown.max[c]) throw new Error(`column ${c}: the picture shows ${shown.max[c]} bytes, a scan finds ${most}`)
  }
})

const at = times(2000, () => {
  if (!((hbmAt(m, t0 + random() * (t1 - t0), null).totalBytes ?? -1) >= 0)) throw new Error('no answer')
})

const page = (time: number, sort: HbmSort, filter = '', offset = 0) =>
  hbmLive(m, facts, { at: time, sort, descending: true, filter, offset, limit: PAGE })
const live = times(400, () => void page(t0 + random() * (t1 - t0), 'size'))
const sorts: readonly HbmSort[] = ['size', 'age', 'address', 'category', 'model', 'traceId', 'label']
const sorted = times(280, i => void page(t0 + random() * (t1 - t0), sorts[i % sorts.length]))
// The cursor moves on with a filter: most rows were there before.
const filtered = times(200, i => void page(t0 + (0.3 + i / 1e5) * (t1 - t0), 'size', 'block.py tensors'))
const pages = times(200, i => void page(t0 + 0.5 * (t1 - t0), 'size', '', (i % 20) * PAGE))
const liveScan = took(() => {
  for (let i = 0; i < 20; i++) {
    const time = t0 + random() * (t1 - t0)
    let count = 0
    let bytes = 0
    for (let k = 0; k < a.count; k++)
      if ((a.from[k] < 0 || m.time[a.from[k]] <= time) && (a.to[k] < 0 || m.time[a.to[k]] > time)) {
        count++
        bytes += a.size[k]
      }
    const p = page(time, 'size')
    if (p.total !== count || p.passedBytes !== bytes) throw new Error(`the table has ${p.total} allocations, a scan ${count}`)
  }
})

process.stdout.write(
  JSON.stringify({
    events: n,
    allocations: a.count,
    live: m.events.live[m.count >> 1],
    categories: m.categories.length,
    width: WIDTH,
    page: PAGE,
    prepare: prepare.work,
    first: first.work,
    full: spread(full),
    zoomed: spread(zoomed),
    at: spread(at),
    livePage: spread(live),
    sorted: spread(sorted),
    filtered: spread(filtered),
    pages: spread(pages),
    /** ms for one picture's columns, and for one set of live allocations. */
    scan: scan.work * 20,
    liveScan: liveScan.work / 20,
    rssMb: peakMb(),
  }) + '\n',
)
