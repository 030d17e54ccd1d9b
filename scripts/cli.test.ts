/** The terminal program as a user starts it: built when needed, in a process of its own. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from './ensure-built.mjs'

const ROOT = resolve(import.meta.dirname, '..')
let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-cli-'))
  await writeFile(join(dir, 'trace.json'), '{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":2}]}')
  await ensureBuilt()
}, 300_000)
afterAll(() => rm(dir, { recursive: true, force: true }))

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}
const start = (file: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  new Promise(done => {
    const inherited = { ...process.env }
    delete inherited['INIT_CWD']
    execFile(process.execPath, [join(ROOT, file), ...args], { cwd, env: { ...inherited, ...env } }, (e, out, err) =>
      done({ code: typeof e?.code === 'number' ? e.code : e ? -1 : 0, out, err }),
    )
  })

it('npm run cli takes relative paths from where npm was called, and stdout is the document alone', async () => {
  const ran = await start('scripts/cli.mjs', ['inspect', '.', '--json'], ROOT, { INIT_CWD: dir })
  expect(ran.code).toBe(0)
  // Nothing but the build, should a source have changed meanwhile.
  expect(ran.err).toMatch(/^(Building .*\n)?$/)
  expect((JSON.parse(ran.out) as { sessions: { files: unknown[] }[] }).sessions[0]?.files).toMatchObject([
    { path: 'trace.json', state: 'complete' },
  ])
})

it('the installed command takes them from the current folder', async () => {
  const ran = await start('bin/neuron-workbench.mjs', ['trace', 'trace.json', '--json'], dir, { INIT_CWD: ROOT })
  expect(ran).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(ran.out)).toMatchObject({ events: 1, spanNs: 2000 })
})

it('exit codes leave the process', async () => {
  expect((await start('bin/neuron-workbench.mjs', ['trace', 'absent.json', '--json'], dir)).code).toBe(1)
  const usage = await start('bin/neuron-workbench.mjs', ['trace'], dir)
  expect(usage).toMatchObject({ code: 2, out: '' })
  expect(usage.err).toContain('Usage:')
  expect(await start('bin/neuron-workbench.mjs', ['--help'], dir)).toMatchObject({ code: 0, err: '' })
})
