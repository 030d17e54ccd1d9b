import { describe, expect, it } from 'vitest'
import { isReadable, type CatalogFile } from '../shared/catalog'
import { withParts } from './parts'

const file = (path: string, more: Partial<CatalogFile> = {}): CatalogFile => ({
  id: path,
  path,
  kind: 'explorer-parquet',
  bytes: 10,
  state: 'complete',
  rank: null,
  rankFromName: false,
  mtimeMs: 0,
  facts: {},
  ...more,
})

describe('files that are read together', () => {
  it('are the tables of one folder, the events in front; one stands for all', () => {
    const files = [
      file('x/CpuUsage.parquet'),
      file('x/SystemProfileEvents_1.parquet'),
      file('x/SystemProfileEvents_0.parquet'),
      file('x/trace.json', { kind: 'chrome-trace' }),
      file('y/CpuUsage.parquet'),
      file('x/HostMemUsage.parquet', { state: 'empty' }),
    ]
    const out = withParts(files)
    expect(out.map(f => [f.path, f.parts ?? null, f.partOf ?? null])).toEqual([
      ['x/CpuUsage.parquet', null, 'x/SystemProfileEvents_0.parquet'],
      ['x/SystemProfileEvents_1.parquet', null, 'x/SystemProfileEvents_0.parquet'],
      [
        'x/SystemProfileEvents_0.parquet',
        ['x/SystemProfileEvents_0.parquet', 'x/SystemProfileEvents_1.parquet', 'x/CpuUsage.parquet'],
        null,
      ],
      ['x/trace.json', null, null],
      ['y/CpuUsage.parquet', null, null],
      ['x/HostMemUsage.parquet', null, null],
    ])
    expect(out.filter(isReadable).map(f => f.path)).toEqual(['x/SystemProfileEvents_0.parquet', 'x/trace.json', 'y/CpuUsage.parquet'])
  })

  it('leaves a session without exports as it is', () => {
    const files = [file('trace.json', { kind: 'chrome-trace' }), file('a.parquet')]
    expect(withParts(files)).toBe(files)
  })
})
