import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  attribute,
  attributeBigint,
  attributeColumn,
  attributeNumber,
  attributesOf,
  EVENT_SOURCES,
  eventName,
  NAME_FROM,
  ROW_OPEN,
  ROW_SLICE,
  ROW_TAIL,
  stopAttribute,
  STOP_SUFFIX,
  type SystemTable,
} from '../../shared/system-tables'
import { bufferSource } from '../source'
import { parseProto } from './description'
import {
  ALTERNATIVE,
  BUILT_IN,
  encodeEvents,
  FIXTURE_EPOCH,
  frame,
  protoOf,
  SHUFFLED,
  workload,
  type FixtureEvent,
  type FixtureFraming,
  type Numbers,
} from './fixture'
import { readNtrace, type SystemReadOptions } from './ntrace'

const read = (bytes: Uint8Array, o: SystemReadOptions = {}, chunk?: number) => readNtrace(bufferSource('ntrace.pb', bytes, chunk), o)
const file = (events: readonly FixtureEvent[], numbers: Numbers = BUILT_IN, framing: FixtureFraming = 'varint') =>
  frame(encodeEvents(events, numbers), framing, 3)
const FRAMINGS: readonly FixtureFraming[] = ['varint', 'u32', 'u64', 'wrapper']
const EVENTS = workload()
const table = async (events: readonly FixtureEvent[], o: SystemReadOptions = {}): Promise<SystemTable> => {
  const r = await read(file(events), o)
  expect(r.diagnostics.filter(d => d.severity === 'error')).toEqual([])
  return r.table as SystemTable
}

interface Row {
  readonly name: string
  readonly start: bigint
  readonly duration: number
  readonly state: number
  readonly nc: number
  readonly thread: number
}
const rowsOf = (t: SystemTable): readonly Row[] =>
  Array.from({ length: t.count }, (_, r) => ({
    name: eventName(t, r),
    start: t.epochNs + BigInt(t.start[r] as number),
    duration: t.duration[r] as number,
    state: t.state[r] as number,
    nc: t.places.nc[t.place[r] as number] as number,
    thread: t.places.thread[t.place[r] as number] as number,
  }))

/** Slices by hand: every start with the stop of its tracking id. */
function expectedRows(events: readonly FixtureEvent[]): readonly { start: bigint; duration: number; nc: number; thread: number }[] {
  const stops = new Map(events.filter(e => e.phase === 2).map(e => [e.tracking_id, e]))
  return events
    .filter(e => e.phase !== 2)
    .map(e => ({
      start: e.timestamp,
      duration: e.phase === 1 ? Number((stops.get(e.tracking_id) as FixtureEvent).timestamp - e.timestamp) : NaN,
      nc: e.nc_idx ?? 0,
      thread: e.thread_id ?? NaN,
    }))
}

describe('framings and numberings', () => {
  for (const framing of FRAMINGS)
    for (const [name, numbers] of [
      ['built-in', BUILT_IN],
      ['alternative', ALTERNATIVE],
      ['inferred', SHUFFLED],
    ] as const)
      it(`${framing}, ${name}`, async () => {
        const r = await read(file(EVENTS, numbers, framing))
        expect(r.verdict.checks.filter(c => !c.ok)).toEqual([])
        expect([r.verdict.origin, r.verdict.framing]).toEqual([name, framing])
        const t = r.table as SystemTable
        expect([t.messages, t.epochNs, t.complete]).toEqual([EVENTS.length, FIXTURE_EPOCH, true])
        const rows = rowsOf(t)
        expect(rows.map(({ start, duration, nc, thread }) => ({ start, duration, nc, thread }))).toEqual(expectedRows(EVENTS))
        const alloc = rows.findIndex(x => x.name === 'nrt_dma_mem_alloc')
        expect(attributesOf(t, alloc)).toEqual([
          ...[
            ['hbm_idx', '0'],
            ['is_nc_hbm', '1'],
            ['mla_idx', '0'],
            ['usage_type', 'Tensors'],
            ['is_aligned', '1'],
            ['allocated_bytes', '1048576'],
            ['total_bytes', '1048576'],
            ['usage_type_total_bytes', '1048576'],
            ['return_code', '0'],
            ['physical_address', '0x1000000000'],
          ],
        ])
        expect(attributeBigint(t, alloc, 'physical_address')).toBe(0x1000000000n)
        expect(r.diagnostics.filter(d => d.severity !== 'info')).toEqual([])
      })

  it('one imported schema decodes what another numbering cannot; all its roles count', async () => {
    const schema = { origin: 'imported' as const, title: 'mine', ...parseProto(protoOf(SHUFFLED)) }
    const r = await read(file(EVENTS, SHUFFLED), { schemas: [schema] })
    expect([r.verdict.origin, r.verdict.unverified]).toEqual(['imported', []])
    const t = r.table as SystemTable
    const exec = rowsOf(t).findIndex(x => x.name === 'nc_exec_running')
    expect([attribute(t, exec, 'nc_timestamp_ns'), stopAttribute(t, exec, 'nc_timestamp_ns')]).toEqual(['7001010000', '7001070000'])
    expect([t.ncStart[exec], t.ncStop[exec], t.exec[exec], t.model[exec]]).toEqual([
      7001010000n,
      7001070000n,
      281474976710656n,
      998636308723560n,
    ])
    expect(t.places.core[t.place[exec] as number]).toBe(4)
    const call = rowsOf(t).findIndex(x => x.name === 'nrt_execute')
    expect([t.hasSequence[call], t.sequence[call]]).toEqual([1, 281474976710656n])
  })

  it('an imported schema that fails is told and the others are tried', async () => {
    const schema = { origin: 'imported' as const, title: 'of another release', ...parseProto(protoOf(SHUFFLED)) }
    const r = await read(file(EVENTS), { schemas: [schema] })
    expect(r.verdict.origin).toBe('built-in')
    expect(r.diagnostics.find(d => d.code === 'system-schema-failed')?.message).toContain('of another release')
  })

  it('chunks cut anywhere give the same table', async () => {
    const bytes = file(EVENTS.slice(0, 120), BUILT_IN, 'u32')
    const whole = await read(bytes)
    for (const chunk of [1, 7, 64, 1000]) expect((await read(bytes, {}, chunk)).table).toEqual(whole.table)
  })

  it('fixed, zigzag and far field numbers of an imported schema', async () => {
    const text = `syntax = "proto3"; package ntff; message ntrace_event { sint64 type = 2000; fixed64 timestamp = 3; uint32 phase = 2; fixed64 tracking_id = 1; map<string,string> attributes = 700; fixed32 nc_idx = 8; }`
    const { parse } = (await import('protobufjs')).default
    const type = parse(text, { keepCase: true }).root.lookupType('ntff.ntrace_event')
    const long = (v: bigint): object => ({ low: Number(v & 0xffffffffn) | 0, high: Number(v >> 32n) | 0, unsigned: true })
    const messages = EVENTS.map(e =>
      type
        .encode({
          ...{ type: e.type, timestamp: long(e.timestamp), phase: e.phase, tracking_id: long(e.tracking_id) },
          ...{ attributes: e.attributes ?? {}, nc_idx: e.nc_idx ?? 0 },
        })
        .finish(),
    )
    const r = await read(frame(messages, 'varint'), { schemas: [{ origin: 'imported', title: 'x', ...parseProto(text) }] })
    expect(r.verdict.origin).toBe('imported')
    expect(rowsOf(r.table as SystemTable).map(x => [x.start, x.duration, x.nc])).toEqual(
      expectedRows(EVENTS).map(x => [x.start, x.duration, x.nc]),
    )
  })
})

describe('what is refused', () => {
  it('a numbering in which time and another field cannot be told apart', async () => {
    // `data` is a second time that goes forward, and no schema says which is which.
    const events = EVENTS.map(e => ({ ...e, data: e.timestamp + 5n }))
    const r = await read(file(events, SHUFFLED))
    expect([r.table, r.verdict.origin]).toEqual([null, null])
    const d = r.diagnostics.find(x => x.code === 'system-schema-unknown')
    expect(d?.message).toContain('fields 5 and 20 could both be the time')
    expect(d?.message).toMatch(/fields .*5 varint 1\.79e18…1\.79e18/)
    expect(d?.action).toContain('schema import')
  })

  it('two ids that pair starts with stops differently', async () => {
    // parent_id and tracking_id are permuted against each other: both pair, and not the same messages.
    const events = EVENTS.map(e => ({ ...e, id: e.tracking_id, parent_id: 0n }))
    const starts = events.filter(e => e.phase === 1 && e.type === 17)
    const other = new Map(starts.map((e, i) => [e.tracking_id, (starts[i ^ 1] ?? e).tracking_id]))
    const swapped = events.map(e => (e.phase === 2 && other.has(e.tracking_id) ? { ...e, id: other.get(e.tracking_id) as bigint } : e))
    const r = await read(file(swapped, SHUFFLED))
    expect(r.verdict.origin).toBe(null)
    expect(r.diagnostics.map(d => d.message).join()).toContain('differently')
  })

  it('the same in the built-in numbering', async () => {
    const events = EVENTS.map(e => ({ ...e, data: e.timestamp + 5n }))
    const r = await read(file(events))
    expect([r.table, r.verdict.origin]).toEqual([null, null])
    expect(r.verdict.checks.find(c => c.name === 'timestamp')).toMatchObject({ ok: false })
  })

  it('times of another century, phases beyond 3, attributes nobody knows', async () => {
    for (const bad of [
      EVENTS.map(e => ({ ...e, timestamp: e.timestamp / 1000n })),
      EVENTS.map(e => ({ ...e, phase: (e.phase + 3) as 1 })),
      EVENTS.map(e => ({ ...e, attributes: Object.fromEntries(Object.entries(e.attributes ?? {}).map(([k, v]) => [`x_${k}`, v])) })),
    ]) {
      const r = await read(file(bad))
      expect([r.table, r.verdict.origin]).toEqual([null, null])
      expect(r.diagnostics.some(d => d.code === 'system-schema-unknown')).toBe(true)
    }
  })

  it('what begins well and goes on as something else', async () => {
    const good = file(EVENTS)
    const bytes = new Uint8Array(good.length + 4096)
    bytes.set(good)
    bytes.fill(0xff, good.length)
    const r = await read(bytes)
    expect([r.table, r.verdict.origin]).toEqual([null, null])
    expect(r.diagnostics.map(d => d.code)).toContain('system-no-framing')
  })

  it('a file written twice: counts are too large, which is a warning', async () => {
    const long = workload({ steps: 400 })
    const once = await read(file(long))
    expect(once.table?.messages).toBeGreaterThan(1000)
    expect(once.diagnostics.map(d => d.code)).not.toContain('system-pairs-ambiguous')
    const r = await read(file([...long, ...long]))
    expect(r.table?.messages).toBe(2 * long.length)
    expect(r.diagnostics.find(d => d.code === 'system-pairs-ambiguous')?.severity).toBe('warning')
  })

  it('one time that is far from all others is told, an early or late event is not', async () => {
    const long = workload({ steps: 400 })
    const moved = (at: number, by: bigint) => long.map((e, i) => (i === at ? { ...e, timestamp: e.timestamp + by } : e))
    const codes = async (events: readonly FixtureEvent[]) => (await read(file(events))).diagnostics.map(d => d.code)
    for (const by of [10n ** 12n, -(10n ** 12n)])
      for (const at of [7, 1500]) expect(await codes(moved(at, by))).toContain('system-time-stray')
    for (const events of [long, moved(0, -(10n ** 12n)), moved(long.length - 1, 10n ** 12n)])
      expect(await codes(events)).not.toContain('system-time-stray')
  })

  it('thousands of starts that are open under one id all find a stop', async () => {
    const long = workload({ steps: 400 })
    const last = long.at(-1) as FixtureEvent
    const many = (phase: 1 | 2) =>
      Array.from({ length: 5000 }, (_, i): FixtureEvent => ({
        ...{ ...last, phase, tracking_id: 77n, thread_id: i + 1 },
        timestamp: last.timestamp + BigInt(phase * 1_000_000 + i),
      }))
    const [before, after] = [await read(file(long)), await read(file([...long, ...many(1), ...many(2)]))]
    const slices = (t: SystemTable | null): number => t?.state.filter(s => s === ROW_SLICE).length ?? NaN
    expect(slices(after.table) - slices(before.table)).toBe(5000)
    expect(after.diagnostics.map(d => d.code)).toContain('system-pairs-ambiguous')
  })

  it('an empty file is none, and not an error', async () => {
    const r = await read(new Uint8Array(0))
    expect([r.table, r.diagnostics.map(d => [d.severity, d.code])]).toEqual([null, [['info', 'system-empty']]])
  })
})

describe('roles that nothing tells apart', () => {
  it('nc_idx and nd_idx with the same pattern group nothing', async () => {
    // Two devices with one core each, and ids without the core: which of the two is the device?
    const events = workload({ trackCores: false }).map(e => ({ ...e, nd_idx: 1 - (e.nc_idx ?? 0) }))
    const r = await read(file(events))
    const t = r.table as SystemTable
    expect(r.verdict.origin).toBe('built-in')
    expect(r.verdict.unverified).toEqual(expect.arrayContaining(['nc_idx', 'nd_idx']))
    expect([...t.places.nc, ...t.places.device].every(v => v === -1)).toBe(true)
    expect(t.cores).toEqual([])
    expect(r.diagnostics.find(d => d.code === 'system-unverified')?.message).toContain('nc_idx')
    // What does not depend on them stays.
    expect(rowsOf(t).map(x => x.duration)).toEqual(expectedRows(events).map(x => x.duration))
  })

  it('the same data with the core in the tracking ids is known', async () => {
    const events = workload().map(e => ({ ...e, nd_idx: 1 - (e.nc_idx ?? 0) }))
    expect((await read(file(events))).verdict.unverified).toEqual([])
  })

  it('a field that is always 1 is no phase: runs on one core, whichever it is', async () => {
    for (const nc of [1, 2, 3]) {
      const events = workload({ cores: 4 }).filter(e => e.nc_idx === nc)
      for (const numbers of [BUILT_IN, ALTERNATIVE]) {
        const r = await read(file(events, numbers))
        expect([r.verdict.checks.filter(c => !c.ok), r.verdict.unverified]).toEqual([[], []])
        expect(rowsOf(r.table as SystemTable).map(x => x.duration)).toEqual(expectedRows(events).map(x => x.duration))
        expect((r.table as SystemTable).cores.map(c => c.nc)).toEqual([nc])
      }
    }
  })

  it('few events of one kind, on one core and one thread', async () => {
    for (const type of [34, 10, 3, 7])
      for (const nc of [0, 1, 3]) {
        const events = workload({ cores: 4, steps: 3 }).filter(e => e.type === type && e.nc_idx === nc)
        const r = await read(file(events))
        expect([type, nc, r.verdict.origin, r.table?.messages]).toEqual([type, nc, 'built-in', events.length])
      }
  })

  it('thread ids and another field with the same kind of values', async () => {
    const events = EVENTS.map(e => ({ ...e, data: BigInt(5000 + (e.thread_id ?? 0)) }))
    const r = await read(file(events))
    expect(r.verdict.unverified).toEqual(expect.arrayContaining(['thread_id', 'data']))
    expect([...(r.table as SystemTable).places.thread].every(Number.isNaN)).toBe(true)
  })

  it('a thread id that is different in every event is not used', async () => {
    const events = EVENTS.map((e, i) => ({ ...e, thread_id: 10_000 + i }))
    const r = await read(file(events))
    expect(r.verdict.unverified).toContain('thread_id')
    expect(r.verdict.checks.find(c => c.name === 'thread_id')).toMatchObject({ ok: false })
  })
})

describe('names', () => {
  for (const shift of [1, -1, 3])
    it(`all numbers shifted by ${shift}: the attributes decide`, async () => {
      const t = await table(workload({ shift: Math.max(shift, 0) - 0 }).map(e => (shift < 0 ? { ...e, type: e.type + shift } : e)))
      const names = rowsOf(t).map(r => r.name)
      const right = rowsOf(await table(EVENTS)).map(r => r.name)
      expect(names).toEqual(right)
      expect([...t.types.inferred].every(v => v === 1)).toBe(true)
      expect([...t.types.nameFrom].every(v => NAME_FROM[v] === 'keys')).toBe(true)
    })

  it('an unshifted file has the catalogue behind its names, nothing is marked', async () => {
    const t = await table(EVENTS)
    expect([...t.types.inferred]).toEqual(Array(t.types.count).fill(0))
  })

  it('unknown events are kept under their number; hardware is told by its device times', async () => {
    const extra: FixtureEvent[] = [0, 1].flatMap(k => [
      { type: 57, timestamp: FIXTURE_EPOCH + 5_000_000n + BigInt(k), phase: 3, tracking_id: BigInt(9000 + k), thread_id: 4100 },
      {
        ...{ type: 58, timestamp: FIXTURE_EPOCH + 5_000_100n + BigInt(k), phase: 3, tracking_id: BigInt(9100 + k), thread_id: 4100 },
        attributes: { nc_timestamp_ns: '5', unheard_of: 'x' },
      },
    ])
    const t = await table([...EVENTS, ...extra])
    const type = t.types.number.indexOf(57)
    expect(rowsOf(t).filter(r => r.name === 'event 57 (unknown)')).toHaveLength(2)
    expect(NAME_FROM[t.types.nameFrom[type] as number]).toBe('number')
    expect(t.types.messages[type]).toBe(2)
    expect(EVENT_SOURCES[t.types.source[t.types.number.indexOf(58)] as number]).toBe('neuron_hw')
  })

  it("the runtime's own word in the hint", async () => {
    const t = await table(EVENTS.map(e => (e.type === 17 ? { ...e, hint: 'kmgr_exec_core' } : e)))
    const type = t.types.number.indexOf(17)
    expect([rowsOf(t).some(r => r.name === 'kmgr_exec_core'), NAME_FROM[t.types.nameFrom[type] as number]]).toEqual([true, 'stored'])
    const row = rowsOf(t).findIndex(r => r.name === 'kmgr_exec_core')
    expect(attribute(t, row, '@hint')).toBe('kmgr_exec_core')
  })
})

describe('pairs', () => {
  it('a recording that begins and ends in between: halves are kept, counted and told per core', async () => {
    const from = EVENTS.findIndex(e => e.timestamp >= FIXTURE_EPOCH + 1_230_000n)
    const part = EVENTS.slice(from).filter(e => e.timestamp < FIXTURE_EPOCH + 2_930_000n)
    const r = await read(file(part))
    const t = r.table as SystemTable
    const started = new Set(part.filter(e => e.phase === 1).map(e => e.tracking_id))
    const stopped = new Set(part.filter(e => e.phase === 2).map(e => e.tracking_id))
    const tails = part.filter(e => e.phase === 2 && !started.has(e.tracking_id)).length
    const opens = part.filter(e => e.phase === 1 && !stopped.has(e.tracking_id)).length
    expect(tails).toBeGreaterThan(0)
    expect(opens).toBeGreaterThan(0)
    expect([...t.state].filter(s => s === ROW_TAIL)).toHaveLength(tails)
    expect([...t.state].filter(s => s === ROW_OPEN)).toHaveLength(opens)
    expect(t.cores.reduce((n, c) => n + c.stopsWithoutStart, 0)).toBe(tails)
    expect(t.cores.reduce((n, c) => n + c.startsWithoutStop, 0)).toBe(opens)
    for (const row of rowsOf(t).filter(x => x.state !== ROW_SLICE)) expect(row.duration).toBeNaN()
    expect(r.diagnostics.find(d => d.code === 'system-unmatched')?.count).toBe(tails + opens)
  })

  it('the oldest events of one core lost: that core alone, with the fix', async () => {
    const core = EVENTS.filter(e => e.nc_idx === 1)
    const lost = new Set(core.slice(0, 60))
    const r = await read(file(EVENTS.filter(e => !lost.has(e))))
    const [zero, one] = (r.table as SystemTable).cores
    expect([zero?.headLost, zero?.droppedAtLeast, one?.headLost]).toEqual([false, null, true])
    expect(one?.droppedAtLeast).toBe(one?.stopsWithoutStart)
    expect((r.table as SystemTable).epochNs + BigInt(one?.firstNs ?? 0)).toBe(core[60]?.timestamp)
    const d = r.diagnostics.find(x => x.code === 'system-events-lost')
    expect([d?.severity, d?.action.includes('max_events_per_nc'), d?.message.includes('NeuronCore 1')]).toEqual(['warning', true, true])
  })

  it('cores one after the other, as ring buffers are written out', async () => {
    const events = [0, 1].flatMap(nc => EVENTS.filter(e => e.nc_idx === nc))
    const t = await table(events)
    const sorted = [...rowsOf(t)].map(r => r.start)
    expect(sorted).toEqual([...sorted].sort((a, b) => (a < b ? -1 : 1)))
    expect(t.count).toBe(expectedRows(EVENTS).length)
    expect([...t.state].filter(s => s === ROW_OPEN || s === ROW_TAIL)).toEqual([])
  })

  it('ids of 64 bits that differ in the last bit only', async () => {
    const big = 2n ** 63n + 2n ** 53n
    const events = EVENTS.map(e => ({
      ...e,
      tracking_id: big + e.tracking_id,
      id: big + (e.id ?? 0n),
      parent_id: e.parent_id ? big + e.parent_id : 0n,
    }))
    const t = await table(events)
    expect(rowsOf(t).map(r => r.duration)).toEqual(expectedRows(EVENTS).map(r => r.duration))
    expect(t.trackingId[0]).toBe(events[0]?.tracking_id)
    expect(t.id[0]).toBe(events[0]?.id)
  })

  it('one id for events of several kinds at a time', async () => {
    // The caller's id: a call and what it calls share it.
    const calls = new Map(EVENTS.filter(e => e.parent_id).map(e => [e.id, e.parent_id]))
    const events = EVENTS.map(e => ({ ...e, tracking_id: calls.get(e.id) ?? e.id ?? 0n }))
    const t = await table(events)
    expect(rowsOf(t).map(r => r.duration)).toEqual(expectedRows(EVENTS).map(r => r.duration))
  })

  it('values that start and stop tell differently are both there', async () => {
    const t = await table(EVENTS)
    const row = rowsOf(t).findIndex(r => r.name === 'nc_exec_running')
    const keys = attributesOf(t, row).map(([k]) => k)
    expect(keys).toEqual(['device_core_idx', 'exec_id', 'model_id', 'nc_timestamp_ns', `nc_timestamp_ns${STOP_SUFFIX}`])
    expect(attributeNumber(t, row, 'nc_timestamp_ns')).toBe(7001010000)
    expect(attributeNumber(t, row, 'no such key')).toBeNaN()
    expect([...attributeColumn(t, 'total_bytes')].filter(v => !Number.isNaN(v))).toHaveLength(80)
  })

  it('names of models come from trace_info', async () => {
    const t = await table(EVENTS, { names: new Map([[998636308723560n, 'mlp']]) })
    const row = rowsOf(t).findIndex(r => r.name === 'nrt_execute')
    const { stringAt } = await import('../../shared/columns')
    expect(stringAt(t.strings, t.modelName[row] as number)).toBe('mlp')
  })
})

describe('files that are cut, growing or no files at all', () => {
  it('cut at every byte: whole messages or nothing, never a wrong one', async () => {
    const messages = encodeEvents(EVENTS.slice(0, 12))
    const all = rowsOf((await read(frame(messages, 'varint'))).table as SystemTable)
    const starts = new Set(all.map(r => `${r.start}/${r.name}`))
    let decoded = 0
    for (const framing of FRAMINGS) {
      const bytes = frame(messages, framing)
      for (let n = 0; n < bytes.length; n += framing === 'varint' ? 1 : 3) {
        const r = await read(bytes.subarray(0, n))
        if (!r.table) {
          expect(r.verdict.origin).toBe(null)
          expect(r.diagnostics.length).toBeGreaterThan(0)
          continue
        }
        decoded++
        expect(r.table.messages).toBeLessThanOrEqual(messages.length)
        for (const row of rowsOf(r.table)) if (row.state !== ROW_TAIL) expect(starts.has(`${row.start}/${row.name}`)).toBe(true)
      }
    }
    expect(decoded).toBeGreaterThan(100)
  })

  it('a growing file has what is whole, says so, and is right when it has grown', async () => {
    const bytes = file(EVENTS)
    const half = await read(bytes.subarray(0, Math.floor(bytes.length / 2) + 3))
    expect([half.table?.complete, half.verdict.origin]).toEqual([false, 'built-in'])
    expect(half.diagnostics.some(d => d.code === 'system-cut' && d.offset !== null)).toBe(true)
    expect((await read(bytes)).table?.complete).toBe(true)
  })

  it('random bytes: no throw, nothing decoded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async bytes => {
        const r = await read(bytes)
        expect([r.table, r.verdict.origin]).toEqual([null, null])
        expect(r.diagnostics.length).toBeGreaterThan(0)
      }),
      { numRuns: 300 },
    )
  })

  it('one changed byte: no throw, and never more messages than there are', async () => {
    const bytes = file(EVENTS.slice(0, 60))
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }), async (at, value) => {
        const copy = bytes.slice()
        copy[at] = value
        const r = await read(copy)
        if (r.table) expect(r.table.messages).toBeLessThanOrEqual(60)
        else expect(r.verdict.origin).toBe(null)
      }),
      { numRuns: 200 },
    )
  })

  it('a set signal ends the read', async () => {
    const r = await read(file(EVENTS), { signal: AbortSignal.abort() })
    expect([r.table, r.diagnostics.map(d => d.code)]).toEqual([null, ['cancelled']])
  })
})
