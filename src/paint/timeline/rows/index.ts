/** The rows of the System Trace, in order, with their places. */
export * from './model'
export { layoutRows, plural, PINNED_KEY } from './layout'
export { groupTracks, INSTANCE_KEY } from './group'
export { HOST_KEY, HOST_CORES_KEY, LANES_KEY } from './rules'
export { fullName, pidName, shortNote } from './names'
export { rowAt, rowsBetween, inSight, stickyHeight, topOf, contentY } from './place'
export * as change from './change'
