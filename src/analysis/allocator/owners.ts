/** Who owns an allocation: the first frame of its stack outside torch and libraries. Owners are the colour groups of the allocator timeline. */
import type { OwnerGroup } from '../../shared/api'
import { stringAt } from '../../shared/columns'
import type { SnapshotTable } from '../../shared/tables'
import { isLibraryFrame, shortPath } from './library'
import type { AllocatorModel } from './model'

export { allocationDetails, traceIdOf } from './details'

/** Owner of an allocation without frames, and of one whose frames are all inside libraries. */
export const OWNER_NONE = -1
export const OWNER_LIBRARY = -2
/** Groups at most; the last is "other" when there are more owners. */
export const MOST_GROUPS = 10

export interface Owners {
  /** Per allocation, index into groups. */
  readonly groupOf: Uint16Array
  /** Largest at the peak first; "other" is the last. */
  readonly groups: readonly OwnerGroup[]
  /** Per stack of the table: row of the frame that owns, OWNER_NONE or OWNER_LIBRARY. */
  readonly ownerOfStack: Int32Array
  /** `Block.forward` of the owning frame of an allocation, or what is known instead. */
  label(allocation: number): string
}

/** Row of the owning frame of each stack. */
export function ownerFrames(table: SnapshotTable): Int32Array {
  const { frames, stacks, strings } = table
  const library = new Uint8Array(frames.count)
  for (let f = 0; f < frames.count; f++) library[f] = isLibraryFrame(stringAt(strings, frames.file[f] as number)) ? 1 : 0
  const out = new Int32Array(stacks.count).fill(OWNER_LIBRARY)
  for (let s = 0; s < stacks.count; s++)
    for (let i = stacks.start[s] as number; i < (stacks.start[s + 1] as number); i++) {
      const f = stacks.frames[i] as number
      if (library[f] === 1) continue
      out[s] = f
      break
    }
  return out
}

/** Row of the frame that owns an allocation. The site that freed a block tells nothing about who made it. */
export const ownerOf = (model: AllocatorModel, ownerOfStack: Int32Array, allocation: number): number => {
  const stack = model.stack[allocation] as number
  return stack < 0 ? OWNER_NONE : (ownerOfStack[stack] as number)
}

/** Live at the event of the highest active total (-1: the start state). */
export function isLiveAtPeak(model: AllocatorModel, allocation: number): boolean {
  const peak = model.figures.peakActiveEvent
  const freed = model.freeEvent[allocation] as number
  return (model.allocEvent[allocation] as number) <= peak && (freed < 0 || freed > peak)
}

/**
 * Groups the allocations of a model by owner: at most ten groups, the largest at the peak first (then by all bytes ever allocated). When there are more owners the tenth
 * group is "other". Linear in allocations and frames.
 */
export function owners(model: AllocatorModel, table: SnapshotTable): Owners {
  const ownerOfStack = ownerFrames(table)
  const { frames, strings } = table
  // Slots: every frame, then "no frames" and "library".
  const slotOf = (owner: number): number => (owner >= 0 ? owner : frames.count - 1 - owner)
  const peak = new Float64Array(frames.count + 2)
  const total = new Float64Array(frames.count + 2)
  const used = new Uint8Array(frames.count + 2)
  for (let i = 0; i < model.count; i++) {
    const slot = slotOf(ownerOf(model, ownerOfStack, i))
    const size = model.size[i] as number
    used[slot] = 1
    total[slot] = (total[slot] as number) + size
    if (isLiveAtPeak(model, i)) peak[slot] = (peak[slot] as number) + size
  }
  const order: number[] = []
  used.forEach((u, slot) => {
    if (u) order.push(slot)
  })
  order.sort((a, b) => (peak[b] as number) - (peak[a] as number) || (total[b] as number) - (total[a] as number) || a - b)
  const shown = order.length > MOST_GROUPS ? order.slice(0, MOST_GROUPS - 1) : order

  const describe = (slot: number): OwnerGroup => {
    const peakBytes = peak[slot] as number
    if (slot === frames.count) return { label: 'no frames recorded', file: '', line: -1, peakBytes }
    if (slot === frames.count + 1) return { label: 'library code only', file: '', line: -1, peakBytes }
    const file = stringAt(strings, frames.file[slot] as number)
    const line = frames.line[slot] as number
    return { label: frameLabel(table, slot), file, line, peakBytes }
  }
  const groups = shown.map(describe)
  const groupOfSlot = new Uint16Array(frames.count + 2).fill(MOST_GROUPS - 1)
  shown.forEach((slot, g) => (groupOfSlot[slot] = g))
  if (order.length > MOST_GROUPS) {
    const rest = order.slice(MOST_GROUPS - 1)
    groups.push({ label: 'other', file: '', line: -1, peakBytes: rest.reduce((n, slot) => n + (peak[slot] as number), 0) })
  }
  const groupOf = new Uint16Array(model.count)
  for (let i = 0; i < model.count; i++) groupOf[i] = groupOfSlot[slotOf(ownerOf(model, ownerOfStack, i))] as number

  const label = (allocation: number): string => {
    const owner = ownerOf(model, ownerOfStack, allocation)
    if (owner >= 0) return frameLabel(table, owner)
    if (owner === OWNER_LIBRARY) {
      const s = model.stack[allocation] as number
      return frameLabel(table, table.stacks.frames[table.stacks.start[s] as number] as number)
    }
    return model.origin[allocation] === 2 ? 'allocated before the recording' : 'no frames recorded'
  }
  return { groupOf, groups, ownerOfStack, label }
}

/** `Block.forward model/block.py:74`. */
export function frameLabel(table: SnapshotTable, frame: number): string {
  const name = stringAt(table.strings, table.frames.name[frame] as number)
  const path = shortPath(stringAt(table.strings, table.frames.file[frame] as number))
  const line = table.frames.line[frame] as number
  return path === '' || path === '??' ? name || 'unnamed frame' : `${name} ${path}${line >= 0 ? `:${line}` : ''}`.trim()
}
