/**
 * Messages between the host and its worker threads. Both ends are ours, but a worker may die at any time, so every request has an id and every
 * answer names it; nothing relies on order. Buffers are transferred, never copied.
 */
import type { SessionView } from '../../shared/api'
import type { ReadableKind } from '../../shared/catalog'
import type { Diagnostic } from '../../shared/diagnostics'
import type { CheckedFile } from '../../shared/reader'
import type { SchemaVerdict } from '../../shared/system-tables'
import type { Verification } from '../../shared/verify'
import type { ParsedTable } from '../../shared/tables'
import type { Prepared } from './prepared'

/** The side of a worker thread that the host holds. A Node `Worker` is one; tests inject others. */
export interface WorkerLike {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit', listener: (code: number) => void): unknown
  terminate(): Promise<unknown>
}

/** The side that the worker's own code holds: `parentPort`, or one end of a channel in tests. */
export interface PortLike {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

// ── parse worker ──

export interface ParseRequest {
  readonly job: string
  /** Absolute path, already resolved and checked by the host. */
  readonly path: string
  /** The file that was checked: what is opened must be it. */
  readonly at: CheckedFile
  /** Name for diagnostics: path relative to the opened root. */
  readonly name: string
  readonly kind: ReadableKind
}

/** What the file was when its reading began; tells later whether the table still stands for it. */
export interface FileStamp {
  readonly bytes: number
  readonly mtimeMs: number
}

export type ParseMessage =
  | { readonly type: 'progress'; readonly job: string; readonly done: number; readonly total: number; readonly note: string }
  | {
      readonly type: 'done'
      readonly job: string
      readonly prepared: Prepared | null
      readonly diagnostics: readonly Diagnostic[]
      readonly stamp: FileStamp | null
      /** Of a file of the runtime that was refused: what was tried. */
      readonly verdict?: SchemaVerdict
    }

// ── verification ──

export interface VerifyRequest {
  /** Absolute path, already resolved and checked by the host. */
  readonly path: string
  /** The file that was checked: what is opened must be it. */
  readonly at: CheckedFile
  /** Name for diagnostics: path relative to the opened root. */
  readonly name: string
}

export type VerifyReply = { readonly ok: true; readonly result: Verification } | { readonly ok: false; readonly message: string }

// ── engine worker ──

/** A file as the engine knows it. */
export interface EngineFile {
  readonly id: string
  readonly path: string
  /** Absolute path, for args that are read when asked for. */
  readonly abs: string
  /** The file that was checked; absent where nobody confines what is read. */
  readonly at?: CheckedFile
  readonly kind: ParsedTable['kind']
  readonly rank: number | null
  readonly rankFromName: boolean
  /** Process of the session, as its folder or trace_info names it; '' where nothing does. */
  readonly pid?: string
  readonly stamp: FileStamp
}

/** What the engine tells of its tables; the host adds jobs, checks of the catalog and the notice. */
export type EngineView = Omit<SessionView, 'jobs' | 'notice'>

export interface EngineInit {
  readonly session: string
  /** First version to answer with; grows over all engines of a session, so that an answer of an old one is never taken for a new one's. */
  readonly version: number
  /** First id of tracks and allocators; ids of an earlier engine are unknown to this one. */
  readonly nextId: number
  /** Shifts by hand, ns, by file id. */
  readonly shifts?: readonly (readonly [string, bigint])[]
  /** File that the user chose of several that tell of the runtime. */
  readonly chosen?: string | null
}

export interface EngineCall {
  readonly call: number
  readonly method: string
  readonly args: unknown
}

export type EngineReply =
  | { readonly call: number; readonly ok: true; readonly result: unknown }
  /** `refused`: the request cannot be answered and the text is for the user. Otherwise the text tells of a bug. */
  | { readonly call: number; readonly ok: false; readonly refused: boolean; readonly message: string }
