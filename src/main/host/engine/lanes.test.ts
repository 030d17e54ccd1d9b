import { expect, test } from 'vitest'
import { Lanes } from './lanes'

test('a newer question of a lane ends the older one at its next pause; other lanes go on', async () => {
  const lanes = new Lanes()
  const first = lanes.begin('range')
  const other = lanes.begin('search')
  expect(await first.pause()).toBe(false)
  const second = lanes.begin('range')
  expect(await first.pause()).toBe(true)
  expect(await second.pause()).toBe(false)
  expect(await other.pause()).toBe(false)
})

test('a pause lets what waits run', async () => {
  const turn = new Lanes().begin('a')
  let ran = false
  setImmediate(() => (ran = true))
  await turn.pause()
  expect(ran).toBe(true)
  expect(turn.due).toBe(false)
})
