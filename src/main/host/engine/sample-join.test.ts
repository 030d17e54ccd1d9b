import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTable } from '../../../formats/readers'
import { fileSource } from '../../../formats/source'
import { writeSample } from '../../../session/sample/write'
import type { Frame } from '../../../shared/api'
import type { HbmFrame } from '../../../shared/hbm-api'
import { prepare, type Prepared } from '../prepared'
import { Engine } from './engine'

// The sample as a user opens it: runtime trace and snapshot of one session, joined by the trace ids that both have.
let dir = ''
let engine: Engine
let snapshot: Extract<Prepared, { kind: 'memory-snapshot' }>

beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'nw-join-')))
  engine = new Engine({ session: 's', version: 0, nextId: 0 }, { readArgs: () => Promise.resolve('{}') })
  for (const f of await writeSample(dir, { ranks: 1, steps: 2, seed: 11 })) {
    const kind = f.path.endsWith('.pickle') ? 'memory-snapshot' : f.path.endsWith('ntrace.pb') ? 'ntrace' : null
    if (!kind) continue
    const path = join(dir, f.path)
    const source = await fileSource(path, f.path)
    const { table } = await readTable(kind, source)
    await source.close()
    if (!table) throw new Error(`${f.path} gave no table`)
    const prepared = prepare(table, f.path)
    if (prepared.kind === 'memory-snapshot') snapshot = prepared
    const at = { path, dev: '0', ino: '0' }
    engine.setFile(
      { id: f.path, path: f.path, abs: path, at, kind: table.kind, rank: 0, rankFromName: true, pid: '1', stamp: { bytes: 1, mtimeMs: 1 } },
      prepared,
      [],
    )
  }
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const text = (frames: readonly (Frame | HbmFrame)[]): readonly string[] => frames.map(f => `${f.name} ${f.file}:${f.line}`)

describe('device memory of the sample', () => {
  it('is linked by trace id, and every linked allocation has the stack that the PyTorch Allocator shows', () => {
    const [hbm] = engine.view.hbm ?? []
    if (!hbm) throw new Error('no device memory')
    const end = hbm.timeRange?.[1] as number
    const rows = []
    for (let offset = 0; ; offset += 500) {
      const page = engine.hbmLive({
        session: 's',
        hbm: hbm.id,
        at: end,
        sort: 'address',
        descending: false,
        filter: '',
        offset,
        limit: 500,
      })
      rows.push(...page.rows)
      if (offset + 500 >= page.passed) break
    }
    const linked = rows.filter(r => r.link)
    expect(linked.length).toBe(hbm.join?.matched)
    expect(linked.length).toBeGreaterThan(50)
    const [model] = snapshot.models
    const [allocator] = engine.view.allocators
    for (const row of linked) {
      const details = engine.hbmAllocation({ session: 's', hbm: hbm.id, allocation: row.allocation })
      expect(row.link).toMatchObject({ how: 'id', kind: 'segment', bytes: row.size })
      // The allocation that the segment was taken for is the next event of the history.
      const first = model?.allocEvent.indexOf((row.link?.event as number) + 1) as number
      expect(first).toBeGreaterThanOrEqual(0)
      const shown = engine.allocation({ session: 's', allocator: allocator?.id as number, allocation: first })
      expect(shown.address).toBe(row.link?.address)
      expect(details.frames.length).toBeGreaterThan(0)
      expect(text(details.frames)).toEqual(text(shown.frames))
      // And the other way round: it leads to this runtime allocation.
      expect(shown.runtime?.map(r => r.allocation)).toContain(row.allocation)
    }
  })
})
