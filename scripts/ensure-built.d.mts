/** Hash over path, size and time of change of everything that the build reads, below the repository or `root`. */
export function sourceStamp(root?: string): Promise<string>
/** Builds `out/` when it is missing or older than the sources; says so on stderr. Rejects when the build fails. */
export function ensureBuilt(): Promise<void>
