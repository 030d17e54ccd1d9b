/**
 * The events of a window as Chrome trace JSON, which Perfetto opens and our own reader reads back. Slices that touch the window are written whole, with the times of the
 * screen (ns after `baseTimeNanoseconds`, as microseconds with three decimals), in order of time. What does not fit into the answer is counted.
 */
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import { num } from '../../../shared/format'
import { MIB } from '../../../shared/units'
import type { EngineContext, Part, PartTrack } from './context'
import { argsSize, readArgs } from './json/args'
import { BEGIN, counterCursor, END, flowCursor, laneCursor, Merge, pairsCursor, stretches, type Cursor } from './json/cursors'
import { EventWriter, type EventArgs } from './json/events'
import { flowRows } from './json/flows'
import { JsonOutput } from './json/output'
import { Places } from './json/places'
import type { Turn } from './lanes'

/** Largest answer, bytes: what `export.save` takes. */
export const MAX_JSON = 64 * MIB
/** Kept for what stands behind the events. */
const TAIL = MIB
/** Args are read up to this many bytes, and only where they leave room for the events. */
const MAX_ARGS_BYTES = 24 * MIB
/** Estimates of an event without and with the attributes of the runtime, bytes. */
const EVENT_BYTES = 130
const ATTRIBUTE_BYTES = 350
const CHROME_BEGIN = 0x42

export interface JsonLimits {
  readonly bytes: number
}

/** Rejects with a RequestError when nothing stands in the window. Events are in order of time, so what is cut is the end of the window. */
export async function traceJson(
  context: EngineContext,
  q: RequestArgs<'trace.json'>,
  turn: Turn,
  limits: JsonLimits = { bytes: MAX_JSON },
): Promise<Answers['trace.json']> {
  const group = context.groups.find(g => g.id === q.group)
  if (!group) throw new RequestError('This time range is not there (any more).')
  const chosen = chooseTracks(context, q)
  const places = new Places()
  const cursors: Cursor[] = []
  const notes: string[] = []
  /** Samples without a value, and events that are never listed as they cannot fit. */
  let gaps = 0
  let beyond = 0
  for (const { part, tracks } of chosen) {
    const start = q.start - part.offset
    const end = q.end - part.offset
    for (const track of tracks) {
      const found = cursorsOf(part, track, start, end)
      if (found.cursors.length > 0) places.thread(part, track)
      cursors.push(...found.cursors)
      gaps += found.gaps
      beyond += found.beyond
      if (turn.due && (await turn.pause())) throw new RequestError('Given up.')
    }
    if (part.source.kind === 'chrome-trace') {
      const threads = threadsOf(part, tracks)
      const flows = flowCursor(part, await flowRows(part.source, start, end, threads, turn))
      if (flows) cursors.push(flows)
    }
    if (part.shiftNs !== 0n && tracks.length > 0)
      notes.push(`Times of ${part.source.file.path} are shifted by ${part.shiftNs} ns, as on the screen.`)
  }
  const total = beyond + cursors.reduce((n, c) => n + c.count, 0)
  if (total === 0) throw new RequestError('There are no events in this range.')
  const args = await argsOf(context, chosen, cursors, total, limits, notes, turn)

  const out = new JsonOutput(limits.bytes - Math.min(TAIL, limits.bytes / 8))
  const ranks = new Set(chosen.flatMap(({ part }) => (part.source.kind === 'chrome-trace' ? [part.source.table.rank] : [])))
  const rank = ranks.size === 1 ? ([...ranks][0] ?? null) : null
  out.add(
    `{"displayTimeUnit":"ms",${group.calibrated ? `"baseTimeNanoseconds":${group.originNs},` : ''}${rank === null ? '' : `"distributedInfo":{"rank":${rank}},`}"traceEvents":[\n`,
  )
  const writer = new EventWriter(places, group.calibrated ? 0n : group.originNs, args)
  const { written, cutFrom } = await writeEvents(out, new Merge(cursors), writer, turn)
  for (const m of places.takeMetadata().slice(0, 2000)) if (m.length < 4000) out.item(m)
  if (gaps > 0) notes.push(`${num(gaps)} samples without a value are left out: the format cannot tell that a value is not known.`)
  if (writer.halves > 0) notes.push(`${num(writer.halves)} ends without a start are written as instants, so that they end nothing else.`)
  if (writer.crowded > 0)
    notes.push(`${num(writer.crowded)} slices overlap others of their thread: there are more at a time than threads to show them.`)
  const cut = total - written
  if (cut > 0)
    notes.push(
      `${num(cut)} events from ${cutFrom} µs on are left out: the file would be larger than ${num(limits.bytes / MIB)} MiB. Export a shorter range.`,
    )
  const about = {
    fromNs: String(group.originNs + BigInt(Math.floor(q.start))),
    toNs: String(group.originNs + BigInt(Math.ceil(q.end))),
    sources: chosen
      .filter(c => c.tracks.length > 0)
      .slice(0, 50)
      .map(c => c.part.source.file.path.slice(-300)),
    events: written,
    cut,
    notes: notes.slice(0, 50).map(n => n.slice(0, 500)),
  }
  out.add(`\n],"neuronWorkbench":${JSON.stringify(about)}}\n`)
  return { data: out.bytes(), events: written, cut, notes }
}

interface ChosenPart {
  readonly part: Part
  readonly tracks: readonly PartTrack[]
}

/** The tracks by source. Of those whose slices stand on another chosen track only the other is taken. */
function chooseTracks(context: EngineContext, q: RequestArgs<'trace.json'>): readonly ChosenPart[] {
  if (q.tracks === null) return context.parts.filter(p => p.group === q.group).map(part => ({ part, tracks: part.tracks }))
  const byPart = new Map<Part, PartTrack[]>()
  for (const id of new Set(q.tracks)) {
    const found = context.trackOf(id)
    if (!found) throw new RequestError(`Track ${id} is not there (any more).`)
    if (found.part.group !== q.group) continue
    const list = byPart.get(found.part)
    if (list) list.push(found.track)
    else byPart.set(found.part, [found.track])
  }
  return context.parts.flatMap(part => {
    const list = byPart.get(part)
    if (!list) return []
    const derived = list.filter(t => t.model.derived)
    if (derived.length === 0) return [{ part, tracks: list }]
    const own = new Set(list.filter(t => !t.model.derived))
    const covered = (t: PartTrack): boolean => sourceTracksOf(part, t).every(o => own.has(o))
    return [{ part, tracks: list.filter(t => !t.model.derived || !covered(t)) }]
  })
}

/** Tracks that the slices of a derived track stand on. */
function sourceTracksOf(part: Part, track: PartTrack): readonly PartTrack[] {
  if (part.source.kind !== 'system') return []
  const { trackOf, tracks } = part.source.model
  const models = new Set(Array.from(track.model.row, row => tracks[trackOf[row] as number]))
  return part.tracks.filter(t => models.has(t.model))
}

interface TrackCursors {
  readonly cursors: readonly Cursor[]
  readonly gaps: number
  readonly beyond: number
}

function cursorsOf(part: Part, track: PartTrack, start: number, end: number): TrackCursors {
  const m = track.model
  if (m.kind === 'counter') {
    const { cursor, gaps } = counterCursor(part, track, start, end)
    return { cursors: cursor ? [cursor] : [], gaps, beyond: 0 }
  }
  const spans = stretches(m, start, end)
  if (part.source.kind === 'chrome-trace' && spans.length > 0) {
    const { phase } = part.source.table
    const isPair = (at: number): boolean => m.role === 'async' || phase[m.row[at] as number] === CHROME_BEGIN
    if (m.role === 'async' || spans.some(([a, b]) => some(a, b, isPair))) {
      const { cursor, beyond } = pairsCursor(part, track, spans, isPair)
      return { cursors: [cursor], gaps: 0, beyond }
    }
  }
  return { cursors: spans.map(([a, b]) => laneCursor(part, track, a, b)), gaps: 0, beyond: 0 }
}

function some(from: number, to: number, test: (at: number) => boolean): boolean {
  for (let i = from; i < to; i++) if (test(i)) return true
  return false
}

/** Rows of the thread table that the tracks of threads stand for. */
function threadsOf({ source }: Part, tracks: readonly PartTrack[]): ReadonlySet<number> {
  const out = new Set<number>()
  if (source.kind !== 'chrome-trace') return out
  for (const { model } of tracks)
    if (model.kind === 'slices' && model.role !== 'async' && model.row.length > 0)
      out.add(source.table.thread[model.row[0] as number] as number)
  return out
}

/** Reads the args where they leave room for the events. */
async function argsOf(
  context: EngineContext,
  chosen: readonly ChosenPart[],
  cursors: readonly Cursor[],
  total: number,
  limits: JsonLimits,
  notes: string[],
  turn: Turn,
): Promise<EventArgs> {
  const chrome = new Map<number, ReadonlyMap<number, string>>()
  let room = limits.bytes * 0.95 - total * EVENT_BYTES
  const system = cursors.reduce((n, c) => n + (c.part.source.kind === 'system' && c.track?.model.kind === 'slices' ? c.count : 0), 0)
  const attributes = system * ATTRIBUTE_BYTES <= room
  if (system > 0 && attributes) room -= system * ATTRIBUTE_BYTES
  if (system > 0 && !attributes) notes.push('The attributes of the runtime’s events are left out: they would leave no room for events.')
  for (const { part } of chosen) {
    const { source } = part
    if (source.kind !== 'chrome-trace') continue
    if (room <= 0) {
      notes.push(`The args of ${source.file.path} are left out: they would leave no room for events. Export a shorter range to have them.`)
      continue
    }
    const rows = cursors.filter(c => c.part === part).flatMap(c => rowsOf(c))
    const { rows: some, bytes } = argsSize(source, new Set(rows))
    if (some.length === 0) continue
    if (bytes > Math.min(room, MAX_ARGS_BYTES)) {
      notes.push(
        `The args of ${source.file.path} are left out: they are too many (${num(bytes / MIB, 1)} MiB). Export a shorter range to have them.`,
      )
      continue
    }
    const { texts, note } = await readArgs(context, part, some, turn)
    if (note !== null) notes.push(note)
    chrome.set(part.index, texts)
    room -= bytes
  }
  return { chrome, attributes }
}

/** Rows of the table of a cursor's events, without ends. */
function rowsOf(c: Cursor): readonly number[] {
  if (c.track?.model.kind === 'counter') return []
  const out: number[] = []
  for (let k = 0; k < c.count; k++) {
    if (c.kind(k) === END) continue
    out.push(c.track ? (c.track.model.row[c.at(k)] as number) : c.at(k))
  }
  return out
}

async function writeEvents(
  out: JsonOutput,
  merge: Merge,
  writer: EventWriter,
  turn: Turn,
): Promise<{ readonly written: number; readonly cutFrom: string }> {
  let written = 0
  /** Once something did not fit only the ends of what was begun are written. */
  let cutFrom: string | null = null
  const open = new Map<Cursor, Map<number, number>>()
  for (let n = 0; ; n++) {
    const c = merge.first
    if (!c) break
    const k = c.next
    const kind = c.kind(k)
    const at = c.at(k)
    if (kind === END) {
      const promised = open.get(c)?.get(at)
      if (promised !== undefined) {
        out.promise(-promised)
        out.item(writer.text(c, at, kind))
        open.get(c)?.delete(at)
        written++
      }
    } else if (cutFrom === null) {
      const text = writer.text(c, at, kind)
      const ends = kind === BEGIN && c.track?.model.flags[at] === 0 ? Buffer.byteLength(text) + 32 : 0
      if (out.fits(text, ends)) {
        out.item(text)
        written++
        if (ends > 0) {
          out.promise(ends)
          let list = open.get(c)
          if (!list) open.set(c, (list = new Map()))
          list.set(at, ends)
        }
      } else cutFrom = writer.time(c.time(k))
    }
    merge.advance()
    if ((n & 255) === 255 && turn.due && (await turn.pause())) throw new RequestError('Given up.')
  }
  return { written, cutFrom: cutFrom ?? '' }
}
