import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '../../package.json'
import { plain, toJson } from './output'
import { run } from './run'

const TRACE =
  '{"traceEvents":[{"name":"a","ph":"X","pid":1,"tid":2,"ts":10,"dur":5},{"name":"b","ph":"X","pid":1,"tid":2,"ts":11,"dur":1}],"baseTimeNanoseconds":1700000000000000000}'

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-run-'))
  await mkdir(join(dir, 'profile/i-1_pid_2/1700000000000000000'), { recursive: true })
  await mkdir(join(dir, 'empty'))
  await writeFile(join(dir, 'profile/i-1_pid_2/1700000000000000000/trace.json'), TRACE)
  await writeFile(join(dir, 'profile/i-1_pid_2/1700000000000000000/cpu_util.pb'), '')
  await writeFile(join(dir, 'profile/bad\u001b[31m.json'), '{"traceEvents":[')
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const call = async (...argv: readonly string[]) => {
  let out = ''
  let err = ''
  const code = await run(argv, { cwd: dir, out: t => (out += t), err: t => (err += t), progress: false })
  return { code, out, err }
}

describe('exit codes and streams', () => {
  it('wrong use is 2, on stderr alone', async () => {
    expect(await call('inspect')).toMatchObject({ code: 2, out: '' })
    expect((await call('inspect')).err).toContain('Usage: neuron-workbench inspect PATH')
    expect(await call()).toMatchObject({ code: 2, out: '' })
    expect(await call('at', 'profile', '--json')).toMatchObject({ code: 2, out: '' })
  })

  it('help and version are 0, on stdout', async () => {
    expect(await call('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' })
    expect(await call('--help')).toMatchObject({ code: 0, err: '' })
    expect((await call('help', 'at')).out).toContain('--time NS')
    expect((await call('help', 'snapshot')).out).toContain('pickle, JSON, or a page of _memory_viz; gzip')
    expect((await call('help', 'snapshot')).out).toContain('--verify')
  })

  it('nothing read is 1 with a document that says why', async () => {
    for (const [command, path] of [
      ['inspect', 'absent'],
      ['inspect', 'empty'],
      ['at', 'absent'],
      ['trace', 'absent.json'],
      ['snapshot', 'absent.pickle'],
    ]) {
      const argv = [command as string, path as string, '--json', ...(command === 'at' ? ['--time', '5'] : [])]
      const { code, out, err } = await call(...argv)
      expect([argv, code, err]).toEqual([argv, 1, ''])
      expect((JSON.parse(out) as { diagnostics: unknown[] }).diagnostics.length).toBeGreaterThan(0)
    }
    const text = await call('inspect', 'absent')
    expect(text.code).toBe(1)
    expect(text.out).toContain('cannot be opened')
  })

  it.skipIf(process.platform === 'win32')('a pipe or a folder where a file is meant is 1 and told', async () => {
    execFileSync('mkfifo', [join(dir, 'pipe.json')])
    for (const command of ['trace', 'snapshot'])
      for (const path of ['pipe.json', 'empty']) {
        const { code, out, err } = await call(command, path, '--json')
        expect([command, path, code, err]).toEqual([command, path, 1, ''])
        expect(JSON.parse(out)).toMatchObject({
          diagnostics: [
            { severity: 'error', code: 'file-unreadable', file: path, message: expect.stringContaining('not a regular file') as string },
          ],
        })
      }
    const { code, out } = await call('inspect', 'pipe.json')
    expect(code).toBe(1)
    expect(out).toContain('regular file')
    expect(out).not.toContain('empty')
  })

  it('something read is 0', async () => {
    expect((await call('inspect', 'profile', '--json')).code).toBe(0)
    expect((await call('trace', 'profile/i-1_pid_2/1700000000000000000/trace.json', '--json')).code).toBe(0)
    expect((await call('at', 'profile', '--time', '5', '--json')).code).toBe(0)
  })
})

describe('inspect', () => {
  it('gives the tree as documented', async () => {
    const { out, err } = await call('inspect', 'profile', '--json')
    expect(err).toBe('')
    const doc = JSON.parse(out) as { sessions: Record<string, unknown>[] }
    expect(Object.keys(doc)).toEqual(['root', 'sessions', 'diagnostics'])
    const s = 'i-1_pid_2/1700000000000000000'
    expect(doc).toMatchObject({
      root: join(dir, 'profile'),
      sessions: [
        {
          dir: '.',
          instanceId: null,
          pid: null,
          timestamp: null,
          modes: ['framework'],
          ranks: [],
          files: [{ kind: 'chrome-trace', state: 'truncated' }],
        },
        {
          instanceId: 'i-1',
          pid: 2,
          timestamp: '1700000000000000000',
          dir: s,
          modes: ['CPU_UTIL', 'framework'],
          ranks: [],
          files: [
            { path: `${s}/cpu_util.pb`, kind: 'cpu-util', bytes: 0, state: 'empty', facts: {} },
            {
              path: `${s}/trace.json`,
              kind: 'chrome-trace',
              bytes: TRACE.length,
              state: 'complete',
              facts: { events: 2, startNs: '1700000000000010000', spanNs: 5000, rank: null },
            },
          ],
          pairs: [],
          checks: [],
        },
      ],
    })
    expect(Object.keys(doc.sessions[0] as object)).toEqual([
      'id',
      'instanceId',
      'pid',
      'timestamp',
      'dir',
      'modes',
      'ranks',
      'files',
      'pairs',
      'checks',
    ])
    expect((await call('inspect', 'profile', '--json')).out).toBe(out)
  })

  it('draws a tree for people, without the control characters of names', async () => {
    const { out } = await call('inspect', 'profile')
    expect(out).not.toContain('\u001b')
    expect(out).toContain('bad\\u001b[31m.json')
    expect(out).toContain('└─ i-1_pid_2/1700000000000000000  (instance i-1, pid 2, session 1700000000000000000, CPU_UTIL + framework)')
    expect(out).toMatch(/trace\.json +chrome-trace +\d+\u00a0B +complete +2 events, 5\.000\u00a0µs/)
  })
})

describe('at', () => {
  it('covers [start, start + dur)', async () => {
    const at = async (ns: string) =>
      JSON.parse((await call('at', 'profile', '--json', '--time', ns)).out) as { slices: unknown[]; memory: unknown[] }
    const id = (row: number): string => `i-1_pid_2/1700000000000000000/trace.json:${row}`
    const a = { id: id(0), track: 'PID:1/TID:2', name: 'a', startNs: '1700000000000010000', durNs: 5000 }
    const b = { id: id(1), track: 'PID:1/TID:2', name: 'b', startNs: '1700000000000011000', durNs: 1000 }
    expect((await at('1700000000000009999')).slices).toEqual([])
    expect((await at('1700000000000010000')).slices).toEqual([a])
    expect((await at('1700000000000011000')).slices).toEqual([a, b])
    expect((await at('1700000000000012000')).slices).toEqual([a])
    expect((await at('1700000000000015000')).slices).toEqual([])
    expect((await call('at', 'profile', '--time', '1700000000000011000')).out).toMatch(
      /PID:1\/TID:2 +b +1700000000000011000 +1\.000\u00a0µs/,
    )
  })
})

describe('output', () => {
  it('bigints are decimal strings, text is plain', () => {
    expect(JSON.parse(toJson({ a: 2n ** 64n, b: [1n] }))).toEqual({ a: '18446744073709551616', b: ['1'] })
    expect(plain('a\u001b]0;x\u0007\u202eb\n')).toBe('a\\u001b]0;x\\u0007\\u202eb\\u000a')
  })

  it('neither text nor JSON has a character that steers a terminal, and JSON keeps the value', () => {
    const steering = [
      [0x00, 0x1f],
      [0x7f, 0x9f],
      [0x61c, 0x61c],
      [0x200e, 0x200f],
      [0x2028, 0x202e],
      [0x2066, 0x2069],
    ] as const
    for (const [from, to] of steering)
      for (let c = from; c <= to; c++) {
        const text = `a${String.fromCharCode(c)}b`
        const json = toJson({ [text]: text })
        expect(JSON.parse(json)).toEqual({ [text]: text })
        for (const written of [json.replaceAll('\n', ''), plain(text)]) expect(written).not.toContain(String.fromCharCode(c))
      }
    expect(plain('é 中 😀')).toBe('é 中 😀')
  })
})
