/**
 * What the program remembers between starts: the recent folders, in `recent.json` of the user's folder. Written atomically (a file beside it, then a rename);
 * a damaged or foreign file counts as empty and is replaced at the next write. A failure to write is no failure of the program.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'

const MAX_RECENTS = 12
const MAX_BYTES = 1024 * 1024

const Recent = v.object({
  path: v.pipe(v.string(), v.minLength(1), v.maxLength(4096)),
  label: v.pipe(v.string(), v.maxLength(400)),
  detail: v.pipe(v.string(), v.maxLength(400)),
  openedMs: v.pipe(v.number(), v.finite()),
})
export type Recent = Readonly<v.InferOutput<typeof Recent>>

export class Recents {
  readonly #file: string
  readonly #dir: string
  /** Set while the file cannot be written: then the list lives as long as the program. */
  #memory: readonly Recent[] | null = null
  #work: Promise<unknown> = Promise.resolve()

  constructor(userDir: string) {
    this.#dir = userDir
    this.#file = join(userDir, 'recent.json')
  }

  /** Newest first. Read from disk each time: another window of the program may have written. */
  list(): Promise<readonly Recent[]> {
    return this.#after(() => this.#load())
  }

  /** Puts a folder to the top, or renews its detail. */
  put(recent: Recent): Promise<void> {
    return this.#after(async () => this.#save([recent, ...(await this.#load()).filter(r => r.path !== recent.path)].slice(0, MAX_RECENTS)))
  }

  remove(path: string): Promise<void> {
    return this.#after(async () => this.#save((await this.#load()).filter(r => r.path !== path)))
  }

  #after<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done
    return done
  }

  async #load(): Promise<readonly Recent[]> {
    return this.#memory ?? (await load(this.#file))
  }

  async #save(list: readonly Recent[]): Promise<void> {
    this.#memory = (await writeSettings(this.#dir, this.#file, { version: 1, recents: list })) ? null : list
  }
}

/** Writes a settings file atomically, readable by the user only. False where it cannot be written. */
export async function writeSettings(dir: string, file: string, content: object): Promise<boolean> {
  const part = `${file}.${randomBytes(4).toString('hex')}.part`
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    await writeFile(part, JSON.stringify(content, null, 1), { mode: 0o600 })
    await rename(part, file)
    return true
  } catch {
    await rm(part, { force: true }).catch(() => undefined)
    return false
  }
}

async function load(file: string): Promise<readonly Recent[]> {
  try {
    const text = await readFile(file, 'utf8')
    if (text.length > MAX_BYTES) return []
    const data: unknown = JSON.parse(text)
    const list = data !== null && typeof data === 'object' && 'recents' in data && Array.isArray(data.recents) ? data.recents : []
    const out: Recent[] = []
    for (const entry of list as unknown[]) {
      const parsed = v.safeParse(Recent, entry)
      if (parsed.success && !out.some(r => r.path === parsed.output.path)) out.push(parsed.output)
      if (out.length === MAX_RECENTS) break
    }
    return out
  } catch {
    return [] // first start, or damaged
  }
}
