/**
 * One measured process: `queries.mjs N` asks the engine's queries of a trace of N slices (100 threads) and prints one JSON line. The peer of the window
 * query is a scan over every slice of the asked tracks; both must count the same.
 */
import { sliceDetails } from '../src/analysis/trace/details'
import { busyOverview } from '../src/analysis/trace/busy'
import type { TrackModel } from '../src/analysis/trace/model'
import { buildTraceModel } from '../src/analysis/trace/tracks'
import { slicesInStretches, slicesInWindow } from '../src/analysis/trace/window'
import { sliceAt, splitSlices } from '../src/paint/timeline'
import { columnOf, TILE_COLUMNS, tileSpan } from '../src/shared/tiles'
import { tilesOf } from '../src/renderer/src/trace/drawn'
import { BATCH_TILES } from '../src/renderer/src/trace/fetcher'
import type { Span } from '../src/renderer/src/trace/fetchWindow'
import { sequence, traceOf } from './synthetic'
import { peakMb, spread, took, type Took } from './took'

/** Width of a plot, CSS px. */
const WIDTH = 1100

const n = Number(process.argv[2] ?? 2e6)
const table = traceOf(n)
let model = buildTraceModel(traceOf(1000)) // a first small one, so that the compiler's work is not measured
const build = took(() => (model = buildTraceModel(table)))
const range = model.range as readonly [number, number]
const extent: Span = { start: range[0], end: range[1] }
/** What the panel asks for at once: tiles of neighbouring tracks, as many as one request holds. */
interface Request {
  readonly tracks: readonly TrackModel[]
  readonly column: number
  readonly first: number
  readonly count: number
  readonly start: number
  readonly end: number
}
const slices = model.tracks.filter(t => t.kind === 'slices')

/** The request when window `i` is shown, of a walk through all zooms (the whole trace to 1/32,768 of it), places and tracks. */
function requestAt(i: number): Request {
  const span = (range[1] - range[0]) / 2 ** (i % 16)
  const start = range[0] + ((i * 0.618) % 1) * (range[1] - range[0] - span)
  const { column, first, last } = tilesOf({ start, end: start + span }, extent, columnOf(span / WIDTH))
  const count = last - first + 1
  const tracks: TrackModel[] = []
  let lanes = 0
  for (let k = (i * 7) % slices.length; k < slices.length; k++) {
    const t = slices[k]
    if (tracks.length > 0 && (lanes + t.depth) * count > BATCH_TILES) break
    lanes += t.depth
    tracks.push(t)
  }
  return { tracks, column, first, count, start: first * tileSpan(column), end: (last + 1) * tileSpan(column) }
}
const stretches = ({ tracks, column, first, count }: Request) =>
  tracks.flatMap(track =>
    Array.from({ length: count }, (_, k) => ({
      track,
      start: (first + k) * tileSpan(column),
      end: (first + k + 1) * tileSpan(column),
      width: TILE_COLUMNS,
    })),
  )

/** Slices that touch the window, by looking at each one. */
function scan(tracks: readonly TrackModel[], start: number, end: number): number {
  let count = 0
  for (const { start: s, duration: d } of tracks)
    for (let i = 0; i < s.length; i++) if (s[i] < end && (s[i] + d[i] > start || s[i] >= start)) count++
  return count
}

const windows: Took[] = []
let most = 0
let bytes = 0
for (let i = 0; i < 3200; i++) {
  const r = requestAt(i)
  let answered = 0
  windows.push(took(() => (answered = slicesInStretches(table, stretches(r)).start.length)))
  most = Math.max(most, answered)
  bytes += answered * 34
}
const scans: Took[] = []
for (let i = 0; i < 64; i++) {
  const { tracks, start, end, count } = requestAt(i)
  let counted = 0
  scans.push(took(() => (counted = scan(tracks, start, end))))
  const answered = slicesInWindow(table, tracks, start, end, TILE_COLUMNS * count).merged.reduce((s, m) => s + m, 0)
  if (answered !== counted) throw new Error(`window ${i}: the query stands for ${answered} slices, a scan counts ${counted}`)
}

const random = sequence(3)
const details: Took[] = []
for (let i = 0; i < 2000; i++) {
  const row = Math.floor(random() * n)
  details.push(took(() => void sliceDetails(table, model, row)))
}

// The hit test of the screen: what lies under the pointer, in the columns of an answer for the whole trace.
const asked = requestAt(0)
const columns = splitSlices(
  { version: 1, ...slicesInWindow(table, asked.tracks, asked.start, asked.end, asked.count * TILE_COLUMNS) },
  { ...asked, columns: asked.count * TILE_COLUMNS },
)
const hits: Took[] = []
let found = 0
for (let i = 0; i < 20_000; i++) {
  const c = columns[i % columns.length]
  const lane = i % (c.laneStart.length - 1)
  const t = asked.start + random() * (asked.end - asked.start)
  hits.push(took(() => (found += sliceAt(c, lane, t, (range[1] - range[0]) / WIDTH) >= 0 ? 1 : 0)))
}
if (found === 0) throw new Error('no hit test found a slice')

const overview = took(() => void busyOverview(table, model, WIDTH, range[0], range[1]))

process.stdout.write(
  JSON.stringify({
    n,
    most,
    /** Mean size of an answer's columns, bytes. */
    bytes: bytes / windows.length,
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
