/** Which tracks are built where a file has more than a timeline can hold. */

/** More tracks than any recording has; each costs rows, labels and a message to the window. */
export const MOST_TRACKS = 5000
export const BEYOND = `on tracks beyond the first ${MOST_TRACKS.toLocaleString('en-US')}`

/** The tracks with most events, of equal ones the first: 1 for each candidate that is kept. `events` holds one count per candidate; null where all fit. */
export function largest(events: readonly number[], most = MOST_TRACKS): Uint8Array | null {
  if (events.length <= most) return null
  const sorted = Float64Array.from(events).sort()
  const least = sorted[sorted.length - most]
  let ties = most
  for (const n of events) if (n > least) ties--
  return Uint8Array.from(events, n => (n > least || (n === least && ties-- > 0) ? 1 : 0))
}
