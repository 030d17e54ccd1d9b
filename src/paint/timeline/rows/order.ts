/**
 * Own order of rows. What was moved is kept as a list of keys: those of a group share the places that they have by nature, in the order of the list; all others stay where they
 * are. So a row that appears later pushes nothing out of order, and a list of a few keys says all.
 */

/** Items in the order of the list. Answers the same array where nothing of it was moved. */
export function applyOrder<T extends { readonly key: string }>(items: readonly T[], order: ReadonlyMap<string, number>): readonly T[] {
  const at: number[] = []
  if (order.size > 0) items.forEach((item, i) => order.has(item.key) && at.push(i))
  if (at.length < 2) return items
  const moved = at.map(i => items[i] as T).sort((a, b) => (order.get(a.key) as number) - (order.get(b.key) as number))
  const out = [...items]
  at.forEach((i, k) => (out[i] = moved[k] as T))
  return out
}

/** The list of moved keys after a group whose keys are `natural` shall stand as `wanted` (the same keys). */
export function orderFor(natural: readonly string[], wanted: readonly string[], order: readonly string[]): string[] {
  const mine = new Set(natural)
  const listed = new Set(order.filter(k => mine.has(k)))
  // What stands where it does by nature, and was never moved, need not be named.
  const moved = wanted.filter((k, i) => k !== natural[i] || listed.has(k))
  return [...order.filter(k => !mine.has(k)), ...moved]
}
