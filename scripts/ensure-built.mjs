/**
 * Builds `out/` when it is missing or older than the sources. Everything it says goes to stderr, so that a command's stdout stays its own.
 * Two processes that find it stale at once: one builds, the other waits.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const ROOT = resolve(import.meta.dirname, '..')
const STAMP = join(ROOT, 'out', '.built')
const LOCK = join(ROOT, 'node_modules', '.cache', 'neuron-workbench-build.lock')
/** What the build reads. Tests are left out: they change without changing the program. */
const INPUTS = ['src', 'resources', 'electron.vite.config.ts', 'tsconfig.json', 'package.json', 'package-lock.json']
const OUTPUTS = ['main/cli.js', 'main/index.js', 'preload/index.cjs', 'renderer/index.html']

/** Hash over path, size and time of change of everything that the build reads. */
export async function sourceStamp(root = ROOT) {
  const hash = createHash('sha256')
  const visit = async path => {
    const s = await stat(join(root, path)).catch(() => null)
    if (!s) return
    if (s.isDirectory()) for (const name of (await readdir(join(root, path))).sort()) await visit(`${path}/${name}`)
    else if (!/\.test\.tsx?$/.test(path)) hash.update(`${path}\0${s.size}\0${s.mtimeMs}\n`)
  }
  for (const input of INPUTS) await visit(input)
  return hash.digest('hex')
}

const isFresh = async stamp =>
  OUTPUTS.every(f => existsSync(join(ROOT, 'out', f))) && (await readFile(STAMP, 'utf8').catch(() => '')) === stamp

/** Resolves when `out/` belongs to the sources; rejects with an Error that names the exit code of a failed build. */
export async function ensureBuilt() {
  if (await isFresh(await sourceStamp())) return
  const unlock = await lock()
  try {
    const stamp = await sourceStamp()
    if (await isFresh(stamp)) return // the one we waited for has built it
    process.stderr.write('Building Neuron Workbench (once after each change of the sources) …\n')
    await build()
    await writeFile(STAMP, stamp)
  } finally {
    await unlock()
  }
}

function build() {
  const pkg = createRequire(join(ROOT, 'package.json')).resolve('electron-vite/package.json')
  const bin = join(dirname(pkg), 'bin', 'electron-vite.js')
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [bin, 'build'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
    const said = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', d => said.push(d))
    child.on('error', fail)
    child.on('exit', (code, signal) => {
      if (code === 0) return done()
      process.stderr.write(Buffer.concat(said))
      fail(new Error(`the build failed (${signal ?? `exit code ${code}`})`))
    })
  })
}

/** Takes the build lock, waiting for a living process that holds it. */
async function lock() {
  await mkdir(dirname(LOCK), { recursive: true })
  for (;;) {
    try {
      const handle = await open(LOCK, 'wx')
      await handle.writeFile(String(process.pid))
      await handle.close()
      return () => rm(LOCK, { force: true })
    } catch (e) {
      if (e.code !== 'EEXIST') throw e
      const pid = Number(await readFile(LOCK, 'utf8').catch(() => ''))
      const age = Date.now() - ((await stat(LOCK).catch(() => null))?.mtimeMs ?? Date.now())
      // A holder that died left its lock behind; one that just made the file may not have written its number yet.
      if (pid > 0 ? !isAlive(pid) : age > 10_000) await rm(LOCK, { force: true })
      else await sleep(200)
    }
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (e) {
    return e.code === 'EPERM'
  }
}
