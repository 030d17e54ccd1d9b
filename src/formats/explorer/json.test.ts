import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gzipSync } from 'node:zlib'
import {
  attribute,
  attributesOf,
  eventName,
  EVENT_SOURCES,
  NAME_FROM,
  ROW_INSTANT,
  ROW_OPEN,
  ROW_SLICE,
  ROW_TAIL,
  type SystemTable,
} from '../../shared/system-tables'
import { bufferSource } from '../source'
import { expectEvents } from './expect-events'
import { fixtureRun, profileJson, total } from './fixture'
import { readSystemProfileJson } from './json'
import { parseExact, wholeOf } from './values'

const run = fixtureRun()
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (text: string, chunk?: number): ReturnType<typeof readSystemProfileJson> =>
  readSystemProfileJson(bufferSource('system_profile.json', bytes(text), chunk))

describe('system_profile.json', () => {
  it.each(['trace_event', 'trace_events'] as const)('reads the spelling %s', async key => {
    const r = await read(profileJson(run, key))
    const t = r.table
    expectEvents(t, run)
    expect(t.source).toBe('explorer-json')
    expect(r.diagnostics.map(d => d.code)).toEqual(['system-dropped'])
    expect(t.dropped).toBe(1001)
    expect(t.complete).toBe(true)
    expect(t.cpu && [...t.cpu.cpu]).toEqual(run.cpu.map(c => (c.cpu === 'average' ? -1 : Number(c.cpu))))
    expect(t.cpu && [...t.cpu.util]).toEqual(run.cpu.map(c => c.util))
    expect(t.hostMemory && [...t.hostMemory.usage]).toEqual(run.memory.map(m => m.used))
    expect(t.hostMemory?.percent && [...t.hostMemory.percent]).toEqual(run.memory.map(m => m.percent))
    expect(t.hbmUsage && [...t.hbmUsage.total]).toEqual(run.hbm.map(h => total(h.categories)))
    expect(t.hbmUsage && [...t.hbmUsage.hbm]).toEqual(run.hbm.map(h => h.hbm))
    expect(t.hbmUsage?.capacityBytes).toBe(run.capacity)
    expect(t.info?.profiles.map(p => p.path)).toEqual(run.profiles)
    expect(t.info?.instanceId?.value).toBe(run.instance)
    expect([...t.types.number].every(n => n === 11 || n === 99999)).toBe(true)
  })
  it('is the same however the input is cut, and compressed', async () => {
    const small = fixtureRun(2)
    const text = profileJson(small, 'trace_event', ' ')
    const whole = await read(text)
    expectEvents(whole.table, small)
    for (const chunk of [1, 2, 3, 7, 64, 1000]) expect(await read(text, chunk)).toEqual(whole)
    expect((await readSystemProfileJson(bufferSource('x.json', gzipSync(bytes(text))))).table).toEqual(whole.table)
  })
  it('reads the rows of the documentation', async () => {
    const r = await read(
      `{"trace_events":[{"duration":27094,"group":"nrt-nc-000","id":1,"instance_id":"i-0f207fb2a99bd2d08","lnc_idx":"0","name":"nrt_tensor_write","parent_id":0,
      "process_id":"1627711","size":"4","tensor_id":"4900392441224765051","tensor_name":"_unknown_","thread_id":1627711,"timestamp":1729888371056597613,"type":11},
      {"duration":3758079,"group":"framework-80375131","instance_id":"i-0f207fb2a99bd2d08","name":"PjitFunction(matmul_allgather)","process_id":"701","thread_id":80375131,"timestamp":1729888382798557372,"type":99999}],
      "mem_usage":[{"duration":1,"instance_id":"i-0f207fb2a99bd2d08","percent_usage":9.728179797845964,"timestamp":1729888369286687792,"usage":51805806592}],
      "cpu_util":[{"cpu_id":"47","duration":1,"instance_id":"i-0f207fb2a99bd2d08","timestamp":1729888371287337243,"util":2.3255813}]}`,
    )
    const t = r.table as SystemTable
    expect(
      [0, 1].map(row => [
        eventName(t, row),
        t.epochNs + BigInt(t.start[row]),
        t.duration[row],
        t.places.process[t.place[row]],
        t.places.nc[t.place[row]],
      ]),
    ).toEqual([
      ['nrt_tensor_write', 1729888371056597613n, 27094, 1627711, 0],
      ['PjitFunction(matmul_allgather)', 1729888382798557372n, 3758079, 701, -1],
    ])
    expect(attribute(t, 0, 'tensor_id')).toBe('4900392441224765051')
    expect([0, 1].map(row => EVENT_SOURCES[t.types.source[t.type[row]]])).toEqual(['neuron_rt', 'framework'])
    expect(t.hostMemory?.percent?.[0]).toBe(9.728179797845964)
    expect(t.hostMemory?.epochNs).toBe(1729888369286687792n)
    expect(t.cpu?.cores).toEqual(new Int32Array([47]))
  })
  it('cut anywhere: never throws, keeps the whole rows, says so', async () => {
    const text = profileJson(fixtureRun(1))
    for (let n = 0; n < text.length; n += n < text.length - 300 ? 3 : 1) {
      const r = await read(text.slice(0, n))
      expect(r.diagnostics.some(d => ['explorer-json-truncated', 'explorer-json-empty'].includes(d.code))).toBe(true)
      expect(r.table?.complete ?? false).toBe(false)
    }
  })
  it('never throws on changed bytes', async () => {
    const data = bytes(profileJson(fixtureRun(1)))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(data.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 500 }),
        async (changes, chunk) => {
          const b = data.slice()
          for (const [at, v] of changes) b[at] = v
          const r = await readSystemProfileJson(bufferSource('x.json', b, chunk))
          expect(r).toEqual(await readSystemProfileJson(bufferSource('x.json', b)))
        },
      ),
      { numRuns: 300 },
    )
  })
  it('tells other JSON', async () => {
    for (const text of ['{}', '{"a":[1]}', '[1]', 'x']) {
      const r = await read(text)
      expect(r.table).toBeNull()
      expect(r.verdict.origin).toBeNull()
      expect(r.diagnostics.some(d => d.severity === 'error')).toBe(true)
    }
  })
  it('leaves out what has no exact time, and other units', async () => {
    const r = await read(
      '{"trace_event":[{"name":"a","timestamp":1.5},{"name":"b","timestamp":1.7e18,"duration":2},{"name":"c","timestamp":1700000000000000001,"timestamp_unit":"us"},5]}',
    )
    expect(r.table?.count).toBe(1)
    expect(r.table?.epochNs).toBe(1_700_000_000_000_000_000n)
    expect(r.diagnostics.map(d => d.code).sort()).toEqual(['explorer-json-item', 'explorer-json-unit', 'system-no-time'])
  })
})

describe('answers of the fetch call', () => {
  const time = 1_772_000_000_123_456_789n
  const at = (n: number): string => String(time + BigInt(n))
  it('pairs starts and stops by tracking id and type', async () => {
    const r = await read(`{"events":[
      {"event_type":"nrt_execute","phase":"start","id":1,"nc_idx":0,"nc_local_id":0,"tracking_id":1125899906842625,"thread_id":7,"worker_gid":-1,"data":{"model_id":605291374318702},"timestamp_ns":${at(0)}},
      {"event_type":"nc_exec_running","phase":"start","id":2,"nc_idx":1,"tracking_id":9,"thread_id":7,"worker_gid":3,"data":{"exec_id":5,"device_core_idx":4,"nc_timestamp_ns":100},"timestamp_ns":${at(10)},"nrta_seq_id":281474976710685},
      {"event_type":"nrt_execute","phase":"stop","id":3,"nc_idx":0,"tracking_id":1125899906842625,"thread_id":7,"worker_gid":-1,"data":{"model_id":605291374318702},"timestamp_ns":${at(500)}},
      {"event_type":"nc_exec_running","phase":"stop","id":4,"nc_idx":1,"tracking_id":9,"thread_id":7,"worker_gid":3,"data":{"exec_id":5,"device_core_idx":4,"nc_timestamp_ns":160},"timestamp_ns":${at(70)}},
      {"event_type":"nrt_load","phase":"stop","id":5,"nc_idx":0,"tracking_id":9,"data":{},"timestamp_ns":${at(80)}},
      {"event_type":10,"phase":"start","id":6,"nc_idx":0,"tracking_id":11,"data":{},"timestamp_ns":${at(90)}},
      {"event_type":"hw_notify","phase":"instant","id":7,"nc_idx":1,"tracking_id":0,"data":{"hint":"x"},"timestamp_ns":${at(95)}}
    ],"data_version":2}`)
    const t = r.table as SystemTable
    expect([...Array(t.count).keys()].map(i => [eventName(t, i), t.state[i], t.start[i], t.duration[i]])).toEqual([
      ['nrt_execute', ROW_SLICE, 0, 500],
      ['nc_exec_running', ROW_SLICE, 10, 60],
      ['nrt_load', ROW_TAIL, 80, NaN],
      ['nrt_tensor_write', ROW_OPEN, 90, NaN],
      ['hw_notify', ROW_INSTANT, 95, NaN],
    ])
    expect(attributesOf(t, 1)).toEqual([
      ['exec_id', '5'],
      ['device_core_idx', '4'],
      ['nc_timestamp_ns', '100'],
      ['nc_timestamp_ns (stop)', '160'],
    ])
    expect([t.ncStart[1], t.ncStop[1], t.exec[1], t.sequence[1], t.trackingId[0]]).toEqual([
      100n,
      160n,
      5n,
      281474976710685n,
      1125899906842625n,
    ])
    expect(NAME_FROM[t.types.nameFrom[t.type[3]]]).toBe('catalogue')
    expect(t.messages).toBe(7)
    expect([...t.types.messages]).toEqual([2, 2, 1, 1, 1])
    expect(t.info?.dataVersion?.value).toBe(2)
    expect(t.places.worker[t.place[0]]).toBe(-1)
    expect(t.cores.map(c => [c.nc, c.messages, c.stopsWithoutStart, c.startsWithoutStop, c.headLost])).toEqual([
      [0, 3, 1, 1, true],
      [1, 2, 0, 0, false],
    ])
    expect(r.diagnostics.map(d => [d.code, d.count])).toEqual([['system-unmatched', 2]])
  })
})

describe('values', () => {
  it('parses as JSON does, long numbers aside, which stay as they stand', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        // 16 and more digits, whether a point stands among them or not.
        const long = /\d{16}|\d[eE]/.test(text.replaceAll('.', ''))
        if (!long) expect(parseExact(text)).toEqual(JSON.parse(text))
      }),
    )
    expect(
      parseExact('{"a":9223372036854775807,"b":"1234567890123456789","c":"\\"1234567890123456789\\\\","d":[12345678901234567]}'),
    ).toEqual({
      a: '9223372036854775807',
      b: '1234567890123456789',
      c: '"1234567890123456789\\',
      d: ['12345678901234567'],
    })
  })
  it('whole numbers are exact or absent', () => {
    fc.assert(fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), v => wholeOf(String(v)) === v))
    expect(['1.5', 1.5, 2 ** 60, '', 'x', null, NaN, '1e400'].map(wholeOf)).toEqual(Array(8).fill(null))
    expect(['1.7e18', '0x1F', '2.0', 7].map(wholeOf)).toEqual([1_700_000_000_000_000_000n, 31n, 2n, 7n])
  })
})
