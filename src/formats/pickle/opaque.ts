/** What a file asks Python to look up or to run: inert values and a diagnostic for each name. */
import type { DiagnosticSink } from '../../shared/diagnostics'
import { LIMITS } from './limits'
import type { Opaque, Store } from './store'
import { LIST, OPAQUE } from './tags'

export class Opaques {
  readonly #store: Store
  readonly #sink: DiagnosticSink
  /** Each name is told once: a thousand harmless ones cannot push a telling one out of the list. */
  readonly #told = new Set<string>()

  constructor(store: Store, sink: DiagnosticSink) {
    this.#store = store
    this.#sink = sink
  }

  /** A new opaque object; `tag`, `val`: the arguments it was to be called with. */
  make(name: string, tag: number, val: number): number {
    const items = this.#store.newObject(LIST)
    return this.#store.newObject(OPAQUE, this.#store.addOpaque(name, tag, val, items))
  }

  /** The list of what was appended to an opaque object, set on it or given as its state. */
  itemsOf(obj: number): number {
    return this.#row(obj).items
  }

  nameOf(tag: number, val: number): string {
    return this.#store.kind(tag, val) === OPAQUE ? this.#row(val).name : 'a value that is no class'
  }

  #row(obj: number): Opaque {
    return this.#store.opaques[this.#store.objA[obj] as number] as Opaque
  }

  tellGlobal(name: string, offset: number): void {
    if (!this.#first(name)) return
    this.#sink.add({
      severity: 'warning',
      code: 'pickle-global',
      offset,
      message: `The file asks Python for ${name.slice(0, 200)}.`,
      meaning: 'It was neither looked up nor run. The value stands as an inert placeholder; everything else is read as usual.',
      action:
        'A snapshot that PyTorch writes holds no such request. Do not load this file with Python if you do not trust where it comes from.',
    })
  }

  tellCall(name: string, op: string, offset: number): void {
    if (!this.#first(`${op} ${name}`)) return
    this.#sink.add({
      severity: 'warning',
      code: 'pickle-call',
      offset,
      message: `The file asks Python to run ${name.slice(0, 200)} (${op}).`,
      meaning: 'Nothing was executed. The result stands as an inert placeholder.',
      action: 'Do not load this file with Python if you do not trust where it comes from.',
    })
  }

  #first(key: string): boolean {
    if (this.#told.has(key) || this.#told.size >= LIMITS.opaques) return false
    this.#told.add(key)
    return true
  }
}
