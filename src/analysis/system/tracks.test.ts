import { describe, expect, it } from 'vitest'
import { stringAt } from '../../shared/columns'
import { systemTable } from '../../testing/system'
import { cpuTracks, hostMemoryTracks } from './counters'
import { buildSystemModel } from './tracks'

const CORE = {
  device: 0,
  nc: 0,
  messages: 3,
  firstNs: 40,
  lastNs: 90,
  stopsWithoutStart: 1,
  startsWithoutStop: 1,
  droppedAtLeast: null,
} as const

describe('tracks of the runtime', () => {
  const t = systemTable(
    [
      { name: 'aten::mm', source: 'framework', at: 5, dur: 10, thread: 7, process: 12 },
      { name: 'mm', source: 'framework', at: 6, dur: 10, stream: '0', process: 12 },
      { name: 'nrt_execute', at: 10, dur: 30, nc: 0, device: 0 },
      { name: 'kbl_exec_pre', at: 12, dur: 5, nc: 0, device: 0 },
      { name: 'nrt_model_submit', at: 14, nc: 1, device: 0 },
      { name: 'nc_exec_running', source: 'neuron_hw', at: 40, dur: 20, nc: 0, core: 4, device: 0 },
      { name: 'nc_exec_running', source: 'neuron_hw', at: 41, state: 'tail', nc: 0, core: 5, device: 0 },
      { name: 'cc_running', source: 'neuron_hw', at: 60, state: 'open', nc: 0, core: 4, device: 0 },
      { name: 'cc_running', source: 'neuron_hw', at: 70, dur: 20, nc: 0, core: 4, device: 0 },
      { name: 'nrt_load', at: 2, dur: 1 },
    ],
    { cores: [{ ...CORE, headLost: true }] },
  )
  const model = buildSystemModel(t, '12')

  it('names them by source and core, in one process', () => {
    expect(model.tracks.map(k => [k.origin, k.name, k.events, k.depth])).toEqual([
      ['framework', 'TID:7', 1, 1],
      ['framework', 'Stream:0', 1, 1],
      ['neuron_rt', 'Runtime', 1, 1],
      ['neuron_rt', 'NC:0', 2, 2],
      ['neuron_rt', 'NC:1', 1, 1],
      ['neuron_hw', 'NC0:4', 3, 2],
      ['neuron_hw', 'NC0:5', 1, 1],
    ])
    expect(new Set(model.tracks.map(k => k.pid))).toEqual(new Set(['12']))
  })

  it('keeps every row on one track, nested ones below, halves marked', () => {
    expect([...model.trackOf].every(i => i >= 0)).toBe(true)
    const hw = model.tracks[5]
    const rows = Array.from(hw?.row ?? [], (row, i) => [
      stringAt(t.strings, hw?.nameId[i] as number),
      hw?.start[i],
      hw?.duration[i],
      hw?.flags[i],
      row,
    ])
    expect(rows).toEqual([
      ['nc_exec_running', 40, 20, 0, 5],
      // Open to the last event of its track.
      ['cc_running', 60, 30, 2, 7],
      ['cc_running', 70, 20, 0, 8],
    ])
    expect(model.tracks[6]).toMatchObject({ events: 1 })
    expect([...(model.tracks[6]?.flags ?? [])]).toEqual([3])
  })

  it('knows where the head of a core is lost', () => {
    expect(model.tracks.map(k => k.knownFrom ?? null)).toEqual([null, null, null, 40, null, 40, 40])
  })

  it('groups nothing by a role that no check confirmed', () => {
    const doubted = { ...t, verdict: { ...t.verdict, unverified: ['nc_idx', 'thread_id'] } }
    expect(buildSystemModel(doubted).tracks.map(k => k.name)).toEqual(['framework', 'Stream:0', 'Runtime', 'Hardware'])
  })

  it('tells devices apart where there are several', () => {
    const two = systemTable([0, 1].map(device => ({ name: 'nrt_execute', at: device, dur: 1, nc: 0, device })))
    expect(buildSystemModel(two).tracks.map(k => [k.name, k.note])).toEqual([
      ['NC:0', 'ND:0'],
      ['NC:0', 'ND:1'],
    ])
  })
})

describe('lanes of the host', () => {
  const verdict = { origin: 'built-in', framing: 'varint', schema: null, checks: [], unverified: [] } as const
  const base = { verdict, epochNs: 0n, range: [0, 2] as const, complete: true, bytesRead: 0 }

  it('has the mean of the cores first, then each core', () => {
    const tracks = cpuTracks({
      ...base,
      kind: 'cpu',
      count: 5,
      time: Float64Array.from([0, 0, 1, 1, 2]),
      cpu: Int32Array.from([0, 3, 0, 3, 0]),
      util: Float64Array.from([10, 30, 20, NaN, 50]),
      cores: Int32Array.from([0, 3]),
    })
    expect(tracks.map(k => [k.name, k.note, [...k.time], [...k.value]])).toEqual([
      ['CPU average', '% of 2 cores', [0, 1, 2], [20, 20, 50]],
      ['CPU:0', '%', [0, 1, 2], [10, 20, 50]],
      ['CPU:3', '%', [0, 1], [30, NaN]],
    ])
  })

  it("takes the file's own average where it has one", () => {
    const tracks = cpuTracks({
      ...base,
      kind: 'cpu',
      count: 2,
      time: Float64Array.from([1, 0]),
      cpu: Int32Array.from([-1, -1]),
      util: Float64Array.from([4, 2]),
      cores: new Int32Array(0),
    })
    expect(tracks.map(k => [k.name, k.note, [...k.time], [...k.value], k.min, k.max])).toEqual([['CPU average', '%', [0, 1], [2, 4], 2, 4]])
  })

  it('draws no lane of an empty file', () => {
    expect(
      cpuTracks({
        ...base,
        kind: 'cpu',
        count: 0,
        time: new Float64Array(0),
        cpu: new Int32Array(0),
        util: new Float64Array(0),
        cores: new Int32Array(0),
      }),
    ).toEqual([])
    expect(
      hostMemoryTracks({ ...base, kind: 'host-memory', count: 0, time: new Float64Array(0), usage: new Float64Array(0), percent: null }),
    ).toEqual([])
  })
})
