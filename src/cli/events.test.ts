import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeSample } from '../session/sample/write'
import type { GapsDocument } from './gaps'
import { run } from './run'
import type { SearchDocument } from './search'

interface Event {
  readonly ph: string
  readonly name: string
  readonly cat?: string
  readonly ts: number
  readonly dur?: number
  readonly pid: number | string
  readonly tid: number | string
  readonly args?: object
}

let dir = ''
let events: readonly Event[] = []
beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'nw-events-')))
  const files = await writeSample(dir, { ranks: 1, steps: 1, seed: 4 })
  const trace = files.find(f => f.path.endsWith('trace.json'))?.path ?? ''
  events = (JSON.parse(await readFile(join(dir, trace), 'utf8')) as { readonly traceEvents: readonly Event[] }).traceEvents.filter(e =>
    ['X', 'i'].includes(e.ph),
  )
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function cli(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let out = ''
  let err = ''
  const code = await run(argv, { cwd: dir, out: t => void (out += t), err: t => void (err += t), progress: false })
  return { code, out, err }
}
const json = async <T>(...argv: readonly string[]): Promise<T> => JSON.parse((await cli(...argv, '--json')).out) as T

describe('search', () => {
  const search = (...argv: readonly string[]): Promise<SearchDocument> => json('search', dir, ...argv)
  const inTrace = (d: SearchDocument): number => d.tracks.filter(t => t.file.endsWith('trace.json')).reduce((n, t) => n + t.hits, 0)

  it('counts what a plain look at the file counts: names, args, enclosing Python functions', async () => {
    const names = await search('aten::mm', '--in', 'names')
    expect(inTrace(names)).toBe(events.filter(e => e.name.includes('aten::mm')).length)
    expect(names.total).toBe(names.tracks.reduce((n, t) => n + t.hits, 0))
    expect(names.hits.every(h => h.where === 'name' && /aten::mm/i.test(h.text) && h.id.includes('trace.json:'))).toBe(true)
    const args = await search('"Sequence number": ?1[0-9]', '--regex', '--case', '--in', 'args')
    expect(inTrace(args)).toBe(events.filter(e => e.args && /"Sequence number": ?1[0-9]/.test(JSON.stringify(e.args))).length)
    const frames = events.filter(e => e.cat === 'python_function' && e.name.includes('loader.py') && e.dur !== undefined)
    const within = (e: Event): boolean =>
      frames.some(f => f.pid === e.pid && f.tid === e.tid && f.ts <= e.ts && e.ts + (e.dur ?? 0) <= f.ts + (f.dur ?? 0))
    const stacks = await search('loader.py', '--in', 'stacks')
    expect([stacks.total > frames.length, inTrace(stacks)]).toEqual([true, events.filter(within).length])
  })

  it('lists as many as asked, in order, and tells what people read', async () => {
    const all = await search('e', '--in', 'names', '--limit', '100000')
    expect(all.hits).toHaveLength(all.total)
    const starts = all.hits.map(h => BigInt(h.startNs ?? 0))
    expect(starts.every((s, i) => i === 0 || s >= starts[i - 1])).toBe(true)
    const some = await search('e', '--in', 'names', '--limit', '3')
    expect([some.total, some.hits]).toEqual([all.total, all.hits.slice(0, 3)])
    const { code, out } = await cli('search', dir, 'e', '--limit', '3')
    expect([code, out.split('\n')[0], out.includes('more are not listed')]).toEqual([
      0,
      expect.stringMatching(/^[\d,]+ hits for "e" in names, args, stacks$/),
      true,
    ])
  })

  it('refuses what is no expression, no field, no text; an expression that would run forever ends', async () => {
    for (const wrong of [
      ['search', dir],
      ['search', dir, ''],
      ['search', dir, 'a', 'b'],
      ['search', dir, 'a', '--in', 'x'],
      ['search', dir, 'a', '--limit', '-1'],
      ['search', dir, '(', '--regex'],
      ['search', dir, '(?=a)', '--regex'],
    ])
      expect((await cli(...wrong)).code).toBe(2)
    // A wrong expression is one line; its help would say nothing about it.
    expect((await cli('search', dir, '(', '--regex')).err.trimEnd().split('\n')).toHaveLength(1)
    expect((await search('(a+)+$', '--regex', '--in', 'args')).total).toBe(0)
    expect((await cli('search', join(dir, 'gone'), 'a')).code).toBe(1)
  })
})

describe('gaps', () => {
  it('are those between the slices of each core as the hardware lists them', async () => {
    const d = await json<GapsDocument>('gaps', dir)
    const running = await json<SearchDocument>('search', dir, '^nc_exec_running$', '--regex', '--in', 'names', '--limit', '100000')
    expect(d.cores.length).toBeGreaterThan(1)
    for (const c of d.cores) {
      const slices = running.hits
        .filter(h => h.track.endsWith(`/neuron_hw/${c.core}`) && h.durNs !== null)
        .map(h => [BigInt(h.startNs ?? 0), BigInt(h.startNs ?? 0) + BigInt(h.durNs ?? 0)] as const)
      let until = slices[0][0]
      let idle = 0n
      let gaps = 0
      for (const [a, b] of slices) {
        if (a > until) {
          idle += a - until
          gaps++
        }
        if (b > until) until = b
      }
      expect([c.core, c.gaps, c.idleNs, c.knownNs, c.fromNs, c.toNs]).toEqual([
        c.core,
        gaps,
        Number(idle),
        Number(until - slices[0][0]),
        String(slices[0][0]),
        String(until),
      ])
      expect(c.busyNs + c.idleNs).toBe(c.knownNs)
    }
    expect(d.gaps.map(g => g.lengthNs)).toEqual(d.gaps.map(g => g.lengthNs).sort((a, b) => b - a))
    for (const g of d.gaps) for (const h of g.host) expect(h.ns).toBeLessThanOrEqual(g.lengthNs)
    expect(d.gaps.some(g => g.host.length > 0)).toBe(true)
    const long = await json<GapsDocument>('gaps', dir, '--min', String(d.gaps[2].lengthNs))
    expect(long.gaps.every(g => g.lengthNs >= d.gaps[2].lengthNs)).toBe(true)
    expect(long.cores.map(c => c.idleNs)).toEqual(d.cores.map(c => c.idleNs))
    const { code, out } = await cli('gaps', dir)
    expect([code, out.split('\n')[0]]).toEqual([0, expect.stringMatching(/^core +idle +of known/)])
  })

  it('say why there are none, and refuse what is no length', async () => {
    const trace = events.length > 0 ? join(dir, (await json<SearchDocument>('search', dir, 'aten', '--limit', '1')).tracks[0].file) : ''
    const d = await json<GapsDocument>('gaps', trace)
    expect([d.gaps, d.reasons.map(r => r.reason)]).toEqual([[], [expect.stringContaining('no trace of the runtime')]])
    expect((await cli('gaps', dir, '--min', '1ms')).code).toBe(2)
  })
})
