import { describe, expect, it } from 'vitest'
import type { Job, SessionView, SourceInfo } from '../../../shared/api'
import type { CatalogSession } from '../../../shared/catalog'
import { layout, track } from '../../../paint/timeline/testing'
import { awaitsSource, jobProgress, pinMarks, panelState, trackCount, traceJobs } from './input'

const source = (index: number, kind: SourceInfo['kind'], group: number | null): SourceInfo => ({
  index,
  file: `f${index}`,
  path: `a/${kind}${index}`,
  kind,
  group,
  clock: '',
  rank: 0,
  complete: true,
  events: 1,
})
const group = (id: number, sources: readonly number[], calibrated = true): SessionView['groups'][number] => ({
  id,
  originNs: 0n,
  durationNs: 1000,
  calibrated,
  sources,
  label: '',
})
const view = (more: Partial<SessionView> = {}): SessionView => ({
  session: 's',
  version: 1,
  groups: [],
  sources: [],
  tracks: [],
  steps: [],
  allocators: [],
  jobs: [],
  diagnostics: [],
  notice: null,
  ...more,
})
const job = (more: Partial<Job> = {}): Job => ({
  id: 'j',
  session: 's',
  file: 'f0',
  path: 'a/trace.json',
  state: 'reading',
  done: 18_200_000,
  total: 31_400_000,
  note: '',
  ...more,
})
const catalog = {
  instanceId: 'i-1',
  timestamp: 't',
  files: [
    { id: 'f0', kind: 'chrome-trace' },
    { id: 'f1', kind: 'memory-snapshot' },
  ],
} as unknown as CatalogSession

describe('what the panel shows', () => {
  const state = (v: SessionView | null, jobs: readonly Job[] = [], active = 0): string =>
    panelState(v, 's', active, jobs, catalog, layout()).type

  it('waits for the view, reads, draws, fails or is empty', () => {
    expect(panelState(null, null, 0, [], null, layout()).type).toBe('none')
    expect(state(null)).toBe('loading')
    expect(state(view(), [job()])).toBe('loading')
    expect(state(view(), [job({ state: 'failed' })])).toBe('failed')
    const read = [source(0, 'chrome-trace', null)]
    expect(state(view({ sources: read }), [job({ state: 'done' })])).toBe('empty')
    expect(state(view({ groups: [group(0, [0])], tracks: [track(1)] }), [job()])).toBe('tracks')
  })

  it('stays busy between the end of a job and the view that holds its file, or the reason why it does not', () => {
    const done = job({ state: 'done' })
    const trouble = (path: string, severity: 'error' | 'info'): SessionView =>
      view({
        diagnostics: [{ severity, code: 'c', file: path, offset: null, message: '', meaning: '', action: '', count: 1 }],
      })
    expect(awaitsSource(view(), done)).toBe(true)
    expect(state(view(), [done])).toBe('loading')
    expect(awaitsSource(view(), job())).toBe(false)
    expect(awaitsSource(view({ sources: [source(1, 'chrome-trace', 0)] }), done)).toBe(true)
    expect(awaitsSource(view({ sources: [source(0, 'chrome-trace', 0)] }), done)).toBe(false)
    expect(awaitsSource(trouble('a/trace.json', 'info'), done)).toBe(true)
    expect(awaitsSource(trouble('a/other.json', 'error'), done)).toBe(true)
    expect(awaitsSource(trouble('a/trace.json', 'error'), done)).toBe(false)
    expect(state(trouble('a/trace.json', 'error'), [done])).toBe('empty')
    expect(awaitsSource(view({ notice: 'The analysis was stopped.' }), done)).toBe(false)
  })

  it('says that the trace lies elsewhere, and where', () => {
    const v = view({
      groups: [group(0, [1]), group(1, [0])],
      sources: [source(0, 'chrome-trace', 1), source(1, 'memory-snapshot', 0)],
      tracks: [track(1, { group: 1 })],
    })
    expect(panelState(v, 's', 0, [], catalog, layout())).toMatchObject({
      type: 'elsewhere',
      group: { id: 1 },
      trace: 'chrome-trace0',
      shown: ['memory-snapshot1'],
    })
    expect(state(v, [], 1)).toBe('tracks')
  })

  it('puts files that are being read below the tracks, with words and progress', () => {
    const s = panelState(
      view({ groups: [group(0, [0], false)], tracks: [track(1)] }),
      's',
      0,
      [job(), job({ id: 'k', state: 'failed', note: 'not JSON' })],
      catalog,
      layout(),
    )
    if (s.type !== 'tracks') throw new Error(s.type)
    expect(s.input.rows.rows.slice(-2)).toMatchObject([
      { type: 'note', words: 'Reading trace.json, 18.2 of 31.4\u00a0MB', progress: 18.2 / 31.4 },
      { type: 'note', words: 'trace.json could not be read: not JSON', tone: 'warn' },
    ])
    expect(s.input.axisLabel).toBe('Time, own clock')
    expect(trackCount(s.input.rows)).toBe('1 track')
    expect(trackCount({ ...s.input.rows, tracks: 16, shown: 8 })).toBe('16 tracks, 8 shown')
  })

  it('takes the jobs of traces only, each with its newest progress', () => {
    const v = view({ jobs: [job(), job({ id: 'm', file: 'f1' })] })
    const live = new Map([
      ['j', job({ done: 5 })],
      ['x', job({ id: 'x', session: 'other' })],
    ])
    expect(traceJobs(v, live, catalog)).toEqual([job({ done: 5 })])
  })

  it('writes progress with one unit where both have the same', () => {
    expect(jobProgress(job({ done: 900_000, total: 48_200_000 }))).toBe('900\u00a0kB of 48.2\u00a0MB')
  })

  it('marks where an allocation was made on its thread, and only when it was freed', () => {
    const inside = { name: 'aten::empty', track: 'PID:10/TID:2', source: 0, row: 5 }
    const tracks = [track(1), track(2)]
    expect(pinMarks({ allocTime: 5, freeCompletedTime: 9, inside }, tracks)).toEqual([
      { time: 5, track: 2 },
      { time: 9, track: null },
    ])
    expect(pinMarks({ allocTime: 5, freeCompletedTime: null, inside: { ...inside, track: 'PID:99/TID:2' } }, tracks)).toEqual([
      { time: 5, track: null },
    ])
    expect(pinMarks({ allocTime: null, freeCompletedTime: null, inside: null }, tracks)).toEqual([])
  })
})
