/**
 * One readable file of an open session: when it is read, and when again. A changed file is read whole, once it has been quiet for a moment;
 * while it grows all the time, at intervals that leave the machine room.
 */
import type { Job } from '../../shared/api'
import type { CatalogFile, ReadableKind } from '../../shared/catalog'
import type { Diagnostic } from '../../shared/diagnostics'
import type { CheckedFile } from '../../shared/reader'
import type { ParseOutcome, ParsePool } from './pool'
import type { FileStamp } from './protocol'

/** A file that never rests is read at least this often, or when three times the last reading have passed. */
const GROWING_MS = 3000

export interface OpenFileOptions {
  readonly pool: ParsePool
  readonly session: string
  /** How long a changed file must be quiet before it is read again. */
  readonly quietMs: number
  readonly resolve: (file: CatalogFile) => Promise<CheckedFile>
  readonly finished: (outcome: ParseOutcome) => void
}

export class OpenFile {
  file: CatalogFile
  /** The last job; null before the first. */
  job: Job | null = null
  /** Why nothing of the file is shown: its reading failed, or the engine died of its table. Empty otherwise. */
  trouble: readonly Diagnostic[] = []
  readonly #o: OpenFileOptions
  /** The state of the file that was read last, or tried. */
  #stamp: FileStamp | null = null
  #timer: NodeJS.Timeout | null = null
  #changedAt = 0
  #tookMs = 0
  /** The user cancelled: not read again by itself. */
  #held = false
  /** A table of the file reached the engine. */
  #shown = false
  #closed = false
  /** Counts readings; the outcome of one that was overtaken is dropped. */
  #turn = 0

  constructor(file: CatalogFile, options: OpenFileOptions) {
    this.file = file
    this.#o = options
  }

  /** Whether a reading is on its way or due. */
  get busy(): boolean {
    return this.#running || this.#timer !== null
  }

  /** Said when the user cancelled the reading of a newer state of the file than the one that is shown. */
  get outdated(): Diagnostic | null {
    if (!this.#held || !this.#shown) return null
    return {
      severity: 'warning',
      code: 'file-outdated',
      file: this.file.path,
      offset: null,
      message: 'The file has changed since it was read, and reading it again was cancelled.',
      meaning: 'The views show an earlier state of this file.',
      action: 'Retry to read it as it is now.',
      count: 1,
    }
  }

  get #running(): boolean {
    return this.job?.state === 'queued' || this.job?.state === 'reading'
  }

  start(): void {
    this.#clear()
    this.#held = false
    const turn = ++this.#turn
    const began = performance.now()
    const at: FileStamp = { bytes: this.file.bytes, mtimeMs: this.file.mtimeMs }
    const { file } = this
    this.job = this.#o.pool.add({
      session: this.#o.session,
      file: file.id,
      path: file.path,
      kind: file.kind as ReadableKind,
      bytes: file.bytes,
      resolve: () => this.#o.resolve(file),
      onJob: job => {
        if (turn === this.#turn) this.job = job
      },
      finished: outcome => {
        if (turn !== this.#turn || this.#closed) return
        this.#tookMs = performance.now() - began
        this.#held = outcome.state === 'cancelled'
        this.#stamp = outcome.state === 'cancelled' ? at : (outcome.stamp ?? at)
        if (outcome.state !== 'cancelled') this.#shown = outcome.state === 'done'
        if (outcome.state !== 'cancelled') this.trouble = outcome.state === 'failed' ? outcome.diagnostics : []
        this.#o.finished(outcome)
        this.#consider()
      },
    })
  }

  /** The catalog's newest word on the file. */
  update(file: CatalogFile): void {
    const changed = file.bytes !== this.file.bytes || file.mtimeMs !== this.file.mtimeMs || file.kind !== this.file.kind
    this.file = file
    if (changed) this.#consider()
  }

  /** The user asks for it: read now, also after a cancel. A reading that is on its way goes on. */
  retry(): void {
    if (!this.#running) this.start()
  }

  /** What it is read with has changed: a reading on its way is begun anew. */
  anew(): void {
    if (this.#running) {
      this.#turn++
      this.#o.pool.cancel(this.job?.id ?? '')
    }
    this.start()
  }

  /** The engine has lost the table: read again unless it was the cause, was cancelled, or is on its way. */
  again(): void {
    if (this.trouble.length || this.#held) return
    if (this.#running) {
      this.#turn++
      this.#o.pool.cancel(this.job?.id ?? '')
    }
    this.start()
  }

  /** The engine died while it took in this file's table. */
  blame(reason: string): void {
    this.trouble = [
      {
        severity: 'error',
        code: 'analysis-crashed',
        file: this.file.path,
        offset: null,
        message: `The analysis ended unexpectedly while it took in this file: ${reason}.`,
        meaning: 'Nothing of this file is shown; the other files are read again without it.',
        action: 'Close other sessions and retry. If it happens again, please report it with the file.',
        count: 1,
      },
    ]
  }

  close(): void {
    this.#closed = true
    this.#clear()
  }

  /** Sets the clock for the next reading, if the file is not what was read. */
  #consider(): void {
    if (this.#closed || this.#held || this.#running) return
    const { bytes, mtimeMs } = this.file
    if (this.#stamp && this.#stamp.bytes === bytes && this.#stamp.mtimeMs === mtimeMs) {
      this.#clear()
      return
    }
    const now = performance.now()
    if (!this.#timer) this.#changedAt = now
    const latest = this.#changedAt + Math.max(GROWING_MS, 3 * this.#tookMs)
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => {
        this.#timer = null
        this.start()
      },
      Math.max(0, Math.min(this.#o.quietMs, latest - now)),
    )
  }

  #clear(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}
