import { chmod, mkdir, mkdtemp, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Catalog } from '../shared/catalog'
import { discover, type SniffCache } from './discover'
import { comparePaths } from './names'

const TRACE = '{"traceEvents":[]}'
const SNAPSHOT = '{"segments":[],"device_traces":[[]]}'

let base = ''
let root = ''
const made: string[] = []
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'nw-tree-')))
  made.push(base)
  root = join(base, 'profile_output')
  await mkdir(root)
})
afterEach(() => rm(base, { recursive: true, force: true }))
afterAll(() => Promise.all(made.map(d => rm(d, { recursive: true, force: true }))))

/** Files by path below the root. */
const plant = async (files: Readonly<Record<string, string>>, below = root): Promise<void> => {
  for (const [path, data] of Object.entries(files)) {
    await mkdir(dirname(join(below, path)), { recursive: true })
    await writeFile(join(below, path), data)
  }
}
const brief = (c: Catalog) =>
  c.sessions.map(s => ({ dir: s.dir, instanceId: s.instanceId, pid: s.pid, timestamp: s.timestamp, files: s.files.map(f => f.path) }))
const codes = (c: Catalog): readonly string[] => c.diagnostics.map(d => d.code)

const STAMP = '1729888371056597613'

describe('layouts', () => {
  it('root / instance / timestamp', async () => {
    await plant({
      [`i-0abc_pid_10/${STAMP}/trace.json`]: TRACE,
      [`i-0abc_pid_10/${STAMP}/memory_snapshot.pickle`]: SNAPSHOT,
      [`i-0abc_pid_10/${STAMP}/cpu_util.pb`]: '',
      [`i-0abc_pid_9/${STAMP}/notes.txt`]: 'x',
      [`i-0abc_pid_9/${STAMP}/a.ntff`]: '',
      'readme.txt': 'not a profile file',
    })
    const c = await discover(root)
    expect(brief(c)).toEqual([
      {
        dir: `i-0abc_pid_9/${STAMP}`,
        instanceId: 'i-0abc',
        pid: 9,
        timestamp: STAMP,
        files: [`i-0abc_pid_9/${STAMP}/a.ntff`, `i-0abc_pid_9/${STAMP}/notes.txt`],
      },
      {
        dir: `i-0abc_pid_10/${STAMP}`,
        instanceId: 'i-0abc',
        pid: 10,
        timestamp: STAMP,
        files: ['cpu_util.pb', 'memory_snapshot.pickle', 'trace.json'].map(f => `i-0abc_pid_10/${STAMP}/${f}`),
      },
    ])
    expect(c.root).toBe(root)
    expect(c.sessions[0]?.files.map(f => [f.kind, f.state])).toEqual([
      ['ntff', 'empty'],
      ['unknown', 'complete'],
    ])
    // Empty files count: the mode was on.
    expect(c.sessions.map(s => s.modes)).toEqual([['DEVICE'], ['CPU_UTIL', 'framework', 'snapshot']])
    expect(c.diagnostics).toMatchObject([
      { code: 'files-unlisted', severity: 'info', message: 'Files in folders without any profile file: 1.' },
    ])
  })

  it('instance and session folders opened by themselves are told by their own names and those above', async () => {
    await plant({ [`i-0abc_pid_10/${STAMP}/trace.json`]: TRACE })
    const told = { instanceId: 'i-0abc', pid: 10, timestamp: STAMP }
    expect(brief(await discover(join(root, 'i-0abc_pid_10')))).toEqual([{ dir: STAMP, ...told, files: [`${STAMP}/trace.json`] }])
    expect(brief(await discover(join(root, 'i-0abc_pid_10', STAMP)))).toEqual([{ dir: '.', ...told, files: ['trace.json'] }])
    const file = await discover(join(root, 'i-0abc_pid_10', STAMP, 'trace.json'))
    expect(brief(file)).toEqual([{ dir: '.', ...told, files: ['trace.json'] }])
    expect(file.root).toBe(join(root, 'i-0abc_pid_10', STAMP))
    // Through a link with a name of its own: the names on disk tell.
    await symlink(join(root, 'i-0abc_pid_10', STAMP), join(base, 'latest'))
    expect(brief(await discover(join(base, 'latest')))).toEqual([{ dir: '.', ...told, files: ['trace.json'] }])
  })

  it('files directly in the instance folder, and both layouts side by side', async () => {
    await plant({ 'i-1_pid_5/trace.json': TRACE, 'i-1_pid_5/2026_10_26/trace.json': TRACE, 'i-2-pid_6/neffs/a.neff': '' })
    expect(brief(await discover(root))).toEqual([
      { dir: 'i-1_pid_5', instanceId: 'i-1', pid: 5, timestamp: null, files: ['i-1_pid_5/trace.json'] },
      { dir: 'i-1_pid_5/2026_10_26', instanceId: 'i-1', pid: 5, timestamp: '2026_10_26', files: ['i-1_pid_5/2026_10_26/trace.json'] },
      { dir: 'i-2-pid_6/neffs', instanceId: 'i-2', pid: 6, timestamp: null, files: ['i-2-pid_6/neffs/a.neff'] },
    ])
  })

  it('folders whose names tell nothing are sessions with null', async () => {
    await plant({ 'a/trace.json': TRACE, 'trace.json': TRACE, [`${STAMP}/trace.json`]: TRACE })
    expect(brief(await discover(root))).toEqual([
      { dir: '.', instanceId: null, pid: null, timestamp: null, files: ['trace.json'] },
      { dir: STAMP, instanceId: null, pid: null, timestamp: STAMP, files: [`${STAMP}/trace.json`] },
      { dir: 'a', instanceId: null, pid: null, timestamp: null, files: ['a/trace.json'] },
    ])
  })

  it('single files: of a known kind a session, otherwise a reason', async () => {
    await plant({ 'renamed.bin': TRACE, 'x.txt': 'x' })
    expect((await discover(join(root, 'renamed.bin'))).sessions[0]?.files).toMatchObject([
      { path: 'renamed.bin', kind: 'chrome-trace', state: 'complete' },
    ])
    const unknown = await discover(join(root, 'x.txt'))
    expect(unknown.sessions).toEqual([])
    expect(codes(unknown)).toEqual(['unknown-file'])
  })

  it('a missing root and an empty one say so', async () => {
    const missing = await discover(join(root, 'absent'))
    expect(missing).toMatchObject({ sessions: [], diagnostics: [{ code: 'root-unreadable', severity: 'error' }] })
    expect(codes(await discover(root))).toEqual(['no-session'])
  })
})

describe('ranks', () => {
  it('come from the token of the name; a snapshot without one is rank 0', async () => {
    await plant({
      's/memory_snapshot_rank12.pickle': SNAPSHOT,
      's/memory_snapshot_rank_3.pickle': SNAPSHOT,
      's/memory_snapshot.pickle': SNAPSHOT,
      's/frank7.pickle': SNAPSHOT,
      's/neuron_framework_trace_rank_4.json': TRACE,
      's/trace.json': TRACE,
      's/rank9.txt': 'x',
    })
    const [s] = (await discover(root)).sessions
    const ranks = Object.fromEntries((s?.files ?? []).map(f => [f.path.slice(2), [f.rank, f.rankFromName]]))
    expect(ranks).toEqual({
      'memory_snapshot_rank12.pickle': [12, true],
      'memory_snapshot_rank_3.pickle': [3, true],
      'memory_snapshot.pickle': [0, false],
      'frank7.pickle': [0, false],
      'neuron_framework_trace_rank_4.json': [4, true],
      'trace.json': [null, false],
      'rank9.txt': [null, false],
    })
    expect(s?.ranks).toEqual([0, 3, 4, 12])
  })
})

describe('walks', () => {
  it('never leave the root by a link, and say so', async () => {
    await plant({ 'secret/trace.json': TRACE, 'secret.json': TRACE }, base)
    await plant({ 's/trace.json': TRACE, 'other/b.json': TRACE })
    // A folder whose name begins like the root's.
    await plant({ 'trace.json': TRACE }, `${root}_2`)
    await symlink(join(base, 'secret'), join(root, 'out'))
    await symlink(join(base, 'secret.json'), join(root, 's', 'linked.json'))
    await symlink(`${root}_2/trace.json`, join(root, 's', 'sibling.json'))
    await symlink('../other/b.json', join(root, 's', 'inside.json'))
    await symlink('../other', join(root, 's', 'folder'))
    await symlink('..', join(root, 's', 'loop'))
    await symlink('nowhere', join(root, 's', 'broken'))
    const c = await discover(root)
    expect(brief(c).map(s => s.files)).toEqual([['other/b.json'], ['s/inside.json', 's/trace.json']])
    expect(c.diagnostics.map(d => [d.file, d.code])).toEqual([
      ['out', 'link-leaves-root'],
      ['s/broken', 'link-broken'],
      ['s/folder', 'link-to-folder'],
      ['s/linked.json', 'link-leaves-root'],
      ['s/loop', 'link-to-folder'],
      ['s/sibling.json', 'link-leaves-root'],
    ])
  })

  it('stop at the depth limit and say so', async () => {
    await plant({ 'a/b/c/trace.json': TRACE, 'a/b/trace.json': TRACE })
    const c = await discover(root, { maxDepth: 2 })
    expect(brief(c).map(s => s.dir)).toEqual(['a/b'])
    expect(c.diagnostics).toMatchObject([{ code: 'walk-depth-limit', file: 'a/b/c' }])
    expect((await discover(root, { maxDepth: 3 })).diagnostics).toEqual([])
    // The default holds for trees that are deeper than any run writes.
    await plant({ [`${'d/'.repeat(12)}trace.json`]: TRACE })
    expect(codes(await discover(root))).toContain('walk-depth-limit')
  })

  it('stop at the entry limit and say so', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`z/${i}.neff`, '']))
    await plant({ 'a/trace.json': TRACE, ...many })
    const c = await discover(root, { maxEntries: 1000 })
    expect(codes(c)).toEqual(['walk-entry-limit'])
    // Two folders and the trace leave room for 997 of the others.
    expect(c.sessions.map(s => [s.dir, s.files.length])).toEqual([
      ['a', 1],
      ['z', 997],
    ])
    expect((await discover(root)).sessions.map(s => s.files.length)).toEqual([1, 10_000])
  })

  it('pass over hidden entries and temporary files of editors', async () => {
    await plant({
      's/trace.json': TRACE,
      's/.trace.json.swp': 'x',
      's/trace.json~': TRACE,
      's/#trace.json#': TRACE,
      '.cache/trace.json': TRACE,
      's/t.swp': 'x',
    })
    expect(brief(await discover(root)).map(s => s.files)).toEqual([['s/trace.json']])
  })

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')('tell of folders and files that may not be read', async () => {
    await plant({ 's/trace.json': TRACE, 'locked/trace.json': TRACE, 't/trace.json': TRACE })
    await chmod(join(root, 'locked'), 0)
    await chmod(join(root, 't', 'trace.json'), 0)
    const c = await discover(root)
    await chmod(join(root, 'locked'), 0o755)
    expect(c.diagnostics.map(d => [d.file, d.code])).toEqual([
      ['locked', 'folder-unreadable'],
      ['t/trace.json', 'file-unreadable'],
    ])
    expect(c.sessions.map(s => s.files[0]?.state)).toEqual(['complete', 'unreadable'])
  })

  it('can be stopped', async () => {
    await plant({ 's/trace.json': TRACE })
    await expect(discover(root, { signal: AbortSignal.abort() })).rejects.toThrow()
  })
})

describe('walking again', () => {
  it('gives the same document, and with a salt other ids', async () => {
    await plant({ 's10/trace.json': TRACE, 's9/trace.json': TRACE, 's9/memory_snapshot.pickle': SNAPSHOT })
    const a = await discover(root)
    expect(await discover(root)).toEqual(a)
    const b = await discover(root, { salt: 'other' })
    const ids = (c: Catalog) => c.sessions.flatMap(s => [s.id, ...s.files.map(f => f.id)])
    expect(new Set([...ids(a), ...ids(b)]).size).toBe(10)
    expect(brief(a)).toEqual(brief(b))
    expect(a.sessions.map(s => s.dir)).toEqual(['s9', 's10'])
  })

  it('looks into a file again only when it changed', async () => {
    await plant({ 's/trace.json': TRACE, 's/b.json': TRACE })
    const cache: SniffCache = new Map()
    await discover(root, { cache })
    const before = new Map(cache)
    // A result that only the cache can give shows that it is used.
    const entry = before.get('s/b.json') as NonNullable<ReturnType<typeof before.get>>
    cache.set('s/b.json', { ...entry, result: { ...entry.result, facts: { cached: true } } })
    const facts = async () => Object.fromEntries((await discover(root, { cache })).sessions[0]?.files.map(f => [f.path, f.facts]) ?? [])
    expect(await facts()).toEqual({ 's/b.json': { cached: true }, 's/trace.json': {} })
    // The same size, another time of change.
    await writeFile(join(root, 's', 'b.json'), TRACE.replace('[]', '[{'))
    await utimes(join(root, 's', 'b.json'), 1, 1)
    expect(await facts()).toEqual({ 's/b.json': {}, 's/trace.json': {} })
    await rename(join(root, 's', 'b.json'), join(base, 'gone'))
    await facts()
    expect([...cache.keys()]).toEqual(['s/trace.json'])
  })
})

describe('order of paths', () => {
  it('goes by folder, digits by value', () => {
    const paths = ['nc_10', 'nc_2/b', 'nc_2', '.', 'nc_2/a10', 'nc_2/a9', 'nc_02', 'a']
    expect([...paths].sort(comparePaths)).toEqual(['.', 'a', 'nc_02', 'nc_2', 'nc_2/a9', 'nc_2/a10', 'nc_2/b', 'nc_10'])
  })
})
