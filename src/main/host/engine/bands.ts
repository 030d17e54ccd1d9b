/** Annotations of the program as bands behind the plots: of the framework's traces, or of the memory snapshot where no trace has any. */
import { annotationBands, bandsBetween, NO_BANDS, snapshotBands, type Bands } from '../../../analysis/trace/bands'
import type { Answers, RequestArgs } from '../../../shared/api'
import type { EngineContext, Part } from './context'

/** Bands of an answer; more would be closer than a few pixels. */
const MOST = 2000
/** Bands narrower than this (px) say nothing. */
const LEAST_PX = 3

/** Found once per source: a source keeps its tables as long as it lives. */
const known = new WeakMap<object, Bands>()

function bandsOf(part: Part): Bands {
  const table = part.source.table
  let bands = known.get(table)
  if (!bands) {
    bands =
      part.source.kind === 'chrome-trace'
        ? annotationBands(
            part.strings,
            part.tracks.map(t => t.model),
          )
        : part.source.kind === 'memory-snapshot'
          ? snapshotBands(part.source.table.strings, part.source.table.annotations)
          : NO_BANDS
    known.set(table, bands)
  }
  return bands
}

/** Of several sources (ranks, files) the first trace that has annotations speaks, as the steps of several would lie over each other. */
export function traceBands(context: EngineContext, q: RequestArgs<'trace.bands'>): Answers['trace.bands'] {
  const parts = context.parts.filter(p => p.group === q.group)
  const of = (kind: Part['source']['kind']): Part | undefined => parts.find(p => p.source.kind === kind && bandsOf(p).start.length > 0)
  const part = of('chrome-trace') ?? of('memory-snapshot')
  if (!part) return { version: context.version, source: null, bands: [], cut: 0 }
  const b = bandsOf(part)
  const all = bandsBetween(b, q.start - part.offset, q.end - part.offset, ((q.end - q.start) / q.width) * LEAST_PX)
  return {
    version: context.version,
    source: part.index,
    bands: all
      .slice(0, MOST)
      .map(i => ({ name: b.name[i] as string, start: (b.start[i] as number) + part.offset, duration: b.duration[i] as number })),
    cut: Math.max(0, all.length - MOST),
  }
}
