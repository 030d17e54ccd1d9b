/** Totals that the events of a snapshot prove and no more are marked as such for the window. */
import { expect, test } from 'vitest'
import { exampleSnapshot, snapshotBytes, type FixtureEvent } from '../../../formats/memory-snapshot/fixture'
import { readSnapshot } from '../../../formats/memory-snapshot/read'
import { bufferSource } from '../../../formats/source'
import { activeName, allocatedName, startLabel } from '../../../paint/memory/words'
import type { AllocatorInfo } from '../../../shared/api'
import { prepare } from '../prepared'
import { Engine } from './engine'

async function infoOf(data: Uint8Array): Promise<AllocatorInfo> {
  const { table } = await readSnapshot(bufferSource('s', data))
  if (!table) throw new Error('no table')
  const engine = new Engine({ session: 's', version: 0, nextId: 0 }, { readArgs: () => Promise.resolve('') })
  const stamp = { size: 1, mtimeMs: 0, ino: '0' } as never
  const { view } = engine.setFile(
    { id: 'f', path: 's', abs: '/s', kind: 'memory-snapshot', rank: 0, rankFromName: false, stamp },
    prepare(table),
    [],
  )
  return view.allocators[0] as AllocatorInfo
}

test('a whole file; one that ends early; one with a size that does not fit', async () => {
  const data = snapshotBytes(exampleSnapshot())
  const whole = await infoOf(data)
  expect(whole.atLeast).toBe(false)
  expect([activeName(whole), allocatedName(whole)]).toEqual(['active, requested', 'allocated, requested'])
  expect(startLabel(whole)).toMatch(/recording {2}· {2}\d/)
  const cut = await infoOf(data.subarray(0, Buffer.from(data).indexOf('segment_free')))
  expect(cut.atLeast).toBe(true)
  expect([activeName(cut), allocatedName(cut)]).toEqual(['active, requested (at least)', 'allocated, requested (at least)'])
  expect(startLabel(cut)).toMatch(/recording {2}· {2}at least \d/)
  const odd = exampleSnapshot()
  ;((odd.device_traces[1] as FixtureEvent[])[5] as { size: unknown }).size = -1
  expect((await infoOf(snapshotBytes(odd))).atLeast).toBe(true)
})
