/**
 * The commands of the program, in one list: keys, palette, help and native menu all read it. A command that cannot run now does nothing and is not offered.
 * A group of commands stands in a file of its own (`groups/`).
 */
import type { Command } from './command'
import { CHAIN } from './groups/chain'
import { MARKS } from './groups/marks'
import { MOVE } from './groups/move'
import { PLACES } from './groups/places'
import { OCCURRENCES } from './groups/occurrences'
import { SELECTION } from './groups/selection'
import { TABLES } from './groups/tables'
import { TRACKS } from './groups/tracks'
import { WINDOW } from './groups/window'

export type { Command }

export const COMMANDS: readonly Command[] = [
  ...MOVE,
  ...PLACES,
  ...SELECTION,
  ...OCCURRENCES,
  ...CHAIN,
  ...MARKS,
  ...TRACKS,
  ...TABLES,
  ...WINDOW,
]

export const command = (id: string): Command | undefined => COMMANDS.find(c => c.id === id)

/** Runs a command by its id; an unknown one or one that cannot run now is no error. Answers whether it ran. */
export function runCommand(id: string): boolean {
  const c = command(id)
  if (!c || (c.when && !c.when())) return false
  c.run()
  return true
}
