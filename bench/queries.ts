/**
 * One measured process: `queries.mjs N` asks the engine's queries of a trace of N slices (100 threads) and prints one JSON line. The peer of the window
 * query is a scan over every slice of the asked tracks; both must count the same.
 */
import { sliceDetails } from '../src/analysis/trace/details'
import { busyOverview } from '../src/analysis/trace/busy'
import type { TrackModel } from '../src/analysis/trace/model'
import { buildTraceModel } from '../src/analysis/trace/tracks'
import { slicesInWindow } from '../src/analysis/trace/window'
import { sliceAt, splitSlices } from '../src/paint/timeline'
import { sequence, traceOf } from './synthetic'
import { peakMb, spread, took, type Took } from './took'

const WIDTH = 1400
const TRACKS = 20

const n = Number(process.argv[2] ?? 2e6)
const table = traceOf(n)
let model = buildTraceModel(traceOf(1000)) // a first small one, so that the compiler's work is not measured
const build = took(() => (model = buildTraceModel(table)))
const range = model.range as readonly [number, number]
const visible = model.tracks.filter(t => t.kind === 'slices').slice(0, TRACKS)

/** Window `i` of a walk through all zooms (the whole trace to 1/32,768 of it) and places. */
function windowAt(i: number): readonly [number, number] {
  const span = (range[1] - range[0]) / 2 ** (i % 16)
  const start = range[0] + ((i * 0.618) % 1) * (range[1] - range[0] - span)
  return [start, start + span]
}

/** Slices that touch the window, by looking at each one. */
function scan(tracks: readonly TrackModel[], start: number, end: number): number {
  let count = 0
  for (const { start: s, duration: d } of tracks)
    for (let i = 0; i < s.length; i++) if (s[i] < end && (s[i] + d[i] > start || s[i] >= start)) count++
  return count
}

const windows: Took[] = []
for (let i = 0; i < 1600; i++) {
  const [a, b] = windowAt(i)
  windows.push(took(() => void slicesInWindow(table, visible, a, b, WIDTH)))
}
const scans: Took[] = []
for (let i = 0; i < 64; i++) {
  const [a, b] = windowAt(i)
  let counted = 0
  scans.push(took(() => (counted = scan(visible, a, b))))
  const answered = slicesInWindow(table, visible, a, b, WIDTH).merged.reduce((s, m) => s + m, 0)
  if (answered !== counted) throw new Error(`window ${i}: the query stands for ${answered} slices, a scan counts ${counted}`)
}

const random = sequence(3)
const details: Took[] = []
for (let i = 0; i < 2000; i++) {
  const row = Math.floor(random() * n)
  details.push(took(() => void sliceDetails(table, model, row)))
}

// The hit test of the screen: what lies under the pointer, in the columns of an answer for the whole trace.
const [a, b] = windowAt(0)
const columns = splitSlices({ version: 1, ...slicesInWindow(table, visible, a, b, WIDTH) }, { start: a, end: b, columns: WIDTH })
const hits: Took[] = []
let found = 0
for (let i = 0; i < 20_000; i++) {
  const c = columns[i % columns.length]
  const lane = i % (c.laneStart.length - 1)
  const t = a + random() * (b - a)
  hits.push(took(() => (found += sliceAt(c, lane, t, (b - a) / WIDTH) >= 0 ? 1 : 0)))
}
if (found === 0) throw new Error('no hit test found a slice')

const overview = took(() => void busyOverview(table, model, WIDTH, range[0], range[1]))

process.stdout.write(
  JSON.stringify({
    n,
    tracks: TRACKS,
    width: WIDTH,
    build: build.work,
    // The first one is told apart: it prepares what the later ones use.
    first: windows[0].work,
    window: spread(windows.slice(1)),
    scan: spread(scans),
    details: spread(details),
    hit: spread(hits),
    overview: overview.work,
    rssMb: peakMb(),
  }) + '\n',
)
