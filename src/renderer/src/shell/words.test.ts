import { describe, expect, it } from 'vitest'
import type { SessionView, SourceInfo, TimeGroup } from '../../../shared/api'
import type { CatalogFile, CatalogSession } from '../../../shared/catalog'
import { FILE_KINDS } from '../../../shared/catalog'
import { amountText, clockText, dayText, fileName, findings, KIND, KIND_ORDER, rangeText, ranksText, sessionName, splitName } from './words'

const plain = (s: string): string => s.replaceAll('\u00a0', ' ')

describe('the visible range', () => {
  it('reads as in the design', () => {
    expect(rangeText({ start: 612e6, end: 1436e6 }).map(plain)).toEqual(['612.0 – 1,436.0 ms', '824.000 ms'])
  })
  it('tells both ends apart in short windows, and never says -0', () => {
    expect(plain(rangeText({ start: 1_000_000, end: 1_000_250 })[0])).toBe('1.000000 – 1.000250 ms')
    expect(plain(rangeText({ start: 5e6, end: 5.02e6 })[0])).toBe('5.000 – 5.020 ms')
    expect(plain(rangeText({ start: -10, end: 2e9 })[0])).toBe('0.0 – 2,000.0 ms')
    expect(plain(rangeText({ start: -2e8, end: 2e9 })[0])).toBe('-200.0 – 2,000.0 ms')
  })
})

it('names ranks', () => {
  expect(ranksText([])).toBe('')
  expect(ranksText([3])).toBe('rank 3')
  expect(ranksText([0, 1])).toBe('ranks 0, 1')
})

it('has an icon, a word and a place for every kind', () => {
  expect(Object.keys(KIND).sort()).toEqual([...FILE_KINDS].sort())
  expect([...KIND_ORDER].sort()).toEqual([...FILE_KINDS].sort())
})

describe('names in the tree', () => {
  const session = (dir: string, timestamp: string | null): CatalogSession => ({ dir, timestamp }) as CatalogSession
  it('takes the timestamp, the folder, then the root', () => {
    expect(sessionName(session('a/2026', '2026'), 'root')).toBe('2026')
    expect(sessionName(session('a/i-1_pid_2', null), 'root')).toBe('i-1_pid_2')
    expect(sessionName(session('.', null), 'root')).toBe('root')
  })
  it('keeps the end of a long name', () => {
    expect(splitName('memory_snapshot_rank0.pickle')).toEqual(['memory_snapshot', '_rank0.pickle'])
    expect(splitName('trace.json')).toEqual(['trace.json', ''])
  })
  it('shows a file below its session', () => {
    const f = (path: string): CatalogFile => ({ path }) as CatalogFile
    expect(fileName(f('a/s/x.json'), session('a/s', null))).toBe('x.json')
    expect(fileName(f('a/s/sub/x.json'), session('a/s', null))).toBe('sub/x.json')
    expect(fileName(f('x.json'), session('.', null))).toBe('x.json')
    expect(fileName(f('other/x.json'), session('a/s', null))).toBe('x.json')
  })
})

it('says when a folder was opened', () => {
  const now = new Date(2026, 10, 30, 0, 30).getTime()
  expect(dayText(now - 60_000, now)).toBe('today')
  expect(dayText(now - 3_600_000, now)).toBe('yesterday')
  expect(dayText(new Date(2026, 10, 26, 23).getTime(), now)).toBe('26 Nov')
  expect(dayText(new Date(2025, 10, 26, 23).getTime(), now)).toBe('26 Nov 2025')
})

describe('the status bar', () => {
  const source = (index: number, kind: SourceInfo['kind'], events: number): SourceInfo => ({ index, kind, events }) as SourceInfo
  const group = (id: number, sources: readonly number[], calibrated = true): TimeGroup =>
    ({ id, sources, calibrated }) as unknown as TimeGroup
  const view = (groups: readonly TimeGroup[], sources: readonly SourceInfo[], allocations: readonly number[] = []): SessionView =>
    ({ groups, sources, allocators: allocations.map(n => ({ allocations: n })) }) as unknown as SessionView
  const both = [source(0, 'chrome-trace', 182415), source(1, 'memory-snapshot', 9)]

  it('tells what shares a clock, and what does not', () => {
    expect(clockText(view([group(0, [0, 1])], both))).toBe('trace and snapshot on one axis')
    expect(clockText(view([group(0, [0])], [both[0]]))).toBe('trace on Unix time')
    expect(clockText(view([group(0, [0], false)], [both[0]]))).toBe('trace on its own clock')
    expect(clockText(view([group(0, [0]), group(1, [1])], both))).toBe("2 ranges that don't overlap, not aligned")
    expect(clockText(view([], []))).toBeNull()
  })
  it('counts trace events and allocations, and says nothing about what was not read', () => {
    expect(amountText(view([], both, [20000, 318]))).toBe('182,415 events, 20,318 allocations')
    expect(amountText(view([], [both[1]], [1]))).toBe('1 allocation')
    expect(amountText(view([], []))).toBe('')
  })
})

it('puts the worst finding on the badge', () => {
  const d = (severity: 'error' | 'warning' | 'info') => ({
    severity,
    code: '',
    file: '',
    offset: null,
    message: '',
    meaning: '',
    action: '',
    count: 1,
  })
  expect(findings([])).toBeNull()
  expect(findings([d('info'), d('info')])).toEqual({ severity: 'info', text: '2 notes' })
  expect(findings([d('info'), d('warning'), d('error')])).toEqual({ severity: 'error', text: '1 error' })
})
