/**
 * What the user keeps with a session: notes on the time axis and the layout of the tracks. One small file per session in `kept/` of the user's folder, named by a hash of
 * where the session lies; the profile itself is never written to. Written atomically; a damaged file counts as empty. What cannot be written lives as long as the program.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { MOST_NOTES, NOTE, TRACK_LAYOUT, type Note, type TrackLayout } from '../../shared/trace-api'

const MAX_BYTES = 8 * 1024 * 1024
/** Sessions remembered before those that were changed longest ago are forgotten. */
const MOST = 500

interface Entry {
  readonly notes: readonly Note[]
  readonly layout: TrackLayout | null
}
const NOTHING: Entry = { notes: [], layout: null }

export class Kept {
  readonly #dir: string
  readonly #memory = new Map<string, Entry>()
  #work: Promise<unknown> = Promise.resolve()

  constructor(userDir: string) {
    this.#dir = join(userDir, 'kept')
  }

  async notes(session: string): Promise<readonly Note[]> {
    return (await this.#after(() => this.#load(session))).notes
  }

  async layout(session: string): Promise<TrackLayout | null> {
    return (await this.#after(() => this.#load(session))).layout
  }

  setNotes(session: string, notes: readonly Note[]): Promise<void> {
    return this.#after(async () => this.#save(session, { ...(await this.#load(session)), notes }))
  }

  setLayout(session: string, layout: TrackLayout): Promise<void> {
    return this.#after(async () => this.#save(session, { ...(await this.#load(session)), layout }))
  }

  /** Resolves once all that was set is written. */
  async settled(): Promise<void> {
    await this.#work
  }

  #after<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => undefined)
    return done
  }

  #file(session: string): string {
    return join(this.#dir, `${createHash('sha256').update(session).digest('hex').slice(0, 32)}.json`)
  }

  async #load(session: string): Promise<Entry> {
    const known = this.#memory.get(session)
    if (known) return known
    const entry = await read(this.#file(session))
    this.#memory.set(session, entry)
    return entry
  }

  async #save(session: string, entry: Entry): Promise<void> {
    this.#memory.set(session, entry)
    const file = this.#file(session)
    const part = `${file}.${randomBytes(4).toString('hex')}.part`
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      // The place stands in the file for people who look into it; it is never read back.
      await writeFile(part, JSON.stringify({ version: 1, session, ...entry }, null, 1), { mode: 0o600 })
      await rename(part, file)
      await this.#forget()
    } catch {
      await rm(part, { force: true }).catch(() => undefined)
    }
  }

  async #forget(): Promise<void> {
    const names = (await readdir(this.#dir)).filter(n => n.endsWith('.json'))
    if (names.length <= MOST) return
    const times = await Promise.all(names.map(async name => ({ name, at: (await stat(join(this.#dir, name))).mtimeMs })))
    times.sort((a, b) => a.at - b.at)
    for (const { name } of times.slice(0, names.length - MOST)) await rm(join(this.#dir, name), { force: true })
  }
}

async function read(file: string): Promise<Entry> {
  try {
    // What the schemas let through is far smaller: a larger file is not ours, and is not even read.
    if ((await stat(file)).size > MAX_BYTES) return NOTHING
    const data: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (data === null || typeof data !== 'object') return NOTHING
    const notes = 'notes' in data && Array.isArray(data.notes) ? (data.notes as unknown[]) : []
    const layout = 'layout' in data ? v.safeParse(TRACK_LAYOUT, data.layout) : null
    return {
      // One bad note doesn't take the others along.
      notes: notes.slice(0, MOST_NOTES).flatMap(n => {
        const note = v.safeParse(NOTE, n)
        return note.success ? [note.output] : []
      }),
      layout: layout?.success ? layout.output : null,
    }
  } catch {
    return NOTHING // nothing was kept, or it is damaged
  }
}
