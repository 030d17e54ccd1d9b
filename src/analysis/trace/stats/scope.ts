/** The tracks that statistics walk through, with dense numbers for the names and categories of their slices. */
import { stringAt, type StringTable } from '../../../shared/columns'
import type { Pausing } from '../../../shared/pausing'
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

export interface Keys {
  readonly texts: readonly string[]
  /** By track: key of a string id plus one (entry 0: absent). A track whose slices have one key in common has it as a number. */
  readonly of: readonly (Int32Array | number)[]
}

/** Tracks that statistics may ask, and the keys that their slices are grouped by. */
export interface StatScope {
  readonly tracks: readonly StatTrack[]
  readonly name: Keys
  readonly category: Keys
  readonly byTrack: Keys
}

/** What the terminal's `trace` calls an event without a category too. */
export const NO_CATEGORY = 'None'

/** Rows between two looks at the clock. */
const STRIDE = 1 << 14

/** Linear in the slices. Never given up: the next question needs it as well. */
export async function buildScope(tracks: readonly StatTrack[], pausing: Pausing): Promise<StatScope> {
  for (const { model } of tracks) {
    ownTime(model)
    if (pausing.due) await pausing.pause()
  }
  const name = await keysOf(tracks, 'nameId', '', pausing)
  const category = await keysOf(tracks, 'categoryId', NO_CATEGORY, pausing)
  return { tracks, name, category, byTrack: { texts: tracks.map(t => t.label), of: tracks.map((_, t) => t) } }
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
