/** Closing what a cut has left open may meet a fault of its own. */
import { expect, it, vi } from 'vitest'
import { PickleFault } from '../pickle/store'
import { bufferSource } from '../source'
import { exampleSnapshot, snapshotBytes } from './fixture'
import { readSnapshot } from './read'

const thrown = vi.hoisted(() => ({ error: null as Error | null }))
vi.mock('./salvage', () => ({
  salvage: () => {
    throw thrown.error as Error
  },
}))

const data = snapshotBytes(exampleSnapshot())
const cut = () => readSnapshot(bufferSource('cut.pickle', data.subarray(0, data.length - 9)))

it('a fault of the pickle is no table and the diagnostic of the cut', async () => {
  thrown.error = new PickleFault('pickle-limit', 'too much')
  const { table, diagnostics } = await cut()
  expect(table).toBeNull()
  expect(diagnostics).toMatchObject([{ code: 'pickle-truncated', meaning: 'Nothing of this file could be read.' }])
})

it('a defect of the program is not taken for bad data', async () => {
  thrown.error = new TypeError('defect')
  await expect(cut()).rejects.toThrow('defect')
})
