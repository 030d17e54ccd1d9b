/** The part of the API contract about folders where NEFFs are looked for besides the opened root (a compiler cache). `api.ts` takes it up; the list is kept in the user's settings. */
import * as v from 'valibot'

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const empty = v.strictObject({})

export const NEFF_REQUESTS = {
  'neff.folders': empty,
  /** Desktop: native dialog. Browser: answers { kind: 'browse' }, the renderer then shows its picker and sends `neff.add`. */
  'neff.pick': empty,
  /** Adds a folder that `browse.list` listed. */
  'neff.add': v.strictObject({ id }),
  /** Takes a folder from the list; nothing on disk is touched. */
  'neff.remove': v.strictObject({ id }),
} as const

/** A folder of the list. `there`: false when it cannot be read at the moment. */
export interface NeffFolder {
  readonly id: string
  readonly path: string
  readonly there: boolean
}

export interface NeffAnswers {
  'neff.folders': readonly NeffFolder[]
  'neff.pick': { readonly kind: 'added' } | { readonly kind: 'cancelled' } | { readonly kind: 'browse' }
  'neff.add': null
  'neff.remove': null
}
