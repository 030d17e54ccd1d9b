import { describe, expect, it } from 'vitest'
import type { FixtureEvent } from '../../formats/chrome-trace/fixture'
import type { SystemTable } from '../../shared/system-tables'
import { chainOf, systemSource, traceSource } from '../../testing/chain'
import type { TestEvent } from '../../testing/system'
import type { ChainSource } from './model'
import { nameOf } from './nodes'
import { why, type Why } from './why'

const op = (name: string, ts: number, dur: number, more: FixtureEvent = {}): FixtureEvent => ({
  ...{ ph: 'X', cat: 'cpu_op', name, pid: 7, tid: 70, ts, dur },
  ...more,
})
const work = (name: string, ts: number, more: FixtureEvent = {}): FixtureEvent => ({
  ...{ ph: 'X', cat: 'privateuse1_driver', name, pid: 0, tid: 3, ts, dur: 10 },
  ...more,
})
const rt = (name: string, more: Partial<TestEvent> = {}): TestEvent => ({ name, at: 0, dur: 10, nc: 0, ...more })
const hw = (name: string, more: Partial<TestEvent> = {}): TestEvent => ({
  name,
  at: 0,
  dur: 10,
  nc: 0,
  core: 4,
  source: 'neuron_hw',
  ...more,
})

async function reasons(name: string, ...sources: readonly ChainSource[]): Promise<Why> {
  const g = await chainOf(sources)
  for (const s of g.sources)
    for (let row = 0; row < s.count; row++) if (g.layer[s.base + row] > 0 && nameOf(s.table, row) === name) return why(g, s, s.base + row)
  throw new Error(`no ${name}`)
}
const flows: readonly FixtureEvent[] = [
  { ph: 's', id: 1, cat: 'ac2g', name: 'ac2g', pid: 7, tid: 70, ts: 0 },
  { ph: 'f', id: 1, cat: 'ac2g', name: 'ac2g', pid: 0, tid: 3, ts: 100, bp: 'e' },
]

describe('why nothing is linked', () => {
  it('with a framework event', async () => {
    const down = async (...events: readonly FixtureEvent[]): Promise<string | null> =>
      (await reasons('a', await traceSource([op('a', 500, 10), ...events]))).down
    expect(await down()).toContain('ProfilerActivity.PrivateUse1')
    expect(await down(work('w', 100))).toBe('the trace has no flow ids, and no device event carries an id of this call')
    expect(await down(op('b', 0, 10), work('w', 100), ...flows)).toBe(
      'no flow begins in this event or in a call inside of it: it started no device work',
    )
    expect(await down(work('w', 900), ...flows)).toContain('where no slice stands')
  })

  it('with a stream event', async () => {
    const named = work('w', 100, { args: { nrt_sequence_id: 5 } })
    const trace = await traceSource([op('a', 0, 10), named])
    expect(await reasons('w', await traceSource([op('a', 0, 10), work('w', 100)]))).toEqual({
      up: 'the trace has no flow ids and no call with the same id: was it captured with ProfilerActivity.CPU?',
      down: 'the session has no runtime trace',
    })
    expect((await reasons('w', await traceSource([op('a', 0, 10), named, work('x', 300), { ...flows[0] }]))).up).toBe(
      'no flow of the trace ends in this event',
    )
    const down = async (
      events: readonly TestEvent[],
      pid = '7',
      unverified: readonly string[] = [],
      more: Partial<SystemTable> = {},
    ): Promise<string | null> => {
      const s = systemSource(events, pid, unverified)
      return (await reasons('w', trace, { ...s, table: { ...s.table, ...more } as SystemTable })).down
    }
    expect(await down([rt('r', { sequence: 6n })])).toBe('no event of the runtime trace has sequence id 5')
    expect(await down([rt('r')])).toBe('the runtime trace has no sequence ids')
    expect(await down([rt('r', { sequence: 5n })], '7', ['nrta_seq_id'])).toContain('no check confirmed')
    expect(await down([rt('r', { sequence: 5n })], '8')).toBe('the runtime trace is of process 8, this event of process 7')
    const lost = {
      device: 0,
      nc: 0,
      messages: 1,
      firstNs: 0,
      lastNs: 0,
      stopsWithoutStart: 1,
      startsWithoutStop: 0,
      headLost: true,
      droppedAtLeast: 1,
    }
    expect(await down([rt('r', { sequence: 6n })], '7', [], { cores: [lost] })).toBe(
      'no event of the runtime trace has sequence id 5; the beginning of the runtime trace was overwritten',
    )
    const runtime = systemSource([rt('r', { sequence: 5n })], '7')
    expect((await reasons('w', await traceSource([op('a', 0, 10), work('w', 100)]), runtime)).down).toBe(
      'the device events of the trace carry no nrt_sequence_id',
    )
    expect((await reasons('w', await traceSource([op('a', 0, 10), work('w', 100), { ...named, name: 'x', ts: 300 }]), runtime)).down).toBe(
      'this device event carries no nrt_sequence_id',
    )
  })

  it('with an event of the runtime or the hardware', async () => {
    const alone = (name: string, ...events: readonly TestEvent[]): Promise<Why> => reasons(name, systemSource(events, '7'))
    expect(await alone('r', rt('r'))).toEqual({
      up: 'the runtime trace has no sequence ids',
      down: 'the runtime trace has no sequence ids',
    })
    expect((await alone('r', rt('r'), rt('q', { sequence: 1n }))).down).toBe('this r event carries no sequence id')
    expect(await alone('r', rt('r', { sequence: 1n }))).toEqual({
      up: 'the session has no framework trace',
      down: 'no event of the hardware was captured',
    })
    expect(await alone('r', rt('r', { sequence: 1n }), hw('h', { sequence: 2n }))).toEqual({
      up: 'the session has no framework trace',
      down: 'no event of the hardware has sequence id 1',
    })
    expect(await alone('h', rt('r', { sequence: 1n }), hw('h', { sequence: 2n }))).toEqual({
      up: 'no event of the runtime has sequence id 2',
      down: null,
    })
    expect((await alone('timestamp_sync_point', hw('timestamp_sync_point', { state: 'instant' }))).up).toBe(
      'a reading of the two clocks belongs to no work',
    )
    const system = systemSource([rt('r', { sequence: 1n })], '7')
    const up = async (...events: readonly FixtureEvent[]): Promise<string | null> =>
      (await reasons('r', await traceSource(events), system)).up
    expect(await up(op('a', 0, 10))).toContain('ProfilerActivity.PrivateUse1')
    expect(await up(op('a', 0, 10), work('w', 100))).toBe('the device events of the framework trace carry no nrt_sequence_id')
    expect(await up(op('a', 0, 10), work('w', 100, { args: { nrt_sequence_id: 2 } }))).toBe(
      'no device event of the framework trace has sequence id 1',
    )
    expect(await up(op('a', 0, 10, { pid: 8 }), work('w', 100, { args: { nrt_sequence_id: 1 } }))).toBe(
      'the framework trace is of process 8, this event of process 7',
    )
  })

  it('with an event of which nobody knows whether it is of the host', async () => {
    const s = systemSource([rt('r', { sequence: 1n }), hw('h', { sequence: 1n })], '7')
    const table = s.table as SystemTable
    const g = await chainOf([{ ...s, table: { ...table, types: { ...table.types, source: new Uint8Array(table.types.count).fill(255) } } }])
    expect(g.to.length).toBe(0)
    expect(why(g, g.sources[0] as (typeof g.sources)[number], 0).up).toBe(
      'whether this kind of event is of the host or the hardware is not known',
    )
  })
})
