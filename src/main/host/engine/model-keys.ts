/** Under which cache keys models ran: a work on a stream names its key, what it leads to in the runtime names the model. */
import type { Breath, ChainGraph } from '../../../session/chain'

/** Cache keys of a model that are told apart; beyond that there are more. */
export const MOST_KEYS = 20

/** Layers below the event with the key that are looked at. */
const DEPTH = 3

/** Links between two looks at the clock. */
const STRIDE = 4096

/** Sets of keys as numbers: 0 is the empty one. Most events share a handful of them, so each is kept once; a set that is full takes no more. */
export class KeySets {
  readonly #keys: string[] = []
  readonly #ofKey = new Map<string, number>()
  readonly #sets: (readonly number[])[] = [[]]
  readonly #ofMembers = new Map([['', 0]])
  readonly #unions = new Map<number, number>()

  /** The set of one key. */
  one(key: string): number {
    let index = this.#ofKey.get(key)
    if (index === undefined) this.#ofKey.set(key, (index = this.#keys.push(key) - 1))
    return this.#setOf([index])
  }

  union(a: number, b: number): number {
    if (a === b || b === 0) return a
    if (a === 0) return b
    const pair = Math.min(a, b) * 2 ** 26 + Math.max(a, b)
    let set = this.#unions.get(pair)
    if (set === undefined) {
      const all = [...new Set([...(this.#sets[a] ?? []), ...(this.#sets[b] ?? [])])].sort((x, y) => x - y)
      this.#unions.set(pair, (set = this.#setOf(all.slice(0, MOST_KEYS + 1))))
    }
    return set
  }

  /** Keys of a set; one more than MOST_KEYS where there are more. */
  keys(set: number): readonly string[] {
    return (this.#sets[set] ?? []).map(k => this.#keys[k] as string)
  }

  #setOf(members: readonly number[]): number {
    const text = members.join()
    let set = this.#ofMembers.get(text)
    if (set === undefined) this.#ofMembers.set(text, (set = this.#sets.push(members) - 1))
    return set
  }
}

export interface ModelKeys {
  /** Keys by model. */
  readonly ofModel: ReadonlyMap<bigint, number>
  /** Keys of events that lead to no model. */
  readonly alone: ReadonlySet<number>
}

/**
 * Follows events with keys (set by node) down to the models that are named first on each way. All of them together, a layer at a time: what several lead to is looked at once
 * per layer, however many ways there are. null when it is not wanted any more.
 */
export async function modelKeys(
  g: Pick<ChainGraph, 'downStart' | 'to'>,
  keyed: ReadonlyMap<number, number>,
  sets: KeySets,
  modelOf: (node: number) => bigint | null,
  breath: Breath,
): Promise<ModelKeys | null> {
  const ofModel = new Map<bigint, number>()
  /** Sets by node that has none of the models above it, and nodes that lead to one; by layer. */
  const layers: ReadonlyMap<number, number>[] = [keyed]
  const leads: Set<number>[] = []
  let steps = 0
  for (let d = 0; d < DEPTH; d++) {
    const below = new Map<number, number>()
    const direct = new Set<number>()
    for (const [at, set] of layers[d] ?? [])
      for (let i = g.downStart[at] as number; i < (g.downStart[at + 1] as number); i++) {
        if (++steps % STRIDE === 0 && breath.due && (await breath.pause())) return null
        const to = g.to[i] as number
        const id = modelOf(to)
        if (id === null) {
          if (d + 1 < DEPTH) below.set(to, sets.union(below.get(to) ?? 0, set))
          continue
        }
        direct.add(at)
        ofModel.set(id, sets.union(ofModel.get(id) ?? 0, set))
      }
    layers.push(below)
    leads.push(direct)
  }
  // Back up: what leads to an event that leads to a model.
  for (let d = DEPTH - 2; d >= 0; d--)
    for (const at of layers[d]?.keys() ?? [])
      for (let i = g.downStart[at] as number; i < (g.downStart[at + 1] as number) && !leads[d]?.has(at); i++) {
        if (++steps % STRIDE === 0 && breath.due && (await breath.pause())) return null
        if (leads[d + 1]?.has(g.to[i] as number)) leads[d]?.add(at)
      }
  const alone = new Set<number>()
  for (const [at, set] of keyed) if (!leads[0]?.has(at)) alone.add(set)
  return { ofModel, alone }
}
