import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeySets, modelKeys, MOST_KEYS, type ModelKeys } from './model-keys'

const NO_PAUSE = { due: false, pause: () => Promise.resolve(false) }

function graph(
  nodes: number,
  links: readonly (readonly [number, number])[],
): { readonly downStart: Uint32Array; readonly to: Uint32Array } {
  const sorted = [...links].sort((a, b) => a[0] - b[0])
  const downStart = Uint32Array.from({ length: nodes + 1 }, (_, n) => sorted.filter(l => l[0] < n).length)
  return { downStart, to: Uint32Array.from(sorted, l => l[1]) }
}

/** The same by following every way. */
function plain(g: ReturnType<typeof graph>, modelOf: (n: number) => bigint | null, node: number, depth = 3): ReadonlySet<bigint> {
  const out = new Set<bigint>()
  for (let i = g.downStart[node] as number; i < (g.downStart[node + 1] as number); i++) {
    const to = g.to[i] as number
    const id = modelOf(to)
    if (id !== null) out.add(id)
    else if (depth > 1) for (const below of plain(g, modelOf, to, depth - 1)) out.add(below)
  }
  return out
}

describe('cache keys of models', () => {
  it('are those of the events that lead to the model, also in a circle: by following every way', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 })), { maxLength: 30 }),
        fc.array(fc.option(fc.constantFrom(1n, 2n, 3n), { nil: null, freq: 1 }), { minLength: 10, maxLength: 10 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom('a', 'b', 'c')), { maxLength: 6 }),
        async (links, models, keys) => {
          const g = graph(10, links)
          const modelOf = (n: number): bigint | null => models[n] ?? null
          const sets = new KeySets()
          const keyed = new Map(keys)
          const found = await modelKeys(g, new Map([...keyed].map(([n, k]) => [n, sets.one(k)])), sets, modelOf, NO_PAUSE)
          const ofModel = new Map<bigint, Set<string>>()
          const alone = new Set<string>()
          for (const [node, key] of keyed) {
            const ids = plain(g, modelOf, node)
            if (ids.size === 0) alone.add(key)
            for (const id of ids) ofModel.set(id, (ofModel.get(id) ?? new Set()).add(key))
          }
          const asText = (f: ModelKeys | null): unknown => [
            new Map([...(f?.ofModel ?? [])].map(([id, set]) => [id, new Set(sets.keys(set))])),
            new Set([...(f?.alone ?? [])].flatMap(set => sets.keys(set))),
          ]
          expect(asText(found)).toEqual([ofModel, alone])
        },
      ),
      { numRuns: 500 },
    ))

  // Three layers, everything linked with everything of the next one, then one model.
  const WIDE = 40
  const layered = graph(
    3 * WIDE + 1,
    Array.from({ length: 3 * WIDE }, (_, a) => {
      const layer = Math.floor(a / WIDE)
      return layer === 2 ? [[a, 3 * WIDE] as const] : Array.from({ length: WIDE }, (_, b) => [a, (layer + 1) * WIDE + b] as const)
    }).flat(),
  )
  const last = (n: number): bigint | null => (n === 3 * WIDE ? 1n : null)
  const allKeyed = (sets: KeySets, key: (i: number) => string): ReadonlyMap<number, number> =>
    new Map(Array.from({ length: WIDE }, (_, i) => [i, sets.one(key(i))]))

  it('look at each link once per layer, however many ways lead through it', async () => {
    const sets = new KeySets()
    let looks = 0
    const count = (n: number): bigint | null => (looks++, last(n))
    const found = await modelKeys(
      layered,
      allKeyed(sets, () => 'key'),
      sets,
      count,
      NO_PAUSE,
    )
    expect(sets.keys(found?.ofModel.get(1n) ?? 0)).toEqual(['key'])
    expect(found?.alone.size).toBe(0)
    expect(looks).toBeLessThanOrEqual(3 * layered.to.length)
  })

  it('are counted up to a bound', async () => {
    const sets = new KeySets()
    const found = await modelKeys(
      layered,
      allKeyed(sets, i => `key ${i}`),
      sets,
      last,
      NO_PAUSE,
    )
    expect(sets.keys(found?.ofModel.get(1n) ?? 0).length).toBe(MOST_KEYS + 1)
    expect(found?.alone.size).toBe(0)
  })

  it('are given up when a newer question has come', async () => {
    const wide = graph(
      2,
      Array.from({ length: 5000 }, () => [0, 1] as const),
    )
    const sets = new KeySets()
    let pauses = 0
    const over = { due: true, pause: () => Promise.resolve(++pauses > 0) }
    expect(await modelKeys(wide, new Map([[0, sets.one('a')]]), sets, () => null, over)).toBeNull()
    expect(pauses).toBe(1)
  })
})
