import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Lane, type LaneState } from './lane'

interface Answer {
  readonly cancelled: boolean
  readonly text: string
}

/** A host whose answers come when the test says so. */
function host(): {
  readonly lane: Lane<string, Answer>
  readonly states: LaneState<string, Answer>[]
  readonly asked: string[]
  readonly last: () => LaneState<string, Answer>
  want(key: string, version?: number, scope?: string): void
  answer(i: number, cancelled?: boolean): Promise<void>
  fail(i: number): Promise<void>
} {
  const states: LaneState<string, Answer>[] = []
  const waiting: { q: string; ok: (a: Answer) => void; no: (e: Error) => void }[] = []
  const lane = new Lane<string, Answer>(s => states.push(s))
  const ask = (q: string): Promise<Answer> => new Promise((ok, no) => waiting.push({ q, ok, no }))
  return {
    lane,
    states,
    get asked() {
      return waiting.map(w => w.q)
    },
    last: () => states[states.length - 1],
    want: (key, version = 1, scope = 's') => lane.want({ scope, key, version, question: key === '' ? null : key }, ask),
    answer: async (i, cancelled = false) => {
      waiting[i].ok({ cancelled, text: waiting[i].q })
      await vi.advanceTimersByTimeAsync(0)
    },
    fail: async i => {
      waiting[i].no(new Error('no'))
      await vi.advanceTimersByTimeAsync(0)
    },
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const rest = (): Promise<unknown> => vi.advanceTimersByTimeAsync(200)

describe('Lane', () => {
  it('asks at once, then lets a burst come to rest and asks for the last only', async () => {
    const h = host()
    h.want('a')
    await vi.advanceTimersByTimeAsync(0)
    expect(h.asked).toEqual(['a'])
    await h.answer(0)
    expect(h.last()).toMatchObject({ pending: false, value: { answer: { text: 'a' } } })
    h.want('b')
    h.want('c')
    expect(h.last()).toMatchObject({ pending: true, value: { answer: { text: 'a' } } })
    await rest()
    expect(h.asked).toEqual(['a', 'c'])
    await h.answer(1)
    expect(h.last()).toMatchObject({ pending: false, value: { question: 'c', answer: { text: 'c' } } })
  })

  it('sends a newer question while the older runs, and tells nothing of the older', async () => {
    const h = host()
    h.want('a')
    await rest()
    h.want('b')
    await rest()
    expect(h.asked).toEqual(['a', 'b'])
    await h.answer(0, true)
    expect(h.last().pending).toBe(true)
    await h.answer(1)
    expect(h.last()).toMatchObject({ pending: false, value: { answer: { text: 'b' } } })
    expect(h.states.some(s => s.value?.answer.text === 'a')).toBe(false)
  })

  it('asks for new data only after the question in progress, which is answered', async () => {
    const h = host()
    h.want('a', 1)
    await rest()
    h.want('a', 2)
    h.want('a', 3)
    await rest()
    expect(h.asked).toEqual(['a'])
    await h.answer(0)
    expect(h.states.some(s => s.value?.answer.text === 'a')).toBe(true)
    await rest()
    expect(h.asked).toEqual(['a', 'a'])
    await h.answer(1)
    await rest()
    expect(h.asked).toEqual(['a', 'a'])
    expect(h.last().pending).toBe(false)
  })

  it('drops the answer with another scope, and everything when nothing is asked', async () => {
    const h = host()
    h.want('a')
    await rest()
    await h.answer(0)
    h.want('a', 1, 'other')
    expect(h.last()).toMatchObject({ scope: 'other', value: null, pending: true })
    await rest()
    h.want('', 1, 'other')
    expect(h.last()).toMatchObject({ value: null, pending: false })
    await h.answer(1)
    expect(h.last().value).toBeNull()
  })

  it('says what failed and what was cancelled, and asks again when told', async () => {
    const h = host()
    h.want('a')
    await rest()
    await h.fail(0)
    expect(h.last()).toMatchObject({ error: 'no', pending: false })
    h.lane.retry()
    await rest()
    await h.answer(1, true)
    expect(h.last()).toMatchObject({ cancelled: true, pending: false, error: null })
    h.lane.retry()
    await rest()
    await h.answer(2)
    expect(h.last()).toMatchObject({ cancelled: false, value: { answer: { text: 'a' } } })
  })
})
