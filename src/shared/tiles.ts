/**
 * Time tiles: the axis cut into spans of TILE_COLUMNS pixel columns, each column a power of two of nanoseconds wide, counted from time 0 of the group. A tile says what a
 * window of just that span says, so tiles that lie beside each other join without a seam, and one that was fetched stays right for as long as its track does.
 */
export const TILE_COLUMNS = 512

/** Width of a column in ns for a scale: the largest power of two that is not wider than a pixel. Powers of two keep the edges of tiles exact in a double. */
export const columnOf = (nsPerPixel: number): number => 2 ** Math.floor(Math.log2(nsPerPixel))

/** Span of a tile in ns. */
export const tileSpan = (column: number): number => column * TILE_COLUMNS

/** Index of the tile that holds a time. */
export const tileAt = (t: number, column: number): number => Math.floor(t / tileSpan(column))
