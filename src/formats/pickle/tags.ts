/** How the interpreter writes down a value: a tag and a number. Containers are objects of the store, whose kind says what stands in them. */

/** Nothing there: a memo slot that was never put. 0, so that a fresh array is empty without being touched. */
export const UNSET = 0
export const NONE = 1
export const FALSE = 2
export const TRUE = 3
/** An integer within ±2^53; the number is the value. */
export const INT = 4
export const FLOAT = 5
/** Integers beyond 2^53: row of `Store.wide` (two's complement). U64 is positive, I64 negative. */
export const U64 = 6
export const I64 = 7
/** Beyond 64 bits: index of `Store.bigs`. */
export const BIG = 8
/** From here on the number is an index that fits 31 bits. */
export const STR = 9
export const BYTES = 10
export const OBJ = 11

// ── kinds of objects; A and B are the first and last node unless said otherwise, -1 when empty ──
export const LIST_EMPTY = 0
export const LIST = 1
export const DICT_EMPTY = 2
export const DICT = 3
/** A dict that was offered to the shapes and is none. */
export const DICT_PLAIN = 4
export const TUPLE = 5
export const SET = 6
export const FROZENSET = 7
/** A: row of `Store.opaques`. */
export const OPAQUE = 8
/** Kinds from here on belong to the shapes of a format. */
export const SHAPE = 32

/** An opcode as it is named in messages. */
export const hex = (op: number): string => '0x' + op.toString(16).padStart(2, '0')
