/** Heights of the System Trace in CSS px. They repeat tokens.css, since layout happens where there is no style sheet; a test keeps the two equal. */
export const SLICE = 15
export const BAR = 14
export const PAD = 3
export const GROUP = 22
export const COUNTER = 28
export const NAVIGATOR = 36
/** Navigator of a low panel. */
export const NAVIGATOR_LOW = 28
export const STEPS = 20
/** Row of marks and notes. */
export const NOTES = 20
/** A slice narrower than this carries no text. */
export const LABEL_MIN = 26
/** Rows of words: a file that is still being read, or that could not be. */
export const NOTE = 24

/** Height of a slice track with `depth` levels. */
export const trackHeight = (depth: number): number => PAD * 2 + Math.max(1, depth) * SLICE
