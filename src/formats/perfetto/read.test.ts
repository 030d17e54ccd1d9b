import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringAt } from '../../shared/columns'
import {
  attribute,
  attributesOf,
  eventName,
  ROW_INSTANT,
  ROW_OPEN,
  ROW_SLICE,
  ROW_TAIL,
  type SystemTable,
} from '../../shared/system-tables'
import { expectEvents } from '../explorer/expect-events'
import { fixtureRun, parquetFolder, profileJson, total } from '../explorer/fixture'
import { readSystemProfileJson } from '../explorer/json'
import { readExplorerFolder } from '../explorer/parquet'
import { bufferSource } from '../source'
import { long, perfettoFile, perfettoPackets, traceBytes, type Packet } from './fixture'
import { readPerfettoTrace } from './read'
import { tellName } from './tracks'

const run = fixtureRun()
const read = (data: Uint8Array, chunk?: number): ReturnType<typeof readPerfettoTrace> =>
  readPerfettoTrace(bufferSource('system_profile.pftrace', data, chunk))
const readPackets = async (packets: readonly Packet[]): ReturnType<typeof readPerfettoTrace> => read(traceBytes(packets))

describe('a run', () => {
  for (const interned of [false, true])
    it.each(['none', 'realtime', 'boot', 'late', 'sequence'] as const)(
      `is read with times of the clock %s, names ${interned ? 'interned' : 'in every event'}`,
      async clock => {
        const r = await read(perfettoFile(run, { interned, clock }))
        expectEvents(r.table, run)
        const t = r.table
        expect(r.diagnostics).toEqual([])
        expect(t.source).toBe('perfetto')
        expect(t.messages).toBe(run.events.reduce((n, e) => n + (e.start === e.end ? 1 : 2), 0))
        expect(t.complete).toBe(true)
        expect(t.cpu?.count).toBe(run.cpu.length)
        expect(t.cpu && [...t.cpu.cores]).toEqual([0, 47])
        expect(t.cpu && [...t.cpu.time].map((x, i) => [t.cpu!.epochNs + BigInt(x), t.cpu!.cpu[i], t.cpu!.util[i]]).sort()).toEqual(
          run.cpu.map(c => [c.time, c.cpu === 'average' ? -1 : Number(c.cpu), c.util]).sort(),
        )
        expect(t.hbmUsage && [...t.hbmUsage.total].sort()).toEqual(run.hbm.map(h => total(h.categories)).sort())
        expect(attribute(t, 0, '@track')).toBe(`${run.instance} / gid35-tid0-framework`)
        expect(attribute(t, 0, '@category')).toBe('runtime')
        expect(r.verdict.checks.every(c => c.ok)).toBe(true)
        expect(r.verdict.checks.some(c => c.name === 'clock')).toBe(clock === 'none')
      },
    )
  it('is read from compressed packets', async () => {
    expectEvents((await read(perfettoFile(run, { interned: true, compressed: true }))).table, run)
  })
  it('is the same however the input is cut', async () => {
    const small = fixtureRun(2)
    const data = perfettoFile(small, { interned: true, clock: 'boot' })
    const whole = await read(data)
    expectEvents(whole.table, small)
    for (const chunk of [1, 2, 3, 17, 300]) expect(await read(data, chunk)).toEqual(whole)
  })
  it('is the same in events, names, times, places and cores as from Parquet and JSON', async () => {
    const parquet = await readExplorerFolder(
      [...parquetFolder(run, { parts: 2 })].map(([name, data]) => ({ name, source: bufferSource(name, data) })),
    )
    const json = await readSystemProfileJson(bufferSource('system_profile.json', new TextEncoder().encode(profileJson(run))))
    const perfetto = await read(perfettoFile(run, { interned: true }))
    const essence = (t: SystemTable | null): unknown => {
      if (!t) throw new Error('no table')
      return {
        epoch: t.epochNs,
        range: t.range,
        cores: t.cores,
        rows: [...Array(t.count).keys()].map(row => {
          const p = t.place[row]
          const { places } = t
          const of = [places.process, places.worker, places.device, places.nc, places.core, places.thread].map(c => c[p])
          const texts = [places.instance, places.stream].map(c => (c[p] < 0 ? null : stringAt(t.strings, c[p])))
          const { state, start, duration, id, sequence, hasSequence, model, exec, ncStart, ncStop } = t
          const columns = [state, start, duration, id, sequence, hasSequence, model, exec, ncStart, ncStop].map(c => c[row])
          return [eventName(t, row), t.types.source[t.type[row]], ...of, ...texts, ...columns]
        }),
      }
    }
    expect(essence(json.table)).toEqual(essence(parquet.table))
    expect(essence(perfetto.table)).toEqual(essence(parquet.table))
    expect(parquet.table?.count).toBe(100)
  })
})

describe('slices', () => {
  const T = 1_772_000_000_000_000_000n
  const at = (n: number, track: number, event: Packet, more: Packet = {}): Packet => ({
    timestamp: long(T + BigInt(n)),
    track_event: { track_uuid: long(BigInt(track)), ...event },
    ...more,
  })
  const rows = (t: SystemTable | null): unknown[] =>
    [...Array(t?.count ?? 0).keys()].map(i => [eventName(t!, i), t!.state[i], t!.start[i], t!.duration[i]])

  it('nest per track; ends without begin and begins without end are kept', async () => {
    const r = await readPackets([
      at(0, 1, { type: 2, name: 'lost' }),
      at(10, 1, { type: 1, name: 'outer' }),
      at(20, 1, { type: 1, name: 'inner', debug_annotations: [{ name: 'size', int_value: 4 }] }),
      at(25, 2, { type: 1, name: 'elsewhere' }),
      at(30, 1, {
        type: 2,
        debug_annotations: [
          { name: 'size', int_value: 5 },
          { name: 'code', int_value: -1 },
        ],
      }),
      at(35, 1, { type: 3, name: 'now' }),
      at(40, 1, { type: 2 }),
    ])
    expect(rows(r.table)).toEqual([
      ['lost', ROW_TAIL, 0, NaN],
      ['outer', ROW_SLICE, 10, 30],
      ['inner', ROW_SLICE, 20, 10],
      ['elsewhere', ROW_OPEN, 25, NaN],
      ['now', ROW_INSTANT, 35, NaN],
    ])
    expect(attributesOf(r.table!, 2)).toEqual([
      ['size', '4'],
      ['size (stop)', '5'],
      ['code', '-1'],
    ])
    expect(r.diagnostics.map(d => [d.code, d.count])).toEqual([['system-unmatched', 2]])
    expect(r.verdict.checks.find(c => c.name === 'tracks')?.ok).toBe(false)
  })
  it('annotations of every type', async () => {
    const nested = {
      nested_type: 1,
      dict_keys: ['a', 'b'],
      dict_values: [{ int_value: 1 }, { nested_type: 2, array_values: [{ string_value: 'x' }, { bool_value: true }] }],
    }
    const r = await readPackets([
      at(0, 1, {
        type: 3,
        name: 'x',
        flow_ids: [long(2n ** 63n + 1n), long(5n)],
        debug_annotations: [
          { name: 'b', bool_value: true },
          { name: 'u', uint_value: long(2n ** 64n - 1n) },
          { name: 'i', int_value: long(-(2n ** 60n)) },
          { name: 'd', double_value: 0.5 },
          { name: 'p', pointer_value: long(0x104c800000n) },
          { name: 'j', legacy_json_value: '{"k":1}' },
          { name: 'n', nested_value: nested },
          { name: 'e', dict_entries: [{ name: 'k', uint_value: long(2n ** 60n) }] },
          { name: 'l', array_values: [{ int_value: 1 }, { string_value: 's' }] },
          { name: 'worker_gid', int_value: 3 },
          { name: 'nothing' },
        ],
      }),
    ])
    expect(attributesOf(r.table!, 0)).toEqual([
      ['flow_id', '9223372036854775809'],
      ['flow_id', '5'],
      ['b', 'true'],
      ['u', '18446744073709551615'],
      ['i', '-1152921504606846976'],
      ['d', '0.5'],
      ['p', '0x104c800000'],
      ['j', '{"k":1}'],
      ['n', '{"a":"1","b":["x",true]}'],
      ['e', '{"k":"1152921504606846976"}'],
      ['l', '["1","s"]'],
    ])
    expect(r.table!.places.worker[r.table!.place[0]]).toBe(3)
  })
  it('names are those of the sequence, until its state is cleared', async () => {
    const names = (name: string): Packet => ({ interned_data: { event_names: [{ iid: 1, name }] } })
    const r = await readPackets([
      at(0, 1, { type: 3, name_iid: 1 }, { trusted_packet_sequence_id: 1, sequence_flags: 1, ...names('one') }),
      at(1, 1, { type: 3, name_iid: 1 }, { trusted_packet_sequence_id: 2, incremental_state_cleared: true, ...names('two') }),
      at(2, 1, { type: 3, name_iid: 1 }, { trusted_packet_sequence_id: 1, sequence_flags: 2 }),
      at(3, 1, { type: 3, name_iid: 1 }, { trusted_packet_sequence_id: 1, sequence_flags: 1 }),
      at(4, 1, { type: 3, name_iid: 1 }, { trusted_packet_sequence_id: 2 }),
    ])
    expect(rows(r.table).map(x => (x as unknown[])[0])).toEqual(['one', 'two', 'one', 'name 1 (not in the file)', 'two'])
    expect(r.diagnostics.map(d => [d.code, d.count])).toEqual([['perfetto-name', 1]])
  })
  it('the track of a sequence is the default of its events', async () => {
    const r = await readPackets([
      { track_descriptor: { uuid: long(5n), name: 'gid1-nc2-tid3-neuron_hw' } },
      {
        trusted_packet_sequence_id: 1,
        sequence_flags: 1,
        trace_packet_defaults: { track_event_defaults: { track_uuid: long(5n) }, timestamp_clock_id: 1 },
      },
      { timestamp: long(T), trusted_packet_sequence_id: 1, track_event: { type: 3, name: 'x' } },
    ])
    const t = r.table!
    expect([t.places.worker, t.places.nc, t.places.thread].map(c => c[t.place[0]])).toEqual([1, 2, 3])
    expect(t.types.source[t.type[0]]).toBe(1)
    expect(t.cores.map(c => c.nc)).toEqual([2])
  })
  it('times that are none of Unix are said to be so', async () => {
    const r = await readPackets([
      { timestamp: long(1000n), track_event: { type: 3, name: 'a' } },
      { timestamp: long(5000n), track_event: { type: 3, name: 'b' } },
    ])
    expect(r.table?.clock).toBe('unknown')
    expect(r.table?.epochNs).toBe(1000n)
    expect(r.diagnostics.map(d => d.code)).toContain('system-not-unix')
  })
  it('of clocks that nothing connects one is kept', async () => {
    const r = await readPackets([
      { timestamp: long(1000n), timestamp_clock_id: 3, track_event: { type: 3, name: 'monotonic' } },
      at(0, 1, { type: 3, name: 'a' }, { timestamp_clock_id: 1 }),
      at(5, 1, { type: 3, name: 'b' }, { timestamp_clock_id: 1 }),
    ])
    expect(rows(r.table).map(x => (x as unknown[])[0])).toEqual(['a', 'b'])
    expect(r.diagnostics.map(d => [d.code, d.count])).toEqual([['perfetto-clocks', 1]])
  })
  it('counters that are not known are told', async () => {
    const r = await readPackets([
      { track_descriptor: { uuid: long(9n), name: 'queue depth', counter: { unit_multiplier: 2, is_incremental: true } } },
      at(0, 9, { type: 4, counter_value: 3 }),
      at(1, 1, { type: 3, name: 'x' }),
    ])
    expect(r.diagnostics.map(d => d.code)).toEqual(['perfetto-counters'])
    expect(r.diagnostics[0].message).toContain('queue depth')
  })
  it('incremental counters add up, in their unit', async () => {
    const r = await readPackets([
      {
        track_descriptor: {
          uuid: long(9n),
          name: 'i-0f207fb2a99bd2d08/ND:1/HBM:3/neuron_hbm_usage',
          counter: { unit_multiplier: 1024, is_incremental: true },
        },
      },
      at(0, 9, { type: 4, counter_value: 3 }),
      at(1, 9, { type: 4, counter_value: long(-1n) }),
    ])
    expect(r.table?.hbmUsage && [...r.table.hbmUsage.total]).toEqual([3072, 2048])
    expect([r.table?.hbmUsage?.device[0], r.table?.hbmUsage?.hbm[0]]).toEqual([1, 3])
    expect(r.table?.count).toBe(0)
  })
})

describe('damage', () => {
  const small = perfettoFile(fixtureRun(1), { interned: true, clock: 'boot' })
  it('cut anywhere: never throws, keeps the whole packets', async () => {
    const ends = new Set<number>()
    let n = 0
    for (const p of perfettoPackets(fixtureRun(1), { interned: true, clock: 'boot' })) ends.add((n += traceBytes([p]).length))
    expect(n).toBe(small.length)
    for (let i = 0; i < small.length; i++) {
      const r = await read(small.subarray(0, i))
      expect(r.diagnostics.some(d => d.code === 'perfetto-truncated')).toBe(i > 0 && !ends.has(i))
    }
  })
  it('never throws on changed bytes, and the cut makes no difference', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(small.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 400 }),
        async (changes, chunk) => {
          const b = small.slice()
          for (const [at, v] of changes) b[at] = v
          expect(await read(b, chunk)).toEqual(await read(b))
        },
      ),
      { numRuns: 300 },
    )
  })
  it('never throws on random bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async b => {
        const r = await read(b)
        expect(r.table === null ? r.diagnostics.length : 1).toBeGreaterThan(0)
      }),
    )
  })
  it('a compressed packet that inflates without end is left out', async () => {
    const { deflateSync } = await import('node:zlib')
    const r = await readPackets([{ compressed_packets: deflateSync(Buffer.alloc(100 * 1024 * 1024)) }])
    expect(r.table).toBeNull()
    const again = traceBytes([{ compressed_packets: deflateSync(traceBytes([{ compressed_packets: deflateSync(small) }])) }])
    expect((await read(again)).table).toBeNull()
  })
  it('a table needs events', async () => {
    for (const data of [new Uint8Array(0), traceBytes([{ track_descriptor: { uuid: 1 } }])]) {
      const r = await read(data)
      expect(r.table).toBeNull()
      expect(r.verdict.origin).toBeNull()
      expect(r.diagnostics.map(d => d.code)).toEqual(['perfetto-no-events'])
    }
  })
})

it('names tell places in the documented spellings and nothing else', () => {
  expect(tellName('gid35-nc3-tid7-neuron_rt')).toEqual({ worker: 35, nc: 3, thread: 7, source: 'neuron_rt' })
  expect(tellName('i-0b1ea78ca2865fd32/PID:1765325/framework/TID:0')).toEqual({
    instance: 'i-0b1ea78ca2865fd32',
    process: 1765325,
    source: 'framework',
    thread: 0,
  })
  expect(tellName('i-0b1ea78ca2865fd32/PID:1765325/neuron_hw/NC0:4')).toEqual({
    instance: 'i-0b1ea78ca2865fd32',
    process: 1765325,
    source: 'neuron_hw',
    nc: 0,
    core: 4,
  })
  expect(tellName('i-0b1ea78ca2865fd32/PID:1765325/framework/Stream:0')).toMatchObject({ stream: '0' })
  for (const name of ['main', 'nc3', 'a/b', 'thread-7', 'TIDY', '']) expect(tellName(name)).toEqual({})
})
