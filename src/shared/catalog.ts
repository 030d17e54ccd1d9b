/**
 * What a profile_output tree holds: sessions and files, as the tree view and `inspect` show them.
 * Ids are handed out by the host; a renderer never makes up a path.
 */
import type { Diagnostic } from './diagnostics'

export const FILE_KINDS = [
  'chrome-trace',
  'memory-snapshot',
  'ntrace',
  'trace-info',
  'cpu-util',
  'host-memory',
  'neff',
  'ntff',
  'framework-mapping',
  'explorer-parquet',
  'explorer-json',
  'perfetto-trace',
  'unknown',
] as const
export type FileKind = (typeof FILE_KINDS)[number]

/** Kinds that are read whole when their session is opened; of the others the bounded look of the sniffers is all there is. Their readers stand in src/formats/readers.ts. */
export const READABLE_KINDS = [
  'chrome-trace',
  'memory-snapshot',
  'neff',
  'ntff',
  'ntrace',
  'trace-info',
  'cpu-util',
  'host-memory',
  'framework-mapping',
  'explorer-parquet',
  'explorer-json',
  'perfetto-trace',
] as const satisfies readonly FileKind[]
export type ReadableKind = (typeof READABLE_KINDS)[number]

/** Whether there is something to read: not for empty files, which are normal. */
export const isReadable = (f: CatalogFile): f is CatalogFile & { readonly kind: ReadableKind } =>
  (READABLE_KINDS as readonly FileKind[]).includes(f.kind) &&
  f.state !== 'empty' &&
  f.partOf === undefined &&
  // A device profile is known for what it is; its view is not the runtime's.
  f.facts['profile'] !== 'device'

/** complete: whole records to the end. growing: still changing. truncated: ends inside a record. empty: 0 bytes. unreadable: cannot be opened or is not what it claims. */
export type FileState = 'complete' | 'growing' | 'truncated' | 'empty' | 'unreadable'

/** Profile modes as the files show them. */
export const MODES = ['DEVICE', 'RUNTIME', 'CPU_UTIL', 'HOST_MEMORY', 'framework', 'snapshot'] as const
export type Mode = (typeof MODES)[number]

export interface CatalogFile {
  /** Opaque id, stable while the path exists. */
  readonly id: string
  /** Relative to the root, with forward slashes. */
  readonly path: string
  readonly kind: FileKind
  readonly bytes: number
  readonly state: FileState
  /** Rank that the name tells (`rank<N>`, `rank_<N>`); 0 with `rankFromName: false` where a snapshot's name has none; null for other kinds without a token. */
  readonly rank: number | null
  readonly rankFromName: boolean
  /** Milliseconds since 1970 of the last change. */
  readonly mtimeMs: number
  /** Small facts by kind for `inspect`, e.g. {events: 12} once read; {} before. */
  readonly facts: Readonly<Record<string, unknown>>
  /** Paths of the files that are read as one with this one, its own first; absent where it stands alone. */
  readonly parts?: readonly string[]
  /** Id of the file that stands for this one: it is read with that. */
  readonly partOf?: string
}

export const PAIR_BY = ['uuid', 'uuid-prefix', 'file-hash', 'name', 'none'] as const
/** paired: every NEFF that the NTFF names was found, copies counting as one. partial: some of several were. ambiguous: different NEFFs fit. */
export const PAIR_VERDICTS = ['paired', 'partial', 'ambiguous', 'missing-neff', 'empty-ntff'] as const

/** Which NEFF an NTFF was recorded of, and what says so. */
export interface Pair {
  /** Path of the NTFF, relative to the root. */
  readonly ntff: string
  /** All paths of the NEFFs that fit, copies included: relative to the root, absolute for those in folders that the user added. */
  readonly neff: readonly string[]
  readonly by: (typeof PAIR_BY)[number]
  readonly verdict: (typeof PAIR_VERDICTS)[number]
  /** What was compared and found, in a sentence for people. */
  readonly evidence: string
}

export interface CatalogSession {
  readonly id: string
  readonly instanceId: string | null
  readonly pid: number | null
  /** Folder name as on disk, null where the layout has none. */
  readonly timestamp: string | null
  /** Relative to the root; '' or '.' is never used for the root itself: it is '.'. */
  readonly dir: string
  readonly modes: readonly Mode[]
  readonly ranks: readonly number[]
  readonly files: readonly CatalogFile[]
  /** One per NTFF of the session, in the order of `files`. */
  readonly pairs: readonly Pair[]
  readonly checks: readonly Diagnostic[]
}

export interface Catalog {
  /** Host path for display and `inspect`. */
  readonly root: string
  readonly sessions: readonly CatalogSession[]
  readonly diagnostics: readonly Diagnostic[]
}
