export { joinAllocations } from './match'
export {
  LINK_ID,
  LINK_INFERRED,
  LINK_NONE,
  P_ALLOC,
  P_BLOCK,
  P_SEGMENT,
  P_SEGMENT_ROW,
  type Join,
  type PytorchRows,
  type RuntimeRows,
} from './model'
export { pytorchSide, type Snapshot } from './pytorch'
export { runtimeSide, type RuntimeHbm } from './runtime'
