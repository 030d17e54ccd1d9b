/** What the panel shows, worked out of the session's view, the catalog and the jobs. Pure. */
import {
  makesTrace,
  type AllocationDetails,
  type Job,
  type SessionView,
  type SourceInfo,
  type StepInfo,
  type TimeGroup,
  type TrackInfo,
} from '../../../shared/api'
import type { CatalogSession } from '../../../shared/catalog'
import type { TrackLayout } from '../../../shared/trace-api'
import { fileSize, num } from '../../../shared/format'
import { layoutRows, type NoteRow, type PinMark, type Rows } from '../../../paint/timeline'

export interface TraceInput {
  readonly session: string
  readonly version: number
  readonly group: TimeGroup
  readonly tracks: readonly TrackInfo[]
  readonly rows: Rows
  readonly steps: readonly StepInfo[]
  readonly axisLabel: string
}

export type PanelState =
  | { readonly type: 'none' }
  /** Nothing is known yet: the trace is being read (`done`: was read, and is being taken in), or the view is on its way. */
  | { readonly type: 'loading'; readonly job: Job | null }
  /** The session has no trace, or its traces hold nothing to draw. */
  | { readonly type: 'empty'; readonly traces: number }
  | { readonly type: 'failed'; readonly job: Job }
  /** The traces stand in other time groups than the one shown. */
  | { readonly type: 'elsewhere'; readonly group: TimeGroup; readonly trace: string; readonly shown: readonly string[] }
  | { readonly type: 'tracks'; readonly input: TraceInput }

/** Jobs of the session's traces, with their newest progress. */
export function traceJobs(view: SessionView, live: ReadonlyMap<string, Job>, catalog: CatalogSession | null): readonly Job[] {
  const traces = new Set(catalog?.files.filter(f => f.kind === 'chrome-trace').map(f => f.id))
  const known = new Map(view.jobs.map(j => [j.id, j]))
  for (const [id, j] of live) if (j.session === view.session) known.set(id, j)
  return [...known.values()].filter(j => traces.has(j.file))
}

/** `18.2 of 31.4 MB`. */
export const jobProgress = (j: Job): string => {
  const [done, total] = [fileSize(j.done), fileSize(j.total)]
  const unit = (s: string): string => s.slice(s.indexOf('\u00a0'))
  return unit(done) === unit(total) ? `${done.slice(0, done.indexOf('\u00a0'))} of ${total}` : `${done} of ${total}`
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

function noteOf(j: Job): Pick<NoteRow, 'key' | 'label' | 'words' | 'progress' | 'tone'> | null {
  const label = baseName(j.path)
  switch (j.state) {
    case 'queued':
      return { key: j.id, label, words: `${label} waits to be read`, progress: null, tone: 'plain' }
    case 'reading':
      return {
        key: j.id,
        label,
        words: `Reading ${label}, ${jobProgress(j)}${j.note ? `, ${j.note}` : ''}`,
        progress: j.total > 0 ? j.done / j.total : null,
        tone: 'plain',
      }
    case 'failed':
      return { key: j.id, label, words: `${label} could not be read${j.note ? `: ${j.note}` : ''}`, progress: null, tone: 'warn' }
    case 'cancelled':
      return { key: j.id, label, words: `Reading ${label} was cancelled`, progress: null, tone: 'warn' }
    case 'done':
      return null
  }
}

/** Whether a file was read, but the view does not hold it yet: a job is done a moment before the engine has taken in what was read. */
export const awaitsSource = (view: SessionView, j: Job): boolean =>
  j.state === 'done' &&
  // The analysis ended unexpectedly, perhaps for good: the notice speaks, and files that are read again have a job that runs.
  view.notice === null &&
  !view.sources.some(s => s.file === j.file) &&
  // What the engine could not take in has an error instead of a source.
  !view.diagnostics.some(d => d.severity === 'error' && d.file === j.path)

const lists = new WeakMap<SessionView, Map<number, readonly TrackInfo[]>>()

/** Tracks of a time group: the same list as long as the view is the same, so that what is made of it is made once. */
function tracksOf(view: SessionView, group: number): readonly TrackInfo[] {
  let known = lists.get(view)
  if (!known) lists.set(view, (known = new Map()))
  let list = known.get(group)
  if (!list) known.set(group, (list = view.tracks.filter(t => t.group === group)))
  return list
}

/** Decides what the panel shows for the active time group. */
export function panelState(
  view: SessionView | null,
  session: string | null,
  group: number,
  jobs: readonly Job[],
  catalog: CatalogSession | null,
  layout: TrackLayout,
): PanelState {
  if (session === null) return { type: 'none' }
  if (!view) return { type: 'loading', job: null }
  const running = jobs.find(j => j.state === 'reading') ?? jobs.find(j => j.state === 'queued')
  const tracks = tracksOf(view, group)
  if (tracks.some(makesTrace)) {
    const info = view.groups.find(g => g.id === group)
    if (!info) return { type: 'loading', job: null }
    return { type: 'tracks', input: inputOf(view, info, tracks, jobs, catalog, layout) }
  }
  if (running) return { type: 'loading', job: running }
  const other = view.groups.find(g => g.id !== group && view.tracks.some(t => t.group === g.id && makesTrace(t)))
  if (other) {
    const names = (sources: readonly SourceInfo[]): readonly string[] => sources.map(s => baseName(s.path))
    const here = view.groups.find(g => g.id === group)
    return {
      type: 'elsewhere',
      group: other,
      trace: names(view.sources.filter(s => s.group === other.id && s.kind === 'chrome-trace'))[0] ?? 'The trace',
      shown: names(view.sources.filter(s => here?.sources.includes(s.index) ?? false)),
    }
  }
  const awaited = jobs.find(j => awaitsSource(view, j))
  if (awaited) return { type: 'loading', job: awaited }
  const failed = jobs.find(j => j.state === 'failed' || j.state === 'cancelled')
  if (failed) return { type: 'failed', job: failed }
  return { type: 'empty', traces: view.sources.filter(s => s.kind === 'chrome-trace').length }
}

function inputOf(
  view: SessionView,
  group: TimeGroup,
  tracks: readonly TrackInfo[],
  jobs: readonly Job[],
  catalog: CatalogSession | null,
  layout: TrackLayout,
): TraceInput {
  return {
    session: view.session,
    version: view.version,
    group,
    tracks,
    rows: layoutRows({
      tracks,
      sources: view.sources,
      layout,
      instance: catalog?.instanceId ?? null,
      session: catalog?.timestamp ?? null,
      notes: jobs.flatMap(j => noteOf(j) ?? []),
    }),
    steps: view.steps.filter(s => s.group === group.id).sort((a, b) => a.start - b.start),
    axisLabel: group.calibrated ? 'Time since session start' : 'Time, own clock',
  }
}

/** Words beside the panel's title: `16 tracks, 8 shown`. */
export const trackCount = (rows: Rows): string =>
  `${num(rows.tracks)} track${rows.tracks === 1 ? '' : 's'}${rows.shown < rows.tracks ? `, ${num(rows.shown)} shown` : ''}`

/** Marks of an allocation: made on the thread whose call covers that time, freed somewhere, as the snapshot doesn't say by which thread. */
export function pinMarks(
  a: Pick<AllocationDetails, 'allocTime' | 'freeCompletedTime' | 'inside'>,
  tracks: readonly TrackInfo[],
): readonly PinMark[] {
  const { inside } = a
  const track = inside
    ? tracks.find(t => t.source === inside.source && inside.track === (t.pid === '' ? t.name : `PID:${t.pid}/${t.name}`))
    : undefined
  return [
    ...(a.allocTime === null ? [] : [{ time: a.allocTime, track: track?.id ?? null }]),
    ...(a.freeCompletedTime === null ? [] : [{ time: a.freeCompletedTime, track: null }]),
  ]
}
