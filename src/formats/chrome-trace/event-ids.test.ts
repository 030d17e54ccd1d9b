import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringAt } from '../../shared/columns'
import { TRACE_ID_KEYS, type TraceTable } from '../../shared/tables'
import { bufferSource } from '../source'
import { Raw, traceBytes, type FixtureEvent } from './fixture'
import { readTrace } from './read'

const read = async (events: readonly FixtureEvent[], chunk?: number): Promise<TraceTable> =>
  (await readTrace(bufferSource('t.json', traceBytes(events), chunk), {})).table as TraceTable
/** `row key value` of every id. */
const idsOf = (t: TraceTable): readonly string[] =>
  Array.from({ length: t.ids?.count ?? -1 }, (_, i) => {
    const key = TRACE_ID_KEYS[t.ids?.key[i] as number] as string
    const value = t.ids?.value[i] as bigint
    return `${t.ids?.row[i]} ${key} ${key === 'neff_cache_key' ? stringAt(t.strings, Number(value)) : value}`
  })
const X = { ph: 'X', cat: 'cpu_op', name: 'a', pid: 1, tid: 2, ts: 10, dur: 5 } as const

describe('ids of events', () => {
  it('are the members of args under these keys and nothing else', async () => {
    const args = {
      'Input Dims': [
        [1, 2],
        ['External id', { correlation: 7 }],
      ],
      'External id': 12,
      text: '"correlation": 9',
      nested: { 'Sequence number': 4 },
      'Sequence number': '77',
      'External id ': 3,
      correlatioN: 5,
      nrta_seq_id: new Raw('18446744073709551615'),
    }
    const raw = new Raw(
      `{${Object.entries(args)
        .map(([k, v]) => `${JSON.stringify(k)} : ${v instanceof Raw ? v.text : JSON.stringify(v)}`)
        .join(' , ')}}`,
    )
    const t = await read([
      { ...X, args: raw },
      { ...X, args: { neff_cache_key: 'mm_[1]é "x"', correlation: 0, 'external id': 5 } },
    ])
    expect(idsOf(t)).toEqual([
      '0 External id 12',
      '0 Sequence number 77',
      '0 nrt_sequence_id 18446744073709551615',
      '1 neff_cache_key mm_[1]é "x"',
      '1 correlation 0',
      '1 External id 5',
    ])
  })

  it('are no other values: negative, fractions, exponents, words, beyond 64 bits', async () => {
    const odd = ['-1', '1.5', '1e3', 'null', 'true', '[1]', '{"a":1}', '""', '"0x10"', '18446744073709551616', '99999999999999999999999']
    const t = await read(odd.map(v => ({ ...X, args: new Raw(`{"External id": ${v}}`) })))
    expect([t.count, idsOf(t)]).toEqual([odd.length, []])
  })

  it('keep every digit, whatever the chunks', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 40 }),
        async (values, chunk) => {
          const events = values.map(v => ({ ...X, args: new Raw(`{"Ev Idx": 1, "nrt_sequence_id": ${v}}`) }))
          expect(idsOf(await read(events, chunk))).toEqual(values.map((v, i) => `${i} nrt_sequence_id ${v}`))
        },
      ),
      { numRuns: 40 },
    ))

  it('tell which ends of flows are bound to the slice around them; events of Python functions have none', async () => {
    const flow = { cat: 'ac2g', name: 'ac2g', id: 3, pid: 1, tid: 2, ts: 10 }
    const t = await read([
      { ph: 's', ...flow },
      { ph: 'f', ...flow, bp: 'e' },
      { ph: 'f', ...flow },
      { ph: 'f', ...flow, bp: 'x' },
      { ph: 'f', bp: 'e', ...flow },
      { ...X, bp: 'e' },
      { ...X, cat: 'python_function', args: { 'External id': 4 } },
    ])
    expect(idsOf(t)).toEqual(['1 bp 1', '4 bp 1'])
    expect(stringAt(t.strings, t.id[1] as number)).toBe('3')
  })
})
