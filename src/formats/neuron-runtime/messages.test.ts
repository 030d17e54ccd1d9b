import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringAt } from '../../shared/columns'
import { bufferSource } from '../source'
import { buildRows } from './build'
import { builtinSchemas } from './builtin'
import { EventDecoder } from './decode'
import { eventNumbering, ROLES, type Numbering } from './description'
import { encodeEvents, FIXTURE_EPOCH, frame, workload, type FixtureEvent } from './fixture'
import { MessageReader } from './messages'
import { readNtrace } from './ntrace'
import { EventStore, LISTED, NUMBER } from './store'

const numbering = eventNumbering(builtinSchemas().find(s => s.origin === 'built-in') ?? builtinSchemas()[0]) as Numbering
const digits = fc.stringMatching(/^[0-9]{1,22}$/)
const value = fc.oneof(
  digits,
  fc.constantFrom('', '0', '00', '0x1f', 'Tensors', '123456789x', '12x45678', '9'.repeat(15), 'y'.repeat(200)),
  fc.string({ maxLength: 30 }),
)
const key = fc.constantFrom('device_core_idx', 'model_id', 'exec_id', 'nc_timestamp_ns', 'size', 'k'.repeat(140), 'usage_type', 'a')
const wide = fc.oneof(
  fc.bigInt(0n, 300n),
  fc.bigInt(0n, 2n ** 64n - 1n),
  fc.integer({ min: 0, max: 63 }).map(k => 2n ** BigInt(k)),
)

describe('the decoder', () => {
  const event = fc.record(
    {
      type: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      timestamp: fc.bigInt(0n, 4_000_000n).map(t => FIXTURE_EPOCH + t),
      phase: fc.constantFrom(1 as const, 2 as const, 3 as const),
      tracking_id: wide,
      nc_idx: fc.nat(300),
      nd_idx: fc.nat(20),
      thread_id: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      id: wide,
      parent_id: wide,
      nrta_seq_id: wide,
      data: wide,
      hint: fc.string({ maxLength: 150 }),
      attributes: fc.dictionary(key, value, { maxKeys: 5 }),
    },
    { requiredKeys: ['type', 'timestamp', 'phase', 'tracking_id'] },
  )

  /** The row of a store as an event. */
  const read = (s: EventStore, i: number): FixtureEvent => {
    const at = (h: Uint32Array | null): bigint => (h ? (BigInt(h[2 * i + 1]) << 32n) | BigInt(h[2 * i]) : 0n)
    const texts = s.texts.table()
    const attributes: Record<string, string> = {}
    for (let a = s.attrStart[i]; a < s.attrEnd(i); a++) {
      const t = s.attrText[a]
      const listed = (k: number): string => Buffer.from(s.list.bytes.subarray(s.list.offsets[k], s.list.offsets[k + 1])).toString()
      attributes[s.keys.text(s.attrKey[a])] = t === NUMBER ? String(s.attrNumber[a]) : t <= LISTED ? listed(LISTED - t) : stringAt(texts, t)
    }
    return {
      ...{ type: s.type[i], timestamp: FIXTURE_EPOCH + BigInt(s.time[i]), phase: s.phase[i] as 1, tracking_id: at(s.tracking) },
      ...{ nc_idx: s.nc[i], nd_idx: s.nd[i], thread_id: s.thread[i], id: at(s.id), parent_id: at(s.parent) },
      ...{ nrta_seq_id: at(s.sequence), data: at(s.data), hint: s.hint && s.hint[i] >= 0 ? stringAt(texts, s.hint[i]) : '', attributes },
    }
  }

  it('reads what protobufjs has written, wherever a message ends', () => {
    const zero = { nc_idx: 0, nd_idx: 0, thread_id: 0, id: 0n, parent_id: 0n, nrta_seq_id: 0n, data: 0n, hint: '', attributes: {} }
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 12 }), fc.boolean(), (events, alone) => {
        const s = new EventStore()
        const d = new EventDecoder(s, numbering, new Set(), FIXTURE_EPOCH)
        for (const m of encodeEvents(events)) {
          // With bytes around it, or up to the last byte of the buffer.
          const b = alone ? m.slice() : Buffer.concat([Buffer.of(0xff), m, Buffer.alloc(20, 0xff)])
          expect(d.message(b, alone ? 0 : 1, (alone ? 0 : 1) + m.length)).toBe(true)
        }
        expect(d.mismatches).toBe(0)
        expect(events.map((_, i) => read(s, i))).toEqual(events.map(e => ({ ...zero, ...e })))
      }),
      { numRuns: 300 },
    )
  })

  it('refuses a message that is cut inside a field, and keeps nothing of it', () => {
    fc.assert(
      fc.property(event, e => {
        const m = encodeEvents([e])[0]
        const whole = new EventStore()
        for (let end = 0; end < m.length; end++) {
          const s = new EventStore()
          const cut = new EventDecoder(s, numbering, new Set(), FIXTURE_EPOCH).message(m, 0, end)
          const alone = new EventDecoder(whole, numbering, new Set(), FIXTURE_EPOCH).message(m.slice(0, end), 0, end)
          expect(alone).toBe(cut)
          if (!cut) expect([s.n, s.attrs]).toEqual([0, 0])
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('rows of messages in order of time', () => {
  /** Halves with few ids and kinds, some without a time, in order of time. */
  const messages = fc
    .array(
      fc.record({
        type: fc.constantFrom(1, 3, 34),
        step: fc.nat(3),
        phase: fc.constantFrom(1 as const, 2 as const, 3 as const),
        tracking_id: fc.bigInt(1n, 6n),
        nc_idx: fc.nat(1),
        thread_id: fc.constantFrom(7, 8),
        id: fc.bigInt(0n, 9n),
        parent_id: fc.bigInt(0n, 9n),
        untimed: fc.nat(15).map(k => k === 0),
        nrta_seq_id: fc.option(fc.bigInt(0n, 5n), { nil: undefined }),
        hint: fc.constantFrom('', '', 'x', 'y'),
        status: fc.constantFrom(0, 0, 4),
        attributes: fc.dictionary(key, value, { maxKeys: 4 }),
      }),
      { minLength: 1, maxLength: 80 },
    )
    .map(list => {
      let now = FIXTURE_EPOCH
      return list.map(({ step, untimed, ...e }): FixtureEvent => ({ ...e, timestamp: untimed ? 0n : (now += BigInt(step)) }))
    })

  /** All columns of the rows with their texts; null: not in order. `portions`: how many messages come at a time. */
  function rowsOf(events: readonly FixtureEvent[], ordered: boolean, portions: readonly number[]) {
    const s = new EventStore(2)
    const d = new EventDecoder(s, numbering, new Set(), FIXTURE_EPOCH)
    const reader = new MessageReader(s, ordered, true)
    const encoded = encodeEvents(events)
    for (let i = 0, k = 0; i < encoded.length; k++)
      for (let n = portions[k % portions.length]; n > 0 && i < encoded.length; n--, i++) {
        expect(d.message(encoded[i], 0, encoded[i].length)).toBe(true)
        if ((n === 1 || i === encoded.length - 1) && !reader.advance((i + 1) / encoded.length)) return null
      }
    const made = reader.finish()
    if (!made) return null
    const { rows, named } = buildRows(s, made.raw, made.range, new Set(ROLES), new Map([[5n, 'model five']]))
    const text = (ids: Int32Array): readonly (string | number)[] => [...ids].map(i => (i < 0 ? i : stringAt(rows.strings, i)))
    const { attrKey, attrText, modelName, types, ...columns } = rows
    const { matched, openStarts, openStops, clashes } = made.pairs
    return {
      ...{
        columns: { ...columns, strings: null },
        named,
        zero: made.zero,
        stray: made.stray,
        messages: s.messages,
        pairs: { matched, openStarts, openStops, clashes },
      },
      ...{ attrKey: text(attrKey), attrText: text(attrText), modelName: text(modelName), types: { ...types, name: text(types.name) } },
    }
  }

  it('are the same when they are written as the halves come and when all are kept to the end', () => {
    fc.assert(
      fc.property(messages, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }), (events, portions) => {
        const kept = rowsOf(events, false, [100])
        expect(kept).not.toBeNull()
        expect(rowsOf(events, true, portions)).toEqual(kept)
        expect(rowsOf(events, false, portions)).toEqual(kept)
      }),
      { numRuns: 300 },
    )
  })

  it('few messages are kept at a time, and all of them where one never ends', () => {
    const events = workload({ steps: 100, cores: 2 })
    const kept = (list: readonly FixtureEvent[]): number => {
      const s = new EventStore()
      const d = new EventDecoder(s, numbering, new Set(), FIXTURE_EPOCH)
      const reader = new MessageReader(s, true, true)
      let most = 0
      for (const m of encodeEvents(list)) {
        d.message(m, 0, m.length)
        reader.advance(0.5)
        most = Math.max(most, s.n)
      }
      expect(reader.finish()?.raw.count).toBeGreaterThan(0)
      return most
    }
    expect(kept(events)).toBeLessThan(60)
    const endless = { ...events[0], tracking_id: 1n << 49n, timestamp: events[0].timestamp }
    expect(kept([endless, ...events])).toBe(events.length + 1)
  })

  it('a message that goes back in time is seen, and the file is read the other way', async () => {
    const events = workload({ steps: 40, cores: 2 })
    const late = [...events.slice(0, 700), ...events.slice(710), ...events.slice(700, 710)]
    expect(rowsOf(late, true, [50])).toBeNull()
    const table = async (list: readonly FixtureEvent[]) => {
      const { table: t } = await readNtrace(bufferSource('ntrace.pb', frame(encodeEvents(list), 'varint')))
      if (!t) throw new Error('not read')
      return t
    }
    const [a, b] = [await table(events), await table(late)]
    expect(b.messages).toBe(a.messages)
    expect(b.start).toEqual(a.start)
    expect(b.duration).toEqual(a.duration)
    expect(b.attrNumber).toEqual(a.attrNumber)
  })
})
