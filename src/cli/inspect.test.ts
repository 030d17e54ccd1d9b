import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { neffFixture } from '../formats/neff/fixture'
import { ntffFixture } from '../formats/ntff/fixture'
import { pickleDumps } from '../formats/pickle/write'
import type { InspectDocument } from './inspect'
import { run } from './run'

const BASE_US = 1_893_456_000_000_000
/** One allocation of `size` bytes that is freed 10 µs later. */
const snapshot = (startUs: number, size = 512): Uint8Array => {
  const entry = (action: string, at: number) => ({ action, addr: 4096, size, stream: 0, time_us: startUs + at, frames: [] })
  return pickleDumps({
    segments: [],
    device_traces: [[entry('alloc', 0), entry('free_requested', 9), entry('free_completed', 10)]],
  })
}
const trace = (rank: number | null): string =>
  JSON.stringify({
    ...(rank === null ? {} : { distributedInfo: { backend: 'nccl', rank, world_size: 8 } }),
    traceEvents: [{ ph: 'X', name: 'a', pid: 1, tid: 1, ts: 1, dur: 2 }],
    baseTimeNanoseconds: BASE_US * 1000,
  })

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-inspect-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))
const plant = async (files: Readonly<Record<string, string | Uint8Array>>): Promise<void> => {
  for (const [path, data] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), data)
  }
}
const inspect = async (expected = 0, more: readonly string[] = []): Promise<InspectDocument> => {
  let out = ''
  expect(await run(['inspect', '.', '--json', ...more], { cwd: dir, out: t => (out += t), err: () => undefined, progress: false })).toBe(
    expected,
  )
  return JSON.parse(out) as InspectDocument
}
const codes = (doc: InspectDocument): readonly string[] => doc.diagnostics.map(d => d.code)

describe('ranks, once the files are read', () => {
  it('two processes that claim one rank at the same time are told, and both stay', async () => {
    await plant({
      'i-1_pid_10/t1/memory_snapshot.pickle': snapshot(BASE_US),
      'i-1_pid_11/t1/memory_snapshot.pickle': snapshot(BASE_US + 5),
      'i-1_pid_12/t1/memory_snapshot.pickle': snapshot(BASE_US + 1000),
      'i-1_pid_13/t1/memory_snapshot_rank1.pickle': snapshot(BASE_US + 5),
    })
    const doc = await inspect()
    expect(codes(doc)).toEqual(['rank-claimed-twice'])
    expect(doc.sessions.map(s => s.checks.map(c => c.code))).toEqual([['rank-claimed-twice'], ['rank-claimed-twice'], [], []])
    expect(doc.sessions.map(s => s.ranks)).toEqual([[0], [0], [0], [1]])
  })

  it('the rank of the trace is compared with the names', async () => {
    await plant({
      'i-1_pid_10/t1/memory_snapshot.pickle': snapshot(BASE_US),
      'i-1_pid_10/t1/trace.json': trace(3),
      'i-1_pid_11/t1/memory_snapshot_rank5.pickle': snapshot(BASE_US),
      'i-1_pid_11/t1/trace.json': trace(5),
      'i-1_pid_12/t1/memory_snapshot_rank_2.pickle': snapshot(BASE_US),
      'i-1_pid_12/t1/trace.json': trace(null),
    })
    const doc = await inspect()
    expect(doc.diagnostics.map(d => [d.code, d.file])).toEqual([['rank-contradicts-trace', 'i-1_pid_10/t1/memory_snapshot.pickle']])
    expect(doc.sessions.map(s => s.files.map(f => f.facts['rank']))).toEqual([
      [undefined, 3],
      [undefined, 5],
      [undefined, null],
    ])
  })
})

describe('states, once the files are read', () => {
  it('cut, hostile and foreign files are told each in its own way, and the others are shown', async () => {
    const whole = snapshot(BASE_US)
    const events = `{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}`
    await plant({
      's/a_whole.pickle': whole,
      's/b_cut.pickle': whole.subarray(0, whole.length - 20),
      's/c_hostile.pickle': Buffer.concat([Buffer.from([0x80, 4]), Buffer.from("cos\nsystem\n(S'touch hacked'\ntR.")]),
      's/d_whole.json': trace(0),
      's/e_cut.json': `{"traceEvents":[${events},${events},{"ph":"X","na`,
      's/trace.json': 'hello',
      's/f_list.json': `[${events},${events}]`,
    })
    const doc = await inspect()
    const files = Object.fromEntries(doc.sessions[0]?.files.map(f => [f.path.slice(2), f]) ?? [])
    expect(Object.entries(files).map(([name, f]) => [name, f.kind, f.state])).toEqual([
      ['a_whole.pickle', 'memory-snapshot', 'complete'],
      ['b_cut.pickle', 'memory-snapshot', 'truncated'],
      ['c_hostile.pickle', 'memory-snapshot', 'unreadable'],
      ['d_whole.json', 'chrome-trace', 'complete'],
      ['e_cut.json', 'chrome-trace', 'truncated'],
      ['f_list.json', 'chrome-trace', 'complete'],
      ['trace.json', 'chrome-trace', 'unreadable'],
    ])
    expect(files['e_cut.json']?.facts['events']).toBe(2)
    expect(files['a_whole.pickle']?.facts).toEqual({
      format: 'pickle',
      segments: 0,
      timeUs: [String(BASE_US), String(BASE_US + 10)],
      devices: [{ device: 0, events: 3, peakActiveBytes: 512 }],
    })
    for (const name of ['b_cut.pickle', 'c_hostile.pickle', 'e_cut.json', 'trace.json'])
      expect([name, doc.diagnostics.some(d => d.file === `s/${name}`)]).toEqual([name, true])
    // A cut file is told by its reader, once: the look at its last bytes is not repeated beside it.
    expect(codes(doc)).not.toContain('file-truncated')
    expect(doc.diagnostics.find(d => d.file === 's/c_hostile.pickle')?.message).toContain('os.system')
  })

  it('is 1 when every file of a known kind is unreadable, and 0 with one empty file of the runtime', async () => {
    await plant({ 's/trace.json': 'hello', 's/notes.txt': 'x' })
    expect((await inspect(1)).sessions[0]?.files.map(f => f.state)).toEqual(['complete', 'unreadable'])
    await plant({ 's/cpu_util.pb': '' })
    await inspect(0)
  })
})

describe('NEFF and NTFF', () => {
  const uuid = '0102030405060708090a0b0c0d0e0f10'
  it('are read whole and paired', async () => {
    const damaged = neffFixture({ uuid: 'ee'.repeat(16) })
    damaged[5000] ^= 1
    await plant({
      's/a.ntff': ntffFixture({ nodes: [uuid] }),
      's/cut.ntff': ntffFixture({ nodes: [uuid] }).subarray(0, 100),
      's/empty.ntff': '',
      's/m.neff': neffFixture({ uuid }),
      's/bad.neff': damaged,
      's/half.neff': neffFixture({ uuid }).subarray(0, 4000),
    })
    const doc = await inspect()
    const [s] = doc.sessions
    expect(s?.files.map(f => [f.path, f.state, f.facts['hashValid'] ?? f.facts['executionDurationPs']])).toEqual([
      ['s/a.ntff', 'complete', 7_000_000],
      ['s/bad.neff', 'complete', false],
      ['s/cut.ntff', 'truncated', undefined],
      ['s/empty.ntff', 'empty', undefined],
      ['s/half.neff', 'truncated', undefined],
      ['s/m.neff', 'complete', true],
    ])
    expect(s?.files[4]?.facts['hashValid']).toBeNull()
    expect(s?.pairs.map(p => [p.ntff, p.verdict, p.by, p.neff])).toEqual([
      ['s/a.ntff', 'paired', 'uuid', ['s/half.neff', 's/m.neff']],
      ['s/cut.ntff', 'missing-neff', 'none', []],
      ['s/empty.ntff', 'empty-ntff', 'none', []],
    ])
    expect([...codes(doc)].sort()).toEqual(['file-truncated', 'file-truncated', 'neff-hash-mismatch'])
  })

  it('NEFFs are looked for in the folders of --neff-dir too', async () => {
    await plant({ 'out/s/a.ntff': ntffFixture({ nodes: [uuid] }), 'x/m.neff': neffFixture({ uuid }), 'y/n.neff': neffFixture({ uuid }) })
    let out = ''
    const io = { cwd: dir, out: (t: string) => (out += t), err: () => undefined, progress: false }
    expect(await run(['inspect', 'out', '--json', '--neff-dir', 'x', '--neff-dir=y'], io)).toBe(0)
    const doc = JSON.parse(out) as InspectDocument
    expect(doc.sessions[0]?.pairs[0]?.neff).toEqual([join(dir, 'x/m.neff'), join(dir, 'y/n.neff')])
    out = ''
    expect(await run(['inspect', 'out', '--neff-dir', 'x'], io)).toBe(0)
    expect(out).toContain(`a.ntff: paired with ${join(dir, 'x/m.neff')}.`)
    expect(codes(await inspect(0, ['--neff-dir', 'absent']))).toContain('neff-folder-unreadable')
  })
})
