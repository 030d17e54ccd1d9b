/**
 * The bounded pool of parse workers. Files wait in a queue, those of the session on the screen first; a job can be cancelled at any time
 * (its thread is ended, so that no reader needs to cooperate), and a thread that dies takes nothing but its own file with it.
 */
import type { Diagnostic } from '../../shared/diagnostics'
import type { CheckedFile } from '../../shared/reader'
import type { SchemaVerdict } from '../../shared/system-tables'
import type { Job } from '../../shared/api'
import type { Prepared } from './prepared'
import type { ReadableKind } from '../../shared/catalog'
import type { FileStamp, ParseMessage, ParseRequest, WorkerLike } from './protocol'

export interface ParseTask {
  readonly session: string
  readonly file: string
  /** Relative to the root. */
  readonly path: string
  readonly kind: ReadableKind
  readonly bytes: number
  /** Checks the file once more and tells which one is to be opened; a refusal throws and fails the job with its text. */
  readonly resolve: () => Promise<CheckedFile>
  /** Told of each change of the job, beside the pool's own listener. */
  readonly onJob?: (job: Job) => void
  /** Called exactly once, after the job's last state was told. */
  readonly finished: (result: ParseOutcome) => void
}

export type ParseOutcome =
  | {
      readonly state: 'done'
      readonly prepared: Prepared
      readonly diagnostics: readonly Diagnostic[]
      readonly stamp: FileStamp
      /** What was opened. */
      readonly at: CheckedFile
    }
  | {
      readonly state: 'failed'
      readonly diagnostics: readonly Diagnostic[]
      readonly stamp: FileStamp | null
      /** What was tried on a file of the runtime that was refused. */
      readonly verdict?: SchemaVerdict
    }
  | { readonly state: 'cancelled' }

export interface PoolOptions {
  readonly spawn: () => WorkerLike
  readonly size?: number
  readonly onJob: (job: Job) => void
}

/** A thread that read more than this is not used again, so that its heap goes back to the system. */
const RETIRE_BYTES = 64 * 1024 * 1024
const IDLE_MS = 5000

interface Running {
  readonly task: ParseTask
  job: Job
  worker: Thread | null
  at: CheckedFile | null
  over: boolean
}

interface Thread {
  readonly worker: WorkerLike
  running: Running | null
  dead: boolean
  idle: NodeJS.Timeout | null
}

export class ParsePool {
  readonly #spawn: () => WorkerLike
  readonly #size: number
  readonly #onJob: (job: Job) => void
  readonly #queue: Running[] = []
  readonly #active = new Map<string, Running>()
  readonly #threads = new Set<Thread>()
  #visible: string | null = null
  #next = 1
  #closed = false

  constructor(options: PoolOptions) {
    this.#spawn = options.spawn
    this.#size = options.size ?? 2
    this.#onJob = options.onJob
  }

  /** Puts a file into the queue and returns its job. */
  add(task: ParseTask): Job {
    const job: Job = {
      id: `job-${this.#next++}`,
      session: task.session,
      file: task.file,
      path: task.path,
      state: 'queued',
      done: 0,
      total: task.bytes,
      note: '',
    }
    const running: Running = { task, job, worker: null, at: null, over: false }
    this.#queue.push(running)
    this.#onJob(job)
    // In a turn of its own, so that files added together are ordered before the first one starts.
    queueMicrotask(() => this.#fill())
    return job
  }

  /** Files of this session are read before others from now on. */
  prefer(session: string | null): void {
    this.#visible = session
  }

  /** Ends a job that is queued or reading. False for a job that is unknown or over. */
  cancel(id: string): boolean {
    const running = this.#active.get(id) ?? this.#queue.find(r => r.job.id === id)
    if (!running) return false
    this.#drop(running)
    this.#end(running, { state: 'cancelled' }, 'cancelled', 'cancelled')
    return true
  }

  /** Whether a job of this id was ever there; it may be over. */
  knows(id: string): boolean {
    const n = /^job-(\d{1,15})$/.exec(id)
    return n !== null && Number(n[1]) >= 1 && Number(n[1]) < this.#next
  }

  /** Cancels whatever belongs to a session, or to one of its files. */
  cancelAll(session: string, file?: string): void {
    for (const r of [...this.#queue, ...this.#active.values()])
      if (r.task.session === session && (file === undefined || r.task.file === file)) this.cancel(r.job.id)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const r of [...this.#queue, ...this.#active.values()]) this.cancel(r.job.id)
    await Promise.all([...this.#threads].map(t => this.#retire(t)))
  }

  #fill(): void {
    while (!this.#closed && this.#active.size < this.#size && this.#queue.length) {
      const at = Math.max(
        0,
        this.#queue.findIndex(r => r.task.session === this.#visible),
      )
      const [running] = this.#queue.splice(at, 1) as [Running]
      this.#active.set(running.job.id, running)
      void this.#start(running)
    }
  }

  async #start(running: Running): Promise<void> {
    this.#tell(running, { state: 'reading' })
    try {
      const at = await running.task.resolve()
      if (running.over) return
      running.at = at
      const thread = this.#thread()
      running.worker = thread
      thread.running = running
      const request: ParseRequest = { job: running.job.id, path: at.path, at, name: running.task.path, kind: running.task.kind }
      thread.worker.postMessage(request)
    } catch (e) {
      if (running.over) return
      this.#fail(running, {
        severity: 'error',
        code: 'file-unreadable',
        file: running.task.path,
        offset: null,
        message: e instanceof Error ? e.message : String(e),
        meaning: 'Nothing of this file is shown.',
        action: 'Check the file, then retry.',
        count: 1,
      })
    }
  }

  #thread(): Thread {
    for (const t of this.#threads)
      if (!t.running && !t.dead) {
        if (t.idle) clearTimeout(t.idle)
        t.idle = null
        return t
      }
    const thread: Thread = { worker: this.#spawn(), running: null, dead: false, idle: null }
    this.#threads.add(thread)
    thread.worker.on('message', m => this.#message(thread, m as ParseMessage))
    thread.worker.on('error', e => this.#died(thread, e))
    thread.worker.on('exit', () => this.#died(thread, null))
    return thread
  }

  #message(thread: Thread, m: ParseMessage): void {
    const running = thread.running
    if (!running || running.job.id !== m.job) return
    if (m.type === 'progress') {
      this.#tell(running, { done: m.done, total: m.total, note: m.note })
      return
    }
    thread.running = null
    if (running.task.bytes > RETIRE_BYTES) void this.#retire(thread)
    else {
      thread.idle = setTimeout(() => void this.#retire(thread), IDLE_MS)
      thread.idle.unref()
    }
    if (m.prepared && m.stamp && running.at) {
      const done = { state: 'done', prepared: m.prepared, diagnostics: m.diagnostics, stamp: m.stamp, at: running.at } as const
      this.#tell(running, { done: running.job.total })
      this.#end(running, done, 'done', '')
    } else {
      const first = m.diagnostics.find(d => d.severity === 'error') ?? m.diagnostics[0]
      this.#end(
        running,
        { state: 'failed', diagnostics: m.diagnostics, stamp: m.stamp, ...(m.verdict ? { verdict: m.verdict } : {}) },
        'failed',
        first?.message ?? 'nothing could be read',
      )
    }
  }

  #died(thread: Thread, e: Error | null): void {
    if (thread.dead) return
    thread.dead = true
    this.#threads.delete(thread)
    if (thread.idle) clearTimeout(thread.idle)
    const running = thread.running
    thread.running = null
    // An 'error' is followed by the thread's end; make sure of it for threads that only reported one.
    void thread.worker.terminate()
    if (!running || running.over) return
    const memory = e && 'code' in e && e.code === 'ERR_WORKER_OUT_OF_MEMORY'
    this.#fail(running, {
      severity: 'error',
      code: memory ? 'reader-out-of-memory' : 'reader-crashed',
      file: running.task.path,
      offset: null,
      message: memory
        ? 'The reader of this file ran out of memory.'
        : `The reader of this file ended unexpectedly${e ? `: ${e.message.slice(0, 300)}` : ''}.`,
      meaning: 'Nothing of this file is shown; other files are not affected.',
      action: memory
        ? 'Close other sessions and programs, then retry; or record a shorter run.'
        : 'Retry. If it happens again, please report it with the file.',
      count: 1,
    })
  }

  #fail(running: Running, diagnostic: Diagnostic): void {
    this.#end(running, { state: 'failed', diagnostics: [diagnostic], stamp: null }, 'failed', diagnostic.message)
  }

  #end(running: Running, outcome: ParseOutcome, state: Job['state'], note: string): void {
    if (running.over) return
    running.over = true
    this.#active.delete(running.job.id)
    this.#tell(running, { state, note })
    running.task.finished(outcome)
    this.#fill()
  }

  #drop(running: Running): void {
    const at = this.#queue.indexOf(running)
    if (at >= 0) this.#queue.splice(at, 1)
    if (running.worker) {
      running.worker.running = null
      void this.#retire(running.worker)
    }
  }

  async #retire(thread: Thread): Promise<void> {
    thread.dead = true
    this.#threads.delete(thread)
    if (thread.idle) clearTimeout(thread.idle)
    await thread.worker.terminate()
  }

  #tell(running: Running, change: Partial<Job>): void {
    running.job = { ...running.job, ...change }
    running.task.onJob?.(running.job)
    this.#onJob(running.job)
  }
}
