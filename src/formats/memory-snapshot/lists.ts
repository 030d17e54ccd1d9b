/** Lists of the built values: their items, and the rows of the records in them. */
import type { DiagnosticSink } from '../../shared/diagnostics'
import type { Builder } from '../pickle/builder'
import { GrowI32 } from '../pickle/grow'
import { LIST, LIST_EMPTY, TUPLE } from '../pickle/tags'
import type { Rows } from './columns'
import { RUN } from './kinds'
import type { SnapshotShapes } from './shapes'

/** A value as the store has it. */
export type Value = readonly [tag: number, val: number]

export class Lists {
  readonly #m: Builder
  readonly #shapes: SnapshotShapes
  readonly #sink: DiagnosticSink
  constructor(m: Builder, shapes: SnapshotShapes, sink: DiagnosticSink) {
    this.#m = m
    this.#shapes = shapes
    this.#sink = sink
  }

  /** Items of a list one by one. A run of records has none that are lists. */
  *items(list: number, name: string): Generator<Value> {
    const store = this.#m.store
    const kind = store.objKind[list] as number
    if (kind === LIST || kind === TUPLE)
      for (let n = store.objA[list] as number; n >= 0; n = store.nodeNext[n] as number)
        yield [store.nodeTag[n] as number, store.nodeVal[n] as number]
    else if (kind !== LIST_EMPTY) this.#odd(name, 1)
  }

  /** Rows of the records of one kind in a list. Items of other kinds are counted and told. */
  rows(tag: number, list: number, want: number, name: string): Rows {
    const store = this.#m.store
    const kind = store.kind(tag, list)
    if (kind === RUN + want) return { start: store.objA[list] as number, end: store.objB[list] as number }
    if (kind === LIST_EMPTY) return { start: 0, end: 0 }
    if (kind !== LIST && kind !== TUPLE) {
      this.#odd(name, 1)
      return { start: 0, end: 0 }
    }
    const rows = new GrowI32(64)
    let odd = 0
    for (let n = store.objA[list] as number; n >= 0; n = store.nodeNext[n] as number) {
      const val = store.nodeVal[n] as number
      if (this.#shapes.itemKind(store.nodeTag[n] as number, val) === want) rows.push(store.objA[val] as number)
      else odd++
    }
    if (odd > 0) this.#odd(name, odd)
    return Uint32Array.from(rows.take())
  }

  #odd(name: string, count: number): void {
    this.#sink.add({
      severity: 'warning',
      code: 'snapshot-odd-item',
      message: `${name} holds items that are not what the format puts there.`,
      meaning: 'They are left out of all figures.',
      action: 'Check what wrote the file.',
      count,
    })
  }

  /** Tells that a bound was met at `where`. */
  refuse(what: string, where: string, more: { readonly meaning?: string; readonly count?: number } = {}): void {
    this.#sink.add({
      severity: 'error',
      code: `${this.#m.family}-limit`,
      message: `${where}: ${what}.`,
      meaning: 'What goes beyond is left out.',
      action: 'PyTorch writes no such file. Check where it comes from.',
      ...more,
    })
  }
}
