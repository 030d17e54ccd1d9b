import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SourceInfo } from '../../../shared/api'
import { AXIS, AXIS_MIRROR } from '../../axis'
import * as metrics from '../metrics'
import { layout, rowsOf, track } from '../testing'
import { HOST_CORES_KEY, HOST_KEY, layoutRows, rowAt, rowsBetween, shortNote } from '.'

export const source = (index: number, more: Partial<SourceInfo> = {}): SourceInfo => ({
  index,
  file: `f${index}`,
  path: `a/trace${index}.json`,
  kind: 'chrome-trace',
  group: 0,
  clock: '',
  rank: index,
  complete: true,
  events: 1,
  range: [0, 900],
  ...more,
})

describe('metrics', () => {
  it('repeats tokens.css', () => {
    const css = readFileSync(new URL('../../../renderer/tokens.css', import.meta.url), 'utf8')
    const px = (name: string): number => Number(new RegExp(`${name}:\\s*(\\d+)px`).exec(css)?.[1])
    expect([metrics.SLICE, metrics.BAR, metrics.PAD, metrics.GROUP, metrics.COUNTER]).toEqual(
      ['--track-slice', '--track-bar', '--track-pad', '--track-group', '--track-lane'].map(px),
    )
    expect([metrics.NAVIGATOR, AXIS, metrics.STEPS, AXIS_MIRROR, metrics.LABEL_MIN]).toEqual(
      ['--h-navigator', '--h-axis', '--h-steps', '--h-axis-mirror', '--label-min'].map(px),
    )
    expect(metrics.trackHeight(1)).toBe(px('--track-single'))
  })
})

describe('rows', () => {
  const tracks = [track(1, { depth: 4 }), track(2), track(3, { pid: '11', kind: 'counter', name: 'mem' }), track(4, { pid: '11' })]

  it('puts a head before each process and stacks the rows without gaps', () => {
    const { rows, height, shown, tracks: n } = rowsOf(tracks)
    expect(rows.map(r => r.type)).toEqual(['group', 'track', 'track', 'group', 'track', 'track'])
    expect(rows.map(r => r.h)).toEqual([22, 66, 21, 22, 28, 21])
    rows.forEach((r, i) => expect(r.y).toBe(rows.slice(0, i).reduce((s, q) => s + q.h, 0)))
    expect(height).toBe(180)
    expect([n, shown]).toEqual([4, 4])
  })

  it('folds a process away and keeps a slice track as its preview', () => {
    const { key } = rowsOf(tracks).rows[3]
    const { rows, shown, byTrack } = rowsOf(tracks, { layout: layout({ collapsed: [key] }) })
    const head = rows[3]
    expect(head).toMatchObject({ type: 'group', open: false, side: '2 tracks', preview: { id: 4 } })
    expect(rows).toHaveLength(4)
    expect(shown).toBe(2)
    expect(byTrack.has(4)).toBe(false)
  })

  it('keeps processes of two sources apart and says which file each is from', () => {
    const two = [track(1, { source: 0 }), track(2, { source: 1 })]
    const { rows } = rowsOf(two, { sources: [source(0), source(1)], session: 'S' })
    expect(rows.filter(r => r.type === 'group')).toMatchObject([
      { side: 'trace0.json', sub: 'rank 0 · python' },
      { side: 'trace1.json', sub: 'rank 1 · python' },
    ])
  })

  it('knows a track only up to the end of a truncated file', () => {
    const { byTrack } = rowsOf([track(1, { source: 0 }), track(2, { source: 1 }), track(3, { source: 2 })], {
      sources: [source(0), source(1, { complete: false }), source(2, { complete: false, range: null })],
    })
    expect([1, 2, 3].map(i => byTrack.get(i)?.knownUntil)).toEqual([null, 900, null])
  })

  it("puts the runtime's tracks into the process of the framework's trace, by origin, and the host's samples last, its cores closed", () => {
    const host = { source: 2, pid: '', kind: 'counter', role: 'counter', origin: 'host' } as const
    const all = [
      track(1, { ...host, tid: 'average', name: 'CPU average' }),
      track(2, { ...host, tid: '3', name: 'CPU:3' }),
      track(3, { source: 1, pid: '77', role: 'core', origin: 'neuron_hw', name: 'NC0:4', knownFrom: 120 }),
      track(4, { source: 1, pid: '77', role: 'core', origin: 'neuron_rt', name: 'NC:0' }),
      track(5, { source: 0, pid: '77', name: 'TID:1' }),
    ]
    const sources = [source(0), source(1, { kind: 'system' }), source(2, { kind: 'cpu' })]
    const { rows, byTrack } = rowsOf(all, { sources, session: 'S', layout: layout({ expanded: [HOST_CORES_KEY] }) })
    expect(rows.map(r => (r.type === 'group' ? r.title : r.type === 'track' ? `${r.prefix} ${r.label}`.trim() : ''))).toEqual([
      'PID:77',
      'framework TID:1',
      'neuron_rt NC:0',
      'neuron_hw NC0:4',
      'Host',
      'CPU average',
      'Host CPU by core',
      'CPU:3',
    ])
    expect([3, 4].map(i => byTrack.get(i)?.knownFrom)).toEqual([120, null])
    expect(rowsOf(all, { sources }).byKey.get(HOST_CORES_KEY)).toMatchObject({ open: false, side: '1 track' })
    expect(rowsOf(all, { sources, layout: layout({ collapsed: [HOST_KEY] }) }).byKey.get(HOST_KEY)).toMatchObject({ open: false })
    // Two traces that both name the process: the runtime's events are not given to either.
    const twice = rowsOf([...all, track(6, { source: 3, pid: '77' })], { sources: [...sources, source(3)] })
    expect(twice.rows.filter(r => r.type === 'group')).toHaveLength(5)
  })

  it('leaves out of a note what the name says', () => {
    const note = (name: string, note: string): string => shortNote({ name, note })
    expect(note('TID:41872', 'thread 41872 (python)')).toBe('python')
    expect(note('Stream:7', 'stream 7')).toBe('')
    expect(note('TID:1', 'pt_autograd_0')).toBe('pt_autograd_0')
  })

  it('has no instance row without tracks', () => {
    expect(layoutRows({ tracks: [], sources: [], layout: layout(), instance: 'i-1', session: null, notes: [] }).rows).toEqual([])
  })

  it('finds the row at a place as a walk over all rows does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 30 }),
        fc.integer({ min: -20, max: 1200 }),
        fc.integer({ min: 1, max: 300 }),
        (depths, y, h) => {
          const { rows } = rowsOf(depths.map((depth, i) => track(i, { depth, pid: String(i % 3) })))
          expect(rowAt(rows, y)).toBe(rows.findIndex(r => y >= r.y && y < r.y + r.h))
          expect(rowsBetween(rows, y, h)).toEqual(rows.filter(r => r.y < y + h && r.y + r.h > Math.max(0, y)))
        },
      ),
    )
  })
})
