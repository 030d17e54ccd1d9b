/** A reader with a defect: it throws. The other files must be shown all the same. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type * as Reader from '../formats/memory-snapshot/read'
import { pickleDumps } from '../formats/pickle/write'
import type { ByteSource, ReadOptions } from '../shared/reader'
import { run } from './run'

vi.mock('../formats/memory-snapshot/read', async original => {
  const real = await original<typeof Reader>()
  return {
    ...real,
    readSnapshot: (source: ByteSource, opts?: ReadOptions) => {
      if (source.name.includes('broken')) throw new TypeError(`no such row\u001b[31m`)
      return real.readSnapshot(source, opts)
    },
  }
})

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-failed-'))
  await mkdir(join(dir, 's'))
  const data = pickleDumps({ segments: [], device_traces: [[{ action: 'alloc', addr: 1, size: 512, stream: 0, time_us: 5, frames: [] }]] })
  await writeFile(join(dir, 's/a_broken_snapshot.pickle'), data)
  await writeFile(join(dir, 's/b_whole_snapshot.pickle'), data)
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const call = async (...argv: readonly string[]) => {
  let out = ''
  let err = ''
  const code = await run(argv, { cwd: dir, out: t => (out += t), err: t => (err += t), progress: false })
  return { code, out, err }
}
const FAILED = { severity: 'error', code: 'reader-failed', file: 's/a_broken_snapshot.pickle' }

describe('a reader that throws', () => {
  it('inspect tells it for that file and shows the others', async () => {
    const { code, out, err } = await call('inspect', '.', '--json')
    expect([code, err]).toEqual([0, ''])
    const doc = JSON.parse(out) as { sessions: { files: { state: string }[] }[]; diagnostics: { code: string; action: string }[] }
    expect(doc.sessions[0]?.files.map(f => f.state)).toEqual(['unreadable', 'complete'])
    expect(doc.diagnostics.filter(d => d.code === 'reader-failed')).toMatchObject([FAILED])
    expect(doc.diagnostics.find(d => d.code === 'reader-failed')?.action).toContain('report')
  })
  it('at goes on with the others', async () => {
    const { code, out } = await call('at', '.', '--time', '6000', '--json')
    expect(code).toBe(0)
    const doc = JSON.parse(out) as { memory: object[]; diagnostics: object[] }
    expect(doc.memory).toMatchObject([{ activeBytes: 512 }])
    expect(doc.diagnostics).toContainEqual(expect.objectContaining(FAILED))
  })
  it('nothing that it says reaches the terminal as a control character', async () => {
    const { code, err } = await call('snapshot', 's/a_broken_snapshot.pickle')
    expect(code).toBe(1)
    expect(err).toContain('no such row\\u001b[31m')
    expect(err).not.toContain('\u001b')
  })
})
