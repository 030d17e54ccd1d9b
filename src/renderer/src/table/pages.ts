/** All rows of a table whose host answers a part at a time. */

/** Rows of one CSV: what a spreadsheet still opens, and a page still holds. What lies beyond is said. */
export const MOST_ROWS = 100_000

/** Rows `0 .. total`, at most `most`, asked for page by page until one is empty. Whatever `page` throws ends it. */
export async function allPages<R>(
  total: number,
  size: number,
  page: (offset: number, limit: number) => Promise<readonly R[]>,
  most = MOST_ROWS,
): Promise<readonly R[]> {
  const wanted = Math.min(total, most)
  const out: R[] = []
  while (out.length < wanted) {
    const rows = await page(out.length, Math.min(size, wanted - out.length))
    if (rows.length === 0) break
    for (const r of rows) out.push(r)
  }
  return out
}
