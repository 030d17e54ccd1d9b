/**
 * Shifts of clocks by hand, kept in `alignment.json` of the user's folder by the absolute path of the file, so that they are there when its session is opened again. Written
 * atomically; a damaged file counts as empty. A failure to write is no failure of the program: the shift lives as long as it does.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { shift } from '../../shared/clock-api'

const MOST = 1000
const MAX_BYTES = 8 * 1024 * 1024
const Entry = v.object({
  path: v.pipe(v.string(), v.minLength(1), v.maxLength(4096)),
  shiftNs: shift,
})

export class Shifts {
  readonly #dir: string
  readonly #file: string
  /** Least recently set first. */
  #entries = new Map<string, bigint>()
  #work: Promise<unknown> = Promise.resolve()

  constructor(userDir: string) {
    this.#dir = userDir
    this.#file = join(userDir, 'alignment.json')
  }

  /** Reads what another start has written. */
  async load(): Promise<void> {
    try {
      const text = await readFile(this.#file, 'utf8')
      const data: unknown = text.length > MAX_BYTES ? null : JSON.parse(text)
      const list = data !== null && typeof data === 'object' && 'shifts' in data && Array.isArray(data.shifts) ? data.shifts : []
      for (const item of (list as unknown[]).slice(-MOST)) {
        const entry = v.safeParse(Entry, item)
        if (entry.success) this.#entries.set(entry.output.path, BigInt(entry.output.shiftNs))
      }
    } catch {
      // First start, or damaged.
    }
  }

  /** Shift of a file in ns; 0n for none. */
  of(path: string): bigint {
    return this.#entries.get(path) ?? 0n
  }

  /** Remembers a shift; 0n forgets it. Never rejects. */
  set(path: string, shiftNs: bigint): Promise<void> {
    this.#entries.delete(path)
    if (shiftNs !== 0n) this.#entries.set(path, shiftNs)
    while (this.#entries.size > MOST) this.#entries.delete(this.#entries.keys().next().value as string)
    const done = this.#work.then(() => this.#save())
    this.#work = done
    return done
  }

  /** Resolves once all that was set is written. */
  async settled(): Promise<void> {
    await this.#work
  }

  async #save(): Promise<void> {
    const part = `${this.#file}.${randomBytes(4).toString('hex')}.part`
    const shifts = [...this.#entries].map(([path, ns]) => ({ path, shiftNs: String(ns) }))
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      await writeFile(part, JSON.stringify({ version: 1, shifts }, null, 1), { mode: 0o600 })
      await rename(part, this.#file)
    } catch {
      await rm(part, { force: true }).catch(() => undefined)
    }
  }
}
