/** Collects Chrome trace events of the simulated run and writes them the way Kineto does: microseconds with three decimals after `baseTimeNanoseconds`. */

/** ns (integer, relative to the base time) as Kineto's microsecond text. */
const micros = (ns: number): string => {
  const us = Math.floor(ns / 1000)
  return `${us}.${String(ns - us * 1000).padStart(3, '0')}`
}

export type Args = Readonly<Record<string, unknown>>

export class TraceWriter {
  readonly #lines: string[] = []
  readonly #offset: number
  #flow = 0

  /** `offsetNs`: ns between the base time and time 0 of the simulation. */
  constructor(offsetNs: number) {
    this.#offset = offsetNs
  }

  get count(): number {
    return this.#lines.length
  }

  slice(cat: string, name: string, pid: number | string, tid: number | string, start: number, dur: number, args: Args = {}): void {
    this.#push({ ph: 'X', cat, name, pid, tid }, start, { dur, args })
  }

  instant(cat: string, name: string, pid: number | string, tid: number | string, at: number, args: Args): void {
    this.#push({ ph: 'i', cat, name, pid, tid, s: 't' }, at, { args })
  }

  counter(name: string, pid: number | string, at: number, args: Args): void {
    this.#push({ ph: 'C', name, pid }, at, { args })
  }

  /** An arrow from a host call to the device work that it started. Returns the flow's id. */
  flow(pid: number, fromTid: number, from: number, toTid: number, to: number): number {
    const id = ++this.#flow
    this.#push({ ph: 's', id, cat: 'ac2g', name: 'ac2g', pid, tid: fromTid }, from, {})
    this.#push({ ph: 'f', id, cat: 'ac2g', name: 'ac2g', pid: 0, tid: toTid, bp: 'e' }, to, {})
    return id
  }

  meta(name: string, pid: number | string, tid: number | string, at: number, args: Args): void {
    this.#push({ ph: 'M', name, pid, tid }, at, { args })
  }

  #push(head: Args, at: number, rest: { readonly dur?: number; readonly args?: Args }): void {
    const h = JSON.stringify(head).slice(0, -1)
    const dur = rest.dur === undefined ? '' : `,"dur":${micros(rest.dur)}`
    const args = rest.args === undefined ? '' : `,"args":${JSON.stringify(rest.args)}`
    this.#lines.push(`${h},"ts":${micros(at + this.#offset)}${dur}${args}}`)
  }

  /** The document: metadata first, events, then what Kineto writes last. */
  text(head: Args, baseTimeNs: bigint, traceName: string): string {
    const h = JSON.stringify(head, null, 2).slice(0, -2)
    return `${h},\n  "traceEvents": [\n  ${this.#lines.join(',\n  ')}\n  ],\n  "traceName": ${JSON.stringify(traceName)},\n  "displayTimeUnit": "ms",\n  "baseTimeNanoseconds": ${baseTimeNs}\n}\n`
  }
}
