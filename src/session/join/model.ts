/**
 * The join of PyTorch's allocations with the runtime's: what both sides bring and what comes out. Neither side is changed; links are columns both ways.
 */

/** What a row of PyTorch's side is: an entry of the history or a row of the tables at the end of the snapshot. */
export const PYTORCH_KINDS = ['alloc', 'segment', 'block', 'segment-row'] as const
export type PytorchKind = (typeof PYTORCH_KINDS)[number]
export const P_ALLOC = 0
export const P_SEGMENT = 1
export const P_BLOCK = 2
export const P_SEGMENT_ROW = 3

/** Rows that may be linked; times are ns on the axis of the runtime's table. */
export interface Rows {
  readonly count: number
  /** Bytes; NaN where not known. */
  readonly size: Float64Array
  /** When it was made; NaN: before the recording or not told. */
  readonly time: Float64Array
  /** When it ended; NaN: still there, or not told. */
  readonly end: Float64Array
  /** 0n: none. */
  readonly address: BigUint64Array
}

export interface PytorchRows extends Rows {
  /** Index of the snapshot among those given. */
  readonly snapshot: Uint16Array
  /** Index into PYTORCH_KINDS. */
  readonly kind: Uint8Array
  /** Device of the snapshot; -1 where not told. */
  readonly device: Int32Array
  /** Row of `SnapshotTable.devices` for entries, -1 for rows of tables. */
  readonly trace: Int32Array
  /** Event of that trace, or row of `blocks` or `segments`. */
  readonly row: Uint32Array
}

export interface RuntimeRows extends Rows {
  /** Index of the HBM among those given, and its allocation. */
  readonly hbm: Uint16Array
  readonly allocation: Uint32Array
}

/** A property of rows that may be the key. Values are compared as texts that `canonical` makes; null: the row has none. */
export interface Key {
  /** For people: `trace_id of alloc entries`. */
  readonly name: string
  /** What the values are called in the file, the same for all kinds of rows: `trace_id`. */
  readonly property: string
  /** Rows that may have a value, ascending; null: all. */
  readonly rows: Uint32Array | null
  readonly value: (row: number) => string | null
  /** The value as the file spells it, where that is not what `value` gives. */
  readonly raw?: (row: number) => string | null
}

export interface PytorchSide {
  readonly rows: PytorchRows
  readonly keys: readonly Key[]
}
export interface RuntimeSide {
  readonly rows: RuntimeRows
  readonly keys: readonly Key[]
}

/** How a pair of keys fared; see `match.ts` for the rules. */
export interface Candidate {
  readonly pytorch: string
  readonly runtime: string
  /** Values on both sides. */
  readonly matched: number
  /** matched / rows with a value on the side that has fewer. */
  readonly rate: number
  /** Share of matched values that stand once on both sides. */
  readonly unique: number
  /** Share of unique pairs whose sizes and times fit; null where neither could be compared. */
  readonly consistent: number | null
  readonly verdict: 'taken' | 'tie' | 'weaker' | 'inconsistent' | 'not-unique' | 'too-few'
}

export const LINK_NONE = 0
export const LINK_ID = 1
export const LINK_INFERRED = 2

export interface Join {
  readonly key: { readonly pytorch: string; readonly runtime: string } | null
  /** Runtime allocations linked by id. */
  readonly matched: number
  /** Runtime allocations linked by address and size only. */
  readonly inferred: number
  /** Rows of PyTorch's history or tables that have the key, and runtime allocations, without a partner. */
  readonly pytorchOnly: number
  readonly runtimeOnly: number
  /** Pairs with equal ids that were left out because sizes or times cannot be of one allocation. */
  readonly misfits: number
  /** Best first. */
  readonly candidates: readonly Candidate[]
  /** What was done or why not, in a sentence or two. */
  readonly text: string
  /** Per runtime row, the PyTorch row; -1 without. */
  readonly pytorchOf: Int32Array
  /** Per PyTorch row, the runtime row; -1 without. Several (an entry and its block) may name the same one. */
  readonly runtimeOf: Int32Array
  /** Per runtime row: LINK_NONE, LINK_ID, LINK_INFERRED. */
  readonly how: Uint8Array
}

/**
 * One text for one id: decimal and 0x numbers of up to 64 bits as decimal, other texts in lower case. null for what is no id: empty, longer than 64 characters, zero, minus one
 * in any width (the usual "none"), a number with a fraction.
 */
export function canonical(text: string): string | null {
  const t = text.trim()
  if (t === '' || t.length > 64) return null
  if (/^\d{1,20}$/.test(t)) {
    // Short ones need no big integer.
    const plain = t.length < 16 ? String(Number(t)) : String(BigInt(t))
    return NONE.has(plain) ? null : plain
  }
  if (/^0[xX][0-9a-fA-F]{1,16}$/.test(t)) {
    const plain = String(BigInt(t))
    return NONE.has(plain) ? null : plain
  }
  if (/^[-+]?\d*\.?\d*([eE][-+]?\d+)?$/.test(t)) return null
  const lower = t.toLowerCase()
  return WORDS.has(lower) ? null : lower
}
const NONE = new Set(['0', '4294967295', '18446744073709551615'])
const WORDS = new Set(['n/a', 'none', 'null', 'nil', 'unknown', 'true', 'false', 'nan'])
