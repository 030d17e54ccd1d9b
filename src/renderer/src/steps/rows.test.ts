import { describe, expect, it } from 'vitest'
import type { SessionView } from '../../../shared/api'
import { changeText, chosenPair, deviceTracks, kindOf, stepRows, withoutSteps } from './rows'

const step = (name: string, start: number, duration: number, source = 0, group = 0) => ({ name, start, duration, source, group })
const track = (id: number, role: string, origin?: string, source = 0, more = {}) => ({
  id,
  role,
  origin,
  source,
  group: 0,
  kind: 'slices',
  ...more,
})
const view = (steps: readonly object[], tracks: readonly object[] = []): SessionView =>
  ({
    steps,
    tracks,
    sources: [
      { index: 0, path: 'rank0.json', rank: 0 },
      { index: 1, path: 'rank1.json', rank: 1 },
      { index: 2, path: 'ntrace.pb', rank: null },
    ],
  }) as unknown as SessionView

describe('stepRows', () => {
  it('orders by start and takes the difference to the one before of the same kind and file', () => {
    const rows = stepRows(
      view([
        step('ProfilerStep#2', 200, 120),
        step('ProfilerStep#1', 100, 100),
        step('eval', 150, 5),
        step('ProfilerStep#1', 110, 70, 1),
        step('x', 0, 1, 0, 1),
      ]),
      0,
    )
    expect(rows.map(r => [r.name, r.rank, r.change])).toEqual([
      ['ProfilerStep#1', 0, null],
      ['ProfilerStep#1', 1, null],
      ['eval', 0, null],
      ['ProfilerStep#2', 0, 20],
    ])
    expect(new Set(rows.map(r => r.key)).size).toBe(4)
  })
  it('puts annotations between the steps, the longer of two that begin together first', () => {
    const rows = stepRows(view([step('ProfilerStep#1', 0, 50), step('ProfilerStep#2', 50, 50)]), 0, [
      step('forward', 0, 20),
      step('forward', 50, 25),
    ])
    expect(rows.map(r => [r.name, r.change])).toEqual([
      ['ProfilerStep#1', null],
      ['forward', null],
      ['ProfilerStep#2', 0],
      ['forward', 5],
    ])
  })
  it('tells steps of the same name apart', () => {
    const keys = stepRows(view([step('a', 1, 1), step('a', 2, 1)]), 0).map(r => r.key)
    expect(keys).toEqual(['rank0.json/a', 'rank0.json/a/1'])
    expect(kindOf('ProfilerStep#12')).toBe('ProfilerStep#')
  })
})

it('compares steps of a kind where nothing else was chosen', () => {
  const rows = stepRows(
    view([step('warmup', 0, 5), step('ProfilerStep#1', 10, 50), step('forward', 12, 5), step('ProfilerStep#2', 60, 50)]),
    0,
  )
  const names = (a: string | null, b: string | null): string =>
    chosenPair(rows, a, b)
      .map(s => s.name)
      .join(' | ')
  const key = (name: string): string => rows.find(r => r.name === name)?.key ?? ''
  expect(names(null, null)).toBe('ProfilerStep#1 | ProfilerStep#2')
  expect(names(key('ProfilerStep#2'), 'gone')).toBe('ProfilerStep#2 | ProfilerStep#1')
  expect(names(null, key('ProfilerStep#2'))).toBe('ProfilerStep#1 | ProfilerStep#2')
  expect(names(key('forward'), null)).toBe('forward | warmup')
  expect(names(key('forward'), key('warmup'))).toBe('forward | warmup')
  expect(chosenPair(rows.slice(0, 1), null, null).map(s => s.name)).toEqual(['warmup', 'warmup'])
})

describe('deviceTracks', () => {
  const tracks = [track(1, 'thread'), track(2, 'stream'), track(3, 'stream', undefined, 1), track(4, 'core', 'neuron_rt', 2)]
  it('takes the hardware before the streams, and of the rank only', () => {
    expect(deviceTracks(view([], tracks), 0, 0)).toEqual({ what: 'streams', tracks: [2] })
    expect(deviceTracks(view([], tracks), 0, null)).toEqual({ what: 'streams', tracks: [2, 3] })
    const more = [...tracks, track(5, 'core', 'neuron_hw', 2), track(6, 'core', 'neuron_hw', 2, { derived: true })]
    expect(deviceTracks(view([], more), 0, 0)).toEqual({ what: 'NeuronCores', tracks: [5] })
    expect(deviceTracks(view([], [tracks[0]]), 0, 0)).toBeNull()
  })
})

it('tells a change in words', () => {
  const side = (totalNs: number) => ({ count: 1, totalNs, selfNs: 0 })
  expect(changeText({ a: side(100), b: side(150), deltaNs: 50 })).toBe('+50.0\u00a0%')
  expect(changeText({ a: side(100), b: side(90), deltaNs: -10 })).toBe('−10.0\u00a0%')
  expect(changeText({ a: null, b: side(90), deltaNs: 90 })).toBe('only B')
  expect(changeText({ a: side(100), b: null, deltaNs: -100 })).toBe('only A')
  expect(changeText({ a: side(0), b: side(5), deltaNs: 5 })).toBe('—')
})

it('leaves the slices of the compared steps out, and nothing else', () => {
  const rows = ['ProfilerStep#1', 'ProfilerStep#2', 'ProfilerStep#3', 'forward'].map(key => ({ key }))
  const keys = (a: string, b: string): string =>
    withoutSteps(rows, { name: a }, { name: b })
      .map(r => r.key)
      .join(' ')
  expect(keys('ProfilerStep#1', 'ProfilerStep#2')).toBe('ProfilerStep#3 forward')
  expect(keys('ProfilerStep#1', 'ProfilerStep#1')).toBe('ProfilerStep#1 ProfilerStep#2 ProfilerStep#3 forward')
  expect(keys('forward', 'ProfilerStep#2')).toBe('ProfilerStep#1 ProfilerStep#3 forward')
})
