import { describe, expect, it } from 'vitest'
import type { AllocatorInfo, Frame, SessionView } from '../../../shared/api'
import type { CatalogFile, CatalogSession } from '../../../shared/catalog'
import { gap } from './AllocatorView'
import { deviceChoices, rankChoices, sameRun } from './choices'
import { fold, shortFile, stackText } from './frames'
import { lifeWords } from './life'
import { rangeText } from '../../../paint/sheet/gather'
import { fileName } from '../export/prepare'

const NBSP = '\u00a0'

const file = (path: string, rank: number): CatalogFile => ({
  id: path,
  path,
  kind: 'memory-snapshot',
  bytes: 1,
  state: 'complete',
  rank,
  rankFromName: true,
  mtimeMs: 0,
  facts: {},
})
const session = (id: string, pid: number, timestamp: string | null, ranks: readonly number[]): CatalogSession => ({
  id,
  instanceId: 'i',
  pid,
  timestamp,
  dir: id,
  modes: [],
  ranks,
  files: ranks.map(r => file(`${id}/snapshot_rank${r}.pickle`, r)),
  pairs: [],
  checks: [],
})
const allocator = (id: number, source: number, rank: number, device: number, path: string): AllocatorInfo =>
  ({ id, source, rank, device, path }) as unknown as AllocatorInfo
const view = (allocators: readonly AllocatorInfo[]): SessionView => ({ session: 'a', allocators }) as unknown as SessionView

describe('rankChoices', () => {
  const open = session('a', 1, '2026_11_30_14_22_07', [0])
  it('offers the snapshots of the session once each, and the other processes of the run', () => {
    const v = view([allocator(0, 4, 0, 0, 'x/snap_rank0.pickle'), allocator(1, 4, 0, 1, 'x/snap_rank0.pickle')])
    const list = rankChoices(v, [open, session('b', 2, '2026_11_30_14_22_07', [1]), session('c', 3, '2026_11_30_18_00_00', [2])])
    expect(list.map(c => [c.value, c.label])).toEqual([
      ['source:4', '0'],
      ['session:b', '1 · pid 2'],
    ])
    expect(deviceChoices(v, 4).map(a => a.device)).toEqual([0, 1])
  })

  it('tells two snapshots of one rank apart by their file', () => {
    const v = view([allocator(0, 1, 0, 0, 'x/first.pickle'), allocator(1, 2, 0, 0, 'x/second.pickle')])
    expect(rankChoices(v, [open]).map(c => c.label)).toEqual(['0 · first.pickle', '0 · second.pickle'])
  })

  it('says when another process started at another second', () => {
    const v = view([allocator(0, 1, 0, 0, 'x')])
    expect(rankChoices(v, [open, session('b', 2, '2026_11_30_14_22_09', [1])]).map(c => c.label)).toEqual([
      '0',
      '1 · pid 2 · 2026_11_30_14_22_09',
    ])
  })

  it('takes only other processes near in time for the same run', () => {
    expect(sameRun(open, session('b', 2, '2026_11_30_14_23_06', [1]))).toBe(true)
    expect(sameRun(open, session('b', 2, '2026_11_30_14_23_08', [1]))).toBe(false)
    expect(sameRun(open, session('b', 1, '2026_11_30_14_22_07', [1]))).toBe(false)
    expect(sameRun(open, session('b', 2, null, [1]))).toBe(false)
    const unix = session('a', 1, '1793628127000000000', [0])
    expect(sameRun(unix, session('b', 2, '1793628127001417000', [1]))).toBe(true)
    expect(sameRun(unix, session('b', 2, '1793628227000000000', [1]))).toBe(false)
  })
})

const f = (name: string, library: boolean, line = 3): Frame => ({ name, file: `/home/u/model/${name}.py`, line, library })

describe('frames', () => {
  it('folds stretches of library frames', () => {
    const frames = [f('linear', true), f('call', true), f('forward', false), f('call', true), f('main', false)]
    expect(fold(frames).map(p => (p.kind === 'fold' ? p.frames.length : p.frame.name))).toEqual([2, 'forward', 1, 'main'])
  })
  it('shows a stack of library frames only as it is', () => {
    expect(fold([f('a', true), f('b', true)]).map(p => p.kind)).toEqual(['frame', 'frame'])
  })
  it('copies as Python prints it, innermost last', () => {
    expect(stackText([f('inner', false), f('outer', false, -1)])).toBe(
      '  File "/home/u/model/outer.py", line ?, in outer\n  File "/home/u/model/inner.py", line 3, in inner',
    )
    expect([shortFile(f('x', false)), shortFile({ file: '??', line: -1 }), shortFile({ file: '', line: 3 })]).toEqual([
      'model/x.py:3',
      '??',
      '',
    ])
  })
})

describe('lifeWords', () => {
  it('writes a recorded life', () => {
    expect(lifeWords('time', { start: false, from: 686.305e6, to: 760.125e6 })).toEqual({
      range: `686.305 – 760.125${NBSP}ms`,
      lifetime: `73.820${NBSP}ms`,
    })
    expect(lifeWords('event', { start: false, from: 5, to: 6 })).toEqual({ range: 'event 5 – 6', lifetime: '1 event' })
  })
  it('says what was not recorded', () => {
    expect(lifeWords('time', { start: true, from: NaN, to: 5e6 })).toEqual({
      range: `before recording – 5.000${NBSP}ms`,
      lifetime: '—',
    })
    expect(lifeWords('time', { start: false, from: 5e6, to: NaN })).toEqual({ range: `5.000${NBSP}ms – live at end`, lifetime: '—' })
    expect(lifeWords('time', { start: true, from: NaN, to: NaN }, true).range).toBe('before recording – pending at end')
    expect(lifeWords('event', { start: true, from: NaN, to: 4 })).toEqual({ range: 'before recording – event 4', lifetime: '—' })
  })
})

describe('gap', () => {
  it('tells how far snapshot and trace lie apart', () => {
    const at = (origin: bigint, seconds: number) => ({ originNs: origin, durationNs: seconds * 1e9 })
    expect(gap(at(14_200_000_000n, 1), at(0n, 10))).toBe('The snapshot starts 4.2 s after the trace ends.')
    expect(gap(at(0n, 10), at(12_000_000_000n, 1))).toBe('The snapshot ends 2.0 s before the trace starts.')
    expect(gap(at(86_400_000_000_000n * 30n, 1), at(0n, 1))).toBe('The snapshot starts 30.0 days after the trace ends.')
  })
})

describe('export', () => {
  it('names the file by what it shows', () => {
    const w = { start: 612e6, end: 1436e6 }
    expect(fileName('allocator', 0, w)).toBe('allocator_rank0_612-1436ms')
    expect(fileName('allocator', 1, { start: -1, end: 20 }, true)).toBe('allocator_rank1_events0-19')
    expect(fileName('trace', null, w)).toBe('trace_612-1436ms')
    expect(rangeText(w)).toBe(`612.0 – 1,436.0${NBSP}ms (824.000${NBSP}ms)`)
  })
})
