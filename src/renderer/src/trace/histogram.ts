/** Bars of a histogram. Pure. */

/** Height of each bar; the fullest fills `height`, and one that holds anything is at least 1 high. */
export function bins(counts: ArrayLike<number>, height: number): readonly number[] {
  let most = 0
  for (let i = 0; i < counts.length; i++) most = Math.max(most, counts[i])
  return Array.from(counts, c => (c === 0 ? 0 : Math.max(1, (height * c) / most)))
}

/** Bar that holds a value: `edges[i] <= value < edges[i + 1]`, the last one its upper edge too; -1 outside. */
export function binOf(edges: ArrayLike<number>, value: number): number {
  const last = edges.length - 1
  if (last < 1 || !(value >= edges[0] && value <= edges[last])) return -1
  for (let i = 0; i < last; i++) if (value < edges[i + 1]) return i
  return last - 1
}
