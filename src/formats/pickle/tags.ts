/** How the interpreter writes down a value: a tag and a number. Containers are objects of the store, whose kind says what stands in them. */

export const NONE = 0
export const FALSE = 1
export const TRUE = 2
/** An integer within ±2^53; the number is the value. */
export const INT = 3
export const FLOAT = 4
/** Integers beyond 2^53: row of `Store.wide` (two's complement). U64 is positive, I64 negative. */
export const U64 = 5
export const I64 = 6
/** Beyond 64 bits: index of `Store.bigs`. */
export const BIG = 7
/** From here on the number is an index that fits 31 bits. */
export const STR = 8
export const BYTES = 9
export const OBJ = 10
/** Memo slot that was never put. */
export const UNSET = 255

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
