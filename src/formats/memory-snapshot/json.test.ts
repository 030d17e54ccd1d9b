/** Snapshots as JSON: the same tables as from a pickle of the same values. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buffersOf, stringAt } from '../../shared/columns'
import type { Diagnostic } from '../../shared/diagnostics'
import type { ReadResult } from '../../shared/reader'
import type { SnapshotTable } from '../../shared/tables'
import { samplesDir } from '../../testing/samples'
import { FloatValue, readPickleValue, TupleValue, type ReadValue } from '../pickle/value'
import { Float, Tuple, type PickleValue } from '../pickle/write'
import { bufferSource } from '../source'
import { EXAMPLE, exampleSnapshot, frame, jsonText, snapshotBytes, snapshotJson, type FixtureSnapshot } from './fixture'
import { readSnapshot } from './read'

const read = (data: Uint8Array | string, chunk?: number): Promise<ReadResult<SnapshotTable>> =>
  readSnapshot(bufferSource('s.json', Buffer.from(data), chunk))
async function tableOf(data: Uint8Array | string, chunk?: number): Promise<SnapshotTable> {
  const { table, diagnostics } = await read(data, chunk)
  if (!table) throw new Error(JSON.stringify(diagnostics))
  return table
}
const codes = (d: readonly Diagnostic[]): string[] => d.map(x => x.code)
/** What does not depend on the form. */
const content = (t: SnapshotTable | null): unknown => ({ ...t, format: '', pickleProtocol: null, bytesRead: 0 })
/** Content as one hash: fast to compare where columns are long. */
function hashOf(t: SnapshotTable | null): string {
  const h = createHash('sha1')
  for (const b of buffersOf(t)) h.update(new Uint8Array(b))
  return h
    .update(JSON.stringify(content(t), (_, v: unknown) => (ArrayBuffer.isView(v) ? v.byteLength : typeof v === 'bigint' ? String(v) : v)))
    .digest('hex')
}
const told = (d: readonly Diagnostic[]): unknown => d.map(x => ({ ...x, file: '', offset: 0 }))

/** A value that was read as one that can be written. */
function again(v: ReadValue): PickleValue {
  if (v === null || typeof v !== 'object') return v
  if (v instanceof FloatValue) return new Float(v.value)
  if (v instanceof TupleValue) return new Tuple(v.items.map(again))
  if (v instanceof Map) return new Map([...v].map(([k, x]) => [again(k), again(x)]))
  if (Array.isArray(v)) return v.map(again)
  throw new TypeError('no JSON for this')
}

describe('the same table as from a pickle', () => {
  test('of the example', async () => {
    const pickled = await readSnapshot(bufferSource('s', snapshotBytes(exampleSnapshot())))
    const data = snapshotJson(exampleSnapshot())
    const { table, diagnostics } = await read(data)
    expect(content(table)).toEqual(content(pickled.table))
    expect(diagnostics).toEqual([])
    expect(table).toMatchObject({ format: 'json', pickleProtocol: null, complete: true, bytesRead: data.length })
  })
  test('of a list of segments', async () => {
    const { segments } = exampleSnapshot()
    const pickled = await readSnapshot(bufferSource('s', snapshotBytes(segments)))
    expect(content(await tableOf(snapshotJson(segments)))).toEqual(content(pickled.table))
  })
  const dir = samplesDir()
  const names = dir
    ? ['snapshots', 'synthetic-snapshots'].flatMap(f =>
        Object.keys(JSON.parse(readFileSync(join(dir, f, 'expected.json'), 'utf8')) as object).map(n => `${f}/${n}`),
      )
    : []
  // The text of the largest one is 50 MB.
  const some = names.filter(n => statSync(join(dir ?? '', n)).size < 2 << 20)
  test.skipIf(dir === null).each(some)('of %s', async name => {
    const data = readFileSync(join(dir ?? '', name))
    const pickled = await readSnapshot(bufferSource('s', data))
    const value = (await readPickleValue(bufferSource('s', data))).table?.value
    const text = jsonText(again(value as ReadValue))
    const { table, diagnostics } = await read(text)
    expect(hashOf(table)).toBe(hashOf(pickled.table))
    // A finding about a value that many entries share is one in a pickle and many in JSON.
    expect(new Set(codes(diagnostics))).toEqual(new Set(codes(pickled.diagnostics)))
    // Other writers leave no white space, or much of it.
    if (data.length < 1 << 20) expect(hashOf(await tableOf(text.replaceAll('": ', '":\t\r\n  ')))).toBe(hashOf(table))
  })
})

describe('how the input is cut makes no difference', () => {
  const s = exampleSnapshot()
  for (let i = 0; i < 1500; i++)
    s.device_traces[0]?.push({
      action: 'alloc',
      addr: i * 512,
      size: i,
      pool_id: new Tuple([i % 3, 0]),
      frames: [frame(`f${i % 50}`, 'x'.repeat(300), i % 50)],
      note: `é\n"${'y'.repeat(i % 900)}`,
    })
  const data = snapshotJson(s)
  test('pieces of any size', async () => {
    const whole = await read(data)
    for (const chunk of [1, 7, 997, 64 << 10]) {
      const cut = await read(data, chunk)
      expect([cut.diagnostics, hashOf(cut.table)]).toEqual([whole.diagnostics, hashOf(whole.table)])
    }
    expect(whole.table?.devices[0]?.count).toBe(1500)
    expect(whole.table?.pools).toEqual(['0,0', '1,0', '2,0'])
    expect(hashOf(whole.table)).toBe(hashOf((await readSnapshot(bufferSource('s', snapshotBytes(s)))).table))
  })
  test('also of what is broken', async () => {
    for (const at of [10, 100, 5000, 100_000, data.length - 3]) {
      const broken = Buffer.from(data)
      broken[at] = 0x7f
      const whole = await read(broken)
      for (const chunk of [1, 61]) {
        const cut = await read(broken, chunk)
        expect([cut.diagnostics, cut.table?.bytesRead, hashOf(cut.table)]).toEqual([
          whole.diagnostics,
          whole.table?.bytesRead,
          hashOf(whole.table),
        ])
      }
    }
  })
})

/** One entry with the given members, as text. */
const entry = (members: string): string => `{"segments": [], "device_traces": [[{"action": "alloc", "addr": 1, "size": 2, ${members}}]]}`
const one = async (members: string): Promise<SnapshotTable['devices'][number]> =>
  (await tableOf(entry(members))).devices[0] as SnapshotTable['devices'][number]

describe('values', () => {
  test('addresses up to 2^64 - 1, and negative ones', async () => {
    for (const [text, want] of [
      ['18446744073709551615', 2n ** 64n - 1n],
      ['18446720620317114368', 18446720620317114368n],
      ['9007199254740993', 9007199254740993n],
      ['9007199254740991', 9007199254740991n],
      ['-1', 2n ** 64n - 1n],
      ['-9223372036854775808', 2n ** 63n],
      ['0', 0n],
      ['-0', 0n],
      ['1.4e14', 140_000_000_000_000n],
      ['140000000000000.0', 140_000_000_000_000n],
    ] as const)
      expect([text, (await one(`"addr": ${text}`)).address[0]]).toEqual([text, want])
  })
  test('sizes and times keep what a double holds and no more', async () => {
    expect((await one('"size": 9007199254740991')).size[0]).toBe(Number.MAX_SAFE_INTEGER)
    for (const text of [
      '9007199254740993',
      '1e300',
      '9007199254740993.0',
      '-1',
      'NaN',
      'Infinity',
      '-Infinity',
      '"5"',
      'null',
      'true',
      '{}',
    ]) {
      const { table, diagnostics } = await read(entry(`"size": ${text}`))
      expect([text, table?.devices[0]?.size[0]]).toEqual([text, NaN])
      expect(codes(diagnostics)).toContain('snapshot-bad-value')
    }
    expect((await one('"size": 1E3')).size[0]).toBe(1000)
    const t = await tableOf(entry('"time_us": 1700000000000000'))
    expect(t.epochNs).toBe(1_700_000_000_000_000_000n)
  })
  test('integers beyond 64 bits in settings', async () => {
    const t = await tableOf(
      '{"segments": [], "allocator_settings": {"a": 123456789012345678901234567890, "b": -1.5e-7, "c": NaN, "d": 1.0}}',
    )
    expect(t.settings).toBe('{"a": 123456789012345678901234567890, "b": -1.5e-7, "c": "NaN", "d": 1}')
  })
  test('escapes, surrogates and raw bytes', async () => {
    const text = async (json: string): Promise<string> => {
      const t = await tableOf(entry(`"user_metadata": ${json}`))
      return stringAt(t.strings, t.devices[0]?.userMetadata[0] as number)
    }
    expect(await text('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20ac\\ud83d\\ude00"')).toBe('"\\/\b\f\n\r\tAé€😀')
    expect(await text('"é€😀"')).toBe('é€😀')
    expect(await text('""')).toBe('')
    // One half without the other is three bytes that are no UTF-8, as from a pickle.
    expect(await text('"a\\ud83db"')).toBe('a\ufffd\ufffd\ufffdb')
    expect(await text('"\\ud83d\\ud83d\\ude00"')).toBe('\ufffd\ufffd\ufffd😀')
    expect(await text('"\\ude00\\u0031"')).toBe('\ufffd\ufffd\ufffd1')
    // Keys too, also where they look like the key that mostly stands there.
    const keys = await tableOf(
      `{"segments": [], "device_traces": [[${['a\\\\b', 'a\\b', 'a\\u005cb', '\\u0061\\\\b', 'a\\\\b'].map(k => `{"action": "alloc", "${k}": "v", "addr": 1, "size": 1}`).join()}]]}`,
    )
    expect(keys.devices[0]?.extras.map(e => [e.key, [...e.value].map(v => v >= 0)])).toEqual([
      ['a\\b', [true, false, true, true, true]],
      ['a\b', [false, true, false, false, false]],
    ])
    expect((await one('"\\u0073ize": 77')).size[0]).toBe(77)
  })
  test('what JSON does not allow inside texts is told and kept', async () => {
    const data = Buffer.concat([
      Buffer.from(entry('"user_metadata": "')).subarray(0, -4),
      Buffer.from([0x61, 0xff, 0x01, 0x5c, 0x71]),
      Buffer.from('"}]]}'),
    ])
    const { table, diagnostics } = await read(data)
    expect(stringAt((table as SnapshotTable).strings, table?.devices[0]?.userMetadata[0] as number)).toBe('a\ufffd\u0001\\q')
    expect(diagnostics.map(d => [d.code, d.count, d.severity])).toEqual([
      ['json-invalid-utf8', 1, 'info'],
      ['json-control-character', 1, 'info'],
      ['json-bad-escape', 1, 'info'],
    ])
    expect(diagnostics[0]?.offset).toBe(data.indexOf(0xff) - 2)
  })
  test('a key that is set twice keeps its last value; at the top that is told', async () => {
    expect((await one('"size": 5, "size": 6')).size[0]).toBe(6)
    const { table, diagnostics } = await read(
      '{"segments": [], "device_traces": [], "device_traces": [[{"action": "alloc", "addr": 1, "size": 1}]]}',
    )
    expect(table?.devices.map(d => d.count)).toEqual([1])
    expect(codes(diagnostics)).toEqual(['snapshot-duplicate-key'])
  })
  test('keys with a meaning in JavaScript are keys like any other', async () => {
    const t = await tableOf(
      '{"__proto__": {"polluted": 1}, "constructor": 1, "segments": [], "device_traces": [[{"__proto__": {"x": 1}, "action": "alloc", "addr": 1, "size": 1}]]}',
    )
    expect(Object.keys(t.unknown).sort()).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(t.unknown)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(t.devices[0]?.extras.map(e => e.key)).toEqual(['__proto__'])
  })
  test('white space and a byte order mark before the text; what follows it', async () => {
    const plain = content(await tableOf('{"segments": []}'))
    for (const text of ['\ufeff{"segments": []}', ' \r\n\t{"segments": []}\n \n', '\ufeff\n{"segments":[]}'])
      for (const chunk of [1, 2, 100]) expect(content(await tableOf(text, chunk))).toEqual(plain)
    for (const chunk of [1, 100]) {
      const { diagnostics } = await read('{"segments": []}\n  {"segments": []}', chunk)
      expect(diagnostics).toMatchObject([
        { code: 'json-trailing-bytes', offset: 19, message: expect.stringContaining('16 bytes') as string },
      ])
    }
  })
  test('frames of other shapes, nested values in extras, frames with extras of their own', async () => {
    const members =
      '"frames": [{"name": "f", "filename": "x", "line": 3, "fx_node_name": "n", "fx": [1, 2]}, "text", {"name": "g", "filename": "y"}], "more": {"a": [1, [2, 3]], "b": {"action": "alloc", "size": 4, "addr": 5}}'
    const pickled = await readSnapshot(bufferSource('s', snapshotBytes(JSON.parse(entry(members)) as FixtureSnapshot)))
    const { table, diagnostics } = await read(entry(members))
    expect(content(table)).toEqual(content(pickled.table))
    expect(told(diagnostics)).toEqual(told(pickled.diagnostics))
  })
})

test('frames that repeat in the same bytes, and ones that only look alike', async () => {
  const frames = ['a', 'b}', '{"}', 'a', 'a\\', '\u0001', 'é', 'x'.repeat(5000), ''].map(
    name => `{"name": ${JSON.stringify(name)}, "filename": "}", "line": 1}`,
  )
  frames.push(
    '{"name":"a","filename":"}","line":1}',
    '{"line": 1, "name": "a", "filename": "}"}',
    '{"name": "a", "filename": "}", "line": 1, "more": [{}]}',
    '{"name": "a", "filename": "}", "line": 1, "name": "z"}',
  )
  // Raw control characters are counted each time.
  frames.push('{"name": "\t", "filename": "}", "line": 1}')
  const lists = Array.from({ length: 40 }, (_, i) =>
    frames
      .slice(i % 3)
      .concat(frames.slice(0, i % 5))
      .join(i % 2 ? ',' : ' , '),
  )
  const text = `{"segments": [], "device_traces": [[${lists.map(l => `{"action": "alloc", "addr": 1, "size": 1, "frames": [${l}], "other": [{"name": "a", "filename": "}", "line": 1}]}`).join()}]]}`
  const pickled = await readSnapshot(bufferSource('s', snapshotBytes(JSON.parse(text.replaceAll('\t', '\\t')) as FixtureSnapshot)))
  const whole = await read(text)
  expect(hashOf(whole.table)).toBe(hashOf(pickled.table))
  expect(whole.diagnostics.find(d => d.code === 'json-control-character')?.count).toBe(lists.join().split('\t').length - 1)
  for (const chunk of [1, 50, 333]) {
    const cut = await read(text, chunk)
    expect([cut.diagnostics, hashOf(cut.table)]).toEqual([whole.diagnostics, hashOf(whole.table)])
  }
})

describe('a text that is no JSON', () => {
  const cases: readonly (readonly [name: string, text: string, code: string, at: number])[] = [
    ['a comma too many', '{"segments": [],}', 'json-syntax', 16],
    ['a comma in an empty list', '{"segments": [,]}', 'json-syntax', 14],
    ['a missing comma', '{"segments": [] "x": 1}', 'json-syntax', 16],
    ['a missing colon', '{"segments" []}', 'json-syntax', 12],
    ['a key without quotes', '{segments: []}', 'json-syntax', 1],
    ['the wrong bracket', '{"segments": []]', 'json-syntax', 15],
    ['a word', '{"segments": nope}', 'json-syntax', 13],
    ['half a word', '{"segments": nu', 'json-truncated', 13],
    ['a number with a leading zero', '{"segments": 012}', 'json-syntax', 13],
    ['a number with two points', '{"segments": 1.2.3}', 'json-syntax', 13],
    ['only a minus', '{"segments": -}', 'json-syntax', 13],
    ['a text without end', '{"segments": "abc', 'json-truncated', 13],
    ['no end', '{"segments": ', 'json-truncated', 13],
    ['a number that may go on', '[1', 'json-truncated', 1],
  ]
  test.each(cases)('%s', async (_, text, code, at) => {
    for (const chunk of [1, 100]) {
      const { table, diagnostics } = await read(text, chunk)
      expect(table?.complete ?? false).toBe(false)
      expect(diagnostics.find(d => d.code === code)?.offset).toBe(at)
    }
  })
  test('what is right before the place is used', async () => {
    const text = jsonText(exampleSnapshot() as PickleValue)
    const at = text.indexOf('"segment_free"')
    const { table, diagnostics } = await read(`${text.slice(0, at)}?${text.slice(at)}`)
    expect(table).toMatchObject({ complete: false, segments: { count: 2, complete: true } })
    expect(table?.devices.map(d => [d.count, d.complete])).toEqual([
      [0, true],
      [10, false],
    ])
    expect(diagnostics).toMatchObject([{ code: 'json-syntax', severity: 'error', offset: at }])
    expect(diagnostics[0]?.meaning).toContain('10 whole events and 2 whole segments')
  })
})

test.each([false, true])(
  'cut at any byte: the whole records before the cut, and which lists are whole (histories first: %s)',
  async reversed => {
    const { segments, device_traces, ...rest } = exampleSnapshot()
    const text = jsonText((reversed ? { device_traces, segments, ...rest } : { segments, device_traces, ...rest }) as PickleValue)
    const whole = await tableOf(text)
    const ends = [...text.matchAll(/\{"action"/g)].map(m => endOf(text, m.index))
    const segmentsEnd = endOf(text, text.indexOf('"segments": ') + 12)
    const tracesEnd = endOf(text, text.indexOf('"device_traces": ') + 17)
    const firstEnd = endOf(text, text.indexOf('"device_traces": ') + 18)
    const sum = (d: readonly { readonly count: number }[] = []): number => d.reduce((n, x) => n + x.count, 0)
    const wrong: unknown[] = []
    for (let n = 1; n < text.length; n += reversed ? 5 : 2) {
      const { table, diagnostics } = await read(text.slice(0, n))
      const count = ends.filter(e => e <= n).length
      const device = table?.devices[1]
      const found = [
        sum(table?.devices),
        diagnostics.filter(d => d.code === 'json-truncated').length,
        table?.complete ?? false,
        table?.segments.complete ?? segmentsEnd <= n,
        table?.devices[0]?.complete ?? firstEnd <= n,
        device?.complete ?? tracesEnd - 1 <= n,
        // The rows are those of the whole file.
        device
          ? device.size.every((v, i) => v === whole.devices[1]?.size[i]) &&
            device.address.every((v, i) => v === whole.devices[1]?.address[i])
          : true,
      ]
      const want = [count, 1, false, segmentsEnd <= n, firstEnd <= n, tracesEnd - 1 <= n, true]
      if (JSON.stringify(found) !== JSON.stringify(want)) wrong.push([n, found, want])
    }
    expect(wrong).toEqual([])
    expect(ends.length).toBe(12)
  },
)

/** Position after the value that begins with a bracket at `from`. */
function endOf(text: string, from: number): number {
  let depth = 0
  for (let i = from; i < text.length; i++) {
    if (text[i] === '"') while (text[++i] !== '"') if (text[i] === '\\') i++
    if (text[i] === '{' || text[i] === '[') depth++
    else if ((text[i] === '}' || text[i] === ']') && --depth === 0) return i + 1
  }
  throw new Error('no end')
}

describe('files built to exhaust time or memory', () => {
  const N = 100_000
  test('depth', async () => {
    for (const text of [
      '['.repeat(N),
      '['.repeat(N) + ']'.repeat(N),
      '{"a":'.repeat(N),
      `{"segments": [], "x": ${'['.repeat(N)}${']'.repeat(N)}}`,
    ])
      expect((await read(text)).diagnostics.length).toBeGreaterThan(text.startsWith('{"segments') ? -1 : 0)
    const { table } = await read(`{"segments": [], "x": ${'[{"a":'.repeat(N)}1${'}]'.repeat(N)}}`)
    expect(table?.complete).toBe(true)
    expect(table?.unknown['x']?.length).toBeLessThan(1000)
    expect(codes((await read('['.repeat(3_000_000))).diagnostics)).toContain('json-limit')
  })
  test('many small things', async () => {
    const million = new Array(1_000_000).fill('1').join(',')
    expect(codes((await read(`[${million}]`)).diagnostics)).toEqual(['not-a-snapshot'])
    const t = await tableOf(`{"segments": [], "device_traces": [[${million}]], "x": [${million}]}`)
    expect(t.devices.map(d => d.count)).toEqual([0])
    const keys = Array.from({ length: 200_000 }, (_, i) => `"k${i}":1`).join(',')
    const many = await read(`{"segments": [{"blocks": [], ${keys}}]}`)
    expect(many.table?.segments.extras).toHaveLength(64)
    expect(many.diagnostics.find(d => d.code === 'snapshot-unknown-keys-left-out')?.count).toBe(200_000 - 64)
    expect((await tableOf(`{"segments": [], ${keys}}`)).segments.count).toBe(0)
  })
  test('a text and a number without end, in small pieces', async () => {
    expect(codes((await read('{"segments": [], "x": "' + 'y'.repeat(3 << 20), 64)).diagnostics)).toEqual(['json-truncated'])
    expect(codes((await read('{"segments": [], "x": 1' + '0'.repeat(1 << 20), 64)).diagnostics)).toContain('json-limit')
    expect(codes((await read('{"segments": [], "x": ' + ' '.repeat(3 << 20), 64)).diagnostics)).toEqual(['json-truncated'])
    expect(codes((await read('{"segments": [], "x": "' + 'y'.repeat(17 << 20))).diagnostics)).toEqual(['json-limit'])
  })
})

/** The same value without shared parts. */
const fresh = (v: PickleValue): PickleValue =>
  v === null || typeof v !== 'object'
    ? v
    : Array.isArray(v)
      ? v.map(fresh)
      : Object.fromEntries(Object.entries(v).map(([k, x]) => [k, fresh(x as PickleValue)]))

describe('random', () => {
  const scalar = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.bigInt(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  )
  const keyName = fc.constantFrom('action', 'addr', 'size', 'stream', 'time_us', 'frames', 'pool_id', 'category', 'name', 'filename', 'line', 'blocks', 'total_size', 'address', 'state', 'stage', 'segments', 'device_traces', 'x', 'y', 'history', 'real_size') // prettier-ignore
  const { value } = fc.letrec<{ value: PickleValue }>(tie => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      scalar,
      fc.array(tie('value'), { maxLength: 6 }),
      fc.uniqueArray(fc.tuple(keyName, tie('value')), { selector: e => e[0], minLength: 2, maxLength: 6 }).map(e => Object.fromEntries(e)),
    ),
  }))
  /** JSON has no floats that are whole numbers, and no lone halves of pairs. */
  const sameInJson = (v: PickleValue): boolean =>
    typeof v === 'number'
      ? Number.isInteger(v)
        ? Number.isSafeInteger(v) && !Object.is(v, -0)
        : true
      : typeof v === 'string'
        ? !/\p{Surrogate}/u.test(v)
        : v !== null && typeof v === 'object'
          ? Object.values(v as object).every(x => sameInJson(x as PickleValue))
          : true
  test('any snapshot-like value gives the same table as its pickle', async () => {
    await fc.assert(
      fc.asyncProperty(
        value.filter(sameInJson),
        value.filter(sameInJson),
        fc.integer({ min: 1, max: 50 }),
        async (segments, traces, chunk) => {
          const s = {
            segments: [segments],
            device_traces: [[traces, traces], traces],
            external_annotations: [segments],
            z: traces,
          } as unknown as FixtureSnapshot
          // Nothing is shared in JSON, so that nothing may be in the pickle.
          const pickled = await readSnapshot(
            bufferSource('s', snapshotBytes(fresh(s as unknown as PickleValue) as unknown as FixtureSnapshot)),
          )
          const { table, diagnostics } = await read(snapshotJson(s), chunk)
          expect(content(table)).toEqual(content(pickled.table))
          expect(told(diagnostics)).toEqual(told(pickled.diagnostics))
        },
      ),
      { numRuns: 300 },
    )
  })
  test('a changed byte, or several, never throws, and what is not whole is told', async () => {
    const data = snapshotJson(exampleSnapshot())
    const whole = await tableOf(data)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: data.length - 1 }), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 }),
        async changes => {
          const broken = Buffer.from(data)
          for (const [at, b] of changes) broken[at] = b
          const { table, diagnostics } = await read(broken)
          if (table === null || !table.complete) expect(diagnostics.some(d => d.severity !== 'info')).toBe(true)
          expect(table?.devices.reduce((n, d) => n + d.count, 0) ?? 0).toBeLessThanOrEqual(
            whole.devices.reduce((n, d) => n + d.count, 0) + 4,
          )
        },
      ),
      { numRuns: 1500 },
    )
  })
  test('any text of brackets, quotes and keys never throws and agrees with JSON.parse on what JSON is', async () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '"segments"',
      '"a"',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'null',
      'true',
      ' ',
      '\n',
      '"\\u00',
      'é',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 30 }).map(p => p.join('')),
        async text => {
          let valid = true
          try {
            JSON.parse(`{"segments": [], "x": [${text}]}`)
          } catch {
            valid = false
          }
          const found = codes((await read(`{"segments": [], "x": [${text}]}`, 3)).diagnostics).filter(c => c.startsWith('json-'))
          // Texts with raw line breaks or odd escapes are taken, with a word about it.
          const refused = found.some(c => ['json-syntax', 'json-truncated', 'json-trailing-bytes'].includes(c))
          const tolerated = found.some(c => ['json-control-character', 'json-bad-escape'].includes(c))
          if (!tolerated) expect([text, refused]).toEqual([text, !valid])
        },
      ),
      { numRuns: 1500 },
    )
  })
})

test('progress and cancel', async () => {
  const s = exampleSnapshot()
  for (let i = 0; i < 20_000; i++) s.device_traces[0]?.push({ action: 'alloc', addr: i, size: 1, time_us: EXAMPLE.timeUs })
  const data = snapshotJson(s)
  const seen: [number, number, string][] = []
  await readSnapshot(bufferSource('s', data), { onProgress: (...p) => seen.push(p) })
  expect(seen.at(-1)).toEqual([data.length, data.length, '20,012 events'])
  const stop = new AbortController()
  const source = bufferSource('s', data, 1000)
  let chunks = 0
  const { table, diagnostics } = await readSnapshot(
    {
      name: 's',
      size: source.size,
      get consumed() {
        return source.consumed
      },
      async *chunks() {
        for await (const c of source.chunks()) {
          if (++chunks === 20) stop.abort()
          yield c
        }
      },
    },
    { signal: stop.signal },
  )
  expect([table, codes(diagnostics)]).toEqual([null, ['cancelled']])
  expect(chunks).toBeLessThan(25)
})
