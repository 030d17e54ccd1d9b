/**
 * Annotations of a program (`record_function`, phases of a step) as bands over time: the outermost ones of the thread that has most of them, without the profiler's own steps.
 */
import { stringAt, stringCount, type StringTable } from '../../shared/columns'
import type { AnnotationTable } from '../../shared/tables'
import type { TrackModel } from './model'

/** Bands by start; they don't overlap. Times of the source, ns. */
export interface Bands {
  readonly name: readonly string[]
  readonly start: Float64Array
  readonly duration: Float64Array
}

export const NO_BANDS: Bands = { name: [], start: new Float64Array(0), duration: new Float64Array(0) }

/** Categories of annotations, as Kineto writes them on the threads of the host. */
const CATEGORIES: ReadonlySet<string> = new Set(['user_annotation', 'annotation'])
const STEP = /^ProfilerStep/

/** Annotations of a source's tracks. */
export function annotationBands(strings: StringTable, tracks: readonly TrackModel[]): Bands {
  const annotation = new Set<number>()
  for (let i = 0, n = stringCount(strings); i < n; i++) {
    const length = strings.offsets[i + 1] - strings.offsets[i]
    if (length >= 10 && length <= 15 && CATEGORIES.has(stringAt(strings, i).toLowerCase())) annotation.add(i)
  }
  if (annotation.size === 0) return NO_BANDS
  let best: readonly number[] = []
  let from: TrackModel | null = null
  for (const t of tracks) {
    if (t.kind !== 'slices' || t.role !== 'thread' || t.derived) continue
    const at: number[] = []
    for (let i = 0; i < t.row.length; i++) if (annotation.has(t.categoryId[i]) && t.flags[i] === 0) at.push(i)
    if (at.length > best.length) [best, from] = [at, t]
  }
  if (!from) return NO_BANDS
  const t = from
  return outermost(
    best
      .map(i => ({ name: stringAt(strings, t.nameId[i]), start: t.start[i], end: t.start[i] + t.duration[i] }))
      .filter(a => !STEP.test(a.name)),
  )
}

/** Annotations that a memory snapshot has: pairs of START and END of one text, the times of the host. */
export function snapshotBands(strings: StringTable, a: AnnotationTable): Bands {
  const open = new Map<string, number[]>()
  const list: { name: string; start: number; end: number }[] = []
  const order = Array.from({ length: a.count }, (_, i) => i)
    .filter(i => !Number.isNaN(a.time[i]))
    .sort((i, j) => a.time[i] - a.time[j])
  for (const i of order) {
    const stage = stringAt(strings, a.stage[i])
    const name = stringAt(strings, a.text[i])
    const key = `${a.device[i]}\0${name}`
    if (stage === 'START') open.set(key, [...(open.get(key) ?? []), a.time[i]])
    else if (stage === 'END') {
      const start = open.get(key)?.pop()
      if (start !== undefined) list.push({ name, start, end: a.time[i] })
    }
  }
  return outermost(list.filter(b => !STEP.test(b.name)))
}

/** Those that no other covers; of two that cross, the second begins where the first ends. */
function outermost(list: readonly { readonly name: string; readonly start: number; readonly end: number }[]): Bands {
  const sorted = [...list].sort((a, b) => a.start - b.start || b.end - a.end)
  const name: string[] = []
  const start: number[] = []
  const duration: number[] = []
  let end = -Infinity
  for (const b of sorted) {
    const from = Math.max(b.start, end)
    if (!(b.end > from)) continue
    name.push(b.name)
    start.push(from)
    duration.push(b.end - from)
    end = b.end
  }
  return { name, start: Float64Array.from(start), duration: Float64Array.from(duration) }
}

/** Indices of the bands that touch [start, end] and are at least `least` long, in order; bands are by start and don't overlap. */
export function bandsBetween(b: Bands, start: number, end: number, least: number): readonly number[] {
  let lo = 0
  let hi = b.start.length
  while (lo < hi) {
    const m = (lo + hi) >> 1
    if (b.start[m] + b.duration[m] < start) lo = m + 1
    else hi = m
  }
  const out: number[] = []
  for (let i = lo; i < b.start.length && b.start[i] <= end; i++) if (b.duration[i] >= least) out.push(i)
  return out
}
