/** What the Export dialog was set to; kept as long as the window lives. */
import { create } from 'zustand'
import type { TrackChoice } from '../../../paint/sheet/trace'
import type { StatsBy } from '../../../shared/trace-api'
import { openDialog } from '../shell/ui'

/** png, svg: a picture. json: the events as Chrome trace JSON. csv: statistics of slices. */
export type Kind = 'png' | 'svg' | 'json' | 'csv'
/** typed: two times in the words of the user. */
export type RangeKind = 'window' | 'range' | 'all' | 'typed'

export interface ExportState {
  readonly kind: Kind
  readonly range: RangeKind
  readonly typed: string
  /** Tracks of pictures and those of events and statistics: a picture begins as the screen is, figures with everything. */
  readonly drawn: TrackChoice
  readonly counted: TrackChoice
  readonly by: StatsBy
  /** Width of a picture in CSS px, and device pixels for each. */
  readonly width: number
  readonly scale: 1 | 2 | 3
  readonly legend: boolean
  readonly sources: boolean
  readonly pinned: boolean
  readonly notes: boolean
}

export const WIDTHS = [800, 1280, 1920, 2560] as const

export const useExport = create<ExportState>()(() => ({
  kind: 'png',
  range: 'window',
  typed: '',
  drawn: 'layout',
  counted: 'all',
  by: 'name',
  width: 1280,
  scale: 2,
  legend: true,
  sources: true,
  pinned: true,
  notes: true,
}))

export const setExport = (s: Partial<ExportState>): void => useExport.setState(s)

/** Opens the dialog for a kind of file. */
export function openExport(kind: Kind): void {
  setExport({ kind })
  openDialog('export')
}
