/**
 * Which events of a source match, by row of its table.
 *
 * The stack of an event is what the trace recorded of it: the `python_function` slices that enclose it on its thread (Kineto writes one for each Python frame with
 * `with_stack=True`; such a slice is a frame of its own stack too), and the values of args whose key says so (`Call stack`; see args-text.ts). Slices of operators around an event
 * are its parents, no frames.
 */
import { stringAt, stringCount, type StringTable } from '../../../shared/columns'
import type { TrackModel } from '../model'
import type { Pausing } from '../../../shared/pausing'
import type { Matcher } from './matcher'

/** How a row matches; the first of these that does and that is asked for. */
export const NO_MATCH = 0
export const IN_NAME = 1
/** In the name of an enclosing `python_function` slice. */
export const IN_FRAMES = 2
export const IN_ARGS = 3
/** In a stack among the args, where all args are not asked for. */
export const IN_STACK = 4

export interface SearchedTrack {
  /** Id in the view. */
  readonly id: number
  readonly model: TrackModel
  /** Its slices may stand on another track too, which then has them. */
  readonly derived: boolean
}

/** A source that is searched. */
export interface SearchedPart {
  readonly strings: StringTable
  readonly tracks: readonly SearchedTrack[]
  /** Added to times of the source to get those of the group. */
  readonly offset: number
  /** By row of the source's table: NO_MATCH, IN_NAME, … */
  readonly where: Uint8Array
}

/** Rows between two looks at the clock. */
const STRIDE = 4096
/** Steps of a matcher that count as one row there. */
const STEPS = 64
/** Characters of a name that are looked at for plain text. */
const LONGEST = 65_536

/** Answers for each distinct string once. */
export class StringMatches {
  readonly #strings: StringTable
  readonly #matcher: Matcher
  readonly #known: Uint8Array
  /** What looking at strings has cost so far, in rows. */
  spent = 0
  /** Strings of which no more than `longest` characters were looked at. */
  cut = 0
  readonly longest: number

  constructor(strings: StringTable, matcher: Matcher) {
    this.#strings = strings
    this.#matcher = matcher
    this.#known = new Uint8Array(stringCount(strings))
    this.longest = matcher.reach === Infinity ? LONGEST : matcher.reach
  }

  /** Whether string `id` matches; an absent one (-1) does not. */
  of(id: number): boolean {
    if (id < 0) return false
    const known = this.#known[id] as number
    if (known !== 0) return known === 2
    const text = stringAt(this.#strings, id)
    const { reach, cost } = this.#matcher
    this.spent += 32 + (Math.min(text.length, this.longest) * cost) / STEPS
    if (text.length > this.longest) this.cut++
    // An expression sees for itself that a text goes on.
    const is = this.#matcher.test(reach === Infinity ? text.slice(0, LONGEST) : text)
    this.#known[id] = is ? 2 : 1
    return is
  }
}

/** Looks at the clock every STRIDE steps, and more often while new strings are tested. */
class Ticks {
  readonly #pausing: Pausing
  #left = STRIDE
  constructor(pausing: Pausing) {
    this.#pausing = pausing
  }
  /** True when it is time to ask `over`. */
  step(cost: number): boolean {
    this.#left -= cost
    if (this.#left > 0) return false
    this.#left = STRIDE
    return this.#pausing.due
  }
}

/** Marks the rows whose name matches. Answers false when it was given up. */
export async function searchNames(part: SearchedPart, names: StringMatches, pausing: Pausing): Promise<boolean> {
  const ticks = new Ticks(pausing)
  const { where } = part
  for (const { model } of part.tracks) {
    const { nameId, row } = model
    for (let i = 0; i < row.length; i++) {
      const before = names.spent
      if (names.of(nameId[i] as number) && where[row[i] as number] === NO_MATCH) where[row[i] as number] = IN_NAME
      if (ticks.step(1 + names.spent - before) && (await pausing.pause())) return false
    }
  }
  return true
}

/** Marks the rows below a `python_function` slice whose name matches, and that slice. Answers how many such slices there are, null when it was given up. */
export async function searchFrames(part: SearchedPart, names: StringMatches, pausing: Pausing): Promise<number | null> {
  const category = idsOf(part.strings, 'python_function')
  if (category.size === 0) return 0
  const ticks = new Ticks(pausing)
  const { where } = part
  let frames = 0
  for (const { model } of part.tracks) {
    const { categoryId, nameId, parent, row } = model
    // Parents stand on lanes above, so before their children.
    const inside = new Uint8Array(row.length)
    for (let i = 0; i < row.length; i++) {
      const before = names.spent
      const p = parent[i] as number
      const frame = category.has(categoryId[i] as number)
      if (frame) frames++
      if ((p >= 0 && inside[p] === 1) || (frame && names.of(nameId[i] as number))) {
        inside[i] = 1
        if (where[row[i] as number] === NO_MATCH) where[row[i] as number] = IN_FRAMES
      }
      if (ticks.step(1 + names.spent - before) && (await pausing.pause())) return null
    }
  }
  return frames
}

/** Position of the nearest frame at or around `at` whose name matches; -1 where there is none. */
export function matchingFrame(part: Pick<SearchedPart, 'strings'>, model: TrackModel, at: number, names: StringMatches): number {
  const category = idsOf(part.strings, 'python_function')
  for (let i = at; i >= 0; i = model.parent[i] as number)
    if (category.has(model.categoryId[i] as number) && names.of(model.nameId[i] as number)) return i
  return -1
}

const known = new WeakMap<StringTable, Map<string, ReadonlySet<number>>>()

/** Ids of the strings that are `text`. */
function idsOf(strings: StringTable, text: string): ReadonlySet<number> {
  let texts = known.get(strings)
  if (!texts) known.set(strings, (texts = new Map()))
  let ids = texts.get(text)
  if (!ids) {
    const found = new Set<number>()
    const { offsets } = strings
    for (let i = 0; i + 1 < offsets.length; i++)
      if ((offsets[i + 1] as number) - (offsets[i] as number) === text.length && stringAt(strings, i) === text) found.add(i)
    texts.set(text, (ids = found))
  }
  return ids
}
