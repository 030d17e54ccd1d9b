/** What `export` writes besides PNGs: SVG, Chrome trace JSON, device memory. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Diagnostic } from '../../shared/diagnostics'
import { readXml, type XmlElement } from '../../testing/xml'
import { run } from '../run'
import type { ExportDocument } from './command'
import type { JsonDocument } from './json'

const ORIGIN = 1_700_000_000_000_000_000n
const NAME = 'evil </text><script>alert(1)</script> "\' &\u0001'

let dir = ''
let session = ''
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'nw-formats-'))
  const slice = (name: string, tid: number, ts: number, dur: number): object => ({ name, ph: 'X', pid: 1, tid, ts, dur, args: { n: ts } })
  writeFileSync(
    join(dir, 'trace.json'),
    JSON.stringify({
      baseTimeNanoseconds: Number(ORIGIN),
      traceEvents: [slice(NAME, 1, 0, 1000), slice('inner', 1, 100, 400), slice('other thread', 2, 600, 300.5)],
    }),
  )
  await call('sample', join(dir, 'run'), '--ranks', '1', '--steps', '1')
  const found = JSON.parse((await call('inspect', join(dir, 'run'), '--json')).out) as {
    readonly sessions: readonly { readonly dir: string }[]
  }
  session = join(dir, 'run', found.sessions[0]?.dir ?? '')
}, 60_000)
afterAll(() => rmSync(dir, { recursive: true }))

async function call(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let out = ''
  let err = ''
  const code = await run(argv, { cwd: dir, out: t => (out += t), err: t => (err += t), progress: false })
  return { code, out, err }
}
async function made<T>(...argv: readonly string[]): Promise<T> {
  const { code, out, err } = await call('export', ...argv, '--json')
  expect([code, err, out.includes('"error"')]).toEqual([0, '', false])
  return JSON.parse(out) as T
}
const text = (name: string): string => readFileSync(join(dir, name), 'utf8')
const walk = (e: XmlElement): readonly XmlElement[] => [e, ...e.children.flatMap(walk)]

describe('SVG', () => {
  it('is well-formed, has the size and plot that the document tells, and nothing in it can run', async () => {
    const d = await made<ExportDocument>('trace.json', '--out', 'a.svg', '--width', '1280')
    expect(d).toMatchObject({ format: 'svg', view: 'timeline', width: 1280 })
    const root = readXml(text('a.svg'))
    expect([root.attributes['width'], root.attributes['height']]).toEqual([String(d.width), String(d.height)])
    const all = walk(root)
    expect(all.some(e => /script|foreignObject|animate|use/i.test(e.name))).toBe(false)
    expect(all.flatMap(e => Object.keys(e.attributes)).filter(k => /^on|href/i.test(k))).toEqual([])
    // The outer slice is a shape over the whole plot, its name text beside it.
    const texts = all.filter(e => e.name === 'text').map(e => e.text)
    expect(texts).toContain(NAME.replace('\u0001', '\ufffd'))
    expect(texts).toContain('inner')
  })

  it('has the slices where the PNG has them', async () => {
    const png = await made<ExportDocument>('trace.json', '--out', 'a.png', '--width', '1280')
    const svg = await made<ExportDocument>('trace.json', '--out', 'b.svg', '--width', '1280')
    expect({ ...svg, out: '', format: '' }).toEqual({ ...png, out: '', format: '' })
    // `inner` takes 400 of 1000 µs from 100 on.
    const { x0, x1 } = svg.plot
    const left = Math.round(x0 + (x1 - x0) * 0.1)
    const shapes = walk(readXml(text('b.svg'))).filter(e => e.name === 'path' && /^M[\d.]+ [\d.]+h[\d.]+a2 2/.test(e.attributes['d'] ?? ''))
    expect(shapes.map(e => Number(/^M([\d.]+)/.exec(e.attributes['d'] ?? '')?.[1]) - 2)).toContain(left)
  })

  it.each(['allocator', 'both', 'hbm'] as const)('draws %s', async view => {
    const d = await made<ExportDocument>(session, '--out', `${view}.svg`, '--view', view, '--width', '1280')
    expect(d).toMatchObject({ view, format: 'svg' })
    expect(d.maxBytes).toBeGreaterThan(0)
    const all = walk(readXml(text(`${view}.svg`)))
    expect(all.filter(e => e.name === 'path').length).toBeGreaterThan(20)
  })
})

describe('device memory', () => {
  it('is drawn as PNG with its own plot', async () => {
    const d = await made<ExportDocument>(session, '--out', 'hbm.png', '--view', 'hbm', '--width', '1280', '--height', '500')
    expect(d).toMatchObject({ view: 'hbm', width: 1280, height: 500, axis: 'time' })
    expect(d.plot.y1 - d.plot.y0).toBeGreaterThan(200)
    const { code, out } = await call('export', 'trace.json', '--out', 'no.png', '--view', 'hbm', '--json')
    expect(code).toBe(1)
    expect((JSON.parse(out) as { readonly diagnostics: readonly Diagnostic[] }).diagnostics.at(-1)?.code).toBe('no-hbm')
    expect(existsSync(join(dir, 'no.png'))).toBe(false)
  })
})

interface Written {
  readonly traceEvents: readonly { readonly ph: string; readonly name: string; readonly args?: Readonly<Record<string, unknown>> }[]
}

describe('Chrome trace JSON', () => {
  it('is read back by `trace` with the same events and time', async () => {
    const d = await made<JsonDocument>('trace.json', '--out', 'w.json')
    expect(d).toMatchObject({ format: 'json', events: 3, cut: 0, fromNs: String(ORIGIN) })
    const json = JSON.parse(text('w.json')) as Written
    expect(json.traceEvents.filter(e => e.ph === 'X').map(e => [e.name, e.args?.['n']])).toEqual([
      [NAME, 0],
      ['inner', 100],
      ['other thread', 600],
    ])
    const facts = async (file: string): Promise<object> => {
      const all = JSON.parse((await call('trace', file, '--json')).out) as Readonly<Record<string, unknown>>
      return { baseTimeNs: all['baseTimeNs'], minTsNs: all['minTsNs'], maxEndNs: all['maxEndNs'], clock: all['clock'] }
    }
    expect(await facts('w.json')).toEqual(await facts('trace.json'))
  })

  it('has what touches the range, of the tracks that the filter leaves', async () => {
    const [from, to] = [ORIGIN + 600_000n, ORIGIN + 700_000n]
    await made<JsonDocument>('trace.json', '--out', 'r.json', '--from', String(from), '--to', String(to))
    const names = (file: string): readonly string[] =>
      (JSON.parse(text(file)) as Written).traceEvents.filter(e => e.ph === 'X').map(e => e.name)
    expect(names('r.json')).toEqual([NAME, 'other thread'])
    await made<JsonDocument>('trace.json', '--out', 'f.json', '--filter', 'TID:2')
    expect(names('f.json')).toEqual(['other thread'])
    const { code, out } = await call('export', 'trace.json', '--out', 'no.json', '--filter', 'nothing has this', '--json')
    expect(code).toBe(1)
    expect((JSON.parse(out) as { readonly diagnostics: readonly Diagnostic[] }).diagnostics.at(-1)?.code).toBe('no-track')
    expect(existsSync(join(dir, 'no.json'))).toBe(false)
  })

  it('holds the runtime, the hardware and the lanes of a whole session', async () => {
    const d = await made<JsonDocument>(session, '--out', 's.json')
    const { traceEvents } = JSON.parse(text('s.json')) as Written
    const processes = traceEvents.filter(e => e.name === 'process_name').map(e => String(e.args?.['name']).replace(/\d+/, 'N'))
    expect(processes).toEqual(expect.arrayContaining(['neuron_rt (PID:N)', 'neuron_hw (PID:N)', 'host samples']))
    expect(traceEvents.filter(e => e.ph !== 'M')).toHaveLength(d.events)
    expect((await call('trace', 's.json', '--json')).code).toBe(0)
  })
})
