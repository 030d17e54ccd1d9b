/** Lays the rows out from y = 0: pinned ones first, then instances, groups and tracks. Thousands are laid out once; a frame looks only at those in sight. */
import type { SourceInfo, TrackInfo } from '../../../shared/api'
import { COUNTER, GROUP, NOTE, trackHeight } from '../metrics'
import { filterOf } from './filter'
import { groupTracks } from './group'
import type { GroupRow, InstanceGroup, Placed, Row, Rows, RowsInput, Section, TrackRow } from './model'
import { applyOrder } from './order'

export const PINNED_KEY = 'pinned'

const base = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
export const plural = (n: number, word: string): string => `${n.toLocaleString('en-US')} ${word}${n === 1 ? '' : 's'}`

class LaidTrack implements TrackRow {
  readonly type = 'track'
  readonly y: number
  readonly h: number
  readonly key: string
  readonly track: TrackInfo
  readonly group: string
  readonly knownUntil: number | null
  readonly #placed: Placed

  constructor(p: Placed, y: number, group: string, knownUntil: number | null) {
    this.key = p.key
    this.y = y
    this.h = p.track.kind === 'counter' ? COUNTER : trackHeight(p.track.depth)
    this.track = p.track
    this.group = group
    this.knownUntil = knownUntil
    this.#placed = p
  }

  get knownFrom(): number | null {
    return this.track.knownFrom ?? null
  }
  get prefix(): string {
    return this.#placed.words.prefix
  }
  get label(): string {
    return this.#placed.words.label
  }
  get note(): string {
    return this.#placed.words.note
  }
}

/** Rows by track and by key are looked up far less often than rows are laid out: made when first asked for. */
class LaidRows implements Rows {
  readonly rows: readonly Row[]
  readonly pinned: number
  readonly height: number
  readonly tracks: number
  readonly shown: number
  readonly hidden: number
  readonly filtered: number
  readonly filterError: string | null
  readonly grouped: Rows['grouped']
  #byTrack: ReadonlyMap<number, TrackRow> | null = null
  #byKey: ReadonlyMap<string, Row> | null = null

  constructor(r: Omit<Rows, 'byTrack' | 'byKey'>) {
    this.rows = r.rows
    this.pinned = r.pinned
    this.height = r.height
    this.tracks = r.tracks
    this.shown = r.shown
    this.hidden = r.hidden
    this.filtered = r.filtered
    this.filterError = r.filterError
    this.grouped = r.grouped
  }

  get byTrack(): ReadonlyMap<number, TrackRow> {
    return (this.#byTrack ??= new Map(this.rows.flatMap(r => (r.type === 'track' ? [[r.track.id, r] as const] : []))))
  }
  get byKey(): ReadonlyMap<string, Row> {
    return (this.#byKey ??= new Map(this.rows.map(r => [r.key, r])))
  }
}

export function layoutRows(input: RowsInput): Rows {
  const { layout } = input
  const grouped = groupTracks(input.tracks, input.sources, layout.grouping, input.instance)
  const filter = filterOf(layout.filter, layout.regex, grouped)
  const sources = new Map(input.sources.map(s => [s.index, s]))
  const pins = new Map(layout.pinned.map((k, i) => [k, i]))
  const hidden = new Set(layout.hidden)
  const collapsed = new Set(layout.collapsed)
  const expanded = new Set(layout.expanded)
  const order = new Map(layout.order.map((k, i) => [k, i]))
  const files = new Set(input.tracks.map(t => t.source))
  const counts = { shown: 0, hidden: 0, filtered: 0 }

  const rows: Row[] = []
  let y = 0
  const add = (row: Row): void => {
    rows.push(row)
    y += row.h
  }
  const head = (r: Omit<GroupRow, 'type' | 'y' | 'h'>): void => add({ type: 'group', y, h: GROUP, ...r })
  const track = (p: Placed, group: string): void => {
    const own = sources.get(p.track.source)
    const row = new LaidTrack(p, y, group, untilOf(own))
    counts.shown++
    add(row)
  }

  const pinned: Placed[] = []
  /** Tracks of a section that stand in it: not hidden, not pinned, and of those that the filter leaves. Pinned ones stay whatever the filter says. */
  const left = new Map<Section, readonly Placed[]>()
  for (const { sections } of grouped.instances)
    for (const s of sections) {
      const gone = hidden.has(s.key)
      if (!gone && hidden.size === 0 && pins.size === 0 && !filter.matches) {
        left.set(s, s.tracks)
        continue
      }
      const some = s.tracks.filter(p => {
        if (gone || (hidden.size > 0 && hidden.has(p.key))) counts.hidden++
        else if (pins.size > 0 && pins.has(p.key)) pinned.push(p)
        else if (filter.matches && !filter.matches(p)) counts.filtered++
        else return true
        return false
      })
      left.set(s, some)
    }

  let sticky = 0
  if (pinned.length > 0) {
    const open = !collapsed.has(PINNED_KEY)
    head({
      key: PINNED_KEY,
      level: 0,
      title: 'Pinned',
      sub: '',
      side: plural(pinned.length, 'track'),
      full: '',
      open,
      count: pinned.length,
      preview: open ? null : firstSlices(pinned),
    })
    pinned.sort((a, b) => (pins.get(a.key) as number) - (pins.get(b.key) as number))
    if (open) for (const p of pinned) track(p, PINNED_KEY)
    sticky = rows.length
  }

  const section = (s: Section, tracks: readonly Placed[]): void => {
    // A filter opens what only begins closed: what it found is to be seen.
    const open = s.title === null || (s.closed && filter.matches === null ? expanded.has(s.key) : !collapsed.has(s.key))
    if (s.title !== null) {
      const [first] = s.tracks
      const alone = files.size > 1 && s.tracks.every(p => p.track.source === first?.track.source)
      head({
        key: s.key,
        level: 1,
        title: s.title,
        sub: s.sub,
        side: !open
          ? plural(tracks.length, 'track')
          : alone
            ? base(sources.get(first?.track.source ?? -1)?.path ?? '')
            : (input.session ?? ''),
        full: s.full,
        open,
        count: tracks.length,
        preview: open ? null : firstSlices(tracks),
      })
    }
    if (open) for (const p of applyOrder(tracks, order)) track(p, s.key)
  }

  const instance = (i: InstanceGroup): void => {
    const sections = applyOrder(i.sections, order).filter(s => (left.get(s) as readonly Placed[]).length > 0)
    const open = !collapsed.has(i.key)
    if (i.title !== null) {
      const count = sections.reduce((n, s) => n + (left.get(s) as readonly Placed[]).length, 0)
      if (count === 0) return
      head({
        key: i.key,
        level: 0,
        title: i.title,
        sub: '',
        side: open ? '' : plural(count, 'track'),
        full: i.full,
        open,
        count,
        preview: null,
      })
      if (!open) return
    }
    for (const s of sections) section(s, left.get(s) as readonly Placed[])
  }
  for (const i of applyOrder(grouped.instances, order)) instance(i)

  if (
    filter.matches &&
    counts.filtered > 0 &&
    counts.shown === pinned.length &&
    !rows.some(r => r.type === 'group' && r.key !== PINNED_KEY)
  )
    add({ type: 'note', key: 'no-match', y, h: NOTE, label: '', words: 'No other track matches the filter', progress: null, tone: 'plain' })
  for (const n of input.notes) add({ type: 'note', y, h: NOTE, ...n })
  return new LaidRows({ rows, pinned: sticky, height: y, tracks: grouped.tracks, ...counts, filterError: filter.error, grouped })
}

const untilOf = (s: SourceInfo | undefined): number | null => (s && !s.complete && s.range ? s.range[1] : null)
const firstSlices = (tracks: readonly Placed[]): Placed['track'] | null => tracks.find(p => p.track.kind === 'slices')?.track ?? null
