export { TracePanel } from './TracePanel'
export { SliceDetails } from './SliceDetails'
