/**
 * One measured process: `history.mjs N` asks the engine's queries of an allocator history of about N events and prints one JSON line. The peer of the
 * picture is a scan over all allocations per pixel column; both must count the same bytes.
 */
import type { AllocatorModel } from '../src/analysis/allocator/model'
import { allocationDetails, owners as ownersOf } from '../src/analysis/allocator/owners'
import { memoryPicture, type PictureQuery } from '../src/analysis/allocator/picture'
import { memoryAt, smallerAt } from '../src/analysis/allocator/pictureAt'
import { replayAll } from '../src/analysis/allocator/replay'
import { hitTest } from '../src/paint/memory/hit'
import { historyOf, sequence } from './synthetic'
import { peakMb, spread, took, type Took } from './took'

const WIDTH = 1400
const HEIGHT = 420

const table = historyOf(Number(process.argv[2] ?? 1.7e6))
replayAll(historyOf(2000)) // a first small one, so that the compiler's work is not measured
let models: readonly AllocatorModel[] = []
const replay = took(() => (models = replayAll(table)))
const model = models[0]
if (!model.figures.selfCheck.ok) throw new Error('the replay of the history does not agree with its segment table')
let owners = ownersOf(model, table)
const grouping = took(() => (owners = ownersOf(model, table)))
const [t0, t1] = table.timeRange as readonly [number, number]
const whole: PictureQuery = { axis: 'time', start: t0, end: t1, width: WIDTH, height: HEIGHT, yMax: null, withReserved: true }

const times = (count: number, f: (i: number) => void): readonly Took[] => Array.from({ length: count }, (_, i) => took(() => f(i)))
const first = took(() => void memoryPicture(model, whole, owners))
const full = times(20, () => void memoryPicture(model, whole, owners))
const zoomed = times(140, i => {
  const span = (t1 - t0) / 2 ** (1 + (i % 14))
  const start = t0 + ((i * 0.618) % 1) * (t1 - t0 - span)
  memoryPicture(model, { ...whole, start, end: start + span }, owners)
})

const picture = { version: 1, ...memoryPicture(model, whole, owners) }
/** Live bytes of a state, by looking at each allocation. */
function scan(state: number): number {
  let bytes = 0
  for (let r = 0; r < model.count; r++)
    if (model.allocEvent[r] <= state && (model.freeEvent[r] < 0 || model.freeEvent[r] > state)) bytes += model.size[r]
  return bytes
}
const scanned = took(() => {
  for (let c = 0; c < WIDTH; c++) {
    const bytes = scan(picture.columnEvent[c])
    if (bytes !== picture.max[c]) throw new Error(`column ${c}: the picture shows ${picture.max[c]} bytes, a scan counts ${bytes}`)
  }
})
if (Math.max(...picture.max) !== model.figures.peakActiveBytes) throw new Error('the picture does not reach the peak')

const random = sequence(5)
const at = times(1000, () => {
  const t = t0 + random() * (t1 - t0)
  if (!(memoryAt(model, 'time', t, owners.groupOf, owners.groups.length).activeBytes >= 0)) throw new Error('no answer')
})
const smaller = times(1000, () => {
  smallerAt(model, picture.columnEvent[Math.floor(random() * WIDTH)], 0, picture.yMax, 200, owners)
})
const details = times(1000, () => void allocationDetails(model, table, owners, Math.floor(random() * model.count), 0))
let found = 0
const hits = times(20_000, () => {
  const hit = hitTest(picture, Math.floor(random() * WIDTH), Math.floor(random() * HEIGHT))
  if (hit.kind === 'allocation' || hit.kind === 'smaller') found++
})
if (found === 0) throw new Error('no hit test found an allocation')

process.stdout.write(
  JSON.stringify({
    events: model.events,
    allocations: model.count,
    width: WIDTH,
    height: HEIGHT,
    replay: replay.work,
    owners: grouping.work,
    first: first.work,
    full: spread(full),
    zoomed: spread(zoomed),
    scan: scanned.work,
    at: spread(at),
    smaller: spread(smaller),
    details: spread(details),
    hit: spread(hits),
    rssMb: peakMb(),
  }) + '\n',
)
