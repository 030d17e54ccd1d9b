/** Columns of text. */

/** Rows as columns, the first row is the head; columns whose body is all figures are set to the right. */
export function table(rows: readonly (readonly string[])[], indent = ''): string {
  const widths = rows.reduce<number[]>((w, row) => row.map((c, i) => Math.max(w[i] ?? 0, c.length)), [])
  const right = widths.map((_, i) => rows.slice(1).every(r => /^[-−—\d]/.test(r[i] ?? '')))
  const line = (row: readonly string[]): string =>
    indent +
    row
      .map((c, i) => (right[i] ? c.padStart(widths[i] as number) : c.padEnd(widths[i] as number)))
      .join('  ')
      .trimEnd()
  return rows.map(line).join('\n') + '\n'
}
