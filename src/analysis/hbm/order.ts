/** Order of the table of live allocations: by numbers that stand for the values, and only as far as rows are asked for. */

/** Keys of rows: compared by `first`, then `second`, then the text, then the row. */
export interface Keys {
  readonly rows: Uint32Array
  readonly first: Float64Array
  readonly second: Float64Array | null
  /** Of rows whose numbers do not decide. */
  readonly text: readonly string[] | null
  readonly descending: boolean
}

/** Numbers that are in the order of texts as far as they can be: numbers by value come before texts by letters. The text decides where both are equal. */
export function textKey(text: string): readonly [number, number] {
  if (/^\d+$/.test(text)) return [text.length, Number(text)]
  // The first three letters.
  const at = (i: number): number => (i < text.length ? text.charCodeAt(i) + 1 : 0)
  return [LETTERS, (at(0) * 65537 + at(1)) * 65537 + at(2)]
}
/** Behind any number of digits. */
const LETTERS = 2 ** 40

/**
 * Positions in `keys.rows`, of which those from 0 to `wanted` stand in order and are the first ones; the others follow in no order. Rows whose first key is NaN have no value:
 * they stand last in either direction.
 */
export function orderOf(keys: Keys, wanted: number): Uint32Array {
  const { rows, first, second, text } = keys
  const sign = keys.descending ? -1 : 1
  const before = (x: number, y: number): boolean => {
    const a = first[x]
    const b = first[y]
    if (a !== b) {
      if (a !== a || b !== b) {
        if (a === a || b === b) return a === a
      } else return sign * (a - b) < 0
    } else {
      if (second && second[x] !== second[y]) return sign * (second[x] - second[y]) < 0
      if (text && text[x] !== text[y]) return text[x] < text[y] === sign > 0
    }
    return rows[x] < rows[y]
  }
  const order = Uint32Array.from(rows, (_, i) => i)
  sortFirst(order, 0, order.length, wanted, before)
  return order
}

/** Sorts `a[lo .. hi)` as far as places below `wanted` are concerned. `before` tells any two apart. */
function sortFirst(a: Uint32Array, lo: number, hi: number, wanted: number, before: (x: number, y: number) => boolean): void {
  while (hi - lo > 12) {
    if (lo >= wanted) return
    // A pivot by chance: no file can be made for which this is slow.
    const pivot = a[lo + Math.floor(Math.random() * (hi - lo))]
    let i = lo
    let j = hi - 1
    while (i <= j) {
      while (before(a[i], pivot)) i++
      while (before(pivot, a[j])) j--
      if (i <= j) {
        const t = a[i]
        a[i++] = a[j]
        a[j--] = t
      }
    }
    // lo .. j, then what equals the pivot, then i .. hi.
    if (j + 1 - lo < hi - i) {
      sortFirst(a, lo, j + 1, wanted, before)
      lo = i
    } else {
      sortFirst(a, i, hi, wanted, before)
      hi = j + 1
    }
  }
  for (let i = lo + 1; i < hi; i++) {
    const v = a[i]
    let k = i
    for (; k > lo && before(v, a[k - 1]); k--) a[k] = a[k - 1]
    a[k] = v
  }
}
