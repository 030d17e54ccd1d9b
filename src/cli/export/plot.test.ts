/**
 * The pixels of the exported allocator against a replay that shares nothing with the program: another pickle reader, totals counted backwards from the
 * segment table, the highest of each column's span of time.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Parser } from 'pickleparser'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bufferSource } from '../../formats/source'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import { replayAll } from '../../analysis/allocator/replay'
import { rgba, type Theme } from '../../paint/theme'
import { samplesDir } from '../../testing/samples'
import { testTheme } from '../../testing/theme'
import { run } from '../run'
import type { ExportDocument } from './command'

let dir = ''
let sample = ''
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'nw-export-'))
  await call('sample', join(dir, 'sample'), '--ranks', '1', '--steps', '2')
  const found = JSON.parse((await call('inspect', join(dir, 'sample'), '--json')).out) as {
    readonly sessions: readonly { readonly files: readonly { readonly path: string; readonly kind: string }[] }[]
  }
  const file = found.sessions.flatMap(s => s.files).find(f => f.kind === 'memory-snapshot')
  sample = join(dir, 'sample', file?.path ?? '')
})
afterAll(() => rmSync(dir, { recursive: true }))

async function call(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let out = ''
  let err = ''
  const code = await run(argv, { cwd: dir, out: t => (out += t), err: t => (err += t), progress: false })
  return { code, out, err }
}

interface Entry {
  readonly action: string
  readonly size: number
  readonly time_us: number
}
interface Snapshot {
  readonly device_traces: readonly (readonly Entry[])[]
  readonly segments: readonly {
    readonly device: number
    readonly blocks: readonly { readonly state: string; readonly size: number; readonly requested_size?: number }[]
  }[]
}

/** Active bytes after each event of a device, with its time (ns); the state before the first one at -1. */
function totals(
  file: string,
  device: number,
): { readonly time: readonly bigint[]; readonly active: readonly number[]; readonly start: number } {
  const snapshot = new Parser().parse<Snapshot>(readFileSync(file))
  const events = snapshot.device_traces[device] ?? []
  let total = snapshot.segments
    .filter(s => s.device === device)
    .flatMap(s => s.blocks)
    .filter(b => b.state.startsWith('active'))
    .reduce((n, b) => n + (b.requested_size ?? b.size), 0)
  const active: number[] = []
  for (let i = events.length - 1; i >= 0; i--) {
    active[i] = total
    const e = events[i] as Entry
    if (e.action === 'alloc') total -= e.size
    if (e.action === 'free_completed') total += e.size
  }
  return { time: events.map(e => BigInt(e.time_us) * 1000n), active, start: total }
}

/** The colours of a plot where nothing lies: the ground, a step's band, the grid. */
function groundOf(theme: Theme): readonly (readonly number[])[] {
  const over = (below: readonly number[], token: string): readonly number[] => {
    const [r, g, b, a] = rgba(theme.token(token))
    return [r, g, b].map((v, i) => v * a + (below[i] as number) * (1 - a))
  }
  const base = rgba(theme.token('--surface-0')).slice(0, 3)
  const grounds = [base, over(base, '--step-band')]
  const vertical = grounds.flatMap(c => [c, over(c, '--grid'), over(c, '--step-edge'), over(over(c, '--grid'), '--step-edge')])
  return vertical.flatMap(c => [c, over(c, '--grid-major')])
}

/** Row of the topmost pixel of the area, found upwards from `below` (the words on the start state further down may have any colour). */
function topOf(
  png: PNG,
  x: number,
  below: number,
  { y0, y1 }: { readonly y0: number; readonly y1: number },
  ground: readonly (readonly number[])[],
): number {
  let y = Math.min(y1 - 1, below)
  const isGround = (row: number): boolean => {
    const at = (row * png.width + x) * 4
    return ground.some(c => c.every((v, i) => Math.abs(v - (png.data[at + i] as number)) <= 1.5))
  }
  // A pixel of text or of a hatch may have a colour of the ground by chance, not six on end.
  while (y >= y0 && ![0, 1, 2, 3, 4, 5].every(k => y - k < y0 || isGround(y - k))) y--
  return y + 1
}

const real = samplesDir()
const files: readonly (readonly [string, () => string])[] = [
  ['the sample profile', () => sample],
  ...(real ? ['train-step', 'inference', 'forward-fp32'].map(n => [n, () => join(real, 'snapshots', `${n}.pickle`)] as const) : []),
]

describe.each(files)('%s', (_, file) => {
  it.each([
    ['light', ['--width', '1280', '--height', '720']],
    ['dark', []],
    ['dark', ['--width', '1999', '--height', '777', 'middle']],
  ] as const)('in the %s theme, %j, equals the replay at 50 columns', async (name, size) => {
    const path = file()
    const { table } = await readSnapshot(bufferSource('x', readFileSync(path)))
    const model = replayAll(table!)[0]!
    const t = totals(path, model.device)
    const first = t.time[0] as bigint
    const last = t.time.at(-1) as bigint
    const third = (last - first) / 3n
    const args = [...size.filter(s => s !== 'middle'), '--theme', name, '--view', 'allocator', '--json']
    if ((size as readonly string[]).includes('middle')) args.push('--from', String(first + third), '--to', String(last - third))
    const { code, out, err } = await call('export', path, '--out', 'a.png', ...args)
    expect([code, err]).toEqual([0, ''])
    const d = JSON.parse(out) as ExportDocument
    const bytes = readFileSync(join(dir, 'a.png'))
    // 8 bits, RGBA.
    expect([bytes[24], bytes[25]]).toEqual([8, 6])
    const png = PNG.sync.read(bytes)
    expect([png.width, png.height]).toEqual([d.width, d.height])
    if (size[0]) expect([d.width, d.height]).toEqual([Number(size[1]), Number(size[3])])
    const { x0, x1, y0, y1 } = d.plot
    const [from, to] = [BigInt(d.fromNs!), BigInt(d.toNs!)]
    const max = d.maxBytes!
    const ground = groundOf(testTheme(name))
    const yOf = (b: number): number => y1 - (b / max) * (y1 - y0)
    let checked = 0
    let moved = 0
    let before = -1
    for (let k = 0; k < 400 && checked < 50; k++) {
      const x = x0 + Math.floor(((k * 0.6180339887) % 1) * (x1 - x0))
      const a = Number(to - from) * ((x - x0) / (x1 - x0))
      const b = Number(to - from) * ((x + 1 - x0) / (x1 - x0))
      let highest = -1
      let reserved = -1
      for (let i = -1; i < t.active.length; i++) {
        const begins = i < 0 ? -Infinity : Number((t.time[i] as bigint) - from)
        const ends = i + 1 < t.active.length ? Number((t.time[i + 1] as bigint) - from) : Infinity
        // A state of no length counts where it stands, as the peak may be one.
        if (begins >= b || (ends <= a && begins < a)) continue
        highest = Math.max(highest, i < 0 ? t.start : (t.active[i] as number))
        reserved = Math.max(reserved, i < 0 ? model.figures.startReservedBytes : (model.reserved[i] as number))
      }
      // Where the line of the reserved bytes or the peak's mark touches the area no pixel tells one from the other.
      const peak = x0 + (Number((t.time[model.figures.peakActiveEvent] ?? first) - from) / Number(to - from)) * (x1 - x0)
      if (Math.abs(yOf(reserved) - yOf(highest)) < 16 || Math.abs(x - peak) < 16) continue
      const top = topOf(png, x, Math.round(yOf(highest)) + 40, d.plot, ground)
      expect([x, top, Math.abs(top - yOf(highest)) <= 1, yOf(highest)]).toEqual([x, top, true, yOf(highest)])
      // The same look at a total that is three rows off: this test can fail.
      const wrong = highest - (3 * max) / (y1 - y0)
      expect(Math.abs(topOf(png, x, Math.round(yOf(wrong)) + 40, d.plot, ground) - yOf(wrong))).toBeGreaterThan(1)
      checked++
      if (top !== before) moved++
      before = top
    }
    expect(checked).toBe(50)
    // A picture of one level alone would prove little.
    expect(moved).toBeGreaterThan(5)
  })
})
