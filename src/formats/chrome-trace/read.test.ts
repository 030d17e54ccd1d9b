import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringAt, stringCount } from '../../shared/columns'
import type { Diagnostic } from '../../shared/diagnostics'
import type { TraceTable } from '../../shared/tables'
import { bufferSource } from '../source'
import { quoted, Raw, traceBytes, traceText, type FixtureEvent } from './fixture'
import { readTrace } from './read'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (data: Uint8Array | string, chunk?: number): Promise<{ table: TraceTable | null; diagnostics: readonly Diagnostic[] }> =>
  readTrace(bufferSource('t.json', typeof data === 'string' ? bytesOf(data) : data, chunk), {})
const table = async (data: Uint8Array | string, chunk?: number): Promise<TraceTable> => {
  const { table } = await read(data, chunk)
  expect(table).not.toBeNull()
  return table as TraceTable
}
const codes = async (data: Uint8Array | string): Promise<string[]> => (await read(data)).diagnostics.map(d => d.code)

interface Row {
  readonly ph: string
  readonly name: string | null
  readonly cat: string | null
  readonly pid: string | null
  readonly tid: string | null
  readonly id: string | null
  readonly tsNs: bigint | null
  readonly dur: number | null
  readonly args: string | null
}
const text = (t: TraceTable, id: number): string | null => (id < 0 ? null : stringAt(t.strings, id))
const rows = (t: TraceTable, data: Uint8Array): Row[] =>
  Array.from({ length: t.count }, (_, i) => ({
    ph: t.phase[i] ? String.fromCharCode(t.phase[i]) : '',
    name: text(t, t.name[i]),
    cat: text(t, t.cat[i]),
    pid: t.thread[i] < 0 ? null : text(t, t.threads.pid[t.thread[i]]),
    tid: t.thread[i] < 0 ? null : text(t, t.threads.tid[t.thread[i]]),
    id: text(t, t.id[i]),
    tsNs: Number.isNaN(t.ts[i]) ? null : t.epochNs + BigInt(t.ts[i]),
    dur: Number.isNaN(t.dur[i]) ? null : t.dur[i],
    args: t.argsOffset[i] < 0 ? null : new TextDecoder().decode(data.subarray(t.argsOffset[i], t.argsOffset[i] + t.argsLength[i])),
  }))

const X = { ph: 'X', name: 'a', pid: 1, tid: 2, ts: 10, dur: 5 } as const

describe('times', () => {
  it.each([
    ['1', 1000n],
    ['1.5', 1500n],
    ['1712195495406752.797', 1712195495406752797n],
    ['1712195495406752.7', 1712195495406752700n],
    ['68.0', 68000n],
    ['0.001', 1n],
    ['0.0004', 0n],
    ['0.0005', 1n],
    ['0.9996', 1000n],
    ['-1', -1000n],
    ['-1.25', -1250n],
    ['-0.0', 0n],
    ['1e3', 1_000_000n],
    ['1.5E+3', 1_500_000n],
    ['17e14', 1_700_000_000_000_000_000n],
    ['1.712195495406752797e15', 1712195495406752797n],
    ['25e-3', 25n],
    ['5e-4', 1n],
    ['4e-4', 0n],
    ['1e-400', 0n],
    ['00000000000000000000012.5', 12500n],
    ['9007199254740990', 9007199254740990000n],
  ])('reads %s µs exactly', async (spelling, ns) => {
    for (const e of [
      { ...X, ts: spelling },
      { ...X, ts: quoted(` ${spelling} `) as unknown as string },
    ]) {
      const data = traceBytes([e])
      expect(rows(await table(data), data)[0].tsNs).toBe(ns)
    }
    // Durations are doubles of ns: what these do not hold exactly is told, not rounded.
    const { table: t, diagnostics } = await read(traceBytes([{ ...X, dur: spelling }]))
    const exact = ns <= 2n ** 53n - 1n
    expect(t?.dur[0]).toBe(exact ? Number(ns) : NaN)
    expect(diagnostics.some(d => d.code === 'trace-time-range')).toBe(!exact)
  })

  it.each(['1e30', '9007199254740993', '1e999999999', '-99999999999999999999'])('%s is out of range: told, not rounded', async spelling => {
    const { table, diagnostics } = await read(traceBytes([{ ...X, ts: spelling }]))
    expect(table?.ts[0]).toBeNaN()
    expect(diagnostics.map(d => d.code)).toContain('trace-time-range')
  })
  it.each(['"abc"', '""', 'true', '"1.2.3"', '"0x10"', 'NaN', '"1e"', '"."', '"1,5"'])('%s is no time', async spelling => {
    const { table, diagnostics } = await read(traceBytes([{ ...X, ts: new Raw(spelling) as unknown as string }]))
    expect(table?.ts[0]).toBeNaN()
    expect(diagnostics.find(d => d.code === 'trace-bad-time')?.offset).toBeGreaterThan(0)
  })
  it('null and absent times are absent without a remark', async () => {
    const { table, diagnostics } = await read(
      traceBytes([
        { ...X, dur: new Raw('null') as unknown as string },
        { ph: 'i', name: 'x', pid: 1, tid: 1, ts: 3 },
      ]),
    )
    expect([...(table as TraceTable).dur]).toEqual([NaN, NaN])
    expect(diagnostics.map(d => d.code)).toEqual(['trace-clock-unknown'])
  })

  it('takes the smallest ts outside phase M as zero, whatever the order', async () => {
    const t = await table(
      traceBytes([
        { ph: 'M', name: 'process_name', pid: 1, ts: '0.0', args: { name: 'p' } },
        { ...X, ts: '1700000000000002.002' },
        { ...X, ts: '1700000000000000.001', dur: '3.500' },
      ]),
    )
    expect(t.epochNs).toBe(1700000000000000001n)
    expect([t.ts[1], t.ts[2]]).toEqual([2001, 0])
    expect(t.extentNs).toEqual([1700000000000000001n, 1700000000000007002n])
    expect(t.clock).toBe('unix-microseconds')
  })
  it.each([
    ['1719853884000000000', 1719853884000000000n],
    ['"1719853884000000001"', 1719853884000000001n],
    ['1.719853884000000002e18', 1719853884000000002n],
  ])('adds baseTimeNanoseconds %s, before or after the events', async (raw, base) => {
    for (const o of [{ before: { baseTimeNanoseconds: raw } }, { after: { displayTimeUnit: '"ms"', baseTimeNanoseconds: raw } }]) {
      const t = await table(traceBytes([{ ...X, ts: '0.007' }], o))
      expect(t.baseTimeNs).toBe(base)
      expect(t.epochNs).toBe(base + 7n)
      expect(t.clock).toBe('kineto-base-time')
    }
  })
  it('says when the base time is unreadable or implausible', async () => {
    for (const raw of ['"x"', '17'])
      expect((await read(traceBytes([X], { after: { baseTimeNanoseconds: raw } }))).diagnostics.map(d => d.code)).toContain(
        'trace-base-time',
      )
    expect((await table(traceBytes([X]))).clock).toBe('unknown')
    expect((await table(traceBytes([{ ph: 'M', name: 'a', pid: 1 }]))).clock).toBe('none')
  })
  it('keeps the bulk exact when one time is far off, and the extent exact all the same', async () => {
    const far = [{ ...X, ts: '0' }, ...Array.from({ length: 9 }, (_, i) => ({ ...X, ts: `1700000000000000.00${i}` }))]
    const { table, diagnostics } = await read(traceBytes(far))
    const t = table as TraceTable
    expect(t.ts[9] - t.ts[1]).toBe(8)
    expect(t.extentNs?.[0]).toBe(0n)
    expect(diagnostics.find(d => d.code === 'trace-time-outlier')?.count).toBe(1)
  })
  it('tells negative durations', async () => {
    const { table, diagnostics } = await read(traceBytes([{ ...X, dur: '-3' }]))
    expect(table?.dur[0]).toBe(-3000)
    expect(diagnostics.find(d => d.code === 'trace-negative-duration')?.count).toBe(1)
  })
})

describe('shapes', () => {
  const events: FixtureEvent[] = [X, { ...X, ph: 'B' }, { ph: 'E', pid: 1, tid: 2, ts: 30 }]
  it.each(['', ' ', '\n\t ', '\r\n'])('reads object form and bare array, with white space %j and a byte order mark', async space => {
    for (const bom of [false, true])
      for (const bareArray of [false, true]) {
        const { table, diagnostics } = await read(traceBytes(events, { space, bom, bareArray, before: { a: '{"traceEvents": [1]}' } }))
        expect(table?.count).toBe(3)
        expect(table?.complete).toBe(true)
        expect(diagnostics.map(d => d.code)).toEqual(['trace-clock-unknown'])
      }
  })
  it('keeps every phase', async () => {
    const phases = [...'XBEiICstfMbneSTpFPNODRcav']
    const t = await table(traceBytes(phases.map(ph => ({ ...X, ph, args: { v: 1 } }))))
    expect(String.fromCharCode(...t.phase)).toBe(phases.join(''))
  })
  it('keeps the other members as raw text, and the rank', async () => {
    const t = await table(
      traceBytes(events, {
        before: { distributedInfo: '{"backend": "gloo", "rank": 34}', displayTimeUnit: '"ns"', __proto__x: '[1, {"a": "]}"}]' },
        after: { traceName: '"x\\u00e4"', n: '1.50' },
      }),
    )
    expect(t.rank).toBe(34)
    expect(t.metadata).toMatchObject({ displayTimeUnit: '"ns"', __proto__x: '[1, {"a": "]}"}]', traceName: '"x\\u00e4"', n: '1.50' })
    const own = await table('{"__proto__": {"polluted": 1}, "traceEvents": []}')
    expect(Object.hasOwn(own.metadata, '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(own.metadata)).toBe(Object.prototype)
  })
  it.each(['null', '"0"', '-1', '1.5', '{}'])('a rank of %s is no rank', async rank => {
    expect((await table(traceBytes(events, { before: { distributedInfo: `{"rank": ${rank}}` } }))).rank).toBeNull()
  })
  it('leaves out members beyond 64 KiB and says so, but still reads the rank of a long distributedInfo', async () => {
    const long = `{"rank": 3, "pad": "${'x'.repeat(100_000)}"}`
    const { table, diagnostics } = await read(traceBytes(events, { before: { distributedInfo: long, big: `"${'y'.repeat(2_000_000)}"` } }))
    expect(table?.rank).toBe(3)
    expect(Object.keys(table?.metadata ?? {})).toEqual([])
    expect(diagnostics.filter(d => d.code === 'trace-long-member')).toHaveLength(2)
  })
  it('numbers and strings as pid and tid are texts', async () => {
    const data = traceBytes([
      { ...X, pid: 'Spans', tid: 'PyTorch Profiler' },
      { ...X, pid: -1, tid: new Raw('12345678901234567890123') },
      { ...X, pid: null, tid: null },
      { ...X, pid: 5, tid: undefined },
    ])
    const t = await table(data)
    expect(rows(t, data).map(r => [r.pid, r.tid])).toEqual([
      ['Spans', 'PyTorch Profiler'],
      ['-1', '12345678901234567890123'],
      [null, null],
      ['5', null],
    ])
  })
  it('names processes and threads from metadata events, in any order of keys', async () => {
    const t = await table(
      traceBytes([
        X,
        '{"args": {"name": "pyth\\u00f6n"}, "pid": 1, "tid": 0, "name": "process_name", "ph": "M"}',
        { ph: 'M', name: 'process_labels', pid: 1, args: { labels: 'CPU' } },
        { ph: 'M', name: 'process_sort_index', pid: 1, args: { sort_index: -5 } },
        { ph: 'M', name: 'thread_name', pid: 1, tid: 2, args: { name: 'old' } },
        { ph: 'M', name: 'thread_name', pid: 1, tid: 2, args: { x: { name: 'no' }, name: 'main' } },
        { ph: 'M', name: 'thread_sort_index', pid: 1, tid: 2, args: { sort_index: 7 } },
      ]),
    )
    const i = t.thread[0]
    expect(text(t, t.threads.processName[i])).toBe('pythön')
    expect(text(t, t.threads.processLabels[i])).toBe('CPU')
    expect(text(t, t.threads.threadName[i])).toBe('main')
    expect([t.threads.processSort[i], t.threads.threadSort[i]]).toEqual([-5, 7])
  })
  it('reads counters; values that are no numbers are told', async () => {
    const { table, diagnostics } = await read(
      traceBytes([
        { ph: 'C', name: 'mem', pid: 1, ts: 1, args: { a: 1.5, 'b"': -2e3, c: 'x', d: { e: 1 }, f: [1, 2], g: 0 } },
        '{"args":{"z":7},"ph":"C","name":"late","ts":2}',
        { ph: 'C', name: 'none', ts: 3, args: {} },
        { ph: 'X', name: 'no counter', ts: 3, args: { a: 1 } },
      ]),
    )
    const t = table as TraceTable
    expect(
      Array.from({ length: t.counters.count }, (_, i) => [t.counters.row[i], text(t, t.counters.key[i]), t.counters.value[i]]),
    ).toEqual([
      [0, 'a', 1.5],
      [0, 'b"', -2000],
      [0, 'g', 0],
      [1, 'z', 7],
    ])
    expect(diagnostics.find(d => d.code === 'trace-counter-value')?.count).toBe(4)
  })
  it('decodes strings: escapes, surrogate pairs, lone surrogates, unknown escapes', async () => {
    const names = ['"\\u0041\\n\\"\\\\\\/\\b\\f\\r\\t"', '"\\ud83d\\ude00 é 😀"', '"\\ud83dx"', '"a\\qb"', '""', '"\\ud83d\\u0041"']
    const source = `[${names.map(n => `{"ph":"X","ts":1,"\\u006eame":${n}}`).join(',')}]`
    const data = bytesOf(source)
    const { table, diagnostics } = await read(data)
    expect(rows(table as TraceTable, data).map(r => r.name)).toEqual(['A\n"\\/\b\f\r\t', '😀 é 😀', '\ufffdx', 'a\\qb', '', '\ufffdA'])
    expect(diagnostics.find(d => d.code === 'trace-lone-surrogate')).toMatchObject({
      count: 2,
      offset: Buffer.from(source).indexOf('\\ud83dx'),
    })
    expect(diagnostics.find(d => d.code === 'trace-bad-escape')).toMatchObject({ count: 1, offset: Buffer.from(source).indexOf('a\\qb') })
  })
  it('replaces invalid UTF-8 in names and counts it', async () => {
    const data = Buffer.concat([bytesOf('[{"ph":"X","ts":1,"name":"a'), Buffer.from([0xff, 0xc3]), bytesOf('b"}]')])
    const { table, diagnostics } = await read(data)
    expect(rows(table as TraceTable, data)[0].name).toBe('a\ufffd\ufffdb')
    expect(diagnostics.find(d => d.code === 'trace-invalid-utf8')).toMatchObject({ count: 2, offset: data.indexOf(0xff) })
  })
  it('interns: equal texts have one number however they are spelled', async () => {
    const t = await table('[{"ph":"X","ts":1,"name":"abc"},{"ph":"X","ts":1,"name":"\\u0061bc"},{"ph":"X","ts":1,"name":"ab"}]')
    expect(t.name[0]).toBe(t.name[1])
    expect(t.name[2]).not.toBe(t.name[0])
    const many = await table(traceBytes(Array.from({ length: 5000 }, (_, i) => ({ ...X, name: `n${i % 2500}`, tid: i }))))
    expect(new Set(many.name).size).toBe(2500)
    expect(new Set(many.thread).size).toBe(5000)
    expect(stringCount(many.strings)).toBeGreaterThan(2500)
  })
  it('the last of duplicate keys wins, as in JSON.parse', async () => {
    const data = bytesOf('[{"ph":"B","ph":"X","ts":1,"ts":2,"name":"a","name":{"x":1},"args":{"a":1},"args":null,"dur":1,"dur":[2]}]')
    expect(rows(await table(data), data)[0]).toMatchObject({ ph: 'X', tsNs: 2000n, name: null, args: null, dur: null })
  })
})

describe('damage', () => {
  const ok = '{"ph":"X","name":"ok","pid":1,"tid":1,"ts":1,"dur":1}'
  it.each<[string, string, number, string]>([
    ['missing comma between events', `[${ok} ${ok}]`, 2, 'trace-missing-comma'],
    ['stray commas', `[,${ok},,${ok},]`, 2, 'trace-stray-comma'],
    ['stray comma in an event', `[{"ph":"X",,"ts":1,}]`, 1, 'trace-stray-comma'],
    ['entries that are no events', `[1,null,"x",[1,{"a":1}],${ok}]`, 1, 'trace-not-an-event'],
    ['unescaped quotes', `[${ok},{"ph":"X","name":"a"b","ts":1},${ok}]`, 2, 'trace-bad-event'],
    ['unescaped quotes in args', `[${ok},{"ph":"X","args":{"a":"x"y","b":{}},"ts":1},${ok}]`, 2, 'trace-bad-event'],
    ['a missing closing quote before the next event', `[${ok},{"ph":"X","name":"abc},${ok},${ok}]`, 3, 'trace-bad-event'],
    ['a missing closing quote in args', `[${ok},{"ph":"X","args":{"a":"abc}},${ok},${ok}]`, 3, 'trace-bad-event'],
    ['an event that another one cuts', `[${ok},{"ph":"X","na${ok},${ok}]`, 3, 'trace-bad-event'],
    ['a bracket too few', `[${ok},{"ph":"X","args":{"a":[1,2},"ts":3},${ok}]`, 2, 'trace-bad-event'],
    ['a brace too many', `[${ok}},${ok}]`, 2, 'trace-debris'],
    ['a missing colon', `[{"ph" "X"},${ok}]`, 1, 'trace-bad-event'],
    ['a missing value', `[{"ph":,"ts":1},${ok}]`, 1, 'trace-bad-event'],
    ['zero bytes', `[${ok},\0\0\0\0,${ok}]`, 2, 'trace-debris'],
    ['absurd depth', `[${ok},{"ph":"X","args":${'['.repeat(5000)}${']'.repeat(5000)}},${ok}]`, 2, 'trace-bad-event'],
    ['a control character in a name', `[{"ph":"X","name":"a\nb","ts":1}]`, 1, 'trace-control-character'],
    ['an odd phase', `[{"ph":"XY","ts":1},{"ph":"X"}]`, 2, 'trace-odd-phase'],
    ['damaged metadata before the events', `{"a": {"x": "y"z"}, "traceEvents": [${ok}]}`, 1, 'trace-damaged-metadata'],
    ['damaged metadata after the events', `{"traceEvents": [${ok}], "a": oops oops}`, 1, 'trace-damaged-metadata'],
    ['a second document', `{"traceEvents": [${ok}]}\n{"traceEvents": [${ok}]}`, 2, 'trace-trailing-data'],
    ['a second list', `{"traceEvents": [${ok}], "traceEvents": [${ok}]}`, 2, 'trace-second-list'],
    ['a very long name', `[{"ph":"X","name":"${'x'.repeat(2_000_000)}","ts":1},${ok}]`, 2, 'trace-long-value'],
  ])('%s', async (_, text, count, code) => {
    const { table, diagnostics } = await read(text)
    expect(table?.count).toBe(count)
    expect(table?.complete).toBe(true)
    expect(diagnostics.map(d => d.code)).toContain(code)
    for (const d of diagnostics) expect(d.meaning && d.action && d.message).toBeTruthy()
  })
  it('finds its way out of a damaged last event to the metadata behind the list', async () => {
    const { table } = await read(`{"traceEvents": [${ok},{"ph":"X","name":"a"b"}],\n "baseTimeNanoseconds": 1719853884000000000}`)
    expect(table?.count).toBe(1)
    expect(table?.complete).toBe(true)
    expect(table?.baseTimeNs).toBe(1719853884000000000n)
  })
  it('names the byte where an event is damaged, and merges many', async () => {
    const bad = '{"ph":"X","name":"a"b"}'
    const { table, diagnostics } = await read(`[${Array.from({ length: 100 }, () => `${bad},${ok}`).join(',')}]`)
    expect(table?.count).toBe(100)
    const found = diagnostics.filter(d => d.code === 'trace-bad-event')
    expect(found).toHaveLength(20)
    expect(found.reduce((s, d) => s + d.count, 0)).toBe(100)
    expect(found[0].offset).toBe(1 + bad.indexOf('b"'))
  })
  it.each([
    ['', 'trace-empty'],
    ['   ', 'trace-truncated'],
    ['hello', 'trace-not-json'],
    ['\u0080\u0002}', 'trace-not-json'],
    ['{}', 'trace-not-a-trace'],
    ['{"a": [1, 2], "trace_event": [{"name": 1}]}', 'trace-not-a-trace'],
    ['[{"a": 1}, {"b": 2}]', 'trace-not-a-trace'],
    ['[1, 2, 3', 'trace-not-a-trace'],
    ['{"traceEvents": null}', 'trace-events-not-a-list'],
    ['{"schemaVersion": 1, "deviceProp', 'trace-truncated'],
  ])('%j is no trace', async (text, code) => {
    const { table, diagnostics } = await read(text)
    expect(table).toBeNull()
    expect(diagnostics.map(d => d.code)).toContain(code)
  })
  it('recognises UTF-16', async () => {
    const { diagnostics } = await read(Buffer.from('\ufeff[]', 'utf16le'))
    expect(diagnostics[0].message).toContain('UTF-16')
  })
  it('an empty list is a trace without events', async () => {
    for (const text of ['[]', '{"traceEvents":[]}']) expect((await table(text)).count).toBe(0)
  })

  it('a cut gzip stream gives its whole events and says so', async () => {
    const data = gzipSync(traceBytes(Array.from({ length: 2000 }, (_, i) => ({ ...X, name: `n${i * 7919}`, ts: i }))))
    const { table, diagnostics } = await read(data.subarray(0, data.length - 500))
    expect(table?.count).toBeGreaterThan(100)
    expect(table?.count).toBeLessThan(2000)
    expect(table?.complete).toBe(false)
    expect(diagnostics.map(d => d.code)).toEqual(expect.arrayContaining(['gzip-truncated', 'trace-truncated']))
  })
  it('tells progress and can be cancelled', async () => {
    const data = traceBytes(Array.from({ length: 3000 }, () => X))
    const stop = new AbortController()
    const source = bufferSource('t.json', data, 1000)
    const slow = {
      name: 't',
      size: data.length,
      get consumed() {
        return source.consumed
      },
      async *chunks() {
        let n = 0
        for await (const c of source.chunks()) {
          if (++n === 5) await new Promise(r => setTimeout(r, 120))
          yield c
        }
      },
    }
    const seen: number[] = []
    const result = await readTrace(slow, {
      signal: stop.signal,
      onProgress: done => {
        seen.push(done)
        stop.abort()
      },
    })
    expect(seen).toEqual([5000])
    expect(result.table).toBeNull()
    expect(result.diagnostics.map(d => d.code)).toEqual(['cancelled'])
  })
})

// ───────────────────────────── properties ─────────────────────────────

const micros = fc.bigInt({ min: -(10n ** 15n), max: 2n * 10n ** 18n }).map(ns => {
  const magnitude = ns < 0n ? -ns : ns
  return { ns, text: `${ns < 0n ? '-' : ''}${magnitude / 1000n}.${String(magnitude % 1000n).padStart(3, '0')}` }
})
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('a', '"', '\\', '}', ']', '[memory]', 'é😀'))
/** Well formed: a lone surrogate has no UTF-8. */
const wellFormed = anyText.map(s => s.replace(/\p{Surrogate}/gu, ''))
const anyJson = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'binary' })
  .map(v => JSON.parse(JSON.stringify(v).replace(/\\ud[89a-f]../gi, '')) as unknown)
const anyEvent = fc.record(
  {
    ph: fc.constantFrom(...'XBEiICstfMbne'),
    name: wellFormed,
    cat: wellFormed,
    pid: fc.oneof(fc.integer(), wellFormed),
    tid: fc.oneof(fc.integer(), wellFormed),
    id: fc.oneof(fc.nat(), wellFormed),
    ts: micros,
    dur: fc.nat({ max: 10 ** 12 }),
    args: anyJson.filter(v => v !== null),
    extra: anyJson,
  },
  { requiredKeys: [] },
)
type AnyEvent = typeof anyEvent extends fc.Arbitrary<infer T> ? T : never
const written = (e: AnyEvent): FixtureEvent => ({ ...e, ...(e.ts ? { ts: e.ts.text } : {}) }) as FixtureEvent

describe('properties', () => {
  it('agrees with JSON.parse on every column', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEvent, { maxLength: 12 }),
        fc.dictionary(wellFormed, anyJson, { maxKeys: 4, noNullPrototype: true }),
        fc.constantFrom('', ' ', '\n '),
        fc.constantFrom(1, 3, 64, 1 << 20),
        async (events, members, space, chunk) => {
          const raw = Object.fromEntries(
            Object.entries(members)
              .filter(([k]) => k !== 'traceEvents' && k !== 'baseTimeNanoseconds')
              .map(([k, v]) => [k, JSON.stringify(v)]),
          )
          const source = traceText(events.map(written), { before: raw, space })
          const data = bytesOf(source)
          const doc = JSON.parse(source) as { traceEvents: Record<string, unknown>[] }
          const t = await table(data, chunk)
          expect(t.count).toBe(doc.traceEvents.length)
          const asText = (v: unknown): string | null => (v === undefined ? null : String(v))
          rows(t, data).forEach((r, i) => {
            const e = doc.traceEvents[i]
            const pair = e['pid'] === undefined && e['tid'] === undefined
            expect(r.ph).toBe(e['ph'] ?? '')
            expect(r.name).toBe(asText(e['name']))
            expect(r.cat).toBe(asText(e['cat']))
            expect(r.id).toBe(asText(e['id']))
            expect([r.pid, r.tid]).toEqual(pair ? [null, null] : [asText(e['pid']), asText(e['tid'])])
            // Columns hold less than 104 days exactly; random times may lie further apart.
            const exact = t.extentNs && t.extentNs[1] - t.extentNs[0] < 2n ** 53n && e['ph'] !== 'M'
            if (exact) expect(r.tsNs).toBe(events[i].ts?.ns ?? null)
            else expect(r.tsNs === null).toBe(events[i].ts === undefined)
            expect(r.dur).toBe(e['dur'] === undefined ? null : (e['dur'] as number) * 1000)
            expect(r.args === null ? undefined : JSON.parse(r.args)).toEqual(e['args'])
          })
          expect(Object.fromEntries(Object.entries(t.metadata).map(([k, v]) => [k, JSON.parse(v) as unknown]))).toEqual(
            Object.fromEntries(Object.entries(raw).map(([k, v]) => [k, JSON.parse(v) as unknown])),
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  /** All of a result but the order in which strings were met, which is the same too. */
  const same = (r: { table: TraceTable | null; diagnostics: readonly Diagnostic[] }): unknown => ({
    diagnostics: r.diagnostics,
    table: r.table && { ...r.table, epochNs: String(r.table.epochNs), extentNs: r.table.extentNs?.map(String) },
  })
  it('does not depend on how the input is cut, damaged or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEvent, { maxLength: 8 }),
        fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d, 0x5c, 0x3a, 0x20, 0xff)), { maxLength: 4 }),
        fc.boolean(),
        async (events, flips, bareArray) => {
          const data = traceBytes(events.map(written), {
            bareArray,
            space: ' ',
            after: { traceName: '"x"', baseTimeNanoseconds: '1700000000000000000' },
          })
          for (const [at, to] of flips) data[at % data.length] = to
          const whole = same(await read(data))
          for (const chunk of [1, 7, 4096]) expect(same(await read(data, chunk))).toEqual(whole)
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each([true, false])('cut at any byte it gives a prefix of the rows (bare array: %s)', async bareArray => {
    const events = [
      { ph: 'M', name: 'thread_name', pid: 1, tid: 2, args: { name: 'mäin' } },
      { ...X, name: 'a "b" \\ }', args: { x: [1, { y: '}]' }], z: 'q' } },
      { ph: 'C', name: 'c', pid: 1, ts: '3.25', args: { v: 1 } },
      { ...X, ts: '12.5', dur: '1e0' },
    ]
    const data = traceBytes(events, { space: ' ', bareArray, before: { a: '{"b": [1]}' }, after: { traceName: '"n"' } })
    const all = rows(await table(data), data)
    let last = 0
    let states = ''
    for (let n = 0; n <= data.length; n++) {
      const { table: t, diagnostics } = await read(data.subarray(0, n))
      if (!t) {
        expect(last).toBe(0)
        expect(diagnostics.some(d => d.severity === 'error')).toBe(true)
        continue
      }
      expect(rows(t, data)).toEqual(all.slice(0, t.count))
      expect(t.count).toBeGreaterThanOrEqual(last)
      expect(diagnostics.some(d => d.code === 'trace-truncated')).toBe(!t.complete)
      states += t.complete ? 'c' : '.'
      last = t.count
    }
    expect(last).toBe(4)
    expect(states).toMatch(/^\.+c+$/)
  })

  it.each<[string, (n: number) => string]>([
    ['one open string', n => `[{"ph":"X","name":"${'x'.repeat(n)}`],
    ['one open args', n => `[{"ph":"X","args":{"a":"${'x'.repeat(n)}`],
    ['one open list of numbers', n => `[{"ph":"X","args":[${'1,'.repeat(n / 2)}`],
    ['brackets', n => `[{"ph":"X","args":${'['.repeat(n)}`],
    ['braces', n => '[' + '{'.repeat(n)],
    ['beginnings of events', n => '[' + ',{"ph":'.repeat(n / 8)],
    ['strings without an end', n => '[' + '{"ph":"X","name":"abc},'.repeat(n / 23)],
    ['backslashes', n => `[{"ph":"X","name":"${'\\'.repeat(n)}`],
    ['white space', n => `[{"ph"${' '.repeat(n)}`],
    ['white space between events', n => '[' + `${' '.repeat(250)}}`.repeat(n / 251)],
    ['commas', n => '[' + ','.repeat(n)],
    ['closing brackets after damage', n => '[}' + ']'.repeat(n)],
    ['quotes', n => '["' + '"'.repeat(n)],
    ['almost the events', n => '{"a"' + '"traceEvents" : {'.repeat(n / 17)],
    ['zero bytes', n => '[' + '\0'.repeat(n)],
    [
      'distinct threads and names',
      n => '[' + Array.from({ length: n / 40 }, (_, i) => `{"ph":"X","pid":${i},"name":"n${i}","ts":1}`).join(','),
    ],
    ['many members', n => '{' + Array.from({ length: n / 12 }, (_, i) => `"k${i}":1`).join(',')],
  ])('hostile input: %s (a quadratic reader would not end)', async (_, make) => {
    const data = bytesOf(make(2_000_000))
    for (const chunk of [1 << 20, 4096]) {
      const { diagnostics } = await read(data, chunk)
      expect(diagnostics.length).toBeGreaterThan(0)
    }
  })
})

it('says nothing about a whole trace of the usual kind', async () => {
  expect(await codes(traceBytes([{ ...X, ts: '1700000000000000.5' }], { after: { traceName: '"x"' } }))).toEqual([])
})
