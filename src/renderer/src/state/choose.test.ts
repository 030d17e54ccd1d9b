import { describe, expect, it } from 'vitest'
import type { AllocatorInfo, SessionView, SourceInfo, TimeGroup } from '../../../shared/api'
import type { CatalogFile, CatalogSession, FileKind } from '../../../shared/catalog'
import { byTime, chooseAllocator, chooseGroup, namedTime, newestSession, sameAllocator, sameGroup } from './choose'

const file = (kind: FileKind, bytes = 10, mtimeMs = 0): CatalogFile => ({
  id: kind,
  path: kind,
  kind,
  bytes,
  state: 'complete',
  rank: null,
  rankFromName: false,
  mtimeMs,
  facts: {},
})
const session = (id: string, timestamp: string | null, files: readonly CatalogFile[], ranks: readonly number[] = []): CatalogSession => ({
  id,
  instanceId: null,
  pid: null,
  timestamp,
  dir: id,
  modes: [],
  ranks,
  files,
  pairs: [],
  checks: [],
})
const source = (index: number, kind: SourceInfo['kind'], group: number | null, events = 1): SourceInfo => ({
  index,
  file: `file${index}`,
  path: `path${index}`,
  kind,
  group,
  clock: '',
  rank: null,
  complete: true,
  events,
})
const group = (id: number, sources: readonly number[], durationNs = 100): TimeGroup => ({
  id,
  originNs: 0n,
  durationNs,
  calibrated: true,
  sources,
  label: String(id),
})
const allocator = (id: number, g: number | null, events: number, path = 'a', device = 0): AllocatorInfo =>
  ({ id, group: g, events, path, device }) as AllocatorInfo
const view = (groups: readonly TimeGroup[], sources: readonly SourceInfo[], allocators: readonly AllocatorInfo[] = []): SessionView => ({
  session: 's',
  version: 1,
  groups,
  sources,
  tracks: [],
  steps: [],
  allocators,
  jobs: [],
  diagnostics: [],
  notice: null,
})

describe('the session that opens by itself', () => {
  it('is the newest by the folder name, whatever the order of the list', () => {
    const old = session('old', '2026_11_30_13_58_44', [file('chrome-trace', 10, 999)])
    const young = session('young', '2026_11_30_14_22_07', [file('chrome-trace', 10, 1)])
    expect(newestSession([old, young])?.id).toBe('young')
    expect(newestSession([young, old])?.id).toBe('young')
  })
  it('has something to draw if any session has', () => {
    const drawn = session('drawn', '2026_01_01_00_00_00', [file('memory-snapshot')])
    const empty = session('empty', '2026_12_31_00_00_00', [file('chrome-trace', 0), file('ntrace')])
    expect(newestSession([empty, drawn])?.id).toBe('drawn')
    expect(newestSession([empty])?.id).toBe('empty')
    expect(newestSession([])).toBeNull()
  })
  it('is the lowest rank of those recorded at the same time', () => {
    const at = '2026_11_30_14_22_07'
    const one = session('a', at, [file('chrome-trace')], [1])
    const zero = session('b', at, [file('chrome-trace')], [0])
    expect(newestSession([one, zero])?.id).toBe('b')
  })
  it('is the lowest rank of the newest run, though another process began a moment later', () => {
    const zero = session('a', '1793628127000000000', [file('chrome-trace')], [0])
    const one = session('b', '1793628127001417000', [file('chrome-trace')], [1])
    const later = session('c', '1793628227001417000', [file('chrome-trace')], [2])
    expect(newestSession([one, zero])?.id).toBe('a')
    expect(newestSession([one, zero, later])?.id).toBe('c')
  })
  it('goes by the last change of a file where the folder tells no time', () => {
    const a = session('a', null, [file('chrome-trace', 10, 5), file('ntrace', 1, 70)])
    const b = session('b', null, [file('chrome-trace', 10, 60)])
    const named = session('c', '1970_01_01_00_00_01', [file('chrome-trace', 10, 1)])
    expect([b, a, named].sort(byTime).map(s => s.id)).toEqual(['c', 'a', 'b'])
  })
})

describe('the time in a folder name', () => {
  it('is read as s, ms, µs, ns or a date', () => {
    expect(namedTime('1793628127')).toBe(1793628127000)
    expect(namedTime('1793628127000')).toBe(1793628127000)
    expect(namedTime('1793628127000000')).toBe(1793628127000)
    expect(namedTime('1793628127000000000')).toBe(1793628127000)
    expect(namedTime('2026_11_30_14_22_07')).toBe(Date.UTC(2026, 10, 30, 14, 22, 7))
    expect(namedTime('2026-11-30')).toBe(Date.UTC(2026, 10, 30))
    expect(namedTime('latest')).toBeNull()
    expect(namedTime(null)).toBeNull()
  })
})

describe('the time group that is shown first', () => {
  it('holds a trace and a snapshot rather than only the larger trace', () => {
    const v = view(
      [group(0, [0], 1e12), group(1, [1, 2], 100)],
      [source(0, 'chrome-trace', 0, 1e6), source(1, 'chrome-trace', 1, 10), source(2, 'memory-snapshot', 1, 10)],
    )
    expect(chooseGroup(v)?.id).toBe(1)
  })
  it('has the most events, then the longest range, of those with the same kinds', () => {
    const sources = [source(0, 'chrome-trace', 0, 5), source(1, 'chrome-trace', 1, 9)]
    expect(chooseGroup(view([group(0, [0], 1e9), group(1, [1], 1)], sources))?.id).toBe(1)
    const same = [source(0, 'chrome-trace', 0, 5), source(1, 'chrome-trace', 1, 5)]
    expect(chooseGroup(view([group(0, [0], 1), group(1, [1], 2)], same))?.id).toBe(1)
  })
  it('is none while nothing has times', () => expect(chooseGroup(view([], [source(0, 'memory-snapshot', null)]))).toBeNull())
})

describe('the allocator that is shown first', () => {
  it('lies in the group and has events', () => {
    const v = view([], [], [allocator(0, 9, 100), allocator(1, 2, 0), allocator(2, 2, 7)])
    expect(chooseAllocator(v, 2)?.id).toBe(2)
    expect(chooseAllocator(v, null)?.id).toBe(0)
    expect(chooseAllocator(view([], []), null)).toBeNull()
  })
  it('takes one without a group where no group is shown', () => {
    expect(chooseAllocator(view([], [], [allocator(3, null, 4)]), null)?.id).toBe(3)
  })
})

describe('what goes on when a view grows', () => {
  it('the group that holds the same file, though its id changed', () => {
    const prev = view([group(0, [0])], [source(0, 'memory-snapshot', 0)])
    const next = view(
      [group(0, [0]), group(1, [1])],
      [
        { ...source(0, 'chrome-trace', 0), file: 'new' },
        { ...source(1, 'memory-snapshot', 1), file: 'file0' },
      ],
    )
    expect(sameGroup(prev, 0, next)?.id).toBe(1)
    expect(sameGroup(prev, 7, next)).toBeNull()
  })
  it('the same device of the same file', () => {
    const prev = view([], [], [allocator(0, null, 1, 'x', 1)])
    const next = view([], [], [allocator(0, null, 1, 'x', 0), allocator(1, null, 1, 'x', 1)])
    expect(sameAllocator(prev, 0, next)?.id).toBe(1)
    expect(sameAllocator(prev, 5, next)).toBeNull()
  })
})
