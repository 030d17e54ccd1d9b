/** What of a runtime event is searched as its args: attributes and ids as the details show them, on one line: `"key": "value", …`. */
import { stringAt } from '../../shared/columns'
import { ATTR_NUMBER, type SystemTable } from '../../shared/system-tables'
import { STACK_KEY } from '../trace/search/args-text'

/** Ids that are shown beside the attributes where no attribute has their name; see `argsOfRow`. */
const IDS = [
  'nd_idx',
  'nc_idx',
  'pcore_idx',
  'thread_id',
  'worker_gid',
  'model_id',
  'model_name',
  'exec_id',
  'nrta_seq_id',
  'tracking_id',
  'id',
  'parent_id',
  'nc_start_timestamp_ns',
  'nc_stop_timestamp_ns',
] as const

const piece = (key: string, value: string): string => `"${key}": "${value}"`

/** Texts of the rows of one table; equal parts are made once. */
export class RowTexts {
  readonly #t: SystemTable
  /** `"key": "` by key id. */
  readonly #keys = new Map<number, string>()
  readonly #texts = new Map<number, string>()
  /** Place in IDS by key id; -1 for other keys. */
  readonly #named = new Map<number, number>()
  readonly #stack = new Map<number, boolean>()
  readonly #places: (readonly (string | null)[])[] = []

  constructor(t: SystemTable) {
    this.#t = t
  }

  textOf(row: number): string {
    const t = this.#t
    const end = t.attrStart[row + 1] as number
    let out = ''
    let has = 0
    for (let i = t.attrStart[row] as number; i < end; i++) {
      const key = t.attrKey[i] as number
      const named = this.#namedOf(key)
      if (named >= 0) has |= 1 << named
      out += (out === '' ? '' : ', ') + this.#keyOf(key) + this.#valueOf(i) + '"'
    }
    const ids = this.#idsOf(row)
    for (let k = 0; k < IDS.length; k++) {
      const id = ids[k]
      if (id !== null && id !== undefined && (has & (1 << k)) === 0) out += (out === '' ? '' : ', ') + piece(IDS[k] as string, id)
    }
    return out
  }

  /** Values of attributes that are stacks. */
  stacksOf(row: number): readonly string[] {
    const t = this.#t
    const end = t.attrStart[row + 1] as number
    let out: string[] | null = null
    for (let i = t.attrStart[row] as number; i < end; i++) if (this.#isStack(t.attrKey[i] as number)) (out ??= []).push(this.#valueOf(i))
    return out ?? NONE
  }

  #keyOf(key: number): string {
    let text = this.#keys.get(key)
    if (text === undefined) this.#keys.set(key, (text = `"${stringAt(this.#t.strings, key)}": "`))
    return text
  }

  #valueOf(i: number): string {
    const id = this.#t.attrText[i] as number
    if (id === ATTR_NUMBER) return String(this.#t.attrNumber[i])
    let text = this.#texts.get(id)
    if (text === undefined) {
      text = stringAt(this.#t.strings, id)
      if (this.#texts.size < KEPT) this.#texts.set(id, text)
    }
    return text
  }

  #namedOf(key: number): number {
    let at = this.#named.get(key)
    if (at === undefined) {
      const text = stringAt(this.#t.strings, key)
      this.#named.set(key, (at = (IDS as readonly string[]).indexOf(text)))
    }
    return at
  }

  #isStack(key: number): boolean {
    let is = this.#stack.get(key)
    if (is === undefined) this.#stack.set(key, (is = STACK_KEY.test(stringAt(this.#t.strings, key))))
    return is
  }

  #idsOf(row: number): readonly (string | null)[] {
    const t = this.#t
    const p = t.place[row] as number
    const big = (v: bigint, none: bigint): string | null => (v === none ? null : String(v))
    return [
      ...(this.#places[p] ??= this.#placeOf(p)),
      big(t.model[row] as bigint, 0n),
      (t.modelName[row] as number) < 0 ? null : stringAt(t.strings, t.modelName[row] as number),
      big(t.exec[row] as bigint, -1n),
      t.hasSequence[row] === 1 ? String(t.sequence[row] as bigint) : null,
      big(t.trackingId[row] as bigint, 0n),
      big(t.id[row] as bigint, 0n),
      big(t.parentId[row] as bigint, 0n),
      big(t.ncStart[row] as bigint, -1n),
      big(t.ncStop[row] as bigint, -1n),
    ]
  }

  #placeOf(p: number): readonly (string | null)[] {
    const at = (v: number): string | null => (v < 0 || Number.isNaN(v) ? null : String(v))
    const { device, nc, core, thread, worker } = this.#t.places
    return [device[p], nc[p], core[p], thread[p], worker[p]].map(v => at(v as number))
  }
}

const NONE: readonly string[] = []
/** Distinct texts that are kept decoded. */
const KEPT = 200_000
