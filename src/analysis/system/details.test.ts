import { describe, expect, it } from 'vitest'
import { systemTable, TEST_EPOCH } from '../../testing/system'
import { systemDetails, systemSlicesAt } from './details'
import { buildSystemModel } from './tracks'

describe('details of a runtime event', () => {
  const t = systemTable([
    {
      name: 'nrt_execute',
      at: 10,
      dur: 100,
      nc: 0,
      thread: 44,
      model: 2n ** 60n,
      modelName: 'fwd',
      tracking: 2n ** 63n + 1n,
      attrs: { model_id: String(2n ** 60n), request: 7 },
    },
    { name: 'kbl_exec_pre', at: 20, dur: 30, nc: 0, sequence: 0n, exec: 0n },
    { name: 'kbl_exec_wait', at: 60, dur: 40, nc: 0 },
    { name: 'nrt_model_submit', at: 60, nc: 0 },
    { name: 'nc_exec_running', source: 'neuron_hw', at: 70, dur: 20, nc: 0, core: 4, ncStart: 5n, ncStop: 25n },
    { name: 'cc_running', source: 'neuron_hw', at: 95, state: 'tail', nc: 0, core: 4 },
  ])
  const model = buildSystemModel(t, '9')

  it('tells its times, its self time, its parents and its ids exactly', () => {
    const d = systemDetails(t, model, 0)
    expect(d).toMatchObject({
      name: 'nrt_execute',
      category: 'neuron_rt',
      start: 10,
      duration: 100,
      selfTime: 30,
      children: 2,
      parents: [],
    })
    expect(d?.startUnixNs).toBe(String(TEST_EPOCH + 10n))
    expect(JSON.parse(d?.args ?? '')).toEqual({
      model_id: '1152921504606846976',
      request: '7',
      nc_idx: '0',
      thread_id: '44',
      model_name: 'fwd',
      tracking_id: '9223372036854775809',
    })
    expect(systemDetails(t, model, 1)?.parents).toEqual([{ name: 'nrt_execute', row: 0, start: 10, duration: 100 }])
    // Ids of 0 that the file has are told, those that it has not are not.
    expect(JSON.parse(systemDetails(t, model, 1)?.args ?? '')).toMatchObject({ nrta_seq_id: '0', exec_id: '0' })
    expect(JSON.parse(systemDetails(t, model, 2)?.args ?? '')).toEqual({ nc_idx: '0' })
  })

  it('knows no duration of halves and instants', () => {
    expect(systemDetails(t, model, 3)).toMatchObject({ phase: 'instant', duration: null, selfTime: null })
    expect(systemDetails(t, model, 5)).toMatchObject({ phase: 'tail', duration: null })
    expect(systemDetails(t, model, 6)).toBeNull()
  })

  it('says where the name was told from the attributes', () => {
    const inferred = { ...t, types: { ...t.types, inferred: Uint8Array.from(t.types.inferred, () => 1) } }
    expect(systemDetails(inferred, model, 0)?.argsNotice).toContain('attributes')
    expect(systemDetails(t, model, 0)?.argsNotice).toBeNull()
  })

  it('answers what covers a time, as a naive look at all rows does', () => {
    for (let time = 0; time < 130; time++) {
      const naive = [0, 1, 2, 3, 4, 5].filter(i => {
        const d = t.duration[i] as number
        return d > 0 && (t.start[i] as number) <= time && time < (t.start[i] as number) + d
      })
      expect(systemSlicesAt(t, model, time).map(s => s.start)).toEqual(naive.map(i => t.start[i]))
    }
    expect(systemSlicesAt(t, model, 75).map(s => s.track)).toEqual([
      'PID:9/neuron_rt/NC:0',
      'PID:9/neuron_rt/NC:0',
      'PID:9/neuron_hw/NC0:4',
    ])
  })
})
