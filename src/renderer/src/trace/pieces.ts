/** A text cut at what is searched in it: odd pieces are the hits, whatever their case. Pure. */
export function pieces(text: string, query: string): readonly string[] {
  if (query === '') return [text]
  // A pattern finds places in the text itself; lower case may be longer than what it stands for.
  const pattern = new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'giu')
  const out: string[] = []
  let from = 0
  for (const m of text.matchAll(pattern)) {
    out.push(text.slice(from, m.index), m[0])
    from = m.index + m[0].length
  }
  out.push(text.slice(from))
  return out
}
