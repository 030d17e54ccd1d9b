/** Pages of _memory_viz: the snapshot inside. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { replayAll } from '../../analysis/allocator/replay'
import { stringAt } from '../../shared/columns'
import type { Diagnostic } from '../../shared/diagnostics'
import type { ReadOptions, ReadResult } from '../../shared/reader'
import type { SnapshotTable } from '../../shared/tables'
import { samplesDir } from '../../testing/samples'
import { pickleDumps, type PickleValue } from '../pickle/write'
import { probeBytes } from '../probe'
import { sniffProbe } from '../sniff'
import { bufferSource } from '../source'
import { Base64 } from './base64'
import { exampleSnapshot, pageOf, snapshotBytes, snapshotJson, snapshotPage } from './fixture'
import { readSnapshot } from './read'

const read = (data: Uint8Array | string, chunk?: number, opts?: ReadOptions): Promise<ReadResult<SnapshotTable>> =>
  readSnapshot(bufferSource('output.html', Buffer.from(data), chunk), opts)
const codes = (d: readonly Diagnostic[]): string[] => d.map(x => x.code)
const content = (t: SnapshotTable | null): unknown => ({ ...t, format: '', bytesRead: 0 })

const pickle = snapshotBytes(exampleSnapshot())
const base64 = Buffer.from(pickle).toString('base64')
const file = (data: string, name = 'snapshot.pickle'): string => `{"name": "${name}", "base64": "${data}"}`
const plain = async (): Promise<unknown> => content((await readSnapshot(bufferSource('s', pickle))).table)

describe('the snapshot of a page is that of the pickle', () => {
  test('as torch writes it, in pieces of any size, compressed too', async () => {
    const page = snapshotPage(pickle)
    expect(sniffProbe(probeBytes(page, 'x.html'))).toMatchObject({ kind: 'memory-snapshot', state: 'complete' })
    for (const chunk of [1, 2, 3, 5, 64, 4096, page.length]) {
      const { table, diagnostics } = await read(page, chunk)
      expect(content(table)).toEqual(await plain())
      expect(diagnostics).toEqual([])
      expect(table).toMatchObject({ format: 'html', pickleProtocol: 4, complete: true, bytesRead: pickle.length })
    }
    expect(content((await read(gzipSync(page), 100)).table)).toEqual(await plain())
  })
  test('for each length of padding, and JSON inside', async () => {
    for (const name of ['', 'a', 'bb', 'ccc']) {
      const s = { ...exampleSnapshot(), [`x${name}`]: 1 }
      const { table, diagnostics } = await read(snapshotPage(snapshotBytes(s)), 7)
      expect([table?.complete, diagnostics]).toEqual([true, []])
    }
    const { table, diagnostics } = await read(pageOf(`[${file(Buffer.from(snapshotJson(exampleSnapshot())).toString('base64'))}]`), 100)
    expect(content(table)).toEqual({ ...((await plain()) as object), pickleProtocol: null })
    expect(diagnostics).toEqual([])
  })
  const lists: readonly (readonly [name: string, list: string])[] = [
    ['line breaks and blanks', `[ {\n "name" : "s" ,\r\n "base64" : "\n${base64.replace(/.{76}/g, '$&\r\n')}  \n" } ]`],
    ['breaks as escapes', `[{"base64": "${base64.replace(/.{60}/g, '$&\\n').replaceAll('/', '\\/').replaceAll('=', '\\u003d')}"}]`],
    ['the alphabet for URLs', `[${file(base64.replaceAll('+', '-').replaceAll('/', '_'))}]`],
    ['no padding', `[${file(base64.replace(/=+$/, ''))}]`],
    ['a data URL', `[${file(`data:application/octet-stream;base64,${base64}`)}]`],
    ['single quotes and bare keys', `[{name: 's', base64: '${base64}',}]`],
    ['other members before it', `[{"size": 12, "more": {"a": ["]", "}", {"b": null}], 'c': 1}, "text": "x\\"y", "base64": "${base64}"}]`],
    ['an earlier file without one', `[{"name": "none"}, ${file(base64)}]`],
  ]
  test.each(lists)('%s', async (_, list) => {
    for (const chunk of [1, 1000]) {
      const { table, diagnostics } = await read(pageOf(list), chunk)
      expect(content(table)).toEqual(await plain())
      expect(diagnostics.filter(d => d.code !== 'html-more-files')).toEqual([])
    }
  })
  test('the mark may stand elsewhere before', async () => {
    const page = Buffer.concat([
      Buffer.from('<!doctype html><script>let mylocal_files = [1]; local_files.x; local_files = 5; local_local_files = [{}]\n'),
      snapshotPage(pickle),
    ])
    for (const chunk of [1, 4096]) expect(content((await read(page, chunk)).table)).toEqual(await plain())
  })
  const dir = samplesDir()
  test.skipIf(dir === null)('real snapshots', async () => {
    for (const name of ['inference', 'late-start-222-unknown-frees']) {
      const data = readFileSync(join(dir ?? '', `snapshots/${name}.pickle`))
      const { table, diagnostics } = await read(snapshotPage(data), 50_000)
      expect(diagnostics).toEqual([])
      const alone = (await readSnapshot(bufferSource('s', data))).table
      expect(table?.devices.map(d => d.size)).toEqual(alone?.devices.map(d => d.size))
      expect(table?.strings.bytes.length).toBe(alone?.strings.bytes.length)
    }
  })
})

test('what profile_plot makes of a profile: categories, no times, the CPU as the last device', async () => {
  const frames = [{ filename: 'none', line: 0, name: 'train' }]
  const entry = (action: string, addr: number, size: number, more = {}): PickleValue => ({ action, addr, size, stream: 0, frames, ...more })
  const snapshot = {
    device_traces: [
      [
        entry('alloc', 4096, 512, { category: 'parameter' }),
        entry('alloc', 8192, 100, { category: 'gradient' }),
        entry('free_requested', 8192, 100),
        entry('free_completed', 8192, 100),
      ],
      [entry('alloc', 64, 8, { category: 'unknown' })],
    ],
    segments: [
      {
        device: 0,
        address: 4096,
        total_size: 1024,
        stream: 0,
        blocks: [
          { size: 512, state: 'active_allocated', requested_size: 512, frames },
          { size: 512, state: 'inactive' },
        ],
      },
      { device: 1, address: 64, total_size: 8, stream: 0, blocks: [{ size: 8, state: 'active_allocated', requested_size: 8, frames }] },
    ],
  } as unknown as PickleValue
  const { table, diagnostics } = await read(snapshotPage(pickleDumps(snapshot), 'snapshot.pickle'))
  if (!table) throw new Error('no table')
  expect(diagnostics).toEqual([])
  expect(table.devices.map(d => [...d.category].map(i => stringAt(table.strings, i)))).toEqual([
    ['parameter', 'gradient', '', ''],
    ['unknown'],
  ])
  expect(table).toMatchObject({ clock: 'none', timeUs: null })
  expect([...table.segments.allocatedSize]).toEqual([NaN, NaN])
  expect([...table.blocks.address]).toEqual([4096n, 4608n, 64n])
  const figures = replayAll(table).map(m => [m.figures.peakActiveBytes, m.figures.endActiveBytes, m.figures.selfCheck.ok])
  expect(figures).toEqual([
    [612, 512, true],
    [8, 8, true],
  ])
})

test('several files: the first is shown, the others are named', async () => {
  const other = snapshotBytes({ segments: [], device_traces: [] })
  const list = `[${file(base64, 'one')}, ${file(Buffer.from(other).toString('base64'), 'tw\\u00f6')}, {"base64": "!!"}]`
  for (const chunk of [1, 100, 1 << 20]) {
    const { table, diagnostics } = await read(pageOf(list), chunk)
    expect(content(table)).toEqual(await plain())
    expect(diagnostics).toMatchObject([{ code: 'html-more-files', severity: 'info', count: 2 }])
    expect(diagnostics[0]?.message).toBe("The page holds 2 more files: 'twö', 'a file without a name'.")
    expect(diagnostics[0]?.meaning).toContain("'one'")
  }
  const many = await read(pageOf(`[${Array.from({ length: 5000 }, (_, i) => file(i === 0 ? base64 : '', `n${i}`)).join()}]`))
  expect(many.diagnostics[0]?.message.length).toBeLessThan(400)
  expect(many.diagnostics[0]?.count).toBe(4999)
})

describe('pages without a snapshot, or with a damaged one', () => {
  const cases: readonly (readonly [name: string, page: Uint8Array | string, code: string, severity: string])[] = [
    ['another page', '<html><body>hello</body></html>', 'html-no-snapshot', 'error'],
    ['the template itself', '<script>const local_files = $SNAPSHOT</script>', 'html-no-snapshot', 'error'],
    ['an empty list', pageOf('[]'), 'html-no-snapshot', 'error'],
    ['files without base64', pageOf('[{"name": "a"}, {"base64": 5}]'), 'html-no-snapshot', 'error'],
    ['a list of numbers', pageOf('[1, 2]'), 'html-list', 'error'],
    ['a file without colon', pageOf('[{"name" "x"}]'), 'html-list', 'error'],
    ['no base64 at all', pageOf(`[${file('%%%')}]`), 'html-base64', 'error'],
    ['nothing between the quotes', pageOf(`[${file('')}]`), 'pickle-truncated', 'warning'],
    ['a data URL that is no base64', pageOf(`[${file('data:text/plain,abc')}]`), 'html-base64', 'error'],
    ['another pickle', pageOf(`[${file(Buffer.from([0x80, 4, 0x4b, 1, 0x2e]).toString('base64'))}]`), 'not-a-snapshot', 'error'],
    ['a page in a page', pageOf(`[${file(Buffer.from(snapshotPage(pickle)).toString('base64'))}]`), 'pickle-bad-opcode', 'error'],
  ]
  test.each(cases)('%s', async (_, page, code, severity) => {
    for (const chunk of [1, 1 << 20]) {
      const { table, diagnostics } = await read(page, chunk)
      expect(table).toBeNull()
      expect(diagnostics.find(d => d.code === code)?.severity).toBe(severity)
    }
  })
  test('a wrong character: what was decoded before it is used', async () => {
    const at = Math.floor(base64.length / 2)
    for (const bad of ['*', '\u00e9', '=AAA', '<']) {
      const page = Buffer.from(pageOf(`[${file(base64.slice(0, at) + bad + base64.slice(at))}]`))
      const offset = page.indexOf(base64.slice(0, 40)) + at + (bad === '=AAA' ? 1 : 0)
      for (const chunk of [1, 77, 1 << 20]) {
        const { table, diagnostics } = await read(page, chunk)
        expect(table?.complete).toBe(false)
        expect(codes(diagnostics).sort()).toEqual(['html-base64', 'pickle-truncated'])
        expect(diagnostics.find(d => d.code === 'html-base64')?.offset).toBe(offset)
        const inner = diagnostics.find(d => d.code === 'pickle-truncated')
        expect(inner?.message).toMatch(/^In the snapshot inside the page: At byte \d+/)
        expect(inner?.offset).toBeLessThanOrEqual((offset * 3) / 4)
      }
    }
  })
  test('a group that is no byte', async () => {
    const { table, diagnostics } = await read(
      pageOf(
        `[${file(base64.replace(/=*$/, '') + 'AAAAA'.slice(base64.replace(/=*$/, '').length % 4 === 0 ? 4 : base64.replace(/=*$/, '').length % 4 === 3 ? 3 : 2))}]`,
      ),
    )
    expect(table?.complete).toBe(true)
    expect(diagnostics).toMatchObject([{ code: 'html-base64', severity: 'warning' }])
  })
  test('calls and limits inside are told as from a pickle', async () => {
    const hostile = Buffer.from("\u0080\u0004cposix\nsystem\n(S'echo'\ntR.", 'latin1')
    expect(codes((await read(snapshotPage(hostile))).diagnostics)).toEqual(['pickle-global', 'pickle-call', 'not-a-snapshot'])
    const huge = Buffer.concat([Buffer.from([0x80, 4, 0x8d]), Buffer.from([0, 0, 0, 0x80, 0, 0, 0, 0]), Buffer.alloc(100)])
    expect(codes((await read(snapshotPage(huge))).diagnostics)).toEqual(['pickle-limit'])
  })
})

test('cut at any byte: the events before the cut and a word about it', async () => {
  const page = snapshotPage(pickle)
  const whole = (await read(page)).table as SnapshotTable
  const count = (t: SnapshotTable | null): number => t?.devices.reduce((n, d) => n + d.count, 0) ?? 0
  let last = 0
  const end = Buffer.from(page).indexOf('"}]') + 3
  for (let n = 200; n < page.length; n += n < end - 40 ? 3 : 1) {
    const { table, diagnostics } = await read(page.subarray(0, n), 1000)
    expect(count(table)).toBeGreaterThanOrEqual(last)
    last = count(table)
    if (n < end) expect([n, diagnostics.some(d => d.code === 'html-truncated' || d.code === 'html-no-snapshot')]).toEqual([n, true])
    if (table && !table.complete) expect(codes(diagnostics)).toContain('pickle-truncated')
    if (table?.devices[1]) expect(table.devices[1].size).toEqual(whole.devices[1]?.size.subarray(0, table.devices[1].count))
    if (n >= end) expect(diagnostics).toEqual([])
  }
  expect(last).toBe(12)
})

describe('random', () => {
  test('base64 in any pieces with white space', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 100 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 40 }),
        fc.boolean(),
        (data, cuts, padded) => {
          const text = Buffer.from(data)
            .toString('base64')
            .replace(/.{5}/g, '$& \n')
            .replace(/=+$/, m => (padded ? m : ''))
          const b = Buffer.from(text)
          const decoder = new Base64()
          const out: number[] = []
          for (let at = 0, i = 0; at < b.length; i++) {
            const to = Math.min(b.length, at + (cuts[i] ?? 1000))
            decoder.clear()
            expect(decoder.push(b, at, to)).toBe(to)
            out.push(...decoder.out.subarray(0, decoder.length))
            at = to
          }
          decoder.clear()
          expect(decoder.finish()).toBe(true)
          out.push(...decoder.out.subarray(0, decoder.length))
          expect(out).toEqual([...data])
        },
      ),
      { numRuns: 1000 },
    )
  })
  test('a page with changed bytes never throws, and how it is cut makes no difference', async () => {
    const page = snapshotPage(pickle)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: page.length - 1 }), fc.nat({ max: 255 })), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 300 }),
        async (changes, chunk) => {
          const broken = Buffer.from(page)
          for (const [at, b] of changes) broken[at] = b
          const whole = await read(broken)
          const cut = await read(broken, chunk)
          expect(cut.diagnostics).toEqual(whole.diagnostics)
          expect(content(cut.table)).toEqual(content(whole.table))
          if (!whole.table?.complete) expect(whole.diagnostics.length).toBeGreaterThan(0)
        },
      ),
      { numRuns: 300 },
    )
  })
  test('lists of any pieces never throw', async () => {
    const piece = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '"',
      "'",
      '\\',
      'name',
      'base64',
      '"name"',
      '"base64"',
      'AAAA',
      'gAQu',
      ' ',
      '\\u00',
      'data:',
      ';base64,',
      '5',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 20 }), async (parts, chunk) => {
        const page = pageOf(parts.join(''))
        const whole = await read(page)
        expect(whole.diagnostics.length).toBeGreaterThan(0)
        expect((await read(page, chunk)).diagnostics).toEqual(whole.diagnostics)
      }),
      { numRuns: 2000 },
    )
  })
})

test('progress and cancel, also while other files of the page pass by', async () => {
  const page = pageOf(`[${file(base64)}, ${file('A'.repeat(1 << 20), 'long')}]`)
  const seen: [number, number, string][] = []
  await read(page, 1000, { onProgress: (...p) => seen.push(p) })
  expect(seen.at(-1)).toEqual([page.length, page.length, '12 events'])
  const stop = new AbortController()
  const source = bufferSource('s', page, 1000)
  let chunks = 0
  const counted = {
    name: 's',
    size: source.size,
    get consumed() {
      return source.consumed
    },
    async *chunks() {
      for await (const c of source.chunks()) {
        if (++chunks === 100) stop.abort()
        yield c
      }
    },
  }
  const { table, diagnostics } = await readSnapshot(counted, { signal: stop.signal })
  expect([table, codes(diagnostics)]).toEqual([null, ['cancelled']])
  expect(chunks).toBeLessThan(105)
})
