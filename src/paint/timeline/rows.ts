/** The rows of the System Trace, in order, with their places. Thousands of tracks are laid out once; a frame looks only at those in sight. */
import type { SourceInfo, TrackInfo } from '../../shared/api'
import { COUNTER, GROUP, NOTE, trackHeight } from './metrics'

export interface GroupRow {
  readonly type: 'group'
  readonly key: string
  readonly y: number
  readonly h: number
  readonly level: 0 | 1
  readonly title: string
  readonly sub: string
  readonly side: string
  readonly open: boolean
  /** Track whose first level stands in for a closed group; null for an open one. */
  readonly preview: TrackInfo | null
}

export interface TrackRow {
  readonly type: 'track'
  readonly key: string
  readonly y: number
  readonly h: number
  readonly track: TrackInfo
  /** Word before the name: where the events come from. */
  readonly prefix: string
  /** The track's note without what its name says already. */
  readonly note: string
  /** Where the file of this track ends early: nothing is known after this time. null for whole files. */
  readonly knownUntil: number | null
  /** Where the beginning of this track was lost: nothing is known before this time. null where nothing is missing. */
  readonly knownFrom: number | null
}

/** A row of words: a file that is being read, or that could not be. */
export interface NoteRow {
  readonly type: 'note'
  readonly key: string
  readonly y: number
  readonly h: number
  readonly label: string
  readonly words: string
  /** Share that is done, null where that has no meaning. */
  readonly progress: number | null
  readonly tone: 'plain' | 'warn'
}

export type Row = GroupRow | TrackRow | NoteRow

export interface RowsInput {
  /** Tracks of the time group, in the order of the screen. */
  readonly tracks: readonly TrackInfo[]
  readonly sources: readonly SourceInfo[]
  readonly collapsed: ReadonlySet<string>
  /** Instance of the session (first level), null where the folder names none. */
  readonly instance: string | null
  readonly session: string | null
  /** Rows of words below the tracks. */
  readonly notes: readonly Pick<NoteRow, 'key' | 'label' | 'words' | 'progress' | 'tone'>[]
}

export interface Rows {
  readonly rows: readonly Row[]
  /** Row of each track that is shown. */
  readonly byTrack: ReadonlyMap<number, TrackRow>
  readonly height: number
  readonly tracks: number
  /** Tracks that are not inside a closed group. */
  readonly shown: number
}

/** Group of a track: its process in its file; the host's samples stand together. */
export const processKey = (t: Pick<TrackInfo, 'source' | 'pid' | 'origin' | 'tid'>): string =>
  t.origin === 'host' ? (/^\d+$/.test(t.tid) ? HOST_CORES_KEY : HOST_KEY) : `${t.source}/${t.pid}`

/** The host's averages, and the samples of each of its cores. */
export const HOST_KEY = 'host'
export const HOST_CORES_KEY = 'host-cores'

/** Order of a process' tracks by where their events come from. */
const ORIGIN = { framework: 0, neuron_rt: 1, runtime: 2, neuron_hw: 3, transfer: 4, hbm: 5, pytorch: 6, host: 7 } as const

/**
 * Tracks by group, in the order of the screen. The runtime's events of a process join the group that the framework's trace of the same process makes: one process, whatever
 * file tells of it. Two traces that name the same process stay apart.
 */
export function groupTracks(tracks: readonly TrackInfo[]): ReadonlyMap<string, readonly TrackInfo[]> {
  const framework = new Map<string, string | null>()
  for (const t of tracks) {
    if ((t.origin ?? 'framework') !== 'framework' || t.pid === '') continue
    const known = framework.get(t.pid)
    framework.set(t.pid, known === undefined || known === processKey(t) ? processKey(t) : null)
  }
  const groups = new Map<string, TrackInfo[]>()
  for (const t of tracks) {
    const key = t.origin === undefined || t.origin === 'host' ? processKey(t) : (framework.get(t.pid) ?? processKey(t))
    const list = groups.get(key)
    if (list) list.push(t)
    else groups.set(key, [t])
  }
  for (const list of groups.values())
    if (list.some(t => t.origin !== undefined)) list.sort((a, b) => ORIGIN[a.origin ?? 'framework'] - ORIGIN[b.origin ?? 'framework'])
  // The host's samples come last.
  const last = [HOST_KEY, HOST_CORES_KEY]
  return new Map([...groups].sort(([a], [b]) => last.indexOf(a) - last.indexOf(b)))
}
export const INSTANCE_KEY = 'instance'

const GROUP_TITLES: Readonly<Record<string, string>> = { [HOST_KEY]: 'Host', [HOST_CORES_KEY]: 'Host CPU by core' }
/** Words before a track's name, where its origin is always told. */
const PREFIXES: Readonly<Record<string, string>> = { neuron_rt: 'neuron_rt', neuron_hw: 'neuron_hw', runtime: 'runtime' }

const base = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** `python` of `thread 41872 (python)`, nothing for `stream 7` on `Stream:7`: the name of the row tells the number. */
export function shortNote(t: Pick<TrackInfo, 'name' | 'note'>): string {
  const plain = (s: string): string => s.replace(/[\s:]/g, '').toLowerCase()
  if (plain(t.note) === plain(t.name)) return ''
  return /^thread \S+ \((.+)\)$/.exec(t.note)?.[1] ?? t.note
}

/** Lays the rows out from y = 0. */
export function layoutRows(input: RowsInput): Rows {
  const rows: Row[] = []
  let y = 0
  let shown = 0
  const add = (row: Row): void => {
    rows.push(row)
    y += row.h
  }
  const files = new Set(input.tracks.map(t => t.source))
  const groups = groupTracks(input.tracks)
  const instanceOpen = !input.collapsed.has(INSTANCE_KEY)
  if (input.instance !== null && input.tracks.length > 0)
    add({
      type: 'group',
      key: INSTANCE_KEY,
      y,
      h: GROUP,
      level: 0,
      title: input.instance,
      sub: '',
      side: instanceOpen ? '' : plural(input.tracks.length, 'track'),
      open: instanceOpen,
      preview: null,
    })
  if (input.instance === null || instanceOpen) {
    for (const [key, tracks] of groups) {
      const first = tracks[0]
      const source = input.sources.find(s => s.index === first.source)
      const open = !input.collapsed.has(key)
      const rank = source?.rank ?? null
      const names = [rank === null ? '' : `rank ${rank}`, first.processName, first.processLabels].filter(Boolean)
      add({
        type: 'group',
        key,
        y,
        h: GROUP,
        level: 1,
        title: GROUP_TITLES[key] ?? (first.pid === '' ? 'No process' : /^\d+$/.test(first.pid) ? `PID:${first.pid}` : first.pid),
        sub: names.filter((n, i) => names.indexOf(n) === i).join(' · '),
        side: !open
          ? plural(tracks.length, 'track')
          : files.size > 1 && tracks.every(t => t.source === first.source)
            ? base(source?.path ?? '')
            : (input.session ?? ''),
        open,
        preview: open ? null : (tracks.find(t => t.kind === 'slices') ?? null),
      })
      if (!open) continue
      shown += tracks.length
      // The source is named only where it fits beside every name of the process: some with and some without would look like a difference.
      const named = tracks.every(t => t.kind === 'counter' || (t.name.length <= 9 && (t.depth > 1 || shortNote(t) === '')))
      for (const track of tracks) {
        const own = input.sources.find(s => s.index === track.source)
        add({
          type: 'track',
          key: `${key}/${track.kind}/${track.tid}/${track.name}`,
          y,
          h: track.kind === 'counter' ? COUNTER : trackHeight(track.depth),
          track,
          prefix: PREFIXES[track.origin ?? ''] ?? (named && track.kind === 'slices' && own?.kind === 'chrome-trace' ? 'framework' : ''),
          note: shortNote(track),
          knownFrom: track.knownFrom ?? null,
          knownUntil: own && !own.complete && own.range ? own.range[1] : null,
        })
      }
    }
  }
  for (const n of input.notes) add({ type: 'note', y, h: NOTE, ...n })
  const byTrack = new Map(rows.flatMap(r => (r.type === 'track' ? [[r.track.id, r] as const] : [])))
  return { rows, byTrack, height: y, tracks: input.tracks.length, shown }
}

/** Index of the row at `y` (from the top of the rows), -1 above, below or between them. */
export function rowAt(rows: readonly Row[], y: number): number {
  let lo = 0
  let hi = rows.length
  while (lo < hi) {
    const m = (lo + hi) >> 1
    if (rows[m].y + rows[m].h <= y) lo = m + 1
    else hi = m
  }
  return lo < rows.length && y >= rows[lo].y ? lo : -1
}

/** Rows that touch [top, top + height). */
export function rowsBetween(rows: readonly Row[], top: number, height: number): readonly Row[] {
  let first = rowAt(rows, Math.max(0, top))
  if (first < 0) first = top <= 0 ? 0 : rows.length
  let last = first
  while (last < rows.length && rows[last].y < top + height) last++
  return rows.slice(first, last)
}

export const plural = (n: number, word: string): string => `${n.toLocaleString('en-US')} ${word}${n === 1 ? '' : 's'}`
