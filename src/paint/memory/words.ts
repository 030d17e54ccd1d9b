/** The words of the allocator timeline. Every figure says which bytes it counts. */
import type { AllocatorInfo, Axis, OwnerGroup } from '../../shared/api'
import { memory, num, timeMs } from '../../shared/format'

export const ACTIVE = 'active, requested'
export const ALLOCATED = 'allocated, requested'
export const RESERVED = 'reserved'
/** Allocated bytes as block sizes; a curve that nothing confirmed says so. */
export const ROUNDED = 'allocated, block-rounded'
export const roundedName = (info: Pick<AllocatorInfo, 'blockRounded'>): string =>
  info.blockRounded.status === 'not-confirmed' ? `${ROUNDED} (not confirmed)` : ROUNDED

/** Where the file ends early, or a size in it is not known, the events prove that much and no more. */
const atLeast = (info: Pick<AllocatorInfo, 'atLeast'>): string => (info.atLeast === true ? ' (at least)' : '')
export const activeName = (info: Pick<AllocatorInfo, 'atLeast'>): string => ACTIVE + atLeast(info)
export const allocatedName = (info: Pick<AllocatorInfo, 'atLeast'>): string => ALLOCATED + atLeast(info)

/** `peak active, requested`; the value stands before it. */
export const PEAK = `peak ${ACTIVE}`

/** Label of the flat base: `Allocated before recording  ·  3.96 GiB  ·  25 blocks`. */
export const startLabel = (info: Pick<AllocatorInfo, 'startActiveBytes' | 'startBlocks' | 'atLeast'>): string =>
  `Allocated before recording  ·  ${info.atLeast === true ? 'at least ' : ''}${memory(info.startActiveBytes)}  ·  ${num(info.startBlocks)} ${info.startBlocks === 1 ? 'block' : 'blocks'}`

export const oomLabel = (size: number): string => `out of memory: ${memory(size)} requested`

/** A position on an axis: a time in ms or an event index. Event -1 is the start state. */
export const positionLabel = (axis: Axis, at: number): string =>
  axis === 'time' ? timeMs(at) : at < 0 ? 'start state' : `event ${num(Math.floor(at))}`

/** Tick of the event axis: whole events only, the start state by its name. */
export const eventTick = (v: number): string => (v === -1 ? 'start' : v >= 0 && Number.isInteger(v) ? num(v === 0 ? 0 : v) : '') // 0 also for -0

/** Words on the hatched stretches outside the recording. */
export const beforeLabel = (axis: Axis, at: number): string => (axis === 'time' ? `not recorded before ${timeMs(at, 1)}` : '')
export function afterLabel(axis: Axis, at: number, endsEarly: boolean): string {
  const where = axis === 'time' ? timeMs(at, 1) : `event ${num(Math.max(0, at - 1))}`
  return endsEarly ? `no data after ${where}` : axis === 'time' ? `snapshot taken at ${where}` : ''
}

/** Short names of owner groups for legends: the function's name, with the line where two functions share it. */
export function groupNames(groups: readonly Pick<OwnerGroup, 'label' | 'file' | 'line'>[]): readonly string[] {
  // A label with a place is `name place`; one without (other, no frames recorded) stands as it is.
  const name = (g: Pick<OwnerGroup, 'label' | 'file'>): string => (g.file ? g.label.split(' ')[0] || g.label : g.label)
  const count = new Map<string, number>()
  for (const g of groups) count.set(name(g), (count.get(name(g)) ?? 0) + 1)
  return groups.map(g => ((count.get(name(g)) ?? 0) > 1 && g.line >= 0 ? `${name(g)}:${g.line}` : name(g)))
}
