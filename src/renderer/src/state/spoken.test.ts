import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Bridge } from '../../../shared/api'
import { useSession } from './session'
import { followSpoken, selectionWords, useSpoken } from './spoken'
import { useView } from './view'

const plain = (s: string | null): string | undefined => s?.replaceAll('\u00a0', ' ')
const slice = { type: 'slice', source: 0, row: 7, track: 1, start: 5e6, duration: 2e6 } as const

beforeEach(() => {
  vi.useFakeTimers()
  const request = (name: string): Promise<unknown> =>
    name === 'trace.slice'
      ? Promise.resolve({ name: 'aten::mm', duration: 2e6, start: 5e6, track: 'TID:1', parents: [{ name: 'step' }, { name: 'forward' }] })
      : Promise.reject(new Error(name))
  useSession.setState({ session: 's', bridge: { request } as unknown as Bridge })
})
afterEach(() => {
  vi.useRealTimers()
  useView.getState().reset()
  useSpoken.setState({ text: '' })
})

it('says what a slice is, how long, when and where', async () => {
  expect(plain(await selectionWords(slice))).toBe('Selected aten::mm, 2.000 ms, at 5.000 ms, TID:1, inside forward')
  expect(plain(await selectionWords({ type: 'range', start: 1e6, end: 4e6 }))).toBe(
    'Selected a range of 3.000 ms, from 1.000 ms to 4.000 ms',
  )
  expect(await selectionWords(null)).toBe('Nothing selected')
})

it('speaks once a drag has ended, of the last range', async () => {
  const off = followSpoken()
  for (let i = 1; i <= 20; i++) {
    useView.getState().select({ type: 'range', start: 0, end: i * 1e6 })
    vi.advanceTimersByTime(20)
  }
  expect(useSpoken.getState().text).toBe('')
  await vi.advanceTimersByTimeAsync(400)
  expect(plain(useSpoken.getState().text)).toBe('Selected a range of 20.000 ms, from 0.000 ms to 20.000 ms')
  off()
})

it('does not speak of what is no longer selected', async () => {
  const off = followSpoken()
  useView.getState().select(slice)
  vi.advanceTimersByTime(350)
  useView.setState({ selection: null })
  await vi.advanceTimersByTimeAsync(0)
  expect(useSpoken.getState().text).toBe('')
  await vi.advanceTimersByTimeAsync(400)
  expect(useSpoken.getState().text).toBe('Nothing selected')
  off()
})
