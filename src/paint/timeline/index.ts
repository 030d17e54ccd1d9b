export {
  paintTrace,
  paintStatic,
  paintOverlay,
  sections,
  fullHeight,
  sceneGeometry,
  type TraceScene,
  type Sections,
  type Mark,
  type PinMark,
} from './scene'
export {
  layoutRows,
  rowAt,
  processKey,
  groupTracks,
  HOST_KEY,
  HOST_CORES_KEY,
  INSTANCE_KEY,
  type Row,
  type Rows,
  type RowsInput,
  type TrackRow,
  type GroupRow,
  type NoteRow,
} from './rows'
export { splitSlices, splitCounters, indexOfRow, laneOf, type SliceColumns, type CounterColumns, type Fetched } from './columns'
export { hitTest, neighbour, markOf, sliceAt, type Hit, type SliceHit } from './hit'
export { viewport } from './navigator'
export { styleOf, styleTokens } from './style'
export { counterSpanText, counterText } from './counter'
export type { CanvasFactory, ScratchCanvas } from './scratch'
