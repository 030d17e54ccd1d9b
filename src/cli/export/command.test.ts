import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeEvents, frame, workload } from '../../formats/neuron-runtime/fixture'
import type { Diagnostic } from '../../shared/diagnostics'
import { samplesDir } from '../../testing/samples'
import { testTheme } from '../../testing/theme'
import { run } from '../run'
import { fontFiles, openCanvas } from './canvas'
import type { ExportDocument } from './command'
import { scaleOf, SIZE } from './options'
import { cliTheme } from './theme'

const ORIGIN = 1_700_000_000_000_000_000n
const TRACE = JSON.stringify({
  baseTimeNanoseconds: Number(ORIGIN),
  traceEvents: [
    { name: 'outer', ph: 'X', pid: 1, tid: 2, ts: 0, dur: 1000 },
    { name: 'inner', ph: 'X', pid: 1, tid: 2, ts: 100, dur: 400 },
  ],
})

let dir = ''
let two: readonly string[] = []
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'nw-export-'))
  writeFileSync(join(dir, 'trace.json'), TRACE)
  writeFileSync(join(dir, 'own-clock.json'), '{"traceEvents":[{"name":"a","ph":"X","pid":1,"tid":2,"ts":10,"dur":5}]}')
  mkdirSync(join(dir, 'empty'))
  await call('sample', join(dir, 'two'), '--ranks', '2', '--steps', '1')
  const found = JSON.parse((await call('inspect', join(dir, 'two'), '--json')).out) as {
    readonly sessions: readonly { readonly dir: string }[]
  }
  two = found.sessions.map(s => s.dir)
})
afterAll(() => rmSync(dir, { recursive: true }))

async function call(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let out = ''
  let err = ''
  const code = await run(argv, { cwd: dir, out: t => (out += t), err: t => (err += t), progress: false })
  return { code, out, err }
}
async function made(...argv: readonly string[]): Promise<ExportDocument> {
  const { code, out, err } = await call('export', ...argv, '--json')
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out) as ExportDocument
}
async function refused(...argv: readonly string[]): Promise<Diagnostic> {
  const { code, out, err } = await call('export', ...argv, '--json')
  expect([code, err]).toEqual([1, ''])
  const last = (JSON.parse(out) as { readonly diagnostics: readonly Diagnostic[] }).diagnostics.at(-1)
  expect(last).toMatchObject({ severity: 'error' })
  expect(existsSync(join(dir, 'no.png'))).toBe(false)
  return last!
}
const picture = (name: string): PNG => PNG.sync.read(readFileSync(join(dir, name)))

describe('arguments', () => {
  it.each([
    [['trace.json'], /needs --out/],
    [['trace.json', '--out', 'no.png', '--theme', 'blue'], /--theme takes light or dark, not "blue"/],
    [['trace.json', '--out', 'no.png', '--view', 'all'], /--view takes timeline or allocator or hbm or both/],
    [['trace.json', '--out', 'no.png', '--grouping', 'x'], /--grouping takes default or cpu-device/],
    [['trace.json', '--out', 'no.json', '--view', 'both'], /--view belongs to pictures/],
    [['trace.json', '--out', 'no.png', '--from', '5'], /belong together/],
    [['trace.json', '--out', 'no.png', '--from', '5', '--to', '5'], /--from must be earlier/],
    [['trace.json', '--out', 'no.png', '--from', '6', '--to', '5'], /--from must be earlier/],
    [['trace.json', '--out', 'no.png', '--from', '-6', '--to', '5'], /argument is ambiguous|whole number/],
    [['trace.json', '--out', 'no.png', '--from', '1.5', '--to', '5'], /whole number/],
    [['trace.json', '--out', 'no.png', '--width', '319'], /--width takes a whole number from 320 to 16384/],
    [['trace.json', '--out', 'no.png', '--height', '16385'], /--height takes a whole number from 240 to 16384/],
    [['trace.json', '--out', 'no.png', '--width', '16384', '--height', '16384'], /at most 67108864 pixels/],
  ])('%j is wrong use', async (argv, words) => {
    const { code, out, err } = await call('export', ...argv)
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(words)
    expect(existsSync(join(dir, 'no.png'))).toBe(false)
  })
})

describe('the picture', () => {
  it.each([
    ['allocator', 320, 240],
    ['both', 320, 240],
    ['timeline', 1281, 721],
    ['allocator', 1281, 721],
    ['both', 2560, 1000],
    ['allocator', 3001, 333],
  ])('%s has exactly %i x %i px, whatever is in it', async (view, width, height) => {
    const d = await made('two', '--view', view, '--out', 'size.png', '--width', String(width), '--height', String(height))
    const png = picture('size.png')
    expect([png.width, png.height, d.width, d.height]).toEqual([width, height, width, height])
    const { x0, x1, y0, y1 } = d.plot
    expect(x0).toBeGreaterThan(0)
    expect(x1).toBeGreaterThan(x0)
    expect(x1).toBeLessThanOrEqual(width)
    expect(y0).toBeGreaterThan(0)
    expect(y1).toBeGreaterThan(y0)
    expect(y1).toBeLessThan(height)
    expect(d.maxBytes === null).toBe(view === 'timeline')
    // Nothing is transparent.
    for (let i = 3; i < png.data.length; i += 4 * 97) if (png.data[i] !== 255) expect.unreachable()
  })

  it('shows the timeline where there is a trace, else the allocator', async () => {
    const trace = await made('trace.json', '--out', 'a.png')
    expect(trace).toMatchObject({ view: 'timeline', theme: 'light', width: SIZE.defaultWidth, maxBytes: null, axis: 'time' })
    expect([trace.fromNs, trace.toNs]).toEqual([String(ORIGIN), String(ORIGIN + 1_000_000n)])
    const session = await made(join('two', two[0]!), '--out', 'a.png')
    expect(session).toMatchObject({ view: 'timeline', rank: 0, device: null })
  })

  it('has the slices of its range in their columns', async () => {
    // 200 us from 100 us on: all of it is covered by both.
    const [from, to] = [ORIGIN + 600_000n, ORIGIN + 1_400_000n]
    const d = await made('trace.json', '--out', 'r.png', '--from', String(from), '--to', String(to), '--width', '1280', '--height', '400')
    expect([d.fromNs, d.toNs]).toEqual([String(from), String(to)])
    const png = picture('r.png')
    const ground = png.data.readUIntBE(0, 3)
    // The slice ends in the middle of the range: coloured left of it, nothing right of it.
    const row = (y: number, a: number, b: number): number => {
      let n = 0
      for (let x = a; x < b; x++) if (png.data.readUIntBE((y * png.width + x) * 4, 3) !== ground) n++
      return n
    }
    const middle = (d.plot.x0 + d.plot.x1) / 2
    let covered = 0
    for (let y = d.plot.y0; y < d.plot.y1; y++)
      if (row(y, d.plot.x0 + 8, middle - 8) === middle - d.plot.x0 - 16 && row(y, middle + 8, d.plot.x1 - 8) < 12) covered++
    expect(covered).toBeGreaterThanOrEqual(10)
  })

  it('takes the first of several sessions and says so; --session and --rank choose', async () => {
    expect(two).toHaveLength(2)
    const first = await made('two', '--out', 'a.png')
    expect(first.session).toBe(two[0])
    expect(first.diagnostics.find(d => d.code === 'other-sessions')?.meaning).toContain(two[1])
    expect((await made('two', '--out', 'a.png', '--session', two[1]!)).session).toBe(two[1])
    expect((await made('two', '--out', 'a.png', '--session', `./${two[1]}/`)).session).toBe(two[1])
    expect(await made('two', '--out', 'a.png', '--rank', '1', '--view', 'allocator')).toMatchObject({ rank: 1, session: two[1] })
    expect((await refused('two', '--out', 'no.png', '--session', 'other')).message).toContain(two[0])
    expect((await refused('two', '--out', 'no.png', '--rank', '7')).message).toMatch(/there are: 0, 1/)
    expect((await refused('two', '--out', 'no.png', '--view', 'allocator', '--device', '9')).message).toMatch(/rank 0 device 0/)
  })

  it("has the runtime's own view, also without a framework trace", async () => {
    writeFileSync(join(dir, 'ntrace.pb'), frame(encodeEvents(workload()), 'varint'))
    const d = await made('ntrace.pb', '--out', 'n.png', '--width', '1280')
    expect(d).toMatchObject({ view: 'timeline', axis: 'time' })
    expect(BigInt(d.toNs!) > BigInt(d.fromNs!)).toBe(true)
    const png = picture('n.png')
    const row = (y: number): Set<number> =>
      new Set(Array.from({ length: d.plot.x1 - d.plot.x0 }, (_, i) => png.data.readUIntBE((y * png.width + d.plot.x0 + i) * 4, 3)))
    // Slices of several colours in at least one lane.
    expect(Math.max(...Array.from({ length: d.plot.y1 - d.plot.y0 }, (_, k) => row(d.plot.y0 + k).size))).toBeGreaterThan(3)
  })

  it('is the same each time', async () => {
    await made('two', '--view', 'both', '--out', 'one.png', '--width', '1280')
    await made('two', '--view', 'both', '--out', 'other.png', '--width', '1280')
    expect(readFileSync(join(dir, 'one.png')).equals(readFileSync(join(dir, 'other.png')))).toBe(true)
  })

  it('is told in words without --json', async () => {
    const { code, out } = await call('export', 'trace.json', '--out', 'a.png')
    expect(code).toBe(0)
    expect(out).toMatch(/size +2,560 × [\d,]+ px/)
    expect(out).toContain(`${ORIGIN} to ${ORIGIN + 1_000_000n} (Unix ns)`)
  })
})

describe('what cannot be drawn', () => {
  it('is said with the reason, and nothing is written', async () => {
    expect((await refused('empty', '--out', 'no.png')).code).toBe('nothing-to-draw')
    expect((await refused('absent', '--out', 'no.png')).code).toBe('nothing-to-draw')
    expect((await refused('trace.json', '--out', 'no.png', '--view', 'allocator')).code).toBe('no-snapshot')
    const none = await refused('trace.json', '--out', 'no.png', '--from', '5', '--to', '9')
    expect([none.code, none.message.includes(`from ${ORIGIN} to ${ORIGIN + 1_000_000n}`)]).toEqual(['no-data-in-range', true])
    expect((await refused('own-clock.json', '--out', 'no.png', '--from', '5', '--to', '9')).code).toBe('no-unix-time')
  })
  it('includes files that cannot be written', async () => {
    for (const out of ['absent/no.png', 'empty', 'trace.json/no.png'])
      expect((await refused('trace.json', '--out', out)).code).toBe('file-unwritable')
    expect((await refused('trace.json', '--out', '/dev/full')).code).toBe('file-unwritable')
  })
  it('overwrites nothing of the profile', async () => {
    expect((await refused('trace.json', '--out', 'trace.json')).message).toMatch(/file of the profile/)
    if (process.platform !== 'win32') {
      // Nobody reads it: writing would wait for ever.
      execFileSync('mkfifo', [join(dir, 'pipe.png')])
      expect((await refused('trace.json', '--out', 'pipe.png')).message).toMatch(/is a pipe/)
    }
    expect(statSync(join(dir, 'trace.json')).size).toBe(TRACE.length)
  })
  it('a trace of its own clock has no Unix time', async () => {
    expect(await made('own-clock.json', '--out', 'a.png')).toMatchObject({ fromNs: null, toNs: null })
  })
})

it('a snapshot without times is drawn over its events', async () => {
  const samples = samplesDir()
  if (!samples) return
  const file = join(samples, 'snapshots/torch20-history-a.pickle')
  const d = await made(file, '--out', 'e.png', '--width', '1280', '--height', '600')
  expect(d).toMatchObject({ view: 'allocator', axis: 'event', fromNs: null, toNs: null, fromEvent: -1 })
  expect(d.toEvent).toBe(1)
  expect(d.diagnostics.some(x => x.message.includes('its axis is the index of its events'))).toBe(true)
  expect((await refused(file, '--out', 'no.png', '--from', '1', '--to', '2')).code).toBe('no-unix-time')
})

describe('surroundings', () => {
  it('the fonts of the page are there and registered', async () => {
    const { files, missing } = fontFiles()
    expect(missing).toEqual([])
    expect(files.map(f => f.family)).toEqual(['Inter', 'Inter', 'Inter', 'JetBrains Mono', 'JetBrains Mono'])
    const canvas = await openCanvas()
    expect(canvas.missingFonts).toEqual([])
    const width = (font: string): number => {
      canvas.ctx.font = font
      return canvas.ctx.measureText('Hamburgefonts 0123').width
    }
    // Each weight of each face has widths of its own; a face that was not found would have those of the next one.
    const widths = ['400 20px Inter', '500 20px Inter', '600 20px Inter', '400 20px "JetBrains Mono"', '400 20px NoSuchFace'].map(width)
    expect(new Set(widths).size).toBe(5)
  })
  it('the themes are those of tokens.css', () => {
    for (const name of ['light', 'dark'] as const)
      for (const token of ['--surface-0', '--cat-1', '--font-ui', '--area-mix', '--cat-1-ink'])
        expect(cliTheme(name).token(token)).toBe(testTheme(name).token(token))
    expect(() => cliTheme('dark').token('--none')).toThrow(/unknown design token/)
  })
  it('text grows in whole steps', () => {
    expect([scaleOf(320, null), scaleOf(1280, null), scaleOf(1919, null), scaleOf(2560, null), scaleOf(2560, 400)]).toEqual([1, 1, 1, 2, 1])
  })
})
