/** The text of each event of an export. */
import { argsOfRow } from '../../../../analysis/system/details'
import { stringAt } from '../../../../shared/columns'
import { EVENT_SOURCES } from '../../../../shared/system-tables'
import { TRACE_ID_KEYS } from '../../../../shared/tables'
import type { Part, PartTrack } from '../context'
import { BEGIN, COUNT, END, FLOW, type Cursor } from './cursors'
import type { Places } from './places'
import { idText, JsonTexts, micros, microsFrom } from './text'

/** Threads that the overlapping slices of one track are spread over at most. */
const MAX_STACKS = 64
const BP = TRACE_ID_KEYS.indexOf('bp')

export interface EventArgs {
  /** By source index: JSON text of the args by row. */
  readonly chrome: ReadonlyMap<number, ReadonlyMap<number, string>>
  readonly attributes: boolean
}

/** Spells events. */
export class EventWriter {
  /** Ends that became instants, slices on a thread that has no room for them. */
  halves = 0
  crowded = 0
  readonly #places: Places
  readonly #zero: bigint
  readonly #args: EventArgs
  readonly #texts = new Map<number, JsonTexts>()
  readonly #stacks = new Map<PartTrack, number[][]>()
  readonly #bound = new Map<number, Set<number>>()

  constructor(places: Places, zero: bigint, args: EventArgs) {
    this.#places = places
    this.#zero = zero
    this.#args = args
  }

  time(ns: number): string {
    return microsFrom(this.#zero, ns)
  }

  /** The event, and before it the metadata that it is the first to need. */
  text(c: Cursor, at: number, kind: number): string {
    const event = kind === COUNT ? this.#counter(c, at) : kind === FLOW ? this.#flow(c, at) : this.#slice(c, at, kind)
    const metadata = this.#places.takeMetadata()
    return metadata.length === 0 ? event : [...metadata, event].join(',\n')
  }

  #strings(part: Part): JsonTexts {
    let t = this.#texts.get(part.index)
    if (!t) this.#texts.set(part.index, (t = new JsonTexts(part.strings)))
    return t
  }

  #slice(c: Cursor, at: number, kind: number): string {
    const { part } = c
    const track = c.track as PartTrack
    const m = track.model
    const row = m.row[at] as number
    const strings = this.#strings(part)
    const flag = m.flags[at] as number
    const start = (m.start[at] as number) + part.offset
    const duration = m.duration[at] as number
    const name = strings.at(m.nameId[at] as number)
    const members = name === '' ? '' : `,"name":${name}`
    if (part.source.kind === 'chrome-trace') {
      const { table } = part.source
      const cat = strings.at(m.categoryId[at] as number)
      const thread = m.role === 'async' ? this.#places.threadOfRow(part, track, row) : this.#places.thread(part, track)
      const id =
        m.role === 'async' && (table.id[row] as number) >= 0 ? `,"id":${idText(stringAt(table.strings, table.id[row] as number))}` : ''
      const head = `${cat === '' ? '' : `,"cat":${cat}`}${members}${id}${thread?.members ?? ''}`
      const pair = m.role === 'async' ? 'be' : 'BE'
      if (kind === END) return `{"ph":"${pair[1]}"${head},"ts":${this.time(start + duration)}}`
      const args = this.#args.chrome.get(part.index)?.get(row)
      const tail = `,"ts":${this.time(start)}${args === undefined ? '' : `,"args":${args}`}`
      if (kind === BEGIN || flag === 2) return `{"ph":"${pair[0]}"${head}${tail}}`
      if (flag === 3) return `{"ph":"${pair[1]}"${head}${tail}}`
      if (flag === 1)
        return m.role === 'async' ? `{"ph":"n"${head}${tail}}` : `{"ph":"${instant(table.phase[row] as number)}","s":"t"${head}${tail}}`
      return `{"ph":"X"${head},"dur":${micros(duration)}${tail}}`
    }
    return this.#runtime(part, track, { row, flag, start, duration, members })
  }

  /** An event of the runtime or the hardware. What overlaps without nesting goes to further threads, as readers drop it otherwise. */
  #runtime(
    part: Part,
    track: PartTrack,
    e: { readonly row: number; readonly flag: number; readonly start: number; readonly duration: number; readonly members: string },
  ): string {
    const open = e.flag === 2
    const stack = e.flag === 0 || open ? this.#stackFor(track, e.start, open ? Infinity : e.start + e.duration) : 0
    const thread = this.#places.thread(part, track, stack)
    const { source } = part
    const own = source.kind === 'system' ? source.table : null
    const from = own ? EVENT_SOURCES[own.types.source[own.type[e.row] as number] as number] : undefined
    const half = e.flag === 3 ? { unmatched: 'end without a start' } : null
    if (half) this.halves++
    const args = own && this.#args.attributes ? { ...argsOfRow(own, e.row), ...half } : half
    const head = `,"cat":${JSON.stringify(from ?? 'runtime')}${e.members}${thread.members}`
    const tail = `,"ts":${this.time(e.start)}${args ? `,"args":${JSON.stringify(args)}` : ''}`
    if (e.flag === 1 || half) return `{"ph":"i","s":"t"${head}${tail}}`
    return open ? `{"ph":"B"${head}${tail}}` : `{"ph":"X"${head},"dur":${micros(e.duration)}${tail}}`
  }

  #stackFor(track: PartTrack, start: number, end: number): number {
    let stacks = this.#stacks.get(track)
    if (!stacks) this.#stacks.set(track, (stacks = []))
    for (let s = 0; s < MAX_STACKS; s++) {
      const ends = (stacks[s] ??= [])
      while (ends.length > 0 && (ends[ends.length - 1] as number) <= start) ends.pop()
      const last = ends[ends.length - 1]
      if (last !== undefined && last < end) continue
      ends.push(end)
      return s
    }
    this.crowded++
    return MAX_STACKS - 1
  }

  #counter(c: Cursor, at: number): string {
    const { part } = c
    const track = c.track as PartTrack
    const m = track.model
    const value = m.value[at] as number
    const time = this.time((m.time[at] as number) + part.offset)
    const name = JSON.stringify(m.name)
    return `{"ph":"C","name":${name}${this.#places.thread(part, track).members},"ts":${time},"args":{${JSON.stringify(m.note || m.name)}:${value}}}`
  }

  #flow(c: Cursor, row: number): string {
    const { part } = c
    if (part.source.kind !== 'chrome-trace') return ''
    const { table } = part.source
    const strings = this.#strings(part)
    const cat = strings.at(table.cat[row] as number)
    const name = strings.at(table.name[row] as number)
    const phase = String.fromCharCode(table.phase[row] as number)
    const id = idText(stringAt(table.strings, table.id[row] as number))
    const thread = this.#places.threadOfRow(part, null, row)
    const time = this.time((table.ts[row] as number) + part.offset)
    return `{"ph":"${phase}"${cat === '' ? '' : `,"cat":${cat}`}${name === '' ? '' : `,"name":${name}`},"id":${id}${thread?.members ?? ''},"ts":${time}${this.#isBound(part, row) ? ',"bp":"e"' : ''}}`
  }

  /** Whether a flow ends at the slice around it (`bp`). */
  #isBound(part: Part, row: number): boolean {
    let rows = this.#bound.get(part.index)
    if (!rows) {
      rows = new Set()
      const ids = part.source.kind === 'chrome-trace' ? part.source.table.ids : undefined
      if (ids) for (let i = 0; i < ids.count; i++) if (ids.key[i] === BP) rows.add(ids.row[i] as number)
      this.#bound.set(part.index, rows)
    }
    return rows.has(row)
  }
}

const instant = (phase: number): string => (phase === 0x49 || phase === 0x52 ? String.fromCharCode(phase) : 'i')
