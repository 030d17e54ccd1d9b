/**
 * Ids that stand for paths. A renderer names files and folders by these only; an id that was not handed out is a RequestError.
 * Ids are random, so that none can be guessed, and the table is bounded: the oldest are forgotten.
 */
import { randomBytes } from 'node:crypto'
import { RequestError } from '../../shared/api'

export class PathIds {
  readonly #byId = new Map<string, string>()
  readonly #byPath = new Map<string, string>()
  readonly #what: string
  readonly #limit: number

  /** `what` names the thing in errors, for example 'folder'. */
  constructor(what: string, limit = 50_000) {
    this.#what = what
    this.#limit = limit
  }

  /** The id of a path; the same one as long as it is remembered. */
  give(path: string): string {
    const known = this.#byPath.get(path)
    if (known !== undefined) {
      this.#byId.delete(known)
      this.#byId.set(known, path) // youngest again
      return known
    }
    const id = randomBytes(12).toString('base64url')
    this.#byId.set(id, path)
    this.#byPath.set(path, id)
    if (this.#byId.size > this.#limit) {
      const [oldest, gone] = this.#byId.entries().next().value as [string, string]
      this.#byId.delete(oldest)
      this.#byPath.delete(gone)
    }
    return id
  }

  /** The path of an id. Throws RequestError for an unknown one. */
  take(id: string): string {
    const path = this.#byId.get(id)
    if (path === undefined) throw new RequestError(`This ${this.#what} is not known (any more); reload the list.`)
    return path
  }
}
