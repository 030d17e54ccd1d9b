/** What allocations are grouped by: whole stack, innermost frame, its file, or size. Keys are texts, the same for equal stacks of different files. */
import { stringAt } from '../../../shared/columns'
import type { SnapshotTable } from '../../../shared/tables'
import type { AllocatorModel } from '../model'

export const GROUP_BY = ['stack', 'frame', 'file', 'size'] as const
export type GroupBy = (typeof GROUP_BY)[number]
/** Key of what has no frames, and of what is known only from its free: that site tells nothing about who made it. */
export const NO_STACK = '(no stack)'
/** Key by file of a frame that names none. */
export const NO_FILE = '(no file)'

/** `file:line:name`, as torch writes a frame; `?` for a line that is not stored. `path` may rewrite the file. */
export function frameKey(table: SnapshotTable, frame: number, path: (file: string) => string = f => f): string {
  const { frames, strings } = table
  const line = frames.line[frame] as number
  return `${path(stringAt(strings, frames.file[frame] as number))}:${line < 0 ? '?' : line}:${stringAt(strings, frames.name[frame] as number)}`
}

/** Dense ids of the keys of a snapshot's allocations. */
export interface Keys {
  /** Id of the key of an allocation of a model. */
  readonly of: (allocation: number) => number
  /** Text of each id; frames of a stack are lines, the innermost first. Grows as ids are asked for. */
  readonly texts: readonly string[]
}

/** Keys of the allocations of a model. A text is made once for each stack (or size) that is asked for. `path` rewrites file names; frames that it makes equal are one. */
export function keysOf(table: SnapshotTable, model: AllocatorModel, by: GroupBy, path: (file: string) => string = f => f): Keys {
  const texts: string[] = []
  const ids = new Map<string, number>()
  const intern = (text: string): number => {
    let id = ids.get(text)
    if (id === undefined) ids.set(text, (id = texts.push(text) - 1))
    return id
  }
  if (by === 'size') {
    const bySize = new Map<number, number>()
    const of = (i: number): number => {
      const size = model.size[i] as number
      let id = bySize.get(size)
      if (id === undefined) bySize.set(size, (id = intern(String(size))))
      return id
    }
    return { of, texts }
  }
  const frameTexts = new Map<number, string>()
  const frameText = (f: number): string => {
    let text = frameTexts.get(f)
    if (text === undefined) frameTexts.set(f, (text = frameKey(table, f, path)))
    return text
  }
  const { stacks, frames, strings } = table
  const textOf = (stack: number): string => {
    const from = stacks.start[stack] as number
    const to = stacks.start[stack + 1] as number
    if (from === to) return NO_STACK
    const inner = stacks.frames[from] as number
    if (by === 'frame') return frameText(inner)
    if (by === 'file') return path(stringAt(strings, frames.file[inner] as number)) || NO_FILE
    return Array.from(stacks.frames.subarray(from, to), frameText).join('\n')
  }
  const byStack = new Int32Array(stacks.count + 1).fill(-1)
  const of = (i: number): number => {
    const stack = model.stack[i] as number
    const slot = stack < 0 ? stacks.count : stack
    const known = byStack[slot] as number
    if (known >= 0) return known
    return (byStack[slot] = intern(stack < 0 ? NO_STACK : textOf(stack)))
  }
  return { of, texts }
}
