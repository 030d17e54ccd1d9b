/** All complete slices of several tracks in order of their start, with dense numbers for names and categories: what statistics walk through. */
import { stringAt, type StringTable } from '../../../shared/columns'
import type { TrackModel } from '../model'
import { ownTime } from './own'

export interface StatTrack {
  /** A track of slices. */
  readonly model: TrackModel
  readonly strings: StringTable
  /** Added to times of the track to get those that questions are asked in. */
  readonly offset: number
  /** How the track is called where statistics are grouped by track; distinct. */
  readonly label: string
  /** Category of all its slices; null: each has its own. */
  readonly category: string | null
}

/** Lets others run now and then. `pause` answers whether the work is to be given up. */
export interface Pausing {
  readonly due: boolean
  readonly pause: () => Promise<boolean>
}

export interface Keys {
  readonly texts: readonly string[]
  /** By track: key of a string id plus one (entry 0: absent). A track whose slices have one key in common has it as a number. */
  readonly of: readonly (Int32Array | number)[]
}

export interface SliceIndex {
  readonly tracks: readonly StatTrack[]
  readonly count: number
  /** Track and position in its columns, by start. */
  readonly track: Uint16Array | Uint32Array
  readonly at: Uint32Array
  readonly name: Keys
  readonly category: Keys
  readonly byTrack: Keys
}

/** What the terminal's `trace` calls an event without a category too. */
export const NO_CATEGORY = 'None'

/** Rows between two looks at the clock. */
const STRIDE = 1 << 14

/** Linear in the slices. Never given up: the next question needs it as well. */
export async function buildIndex(tracks: readonly StatTrack[], pausing: Pausing): Promise<SliceIndex> {
  const base = new Float64Array(tracks.length + 1)
  for (let t = 0; t < tracks.length; t++) {
    base[t + 1] = base[t] + ownTime(tracks[t].model).complete
    if (pausing.due) await pausing.pause()
  }
  const n = base[tracks.length]
  const track = tracks.length < 65536 ? new Uint16Array(n) : new Uint32Array(n)
  const at = new Uint32Array(n)
  const time = new Float64Array(n)
  let k = 0
  let sorted = true
  for (let t = 0; t < tracks.length; t++) {
    const { model, offset } = tracks[t]
    const { start, flags } = model
    for (let i = 0; i < flags.length; i++) {
      if ((i & (STRIDE - 1)) === 0 && pausing.due) await pausing.pause()
      if (flags[i] !== 0) continue
      track[k] = t
      at[k] = i
      time[k] = start[i] + offset
      if (k > 0 && time[k] < time[k - 1]) sorted = false
      k++
    }
  }
  const name = await keysOf(tracks, 'nameId', '', pausing)
  const category = await keysOf(tracks, 'categoryId', NO_CATEGORY, pausing)
  const byTrack = { texts: tracks.map(t => t.label), of: tracks.map((_, t) => t) }
  if (sorted) return { tracks, count: n, track, at, name, category, byTrack }
  const order = await orderOf(time, pausing)
  const orderedTrack = track.slice()
  const orderedAt = at.slice()
  for (let i = 0; i < n; i++) {
    orderedTrack[i] = track[order[i]]
    orderedAt[i] = at[order[i]]
    if ((i & (STRIDE - 1)) === 0 && pausing.due) await pausing.pause()
  }
  return { tracks, count: n, track: orderedTrack, at: orderedAt, name, category, byTrack }
}

/** Stable order of finite times: a radix sort by the bits of the distance from the first, 16 at a time, digits that all have in common left out. */
async function orderOf(time: Float64Array, pausing: Pausing): Promise<Uint32Array> {
  const n = time.length
  let low = Infinity
  for (let i = 0; i < n; i++) if (time[i] < low) low = time[i]
  // Bits of doubles that are not negative ascend with their value.
  for (let i = 0; i < n; i++) time[i] -= low
  const digits = new Uint16Array(time.buffer, time.byteOffset, 4 * n)
  const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1
  let from = new Uint32Array(n)
  for (let i = 0; i < n; i++) from[i] = i
  let to = new Uint32Array(n)
  for (let pass = 0; pass < 4; pass++) {
    const digit = littleEndian ? pass : 3 - pass
    const next = new Uint32Array(65536)
    for (let i = 0; i < n; i++) next[digits[4 * i + digit]]++
    if (next[digits[digit]] === n) continue
    for (let d = 0, sum = 0; d < 65536; d++) {
      const count = next[d]
      next[d] = sum
      sum += count
    }
    for (let i = 0; i < n; i++) {
      const row = from[i]
      to[next[digits[4 * row + digit]]++] = row
      if ((i & (STRIDE - 1)) === 0 && pausing.due) await pausing.pause()
    }
    ;[from, to] = [to, from]
  }
  return from
}

/** Numbers the texts of a column over all tracks, equal texts of different files alike. */
async function keysOf(tracks: readonly StatTrack[], column: 'nameId' | 'categoryId', absent: string, pausing: Pausing): Promise<Keys> {
  const texts: string[] = []
  const ids = new Map<string, number>()
  const keyOf = (text: string): number => {
    let id = ids.get(text)
    if (id === undefined) ids.set(text, (id = texts.push(text) - 1))
    return id
  }
  const maps = new Map<StringTable, Int32Array>()
  const of: (Int32Array | number)[] = []
  for (const { model, strings, category } of tracks) {
    if (column === 'categoryId' && category !== null) {
      of.push(keyOf(category))
      continue
    }
    let map = maps.get(strings)
    if (!map) maps.set(strings, (map = new Int32Array(strings.offsets.length).fill(-1)))
    const ids = model[column]
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] + 1
      if (map[id] < 0 && model.flags[i] === 0) map[id] = keyOf(id === 0 ? absent : stringAt(strings, id - 1))
      if ((i & (STRIDE - 1)) === 0 && pausing.due) await pausing.pause()
    }
    of.push(map)
  }
  return { texts, of }
}

/** First place in the order whose slice begins at or after `time`. */
export function placeFrom({ tracks, track, at, count }: SliceIndex, time: number): number {
  let a = 0
  let b = count
  while (a < b) {
    const m = (a + b) >>> 1
    const { model, offset } = tracks[track[m]]
    if (model.start[at[m]] + offset >= time) b = m
    else a = m + 1
  }
  return a
}
