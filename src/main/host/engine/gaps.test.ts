import { describe, expect, it } from 'vitest'
import type { RequestArgs } from '../../../shared/api'
import type { TraceTable } from '../../../shared/tables'
import { fixtureTable } from '../../../formats/chrome-trace/fixture'
import { systemTable, TEST_EPOCH, type TestEvent } from '../../../testing/system'
import { prepare } from '../prepared'
import type { EngineFile } from '../protocol'
import { Engine } from './engine'
import { traceGaps } from './gaps'
import { Lanes, Turn } from './lanes'

const file = (id: string, kind: EngineFile['kind'], pid = '77'): EngineFile => ({
  id,
  path: `s/${id}`,
  abs: `/s/${id}`,
  kind,
  rank: null,
  rankFromName: false,
  pid,
  stamp: { bytes: 1, mtimeMs: 1 },
})
const run = (at: number, dur: number, nc = 0, core = 4): TestEvent => ({
  name: 'nc_exec_running',
  source: 'neuron_hw',
  at,
  dur,
  nc,
  core,
  device: 0,
})
const ask = (e: Engine, more: Partial<RequestArgs<'trace.gaps'>> = {}): ReturnType<typeof traceGaps> =>
  traceGaps(e.context, { session: 's', group: 0, start: null, end: null, minNs: 0, limit: 10, lane: 'g', ...more }, new Turn())
const fresh = (): Engine => new Engine({ session: 's', version: 0, nextId: 0 }, { readArgs: () => Promise.reject(new Error('none')) })

/** A framework trace of process 77 with the times of TEST_EPOCH. */
async function host(events: readonly (readonly [tid: number, name: string, at: number, dur: number])[], pid = 77): Promise<TraceTable> {
  const t = await fixtureTable(events.map(([tid, name, ts, dur]) => ({ ph: 'X', cat: 'cpu_op', name, pid, tid, ts, dur })))
  return { ...t, epochNs: TEST_EPOCH, clock: 'kineto-base-time' }
}

describe('gaps', () => {
  it('come longest first, with the events around them and what the host did', async () => {
    const e = fresh()
    e.setFile(
      file('ntrace.pb', 'system'),
      prepare(systemTable([run(0, 100), run(150, 50), run(300, 10), run(20, 5, 1, 5), run(400, 5, 1, 5)]), '', '77'),
      [],
    )
    e.setFile(
      file('t.json', 'chrome-trace'),
      prepare(await host([[7, 'step', 0, 400], [7, 'aten::mm', 90, 42], [7, 'aten::copy_', 120, 10], [8, 'loader', 210, 60]])), // prettier-ignore
      [],
    )
    const { gaps, cores, total, reason, silent } = await ask(e)
    expect([total, reason, silent]).toEqual([3, null, []])
    expect(gaps.map(g => [g.core, g.start, g.end])).toEqual([
      ['NC1:5', 25, 400],
      ['NC0:4', 200, 300],
      ['NC0:4', 100, 150],
    ])
    expect(gaps.map(g => [g.before?.start, g.after?.start])).toEqual([[20, 400], [150, 300], [0, 150]]) // prettier-ignore
    expect(gaps[1]?.host.map(h => [h.name, h.trackName, h.ns])).toEqual([['step', 'TID:7', 100], ['loader', 'TID:8', 60]]) // prettier-ignore
    expect(gaps[2]?.host.map(h => [h.name, h.ns])).toEqual([['aten::mm', 22], ['step', 18], ['aten::copy_', 10]]) // prettier-ignore
    expect(gaps[2]?.host[0]?.ref).toMatchObject({ start: 90, duration: 42, name: 'aten::mm' })
    expect(cores.map(c => [c.core, c.busyNs, c.idleNs, c.knownNs, c.gaps, c.known])).toEqual([
      ['NC0:4', 160, 150, 310, 2, [0, 310]],
      ['NC1:5', 10, 375, 385, 1, [20, 405]],
    ])
    // A range cuts gaps; short ones are in the sums only; the limit is one of the list only.
    const some = await ask(e, { start: 120, end: 260, minNs: 40, limit: 1 })
    expect([some.total, some.gaps.map(g => [g.core, g.start, g.end])]).toEqual([2, [['NC1:5', 120, 260]]])
    expect(some.cores.map(c => [c.busyNs, c.idleNs, c.gaps])).toEqual([[50, 90, 1], [0, 140, 1]]) // prettier-ignore
  })

  it('take the host threads of the same process only', async () => {
    const hostNames = async (pid: string, framework: number): Promise<readonly string[]> => {
      const e = fresh()
      e.setFile(file('ntrace.pb', 'system', pid), prepare(systemTable([run(0, 10), run(50, 10)]), '', pid), [])
      e.setFile(file('t.json', 'chrome-trace', pid), prepare(await host([[7, 'work', 0, 60]], framework)), [])
      return (await ask(e)).gaps[0]?.host.map(h => h.name) ?? ['no gap']
    }
    expect(await hostNames('77', 77)).toEqual(['work'])
    expect(await hostNames('78', 77)).toEqual([])
    // Where the runtime's events name no process there is but one.
    expect(await hostNames('', 77)).toEqual(['work'])
  })

  it('begin where a lost head ends, and name cores that are silent', async () => {
    const e = fresh()
    const t = systemTable(
      [
        run(50, 10),
        run(100, 10),
        { name: 'nrt_execute', at: 0, dur: 5, nc: 0, device: 0 },
        { name: 'nrt_execute', at: 0, dur: 5, nc: 3, device: 0 },
      ],
      {
        cores: [
          {
            device: 0,
            nc: 0,
            messages: 4,
            firstNs: 50,
            lastNs: 110,
            stopsWithoutStart: 0,
            startsWithoutStop: 0,
            headLost: true,
            droppedAtLeast: null,
          },
        ],
      },
    )
    e.setFile(file('ntrace.pb', 'system'), prepare(t), [])
    const a = await ask(e)
    expect(a.gaps.map(g => [g.start, g.end])).toEqual([[60, 100]])
    expect(a.cores).toMatchObject([{ headLost: true, known: [50, 110], knownNs: 60 }])
    expect(a.silent).toEqual(['NC:3'])
  })

  it('are of the physical cores; what names only the logical one is no core beside them', async () => {
    const collective = { name: 'cc_running', source: 'neuron_hw', nc: 0, device: 0 } as const
    const e = fresh()
    e.setFile(
      file('ntrace.pb', 'system'),
      prepare(systemTable([run(0, 10), { ...collective, at: 5, dur: 5 }, run(50, 10), { ...collective, at: 90, dur: 5 }])),
      [],
    )
    expect((await ask(e)).cores.map(c => [c.core, c.known])).toEqual([['NC0:4', [0, 60]]])
    const logical = fresh()
    logical.setFile(
      file('ntrace.pb', 'system'),
      prepare(
        systemTable([
          { ...collective, at: 5, dur: 5 },
          { ...collective, at: 90, dur: 5 },
        ]),
      ),
      [],
    )
    expect((await ask(logical)).gaps.map(g => [g.core, g.start, g.end])).toEqual([['NC:0', 5, 85]])
  })

  it('say why there are none', async () => {
    const reason = async (events: readonly TestEvent[]): Promise<string | null> => {
      const e = fresh()
      e.setFile(file('ntrace.pb', 'system'), prepare(systemTable(events)), [])
      return (await ask(e)).reason
    }
    expect(await reason([{ name: 'nrt_execute', at: 0, dur: 5, nc: 0 }])).toMatch(/none of the hardware/)
    expect(await reason([{ name: 'nc_exec_running', source: 'neuron_hw', at: 0, dur: 5 }])).toMatch(/do not say on which core/)
    const e = fresh()
    e.setFile(file('t.json', 'chrome-trace'), prepare(await host([[7, 'work', 0, 60]])), [])
    expect((await ask(e)).reason).toMatch(/no trace of the runtime/)
  })

  it('are given up when a newer question has come', async () => {
    const e = fresh()
    e.setFile(file('ntrace.pb', 'system'), prepare(systemTable(Array.from({ length: 40_000 }, (_, i) => run(i * 10, 5)))), [])
    const lanes = new Lanes()
    const turn = lanes.begin('g')
    const due = Object.create(turn, { due: { value: true }, pause: { value: () => turn.pause() } }) as Turn
    lanes.begin('g')
    expect(
      await traceGaps(e.context, { session: 's', group: 0, start: null, end: null, minNs: 0, limit: 10, lane: 'g' }, due),
    ).toMatchObject({ cancelled: true, gaps: [] })
  })
})
