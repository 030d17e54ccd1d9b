/** What the rows of the System Trace are made of, and what they become. */
import type { SourceInfo, TrackInfo } from '../../../shared/api'
import type { Grouping, TrackLayout } from '../../../shared/trace-api'

export interface GroupRow {
  readonly type: 'group'
  readonly key: string
  readonly y: number
  readonly h: number
  readonly level: 0 | 1
  readonly title: string
  readonly sub: string
  readonly side: string
  /** The name that Neuron Explorer gives to what stands in it; '' where it has none. */
  readonly full: string
  readonly open: boolean
  /** Tracks below it that are not hidden and pass the filter. */
  readonly count: number
  /** Track whose first level stands in for a closed group; null for an open one. */
  readonly preview: TrackInfo | null
}

export interface TrackRow {
  readonly type: 'track'
  readonly key: string
  readonly y: number
  readonly h: number
  readonly track: TrackInfo
  /** Key of the group that it stands in. */
  readonly group: string
  /** Word before the name: where the events come from. */
  readonly prefix: string
  /** The name in the gutter: the part that the group does not say. */
  readonly label: string
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
  /** Tracks of the time group, in the order of the engine. */
  readonly tracks: readonly TrackInfo[]
  readonly sources: readonly SourceInfo[]
  readonly layout: TrackLayout
  /** Instance of the session (first level), null where the folder names none. */
  readonly instance: string | null
  readonly session: string | null
  /** Rows of words below the tracks. */
  readonly notes: readonly Pick<NoteRow, 'key' | 'label' | 'words' | 'progress' | 'tone'>[]
}

export interface Rows {
  /** From y = 0 without gaps. The first `pinned` of them are the pinned ones with their head. */
  readonly rows: readonly Row[]
  readonly pinned: number
  /** Row of each track that is shown. */
  readonly byTrack: ReadonlyMap<number, TrackRow>
  readonly byKey: ReadonlyMap<string, Row>
  readonly height: number
  /** Tracks of this grouping. */
  readonly tracks: number
  /** Tracks that have a row. */
  readonly shown: number
  /** Tracks that are hidden, and those of the others that the filter leaves out. */
  readonly hidden: number
  readonly filtered: number
  /** Why the filter is no regular expression; then it leaves nothing out. */
  readonly filterError: string | null
  readonly grouped: Grouped
}

/** Words of a track's row in the gutter, as TrackRow has them. */
export interface RowWords {
  readonly prefix: string
  readonly label: string
  readonly note: string
}

/** A track in its group, before anything is hidden or moved. */
export interface Placed {
  readonly track: TrackInfo
  readonly key: string
  /** Made when first asked for: of thousands of rows few are ever seen. */
  readonly words: RowWords
}

/** A group of tracks. */
export interface Section {
  readonly key: string
  /** Key of the instance that it stands in. */
  readonly instance: string
  /** null: its tracks stand directly below the instance. */
  readonly title: string | null
  readonly sub: string
  readonly full: string
  /** Closed until it is opened. */
  readonly closed: boolean
  readonly tracks: readonly Placed[]
}

export interface InstanceGroup {
  readonly key: string
  /** null: nothing names it, and it has no row. */
  readonly title: string | null
  readonly full: string
  readonly sections: readonly Section[]
}

/** All tracks of a grouping, in their own order. */
export interface Grouped {
  readonly grouping: Grouping
  readonly names: NameContext
  readonly instances: readonly InstanceGroup[]
  readonly tracks: number
}

/** What names of tracks need to know besides the track. */
export interface NameContext {
  /** Name of the session's instance; '' where nothing names it. */
  readonly instance: string
  /** Several Neuron devices: names of cores say which. */
  readonly devices: boolean
}

export const DEFAULT_LAYOUT: TrackLayout = {
  grouping: 'default',
  collapsed: [],
  expanded: [],
  pinned: [],
  hidden: [],
  order: [],
  filter: '',
  regex: false,
}
