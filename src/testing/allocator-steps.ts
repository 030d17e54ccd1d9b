/** Random work for the simulated allocator, for property tests. */
import fc from 'fast-check'
import type { FixtureSegment } from '../formats/memory-snapshot/fixture'
import { AllocatorSimulator, type SimulatorOptions } from './allocator-simulator'

const KB = 1024
const MB = 1024 * KB
const sizes = fc.oneof(
  fc.integer({ min: 1, max: 4 * KB }),
  fc.integer({ min: 4 * KB, max: 1200 * KB }),
  fc.integer({ min: 1000 * KB, max: 12 * MB }),
  fc.integer({ min: 9 * MB, max: 70 * MB }),
)
export type Step =
  | { readonly do: 'alloc'; readonly size: number; readonly stream: number; readonly pool: number }
  | { readonly do: 'free'; readonly at: number; readonly done: boolean }
  | { readonly do: 'complete'; readonly at: number }
  | { readonly do: 'empty' }

export const allocatorSteps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('alloc' as const), size: sizes, stream: fc.nat(1), pool: fc.nat(1) }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('free' as const), at: fc.nat(1000), done: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('complete' as const), at: fc.nat(1000) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('empty' as const) }) },
  ),
  { minLength: 1, maxLength: 80, size: 'max' },
)
/** Expandable segments have no largest block to split here: the simulated allocator would map nothing for a request that a free block is too large for. */
export const allocatorOptions: fc.Arbitrary<SimulatorOptions> = fc
  .record({ expandable: fc.boolean(), maxSplit: fc.constantFrom(Infinity, Infinity, 20 * MB), divisions: fc.constantFrom(0, 0, 4) })
  .map(o => (o.expandable ? { ...o, maxSplit: Infinity } : o))

/** Runs the steps; `seen` is called after each that left an event, with the number of events so far and the segment table at that moment. */
export function simulateSteps(
  steps: readonly Step[],
  options: SimulatorOptions,
  seen: (events: number, segments: readonly FixtureSegment[]) => void,
): AllocatorSimulator {
  const sim = new AllocatorSimulator(options)
  for (const s of steps) {
    const before = sim.events.length
    if (s.do === 'alloc') sim.alloc(s.size, s.stream, s.pool)
    else if (s.do === 'empty') sim.emptyCache()
    else {
      const live = sim.live(s.do === 'free' ? 'used' : 'pending')
      const block = live[s.at % Math.max(1, live.length)]
      if (block && s.do === 'free') sim.free(block, s.done)
      else if (block) sim.complete(block)
    }
    if (sim.events.length > before) seen(sim.events.length, sim.snapshot().segments)
  }
  return sim
}
