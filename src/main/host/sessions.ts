/**
 * The open sessions: which files are read and when, one engine each, what the window is told. Tables never stay here; they pass from a parse worker
 * to the engine. An engine that dies is built anew from the files, the window lives on.
 */
import type { HostEvent, SessionView } from '../../shared/api'
import { RequestError } from '../../shared/api'
import { isReadable, type CatalogFile, type CatalogSession, type FileKind, type FileState } from '../../shared/catalog'
import { runtimeFacts } from '../../analysis/system/facts'
import type { RankFacts } from '../../session/ranks'
import { buffersOf } from '../../shared/columns'
import type { CheckedFile } from '../../shared/reader'
import type { ParsedTable, SnapshotTable } from '../../shared/tables'
import { EngineClient } from './engine-client'
import { OpenFile } from './open-file'
import type { ParseOutcome, ParsePool } from './pool'
import type { EngineFile, EngineView, VerifyRequest, WorkerLike } from './protocol'

/** What reading a file told about it, for the tree. */
export interface ReadFacts extends RankFacts {
  readonly bytes: number
  readonly mtimeMs: number
  /** null: nothing to add to what the catalog says. */
  readonly state: FileState | null
  readonly facts: Readonly<Record<string, unknown>>
}

export interface SessionsOptions {
  readonly pool: ParsePool
  readonly spawnEngine: () => WorkerLike
  readonly emit: (event: HostEvent) => void
  /** A file of the opened root, checked; throws RequestError. */
  readonly resolve: (file: CatalogFile) => Promise<CheckedFile>
  readonly onFacts: (file: string, facts: ReadFacts) => void
  /** Shifts of clocks by hand; absent: none can be made. */
  readonly shifts?: {
    of(file: CatalogFile): bigint
    set(file: CatalogFile, shiftNs: bigint): void
  }
  /** Where a session lies, for what is kept with it: the same at every start. Absent: nothing can be kept. */
  readonly place?: (catalog: CatalogSession) => string
  /** How many sessions stay open. */
  readonly keep?: number
  readonly quietMs?: number
}

const MAX_REBUILDS = 3
/** Kinds that are decoded with a schema. */
const RUNTIME: ReadonlySet<FileKind> = new Set<FileKind>(['ntrace', 'trace-info', 'cpu-util', 'host-memory'])
const MAX_UNDO = 100
/** After this long without a death the count of rebuilds begins anew. */
const PEACE_MS = 60_000

interface OpenSession {
  readonly id: string
  catalog: CatalogSession
  engine: EngineClient | null
  view: EngineView
  version: number
  nextId: number
  notice: string | null
  rebuilds: number
  readonly files: Map<string, OpenFile>
  /** Shifts by hand that can be taken back, the last one at the end. */
  /** File that the user chose of several that tell of the runtime. */
  chosen: string | null
  readonly undo: { readonly file: string; readonly before: bigint }[]
  /** The file whose table the engine is taking in; blamed when the engine dies of it. */
  taking: OpenFile | null
  /** Tables are given to the engine one after the other. */
  feed: Promise<void>
  feeding: number
  diedAt: number
  closed: boolean
}

export class Sessions {
  readonly #o: SessionsOptions
  /** Least recently used first. */
  readonly #open = new Map<string, OpenSession>()
  /** Versions never run back, also when a session is closed and opened again. */
  readonly #ended = new Map<string, { version: number; nextId: number }>()

  constructor(options: SessionsOptions) {
    this.#o = options
  }

  /** Opens a session or joins it, puts it first, and answers what is known now. */
  open(catalog: CatalogSession): SessionView {
    this.#o.pool.prefer(catalog.id)
    const known = this.#open.get(catalog.id)
    if (known) {
      this.#touch(known)
      if (known.rebuilds > MAX_REBUILDS) {
        known.rebuilds = 0
        this.#rebuild(known)
      }
      return viewOf(known)
    }
    const before = this.#ended.get(catalog.id)
    const version = (before?.version ?? 0) + 1
    const s: OpenSession = {
      id: catalog.id,
      catalog,
      engine: null,
      view: emptyView(catalog.id, version),
      version,
      nextId: before?.nextId ?? 0,
      notice: null,
      rebuilds: 0,
      files: new Map(),
      undo: [],
      chosen: null,
      taking: null,
      feed: Promise.resolve(),
      feeding: 0,
      diedAt: 0,
      closed: false,
    }
    this.#open.set(s.id, s)
    this.#startEngine(s)
    this.#sync(s)
    for (const old of [...this.#open.values()].slice(0, Math.max(0, this.#open.size - (this.#o.keep ?? 3)))) void this.#close(old)
    return viewOf(s)
  }

  view(id: string): SessionView {
    return viewOf(this.#get(id))
  }

  /** Where an open session lies, for what is kept with it. */
  folder(id: string): string {
    if (!this.#o.place) throw new RequestError('Nothing can be kept with this session.')
    return this.#o.place(this.#get(id).catalog)
  }

  /** Sends a query to the session's engine. */
  async query(id: string, method: string, args: unknown): Promise<unknown> {
    const s = this.#get(id)
    this.#touch(s)
    if (!s.engine) throw new RequestError('The analysis of this session could not be kept running; open the session again.')
    return s.engine.call(method, args)
  }

  /** Shifts a source by hand: the whole shift in ns, 0n takes it away. Remembered; the view follows. */
  async shift(id: string, file: string, shiftNs: bigint): Promise<void> {
    const s = this.#get(id)
    const f = s.files.get(file)
    if (!f || !this.#o.shifts) throw new RequestError('This source is not there (any more).')
    const before = this.#o.shifts.of(f.file)
    if (before === shiftNs) return
    s.undo.push({ file, before })
    if (s.undo.length > MAX_UNDO) s.undo.shift()
    await this.#applyShift(s, f, shiftNs)
  }

  /** Shows another of several files that tell of the runtime. */
  async choose(id: string, file: string): Promise<void> {
    const s = this.#get(id)
    if (!s.files.has(file)) throw new RequestError('This source is not there (any more).')
    s.chosen = file
    this.#feed(s, () => this.#mutate(s, 'choose', { file }))
    await s.feed
  }

  /** Takes the last shift back; false when there is none. */
  async undoShift(id: string): Promise<boolean> {
    const s = this.#get(id)
    for (;;) {
      const last = s.undo.pop()
      if (!last) return false
      const f = s.files.get(last.file)
      // A file that went takes its shifts with it.
      if (!f) continue
      await this.#applyShift(s, f, last.before)
      return true
    }
  }

  async #applyShift(s: OpenSession, f: OpenFile, shiftNs: bigint): Promise<void> {
    this.#o.shifts?.set(f.file, shiftNs)
    this.#feed(s, () => this.#mutate(s, 'shift', { shifts: new Map(this.#shiftsOf(s)) }))
    await s.feed
  }

  #shiftsOf(s: OpenSession): readonly (readonly [string, bigint])[] {
    return s.catalog.files.flatMap(f => {
      const ns = this.#o.shifts?.of(f) ?? 0n
      return ns === 0n ? [] : [[f.id, ns] as const]
    })
  }

  /** Reads a file again, whatever became of it before. */
  retry(id: string, file: string): void {
    const f = this.#get(id).files.get(file)
    if (!f) throw new RequestError('This file is not known (any more) or is not of a kind that is read.')
    f.retry()
  }

  /** Reads the runtime's files of all open sessions again: the schemas that they are decoded with have changed. Answers how many these are. */
  retryRuntime(): number {
    const files = [...this.#open.values()].flatMap(s => [...s.files.values()]).filter(f => RUNTIME.has(f.file.kind))
    for (const f of files) f.anew()
    return files.length
  }

  /** Where a snapshot of an open session lies, checked. Rejects with RequestError. */
  async snapshotFile(id: string, file: string): Promise<VerifyRequest> {
    const f = this.#get(id).files.get(file)
    if (!f || f.file.kind !== 'memory-snapshot') throw new RequestError('This snapshot is not known (any more).')
    const at = await this.#o.resolve(f.file)
    return { path: at.path, at, name: f.file.path }
  }

  /** Brings the open sessions in step with a new catalog: sessions and files that are gone go, changed files are read again. */
  update(sessions: readonly CatalogSession[]): void {
    const byId = new Map(sessions.map(s => [s.id, s]))
    for (const s of [...this.#open.values()]) {
      const now = byId.get(s.id)
      if (!now) {
        void this.#close(s)
        continue
      }
      const told = JSON.stringify(s.catalog.checks) !== JSON.stringify(now.checks)
      s.catalog = now
      this.#sync(s)
      if (told) this.#tell(s)
    }
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.values()].map(s => this.#close(s)))
  }

  #get(id: string): OpenSession {
    const s = this.#open.get(id)
    if (!s) throw new RequestError('This session is not open (any more); open it again.')
    return s
  }

  #touch(s: OpenSession): void {
    this.#open.delete(s.id)
    this.#open.set(s.id, s)
  }

  async #close(s: OpenSession): Promise<void> {
    s.closed = true
    this.#open.delete(s.id)
    this.#ended.set(s.id, { version: s.version, nextId: s.nextId })
    for (const f of s.files.values()) f.close()
    this.#o.pool.cancelAll(s.id)
    await s.engine?.close()
    s.engine = null
  }

  // ── files ──

  #sync(s: OpenSession): void {
    const now = new Map(s.catalog.files.map(f => [f.id, f]))
    for (const [id, f] of s.files) {
      const still = now.get(id)
      if (!still || !isReadable(still)) {
        f.close()
        this.#o.pool.cancelAll(s.id, id)
        s.files.delete(id)
        this.#feed(s, async () => this.#mutate(s, 'drop', { file: id }))
      }
    }
    // What is drawn is read first: a session may hold gigabytes of models.
    const late = (f: CatalogFile): number => (f.kind === 'neff' || f.kind === 'ntff' ? 1 : 0)
    for (const file of [...now.values()].sort((a, b) => late(a) - late(b))) {
      const known = s.files.get(file.id)
      if (known) known.update(file)
      else if (isReadable(file)) {
        const f: OpenFile = new OpenFile(file, {
          pool: this.#o.pool,
          session: s.id,
          quietMs: this.#o.quietMs ?? 400,
          resolve: f => this.#o.resolve(f),
          finished: outcome => this.#feed(s, () => this.#take(s, f, outcome)),
        })
        s.files.set(file.id, f)
        f.start()
      }
    }
  }

  /** Runs changes of the engine's tables one after the other, in the order in which they came up. */
  #feed(s: OpenSession, work: () => Promise<void>): void {
    s.feeding++
    s.feed = s.feed.then(async () => {
      if (!s.closed) await work()
      s.feeding--
      this.#settle(s)
    })
  }

  async #take(s: OpenSession, f: OpenFile, outcome: ParseOutcome): Promise<void> {
    if (s.files.get(f.file.id) !== f) return
    if (outcome.state === 'cancelled') return this.#tell(s)
    const { file } = f
    if (outcome.state === 'failed') {
      const { stamp } = outcome
      if (stamp) this.#o.onFacts(file.id, { ...stamp, state: 'unreadable', facts: {}, traceRank: null, timeNs: null })
      const verdict = outcome.verdict && { file: file.id, path: file.path, verdict: outcome.verdict }
      return this.#mutate(s, 'failed', { file: file.id, diagnostics: outcome.diagnostics, verdict })
    }
    const { prepared, stamp } = outcome
    const { table } = prepared
    this.#o.onFacts(file.id, {
      ...stamp,
      state: table.complete ? 'complete' : 'truncated',
      traceRank: table.kind === 'chrome-trace' ? table.rank : null,
      timeNs: table.kind === 'memory-snapshot' ? snapshotTime(table) : null,
      facts: factsOf(table),
    })
    const about: EngineFile = {
      id: file.id,
      path: file.path,
      abs: outcome.at.path,
      at: outcome.at,
      kind: table.kind,
      rank: file.rank,
      rankFromName: file.rankFromName,
      pid: s.catalog.pid === null ? '' : String(s.catalog.pid),
      stamp,
    }
    // A file that appeared after the engine began may have been shifted before.
    if ((this.#o.shifts?.of(file) ?? 0n) !== 0n) await this.#mutate(s, 'shift', { shifts: new Map(this.#shiftsOf(s)) })
    s.taking = f
    await this.#mutate(s, 'table', { file: about, prepared, diagnostics: outcome.diagnostics }, buffersOf(prepared))
    s.taking = null
  }

  async #mutate(s: OpenSession, method: string, args: unknown, transfer: readonly ArrayBuffer[] = []): Promise<void> {
    const { engine } = s
    if (!engine) return
    try {
      const { view, nextId } = (await engine.call(method, args, transfer)) as { view: EngineView; nextId: number }
      if (s.engine !== engine) return
      s.view = view
      s.version = view.version
      s.nextId = nextId
      this.#tell(s)
    } catch {
      // The engine died (told by onDeath, which starts a new one) or the session was closed.
    }
  }

  /** The rebuild is over once nothing is on its way. */
  #settle(s: OpenSession): void {
    if (s.notice === null || s.rebuilds > MAX_REBUILDS || s.feeding > 0 || [...s.files.values()].some(f => f.busy)) return
    s.notice = null
    this.#tell(s)
  }

  // ── engine ──

  #startEngine(s: OpenSession): void {
    const init = { session: s.id, version: s.version, nextId: s.nextId, shifts: this.#shiftsOf(s), chosen: s.chosen }
    s.engine = new EngineClient(this.#o.spawnEngine, init, reason => this.#died(s, reason))
  }

  #died(s: OpenSession, reason: string): void {
    s.engine = null
    if (s.closed) return
    const now = performance.now()
    s.rebuilds = now - s.diedAt > PEACE_MS ? 1 : s.rebuilds + 1
    s.diedAt = now
    if (s.taking) {
      // It died of this table: reading it in again would only kill the next one.
      s.taking.blame(reason)
      s.taking = null
    }
    this.#rebuild(s, reason)
  }

  #rebuild(s: OpenSession, reason = ''): void {
    s.version++
    const stopped = s.rebuilds > MAX_REBUILDS
    s.notice = stopped
      ? `The analysis of this session ended unexpectedly again and again (${reason}) and was stopped. Open the session again to try once more.`
      : `The analysis of this session ended unexpectedly${reason && ` (${reason})`}. It is being rebuilt from the files.`
    const troubled = [...s.files.values()].filter(f => f.trouble.length)
    s.view = { ...emptyView(s.id, s.version), diagnostics: troubled.flatMap(f => f.trouble) }
    if (!stopped) {
      this.#startEngine(s)
      for (const f of s.files.values()) f.again()
      for (const f of troubled) this.#feed(s, () => this.#mutate(s, 'failed', { file: f.file.id, diagnostics: f.trouble }))
      this.#feed(s, async () => undefined) // settles even when there is nothing to read
    }
    this.#tell(s)
  }

  #tell(s: OpenSession): void {
    if (!s.closed) this.#o.emit({ type: 'session', session: s.id, version: s.version })
  }
}

function snapshotTime({ clock, epochNs, timeRange }: SnapshotTable): readonly [bigint, bigint] | null {
  if (timeRange === null || clock === 'unknown' || clock === 'none') return null
  return [epochNs + BigInt(Math.floor(timeRange[0])), epochNs + BigInt(Math.ceil(timeRange[1]))]
}

function factsOf(t: ParsedTable): CatalogFile['facts'] {
  if (t.kind === 'system' || t.kind === 'cpu' || t.kind === 'host-memory' || t.kind === 'trace-info') return runtimeFacts(t)
  if (t.kind === 'chrome-trace') return { events: t.count }
  if (t.kind === 'memory-snapshot') return { events: t.devices.reduce((n, d) => n + d.count, 0) }
  return t.facts
}

function viewOf(s: OpenSession): SessionView {
  return {
    ...s.view,
    version: s.version,
    jobs: [...s.files.values()].flatMap(f => f.job ?? []),
    diagnostics: [...s.catalog.checks, ...s.view.diagnostics, ...[...s.files.values()].flatMap(f => f.outdated ?? [])],
    notice: s.notice,
  }
}

const emptyView = (session: string, version: number): EngineView => ({
  session,
  version,
  groups: [],
  sources: [],
  tracks: [],
  steps: [],
  allocators: [],
  diagnostics: [],
})
