/** `export PATH --out FILE.json`: the events of the timeline in a window, as Chrome trace JSON. */
import { writeFile } from 'node:fs/promises'
import { Turn } from '../../main/host/engine/lanes'
import { traceJson } from '../../main/host/engine/window-json'
import { sheetRows } from '../../paint/sheet/trace'
import { DEFAULT_LAYOUT } from '../../paint/timeline'
import type { CatalogSession } from '../../shared/catalog'
import type { Diagnostic } from '../../shared/diagnostics'
import { Refused, type Chosen } from './choose'
import type { ExportOptions } from './options'
import type { OpenedSession } from './session'

export interface JsonDocument {
  /** The written file. */
  readonly out: string
  readonly format: 'json'
  readonly bytes: number
  /** Events written (metadata not counted), and left out because a file has at most 64 MiB. */
  readonly events: number
  readonly cut: number
  /** Unix ns, decimal; null where the times are none. */
  readonly fromNs: string | null
  readonly toNs: string | null
  readonly session: string
  readonly diagnostics: readonly Diagnostic[]
}

/** Writes the file. What is not as in the files is told with `note`. Rejects with Refused, a RequestError, or the error of the file system. */
export async function writeJson(
  out: string,
  o: ExportOptions,
  session: CatalogSession,
  opened: OpenedSession,
  chosen: Chosen,
  note: (text: string) => void,
): Promise<Omit<JsonDocument, 'diagnostics'>> {
  const all = o.filter === null && o.grouping === 'default' && chosen.traces === null
  const rows = sheetRows({
    view: opened.view,
    catalog: session,
    group: chosen.group,
    sources: chosen.traces,
    layout: { ...DEFAULT_LAYOUT, grouping: o.grouping, filter: o.filter ?? '' },
    choice: o.filter === null ? 'all' : 'layout',
  })
  const tracks = [...(rows?.byTrack.keys() ?? [])]
  if (!all && tracks.length === 0) throw new Refused('no-track', 'No track is left by the filter.', 'Give other words to --filter.')
  // The end of a range is the first time that is not written; the last event of everything is.
  const { start, end } = chosen.window
  const query = { session: opened.view.session, group: chosen.group, start, end: o.range ? end : end + 1, tracks: all ? null : tracks }
  const { data, events, cut, notes } = await traceJson(opened.engine.context, query, new Turn())
  for (const n of notes) note(n)
  await writeFile(out, data)
  const { from, to } = chosen.unix ?? { from: null, to: null }
  return {
    out,
    format: 'json',
    bytes: data.length,
    events,
    cut,
    fromNs: from?.toString() ?? null,
    toNs: to?.toString() ?? null,
    session: session.dir,
  }
}
