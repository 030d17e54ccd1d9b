/**
 * The opened root: its catalog, kept in step with the disk, and what reading the files told about them. Knows nothing of tables.
 */
import type { RootState } from '../../shared/api'
import type { Catalog, CatalogFile, CatalogSession } from '../../shared/catalog'
import { rankChecks } from '../../session/ranks'
import { RootWatcher, type WatcherOptions } from './watcher'
import type { ReadFacts } from './sessions'

/** A file counts as growing for this long after its last change. */
const SETTLE_MS = 2000

export interface OpenRootOptions {
  /** Absolute path of the folder or the single file. */
  readonly path: string
  readonly name: string
  /** Walks the root. Keeps its own cache of what files are. Does not throw for what it finds; a throw is shown as a diagnostic. */
  readonly discover: () => Promise<Catalog>
  readonly watch: Pick<WatcherOptions, 'depth' | 'ignored' | 'batchMs' | 'pollMs' | 'watch'>
  /** A new state; `first` after the first walk. */
  readonly onChange: (first: boolean) => void
  /** Version to start with; grows over all roots of a host. */
  readonly version: number
}

export class OpenRoot {
  readonly path: string
  readonly #o: OpenRootOptions
  readonly #watcher: RootWatcher
  readonly #facts = new Map<string, ReadFacts>()
  /** When each file was last seen to change, on this machine's clock. */
  #changes = new Map<string, { readonly bytes: number; readonly mtimeMs: number; readonly at: number }>()
  #found: Catalog
  #catalog: Catalog
  #text = ''
  #version: number
  #scanning = true
  #watching = false
  #notice: string | null = null
  #settle: NodeJS.Timeout | null = null
  #closed = false

  constructor(options: OpenRootOptions) {
    this.#o = options
    this.path = options.path
    this.#version = options.version
    this.#found = this.#catalog = { root: options.path, sessions: [], diagnostics: [] }
    this.#watcher = new RootWatcher({
      ...options.watch,
      root: options.path,
      look: () => this.#look(),
      onNotice: notice => {
        if (notice === this.#notice) return
        this.#notice = notice
        this.#changed()
      },
    })
  }

  get state(): RootState {
    return {
      version: this.#version,
      name: this.#o.name,
      catalog: this.#catalog,
      watching: this.#watching,
      watchNotice: this.#notice,
      scanning: this.#scanning,
    }
  }

  get version(): number {
    return this.#version
  }

  session(id: string): CatalogSession | undefined {
    return this.#catalog.sessions.find(s => s.id === id)
  }

  /** Walks the root for the first time and then watches it. Resolves after the walk; the watch is set up behind it. */
  async start(): Promise<void> {
    await this.#look()
    void this.#startWatching()
  }

  /** Walks the root again soon: something outside of it that its catalog depends on has changed. */
  lookAgain(): void {
    this.#watcher.nudge()
  }

  /** Takes what reading a file told. */
  learn(file: string, facts: ReadFacts): void {
    this.#facts.set(file, facts)
    this.#publish()
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#settle) clearTimeout(this.#settle)
    await this.#watcher.close()
  }

  async #startWatching(): Promise<void> {
    try {
      await this.#watcher.start()
      if (this.#closed) return
      this.#watching = true
    } catch (e) {
      this.#notice = `the folder is not watched: ${e instanceof Error ? e.message : String(e)}`
    }
    this.#changed()
    // What came between the first walk and the watch.
    this.#watcher.nudge()
  }

  async #look(): Promise<void> {
    if (this.#closed) return
    let found: Catalog
    try {
      found = await this.#o.discover()
    } catch (e) {
      found = {
        root: this.path,
        sessions: [],
        diagnostics: [
          {
            severity: 'error',
            code: 'root-unreadable',
            file: '.',
            offset: null,
            message: `The folder cannot be read: ${e instanceof Error ? e.message : String(e)}.`,
            meaning: 'Nothing is shown until it can be read again; it is looked for all the time.',
            action: 'Check that it is there and can be read.',
            count: 1,
          },
        ],
      }
    }
    if (this.#closed) return
    this.#found = found
    const ids = new Set(found.sessions.flatMap(s => s.files.map(f => f.id)))
    for (const id of this.#facts.keys()) if (!ids.has(id)) this.#facts.delete(id)
    this.#noteChanges(found)
    const first = this.#scanning
    this.#scanning = false
    this.#publish(first)
    this.#watchSettling()
  }

  #noteChanges(found: Catalog): void {
    const now = Date.now()
    const next = new Map<string, { bytes: number; mtimeMs: number; at: number }>()
    for (const { id, bytes, mtimeMs } of found.sessions.flatMap(s => s.files)) {
      const before = this.#changes.get(id)
      const same = before && before.bytes === bytes && before.mtimeMs === mtimeMs
      // A file that was there already is as old as it says; a clock ahead of ours makes it no younger than now.
      next.set(id, same ? before : { bytes, mtimeMs, at: before ? now : Math.min(now, mtimeMs) })
    }
    this.#changes = next
  }

  /** A file that was changed just now is looked at once more when it had time to settle; no event will come for that. */
  #watchSettling(): void {
    if (this.#settle) clearTimeout(this.#settle)
    this.#settle = null
    const now = Date.now()
    const ages = [...this.#changes.values()].map(c => now - c.at).filter(age => age < SETTLE_MS)
    if (ages.length === 0 || this.#closed) return
    // When the oldest of them has settled.
    this.#settle = setTimeout(() => this.#watcher.nudge(), SETTLE_MS - Math.max(...ages) + 20)
  }

  #publish(first = false): void {
    const sessions = this.#found.sessions.map(s => ({ ...s, files: s.files.map(f => this.#withFacts(f)) }))
    const checks = rankChecks(sessions, this.#facts)
    const catalog: Catalog = {
      ...this.#found,
      sessions: sessions.map(s => ({ ...s, checks: [...s.checks, ...(checks.bySession.get(s.id) ?? [])] })),
      diagnostics: [...this.#found.diagnostics, ...checks.all],
    }
    const text = JSON.stringify(catalog)
    if (text === this.#text && !first) return
    this.#text = text
    this.#catalog = catalog
    this.#changed(first)
  }

  #withFacts(f: CatalogFile): CatalogFile {
    const changed = this.#changes.get(f.id)
    const settled = !changed || Date.now() - changed.at >= SETTLE_MS
    const growing = !settled && (f.state === 'complete' || f.state === 'truncated')
    const read = this.#facts.get(f.id)
    if (!read || read.bytes !== f.bytes || read.mtimeMs !== f.mtimeMs) return growing ? { ...f, state: 'growing' } : f
    // Reading goes to the end and knows better than a look at the last bytes.
    return { ...f, state: growing ? 'growing' : (read.state ?? f.state), facts: { ...f.facts, ...read.facts } }
  }

  #changed(first = false): void {
    if (this.#closed) return
    this.#version++
    this.#o.onChange(first)
  }
}
