/** Kinds of objects that the snapshot's shapes add to those of the interpreter. */
import { DICT, DICT_EMPTY, DICT_PLAIN, LIST, LIST_EMPTY, SHAPE, TUPLE } from '../pickle/tags'

// ── kinds of objects; A is the row unless said otherwise ──
export const FRAME = SHAPE
export const EVENT = SHAPE + 1
export const BLOCK = SHAPE + 2
export const SEGMENT = SHAPE + 3
export const NOTE = SHAPE + 4
/** Entry of a block's `history` (torch 1.12 to 2.0). */
export const HISTORY = SHAPE + 5
/** List of frames that nothing has used yet: A, B are its range in `pending`. */
export const FRAMES = SHAPE + 8
/** List of frames, interned: A is the stack. */
export const STACK = SHAPE + 9
/** Lists of one kind of dict whose rows follow each other: rows A .. B. */
export const RUN = SHAPE + 16

/** Kinds of lists that may stand for "a list" at all. */
export const isList = (kind: number): boolean =>
  kind === LIST || kind === LIST_EMPTY || kind === TUPLE || kind === FRAMES || kind === STACK || kind >= RUN
export const isDict = (kind: number): boolean => kind === DICT || kind === DICT_EMPTY || kind === DICT_PLAIN
