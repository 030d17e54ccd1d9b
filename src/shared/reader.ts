/** The contract of every reader in src/formats. */
import type { Diagnostic } from './diagnostics'
import type { SchemaDescription } from './system-tables'

/** A byte source that can be read at any offset. Files, buffers (tests) and decompressed streams implement it. */
export interface ByteSource {
  /** Name used in diagnostics. */
  readonly name: string
  /** Size of the file in bytes, when it is known. For compressed input: the compressed size. */
  readonly size: number
  /**
   * Sequential chunks from the start, at most a few MiB each. A chunk is only valid until the next one is asked for.
   * Compressed input yields the uncompressed bytes.
   */
  chunks(): AsyncIterable<Uint8Array>
  /** Bytes of the file (compressed size for compressed input) consumed so far, for progress. */
  readonly consumed: number
  /**
   * Bytes `from .. to` of the file, for formats whose index stands at the end; fewer where the file ends before `to`. The caller may keep the array. There for plain
   * files and buffers, absent for compressed input. Rejects with the system's error; counts into `consumed`.
   */
  range?(from: number, to: number): Promise<Uint8Array>
}

/** A file that the host found and allowed: its path without links, and the file that lay there (device and inode, decimal). */
export interface CheckedFile {
  readonly path: string
  readonly dev: string
  readonly ino: string
  /** Files that are read as one with it, itself among them, with their names for diagnostics. */
  readonly parts?: readonly { readonly name: string; readonly at: CheckedFile }[]
}

export interface ReadOptions {
  /** Called at most every 100 ms with the consumed and total bytes of the file. */
  readonly onProgress?: (done: number, total: number, note: string) => void
  /** Checked between chunks; a set signal ends the read with a `cancelled` diagnostic. */
  readonly signal?: AbortSignal
  /** Schemas of the runtime's files that the user imported, the one to be tried first in front. */
  readonly schemas?: readonly SchemaDescription[]
}

/** What a reader returns: the table (null when nothing could be read) and the diagnostics. It does not throw on bad data. */
export interface ReadResult<T> {
  readonly table: T | null
  readonly diagnostics: readonly Diagnostic[]
}
