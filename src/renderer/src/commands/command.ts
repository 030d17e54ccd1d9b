/** What a command is. */

export const GROUPS = ['Move', 'Go to', 'Selection', 'Marks', 'Tracks', 'Tables', 'Window'] as const

export interface Command {
  /** Stable name; those of `shared/menu` are what the native menu sends. */
  readonly id: string
  readonly title: string
  readonly group: (typeof GROUPS)[number]
  /**
   * Keys in the notation of tinykeys. `Key…` is a letter: W A S D by their place, so that they lie together on every layout, the others by what the layout
   * writes (see keys.ts). `$mod` is Ctrl, on macOS Cmd. The first is shown in the help.
   */
  readonly keys: readonly string[]
  /** How the help writes the key where it differs from the notation. */
  readonly shown?: string
  /** Whether holding the key down repeats it. */
  readonly repeat?: boolean
  readonly when?: () => boolean
  /** What is missing while `when` says no: the palette then names the command with it. Without: it is not named. */
  readonly needs?: string
  /** Whether it stands as it would set it, of several that exclude each other. */
  readonly active?: () => boolean
  readonly run: () => void
}
