import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { snapshotBytes } from '../../formats/memory-snapshot/fixture'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import { bufferSource } from '../../formats/source'
import { AllocatorSimulator } from '../../testing/allocator-simulator'
import { samplesDir } from '../../testing/samples'
import { counterInWindow } from '../trace/counter-window'
import { allocatorTracks } from './lanes'
import type { AllocatorModel } from './model'
import { replayAll } from './replay'

/** Highest value of a lane over a window that holds all of it, at a width. */
const peak = (m: AllocatorModel, lane: number, width: number, margin: number): number => {
  const track = allocatorTracks(m)[lane]
  if (!track) return NaN
  const first = track.time[0] as number
  const last = track.time[track.time.length - 1] as number
  const { max } = counterInWindow([track], first - margin, last + 1 + margin, width)
  return (max[0] ?? new Float64Array()).reduce((a, b) => (b > a ? b : a), -Infinity)
}

describe('memory lanes of an allocator', () => {
  it('have the peak of the replay at every width', async () => {
    const steps = fc.array(fc.record({ alloc: fc.boolean(), size: fc.integer({ min: 1, max: 30_000_000 }), which: fc.nat() }), {
      minLength: 3,
      maxLength: 60,
    })
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.nat({ max: 20 }),
        fc.integer({ min: 1, max: 4000 }),
        fc.nat({ max: 5000 }),
        async (list, head, width, margin) => {
          const sim = new AllocatorSimulator({ expandable: false, maxSplit: Infinity, divisions: 0 })
          for (const s of list) {
            const live = sim.live('used')
            if (s.alloc || live.length === 0) sim.alloc(s.size, 0, 0)
            else sim.free(live[s.which % live.length] as (typeof live)[number], s.which % 3 > 0)
          }
          // A recording that begins in the middle has a start state, which may be the peak.
          const shot = sim.snapshot(Math.min(head, sim.events.length - 1))
          const events = shot.device_traces[0]?.map((e, i) => ({ ...e, time_us: 1_790_000_000_000_000 + i * 7 })) ?? []
          const { table } = await readSnapshot(bufferSource('s.pickle', snapshotBytes({ ...shot, device_traces: [events] })))
          const [model] = table ? replayAll(table) : []
          if (!model) throw new Error('no model')
          const lanes = allocatorTracks(model, '5')
          expect(lanes.map(l => [l.name, l.note, l.origin, l.pid, l.events])).toEqual([
            ['active, requested', 'bytes', 'pytorch', '5', model.events + 1],
            ['reserved', 'bytes', 'pytorch', '5', model.events + 1],
          ])
          expect(peak(model, 0, width, margin)).toBe(model.figures.peakActiveBytes)
          expect(peak(model, 1, width, margin)).toBe(model.figures.peakReservedBytes)
          expect([lanes[0]?.max, lanes[1]?.max]).toEqual([model.figures.peakActiveBytes, model.figures.peakReservedBytes])
          expect(lanes[0]?.value.at(-1)).toBe(model.figures.endActiveBytes)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('are none for a recording without times', async () => {
    const sim = new AllocatorSimulator({ expandable: false, maxSplit: Infinity, divisions: 0 })
    sim.alloc(1000, 0, 0)
    const { table } = await readSnapshot(bufferSource('s.pickle', snapshotBytes(sim.snapshot())))
    const models = table ? replayAll(table) : []
    expect(models.map(m => m.events)).toEqual([2])
    expect(models.flatMap(m => allocatorTracks(m))).toEqual([])
  })

  it('have the peak of the replay on real snapshots', async () => {
    const dir = samplesDir()
    const files = dir ? readdirSync(join(dir, 'snapshots')).filter(f => /\.(pickle|pkl)$/.test(f)) : []
    if (files.length === 0) return console.log('skipped: no samples of memory snapshots')
    for (const f of files) {
      const { table } = await readSnapshot(bufferSource(f, readFileSync(join(dir as string, 'snapshots', f))))
      for (const m of table ? replayAll(table) : []) {
        const lanes = allocatorTracks(m)
        for (const width of lanes.length > 0 ? [1, 7, 640, 1919] : []) {
          expect(peak(m, 0, width, 10)).toBe(m.figures.peakActiveBytes)
          if (lanes[1]) expect(peak(m, 1, width, 10)).toBe(m.figures.peakReservedBytes)
        }
      }
    }
  })
})
