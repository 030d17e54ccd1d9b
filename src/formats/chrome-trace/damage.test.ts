/** Damage of every kind: what is whole is read, what is not is told with its offset. */
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringAt } from '../../shared/columns'
import type { Diagnostic } from '../../shared/diagnostics'
import type { TraceTable } from '../../shared/tables'
import { bufferSource } from '../source'
import { readTrace } from './read'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
interface Result {
  readonly table: TraceTable | null
  readonly diagnostics: readonly Diagnostic[]
}
const read = (data: Uint8Array | string, chunk?: number): Promise<Result> =>
  readTrace(bufferSource('t.json', typeof data === 'string' ? bytesOf(data) : data, chunk), {})
const names = (t: TraceTable | null): string[] =>
  t === null ? [] : Array.from({ length: t.count }, (_, i) => (t.name[i] < 0 ? '' : stringAt(t.strings, t.name[i])))
const found = (r: Result, code: string): Diagnostic | undefined => r.diagnostics.find(d => d.code === code)

const e = (name: string, more = ''): string => `{"ph":"X","cat":"c","name":"${name}","pid":1,"tid":1,"ts":5,"dur":1${more}}`
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(n => e(n))

/** Text, names that must come out, and code, count and (by a text that begins there) offset of a finding. */
type Case = [string, string, string, string, number, string?]

describe('mended', () => {
  it.each<Case>([
    ['a comma too few between events', `[${a}${b}\n${c}]`, 'abc', 'trace-missing-comma', 2, b],
    ['a comma too few between members', `[{"ph":"X" "name":"a","ts":1},${b}]`, 'ab', 'trace-missing-comma', 1, '"name":"a"'],
    ['a comma too few after a number', `[{"ph":"X","ts":1 "name":"a"},${b}]`, 'ab', 'trace-missing-comma', 1, '"name":"a"'],
    ['commas too few in args', `[${e('a', ',"args":{"x":1 "y":[1 2 "z" {} []]"w":2}')},${b}]`, 'ab', 'trace-missing-comma', 6, '"y"'],
    ['a comma too few between top-level members', `{"a":1 "traceEvents":[${a}] "b":2}`, 'a', 'trace-missing-comma', 2, '"traceEvents"'],
    ['commas too many', `[,${a},,,${b},]`, 'ab', 'trace-stray-comma', 4, `,${a}`],
    ['commas too many in an event', `[{,"ph":"X",,"name":"a",}]`, 'a', 'trace-stray-comma', 3, ',"ph"'],
    ['commas too many in args', `[${e('a', ',"args":{,"x":[,1,,2,],,"y":{},}')}]`, 'a', 'trace-stray-comma', 6, ',"x"'],
    ['commas too many at the top', `{,"traceEvents":[${a}],,"b":1,}`, 'a', 'trace-stray-comma', 3, ',"traceEvents"'],
    ['comments', `[/* {"ph":"X"} */${a}, // ${b}\n${c}/**/,{"ph":"X",/*x*/"name":"d"}]`, 'acd', 'trace-comment', 4, '/* {'],
    ['comments at the top', `{/*x*/"traceEvents":[${a}],//y\n"baseTimeNanoseconds":1}`, 'a', 'trace-comment', 2, '/*x'],
    [
      'raw control characters',
      `[${e('a\u0001')},{"ph":"X","na\u0002me":"q","name":"b","args":{"x\n":"\t\u0000y"}}]`,
      'a\u0001b',
      'trace-control-character',
      4,
      '"a\u0001',
    ],
    ['a single zero byte', `[${e('a\0')}]`, 'a\0', 'trace-control-character', 1],
    ['half of a surrogate pair', `[${e('\\ud83d')},${e('\\ud83d\\ude00')}]`, '\ufffd😀', 'trace-lone-surrogate', 1, '\\ud83d"'],
    ['an escape of no kind', `[${e('\\x')}]`, '\\x', 'trace-bad-escape', 1, '\\x'],
    ['bare words in args', `[${e('a', ',"args":{"x":NaN,"y":-Infinity,"z":undefined}')},${b}]`, 'ab', '', 0],
    ['another list inside of the list', `[${a},[${b},${c}],${d}]`, 'abcd', 'trace-stray-bracket', 2, '[{"ph":"X","cat":"c","name":"b"'],
    ['a closing bracket in the middle', `{"traceEvents":[${a}],${b},${c}],"traceName":"x"}`, 'abc', 'trace-stray-bracket', 1, `],${b}`],
    ['the list twice', `{"traceEvents":[${a}],"traceEvents":[${b}]}`, 'ab', 'trace-second-list', 1, `[${b}`],
    ['the list under a damaged key', `{"schemaVersion":1,"trace\u0001vents":[${a},${b}]}`, 'ab', 'trace-events-key', 1, `[${a}`],
    ['events without a list', `${a},\n${b},\n${c}\n`, 'abc', 'trace-no-list', 1, '"ph"'],
  ])('%s', async (_, text, want, code, count, at) => {
    const r = await read(text)
    expect(names(r.table).join('')).toBe(want)
    if (code) expect(found(r, code)).toMatchObject({ count, ...(at ? { offset: Buffer.from(text).indexOf(at) } : {}) })
    // A mended place is no damage.
    for (const other of ['trace-bad-event', 'trace-debris', 'trace-damaged-metadata']) expect(found(r, other)).toBeUndefined()
    for (const chunk of [1, 3, 50]) expect(await read(text, chunk)).toEqual(r)
  })
})

describe('left out', () => {
  it.each<Case>([
    ['a value is missing', `[{"ph":"X","name":,"ts":1},${b}]`, 'b', 'trace-bad-event', 1, ',"ts"'],
    ['a value is missing in args', `[${e('a', ',"args":{"x":,"y":1}')},${b}]`, 'b', 'trace-bad-event', 1, ',"y"'],
    ['single quotes', `[{'ph':'X'},${b},{"ph":'X'}]`, 'b', 'trace-bad-event', 2, "'ph'"],
    ['two damaged ones in a row', `[{"ph":"X","name":"x"y"},{"ph":"X","name":"x"y"},${b}]`, 'b', 'trace-bad-event', 2, 'y"'],
    ['a block of zero bytes in a name', `[{"ph":"X","name":"x${'\0'.repeat(20)}y","ts":1},${b}]`, 'b', 'trace-bad-event', 1],
    ['a block of zero bytes in args', `[${e('a', `,"args":{"x":"${'\0'.repeat(20)}"}`)},${b}]`, 'b', 'trace-bad-event', 1],
    [
      'zero bytes instead of the end of one event and the beginning of another',
      `[${a.slice(0, 30)}${'\0'.repeat(512)}${b.slice(20)},${c}]`,
      'c',
      'trace-bad-event',
      1,
    ],
    ['zero bytes between events', `[${a},${'\0'.repeat(512)}${b}]`, 'ab', 'trace-debris', 1, '\0'],
    ['an event that another writer cuts before a colon', `[${a.slice(0, 8)}${b},${c}]`, 'bc', 'trace-bad-event', 1],
    ['an event that another writer cuts after a colon', `[{"ph":"X","name":${b},${c}]`, 'bc', 'trace-bad-event', 1],
    ['an event that another writer cuts inside of its args', `[{"ph":"X","name":"a","args":{"x":${b},${c}]`, 'bc', 'trace-bad-event', 1],
    [
      'an event that another writer cuts in a string, and its rest',
      `[${a.slice(0, 28)}${b},${c},${a.slice(28)},${d}]`,
      'bcd',
      'trace-debris',
      1,
    ],
    ['the rest begins inside of a string', `[${a},e":"x","ts":1},${b},${c}]`, 'abc', 'trace-debris', 1, 'e":"x"'],
    ['the rest begins with a key', `[${a},"ts":1},${b},${c}]`, 'abc', 'trace-debris', 1, '"ts":1}'],
    ['the rest begins with a closing brace', `[${a},}},${b},${c}]`, 'abc', 'trace-debris', 1, '}},'],
    ['a byte order mark in the middle', `[${a},\ufeff${b}]`, 'ab', 'trace-debris', 1],
    ['entries that are no objects', `[1,"x",null,[1],${a},true,${b},-1e5]`, 'ab', 'trace-not-an-event', 6, '1,"x"'],
    ['garbage after the end', `{"traceEvents":[${a}]} and so on ]}`, 'a', 'trace-trailing-data', 1, 'and'],
    ['garbage after a bare list', `[${a}]\n\0\0\0\0`, 'a', 'trace-trailing-data', 1, '\0'],
    ['text before the beginning', `[INFO] log\n{"schemaVersion":1,"traceEvents":[${a},${b}]}`, 'ab', 'trace-trailing-data', 1, 'log'],
    ['words before the beginning', `log: 1\n{"schemaVersion":1,"traceEvents":[${a},${b}]}`, 'ab', 'trace-leading-data', 1, 'log'],
    ['zero bytes before the beginning', `${'\0'.repeat(512)}{"traceEvents":[${a},${b}]}`, 'ab', 'trace-leading-data', 1],
    [
      'the beginning is missing',
      `rsion":1,"deviceProperties":[{"id":0,"name":"x"}],"traceEvents":[${a},${b}]}`,
      'ab',
      'trace-leading-data',
      1,
    ],
    ['the beginning is missing up to inside of an event', `${a.slice(12)},${b},${c}],"traceName":"x"}`, 'bc', 'trace-leading-data', 1],
  ])('%s', async (_, text, want, code, count, at) => {
    const r = await read(text)
    expect(names(r.table).join('')).toBe(want)
    expect(r.diagnostics.filter(x => x.code === code).reduce((n, x) => n + x.count, 0)).toBe(count)
    if (at) expect(found(r, code)?.offset).toBe(Buffer.from(text).indexOf(at))
    for (const chunk of [1, 3, 50]) expect(await read(text, chunk)).toEqual(r)
  })

  it('what stands in an event that is left out is not told beside it', async () => {
    const r = await read(`[{"ph":"Xy",,"name":"q\u0001","ts":"no" "dur":1e99,oops},${b}]`)
    expect(r.diagnostics.map(x => x.code).filter(x => x !== 'trace-clock-unknown')).toEqual(['trace-bad-event'])
  })
})

describe('documents', () => {
  const doc = (events: string, more = ''): string => `{"schemaVersion":1,"traceEvents":[${events}],"traceName":"n"${more}}`
  it.each([
    ['one after the other', `${doc(`${a},${b}`)}\n${doc(`${c},${d}`)}`, 'abcd'],
    ['two bare lists', `[${a},${b}][${c},${d}]`, 'abcd'],
    ['one over the beginning of a longer one', `${doc(a)}${doc(`${b},${c},${d}`).slice(60)}`, 'acd'],
    ['one inside of the list of the other', `{"schemaVersion":1,"traceEvents":[${a},${doc(`${b},${c}`)},${d}]}`, 'abcd'],
    ['one inside of an event of the other', `{"traceEvents":[${a},{"ph":"X","na${doc(`${b},${c}`)}me":"x"},${d}]}`, 'abcd'],
    ['a header in the middle', `{"traceEvents":[${a},{"schemaVersion":1,"deviceProperties":[{"id":0}],"traceEvents":[${b},${c}]}`, 'abc'],
    ['a short header in the middle', `{"traceEvents":[${a},\n{"traceEvents":[${b},${c}],"traceName":"x"},${d}]}`, 'abcd'],
    ['a header that says something else first', `{"traceEvents":[${a},{"x":1,"traceEvents":[${b},${c}]}`, 'abc'],
  ])('%s', async (_, text, want) => {
    const r = await read(text)
    expect(names(r.table).join('')).toBe(want)
    expect(r.diagnostics.some(x => ['trace-second-document', 'trace-trailing-data'].includes(x.code))).toBe(true)
    for (const chunk of [1, 3, 50]) expect(await read(text, chunk)).toEqual(r)
  })

  it('members behind damage are found: the base time counts', async () => {
    const base = '"baseTimeNanoseconds": 1700000000000000000'
    for (const text of [
      `{"traceEvents":[${a}],"x":oops oops,${base}}`,
      `{"traceEvents":[${a},{"ph":"X","name":"x"y"}],"own":1,${base},"z":2}`,
      `{"x": "y"z, ${base}, "traceEvents":[${a}]}`,
      `{"traceEvents":[${a}],${a},${b}],${base}}`,
      `{"traceName":"abc,${base},"traceEvents":[${a}]}`,
    ]) {
      const r = await read(text)
      expect([text, names(r.table)[0], r.table?.baseTimeNs]).toEqual([text, 'a', 1700000000000000000n])
      expect(r.table?.clock).toBe('kineto-base-time')
    }
  })

  it('two base times that differ put the trace on no clock; equal ones are one', async () => {
    const two = (x: string, y: string): Promise<Result> =>
      read(`${doc(a, `,"baseTimeNanoseconds":${x}`)}${doc(b, `,"baseTimeNanoseconds":${y}`)}`)
    const same = await two('1700000000000000000', '"1.7e18"')
    expect(same.table?.clock).toBe('kineto-base-time')
    expect(found(same, 'trace-two-base-times')).toBeUndefined()
    const other = await two('1700000000000000000', '1700000000000000001')
    expect(other.table?.clock).toBe('unknown')
    expect(found(other, 'trace-two-base-times')).toMatchObject({ count: 1 })
  })
  it('two ranks that differ are none', async () => {
    const two = (x: number, y: number): Promise<Result> =>
      read(`${doc(a, `,"distributedInfo":{"rank":${x}}`)}${doc(b, `,"distributedInfo":{"rank":${y}}`)}`)
    expect((await two(3, 3)).table?.rank).toBe(3)
    const other = await two(3, 4)
    expect(other.table?.rank).toBeNull()
    expect(found(other, 'trace-two-ranks')).toBeDefined()
  })
})

describe('encodings', () => {
  it.each<[string, Buffer]>([
    ['little endian with a mark', Buffer.from(`\ufeff[${a}]`, 'utf16le')],
    ['little endian without', Buffer.from(`[${a}]`, 'utf16le')],
    ['big endian with a mark', Buffer.from(`\ufeff{"traceEvents":[${a}]}`, 'utf16le').swap16()],
    ['big endian without', Buffer.from(`{"traceEvents":[${a}]}`, 'utf16le').swap16()],
  ])('UTF-16, %s, is refused in clear words', async (_, data) => {
    for (const chunk of [1, 1 << 20]) {
      const r = await read(data, chunk)
      expect(r.table).toBeNull()
      expect(r.diagnostics.map(x => x.code)).toEqual(['trace-utf16'])
      expect(r.diagnostics[0]?.message).toContain('UTF-16')
    }
  })
  it('counts the places that are not UTF-8, wherever they stand; the events count', async () => {
    const bad = Buffer.from([0xff])
    const data = Buffer.concat([
      bytesOf('{"x":"'),
      bad,
      bytesOf('","traceEvents":[{"ph":"X","name":"a'),
      bad,
      bytesOf('é","args":{"q":"'),
      bad,
      Buffer.from([0xe2, 0x82]),
      bytesOf(`"}},${b}]}`),
    ])
    const r = await read(data)
    expect(names(r.table)).toEqual(['a\ufffdé', 'b'])
    expect(found(r, 'trace-invalid-utf8')).toMatchObject({ count: 4, offset: 6, severity: 'warning' })
  })
})

describe('numbers', () => {
  const big = '123456789012345678901234567890'
  it('beyond 64 bits: ids keep their text, times are told as unreadable', async () => {
    const r = await read(
      `[{"ph":"b","name":"a","id":${big},"pid":${big},"tid":-${big},"ts":${big}},{"ph":"X","name":"b","ts":1,"dur":9223372036854775808}]`,
    )
    const t = r.table as TraceTable
    expect([t.id[0], t.threads.pid[0], t.threads.tid[0]].map(i => stringAt(t.strings, i as number))).toEqual([big, big, `-${big}`])
    expect([t.ts[0], t.dur[1]]).toEqual([NaN, NaN])
    expect(found(r, 'trace-time-range')).toMatchObject({ count: 2 })
  })
  it('a duration is exact or absent', async () => {
    const r = await read('[{"ph":"X","ts":0,"dur":9007199254740.991},{"ph":"X","ts":0,"dur":9007199254740.993}]')
    expect([...(r.table as TraceTable).dur]).toEqual([Number.MAX_SAFE_INTEGER, NaN])
  })
  it('args keep their bytes', async () => {
    const text = `[{"ph":"X","ts":1,"args":{"x":${big}}}]`
    const t = (await read(text)).table as TraceTable
    expect(text.slice(t.argsOffset[0], (t.argsOffset[0] as number) + (t.argsLength[0] as number))).toBe(`{"x":${big}}`)
  })
  it('a counter beyond 2^53 is told when a double does not hold it; words and hexadecimal are no numbers', async () => {
    const r = await read('[{"ph":"C","ts":1,"args":{"a":9007199254740993,"b":9007199254740994,"c":1e300,"d":0x10,"e":true,"f":1e999}}]')
    expect([...(r.table as TraceTable).counters.value]).toEqual([9007199254740992, 9007199254740994, 1e300])
    expect(found(r, 'trace-counter-rounded')?.count).toBe(1)
    expect(found(r, 'trace-counter-value')?.count).toBe(3)
  })
  it('an event without args tells where it begins', async () => {
    const text = `[${a},{"ph":"X","args":null},{"ph":"X","args":{}}]`
    const t = (await read(text)).table as TraceTable
    expect([...t.argsOffset]).toEqual([-1 - 1, -1 - text.indexOf('{"ph":"X","args":null'), text.indexOf('{}')])
  })
})

describe('bounds', () => {
  it('top-level members: each at most 64 KiB, together at most 4 MiB; the events behind them are read', async () => {
    const members = Array.from({ length: 100 }, (_, i) => `"k${i}":"${'x'.repeat(60_000)}"`)
    const r = await read(`{${members.join(',')},"long":"${'y'.repeat(70_000)}","traceEvents":[${a}]}`)
    const kept = Object.entries(r.table?.metadata ?? {})
    expect(kept.length).toBe(69)
    expect(kept.reduce((n, [k, v]) => n + k.length + v.length, 0)).toBeLessThanOrEqual(4 * 1024 * 1024)
    expect(found(r, 'trace-many-members')?.count).toBe(31)
    expect(found(r, 'trace-long-member')?.count).toBe(1)
    expect(names(r.table)).toEqual(['a'])
  })
  it.each<[string, (n: number) => string]>([
    ['events inside of events', n => '[' + '{"ph":"X","a":'.repeat(n / 14)],
    ['events inside of lists', n => '[' + '{"ph":"X","a":[1,'.repeat(n / 17)],
    ['lists inside of events', n => '[' + '[{"ph":"X",'.repeat(n / 11)],
    ['headers', n => '{"traceEvents":['.repeat(n / 16)],
    ['headers behind damage', n => '[x' + ',"traceEvents":[x'.repeat(n / 17)],
    ['members behind damage', n => '{"a"x' + ',"traceName":x'.repeat(n / 14)],
    ['comments without an end', n => '[' + '/*'.repeat(n / 2)],
    ['entries and colons', n => '[' + '"x":'.repeat(n / 4)],
    ['commas in an event', n => '[{"ph":"X"' + ','.repeat(n)],
    ['control characters', n => '[{"ph":"' + '\u0001'.repeat(n)],
    ['missing commas', n => '[{"args":[' + '""'.repeat(n / 2)],
    ['something else', n => 'x'.repeat(n)],
    ['long keys behind damage', n => '[x' + `"${'k'.repeat(250)}`.repeat(n / 251)],
  ])('hostile input: %s', async (_, make) => {
    for (const chunk of [1 << 20, 5000]) expect((await read(make(1_500_000), chunk)).diagnostics.length).toBeGreaterThan(0)
  })
})

// ───────────────────────────── properties ─────────────────────────────

/** Events with distinct names and args of several shapes, none of which looks like an event. */
const event = (n: number): string =>
  e(`n${n}`, ['', ',"args":{"External id":7}', ',"args":{"a":[1,{"b":"}],{"}],"c":"\\"x"}', ',"id":3,"args":{"name":"q"}'][n % 4])
const events = (from: number, count: number): string[] => Array.from({ length: count }, (_, i) => event(from + i))
const eventNames = (from: number, count: number): string[] => Array.from({ length: count }, (_, i) => `n${from + i}`)

describe('two writers', () => {
  const writer = (from: number, count: number, bare: boolean): string =>
    bare
      ? `[${events(from, count).join(',\n')}]`
      : `{"schemaVersion":1,"traceEvents":[\n${events(from, count).join(',\n')}\n],"traceName":"x"}`

  it('every event that no cut goes through is read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.nat(2000), { minLength: 1, maxLength: 8 }),
        async (bare, n, m, sizes) => {
          const parts = [writer(0, n, bare), writer(100, m, bare)]
          const at = [0, 0]
          let text = ''
          const whole: string[] = []
          // Blocks of the two in turn, then what is left of each. An event is whole if one block holds it.
          const take = (w: number, size: number): void => {
            const block = parts[w].slice(at[w], at[w] + size)
            at[w] += size
            text += block
            for (const name of [...eventNames(0, n), ...eventNames(100, m)])
              if (block.includes(event(Number(name.slice(1))))) whole.push(name)
          }
          sizes.forEach((size, i) => take(i % 2, size))
          take(0, 1e6)
          take(1, 1e6)
          const r = await read(text)
          const got = names(r.table)
          // A cut between two pieces that fit together may leave an event that is whole by chance; none of the whole ones is missing.
          let i = 0
          for (const name of got) if (name === whole[i]) i++
          expect({ i, got }).toEqual({ i: whole.length, got })
          expect(got.length).toBeLessThanOrEqual(n + m)
          expect(await read(text, 7)).toEqual(r)
        },
      ),
      { numRuns: 400 },
    )
  })

  it('one over the beginning of the other: all of the last one, and the whole events of the rest', async () => {
    for (let m = 1; m < 12; m++) {
      const over = writer(0, m, false)
      const under = writer(100, 14, false)
      const rest = under.slice(over.length)
      const whole = [...eventNames(0, m), ...eventNames(100, 14).filter(x => rest.includes(event(Number(x.slice(1)))))]
      expect(names((await read(over + rest)).table)).toEqual(whole)
    }
  })
})

it('any bytes at all: no crash, the same for every chunk size, and a bounded number of rows', async () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 20 }).map(x => Buffer.from(x)),
    fc
      .constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        '/',
        '{"ph":"X"',
        '"traceEvents":[',
        '{"schemaVersion":1',
        '"ts":1',
        '"args":{',
        '\0\0\0\0',
        '\n',
        'null',
        a,
        `${b},`,
      )
      .map(x => Buffer.from(x)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async parts => {
      const data = Buffer.concat(parts)
      const r = await read(data)
      for (const chunk of [1, 5, 33]) expect(await read(data, chunk)).toEqual(r)
      expect(r.table?.count ?? 0).toBeLessThanOrEqual(data.length / 2)
      if (data.length > 0 && r.table === null) expect(r.diagnostics.some(x => x.severity === 'error')).toBe(true)
    }),
    { numRuns: 1500 },
  )
})

it('several gzip members in one file are one stream', async () => {
  const r = await read(Buffer.concat([gzipSync(`{"traceEvents":[${a}]}`), gzipSync(`{"traceEvents":[${b}]}`)]))
  expect(names(r.table)).toEqual(['a', 'b'])
})
