export {
  paintTrace,
  paintStatic,
  paintOverlay,
  sections,
  fullHeight,
  sceneGeometry,
  rowTop,
  stickyOf,
  type TraceScene,
  type Sections,
  type Mark,
  type PinMark,
} from './scene'
export {
  layoutRows,
  rowAt,
  groupTracks,
  fullName,
  change,
  DEFAULT_LAYOUT,
  HOST_KEY,
  HOST_CORES_KEY,
  INSTANCE_KEY,
  PINNED_KEY,
  type Row,
  type Rows,
  type RowsInput,
  type TrackRow,
  type GroupRow,
  type NoteRow,
  type Grouped,
} from './rows'
export {
  splitSlices,
  splitCounters,
  indexOfRow,
  laneOf,
  type SliceColumns,
  type CounterColumns,
  type CounterSpan,
  type Fetched,
} from './columns'
export { hitTest, neighbour, markOf, sliceAt, type Hit, type SliceHit } from './hit'
export { viewport } from './navigator'
export { noteTokens, type NoteMark } from './notes'
export { edgeNear, type Edge } from './snap'
export { styleOf, styleTokens } from './style'
export { counterSpanText, counterText, exactText } from './counter'
export type { CanvasFactory, ScratchCanvas } from './scratch'
