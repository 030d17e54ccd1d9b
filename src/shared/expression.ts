/**
 * How large a regular expression of the user may be. RE2 takes time in proportion to the text times the instructions of the expression, in which repeats are written out
 * (`a{900}` is 900 of them), and nothing can run in between: both are bounded.
 */
import { num } from './format'

/** Instructions of one expression. */
export const MOST_INSTRUCTIONS = 1000

/** Why an expression is not taken; null: it is. */
export const tooLarge = (instructions: number): string | null =>
  instructions <= MOST_INSTRUCTIONS
    ? null
    : `too large: ${num(instructions)} steps for each character, where ${num(MOST_INSTRUCTIONS)} are the most (repeats such as {500} count as often as they say)`
