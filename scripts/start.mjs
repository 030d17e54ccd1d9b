/**
 * `npm start [-- PATH]`: builds when needed, then opens the desktop window. Where there is no display or no Electron binary, it says why in one line and
 * serves PATH, or the sample profile, to the browser instead. `--browser` asks for that; `--retry` tries a download again that failed before.
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { downloadElectron, DOWNLOAD_MS, electronBinary, electronPackage, forgetFailure, rememberedFailure } from './electron-binary.mjs'
import { ensureBuilt } from './ensure-built.mjs'

const ROOT = resolve(import.meta.dirname, '..')
const FLAGS = ['--browser', '--retry']
const say = line => process.stderr.write(`${line}\n`)

/** Whether a window can be shown. */
export function hasDisplay(env = process.env, platform = process.platform) {
  if (platform === 'linux') return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
  if (platform === 'darwin') return !env.SSH_CONNECTION
  return true
}

/** PATH and flags of the command line; relative paths are meant from where npm was called. */
export function startArguments(argv, from) {
  const rest = argv.filter(a => a !== '--')
  const unknown = rest.find(a => a.startsWith('-') && !FLAGS.includes(a))
  const paths = rest.filter(a => !a.startsWith('-'))
  if (unknown || paths.length > 1) return { usage: `usage: npm start [-- PATH] [--browser] [--retry]${unknown ? ` (not ${unknown})` : ''}` }
  return { path: paths.length ? resolve(from, paths[0]) : null, browser: rest.includes('--browser'), retry: rest.includes('--retry') }
}

/** Told before anything is built or shown. What else may be wrong with a path is told by what opens it. */
function isAbsent(path) {
  try {
    statSync(path)
    return false
  } catch (e) {
    return e.code === 'ENOENT'
  }
}

/** The Electron binary, or why there is no window: `{ binary }` or `{ reason }`. */
export async function findWindow({
  env = process.env,
  platform = process.platform,
  uid = process.getuid?.(),
  folder = electronPackage(),
  signal,
} = {}) {
  if (!hasDisplay(env, platform)) return { reason: 'there is no display' }
  if (!folder) return { reason: 'the package "electron" is not installed' }
  // Electron's sandbox refuses to run as root, and a window without it is not offered.
  if (platform === 'linux' && uid === 0) return { reason: 'the sandbox of the window does not run as root' }
  const there = electronBinary(folder, env)
  if (there) return { binary: there }
  const before = rememberedFailure(folder, env)
  if (before) return { reason: `there is no Electron binary: ${before}; "npm start -- --retry" tries again` }
  say(`The Electron binary is missing; its package fetches it once (at most ${DOWNLOAD_MS / 1000} s) …`)
  const failed = await downloadElectron(folder, { env, signal })
  const binary = electronBinary(folder, env)
  return failed === null && binary ? { binary } : { reason: `there is no Electron binary: ${failed}; "npm start -- --retry" tries again` }
}

/** Runs a child that shares our terminal. Ctrl-C reaches it by itself; other signals are handed on. Answers its exit code. */
function supervise(child) {
  const hand = signal => child.kill(signal)
  const ignore = () => undefined
  process.on('SIGINT', ignore)
  process.on('SIGTERM', hand)
  process.on('SIGHUP', hand)
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('exit', (code, signal) => {
      process.off('SIGINT', ignore)
      process.off('SIGTERM', hand)
      process.off('SIGHUP', hand)
      done(code ?? (signal ? 1 : 0))
    })
  })
}

/** Opens the window and waits for its end. A string says why it did not come up. */
async function runWindow(binary, path) {
  const started = Date.now()
  const env = { ...process.env }
  delete env.ELECTRON_RUN_AS_NODE
  try {
    const code = await supervise(spawn(binary, [ROOT, ...(path ? [path] : [])], { stdio: 'inherit', env }))
    return code !== 0 && Date.now() - started < 10_000 ? `Electron ended at once with exit code ${code}` : code
  } catch (e) {
    return `Electron did not start (${e.message})`
  }
}

/** Serves to the browser and waits for its end. */
async function runServer(path, reason) {
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'out/main/cli.js'),
      'serve',
      ...(reason ? ['--notice', `Shown in the browser because ${reason}.`] : []),
      ...(path ? ['--', path] : []),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let forget = () => undefined
  let text = ''
  child.stdout.on('data', d => {
    process.stdout.write(d)
    if (text.includes('\n')) return
    text += d
    if (text.includes('\n') && hasDisplay() && !process.env.CI) forget = openBrowser(text.split('\n', 1)[0])
  })
  try {
    return await supervise(child)
  } finally {
    forget()
  }
}

/**
 * Opens the default browser at an address that holds a secret. The arguments of a process can be read by every user of the machine, so the browser gets
 * a file of this user's that leads there. Answers how to remove the file.
 */
function openBrowser(url) {
  const folder = mkdtempSync(join(tmpdir(), 'neuron-workbench-'))
  const file = join(folder, 'open.html')
  writeFileSync(
    file,
    `<!doctype html><meta charset="utf-8"><title>Neuron Workbench</title><meta http-equiv="refresh" content="0;url=${url}">`,
    { mode: 0o600 },
  )
  chmodSync(folder, 0o700)
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [file]]
      : process.platform === 'win32'
        ? ['rundll32', ['url.dll,FileProtocolHandler', file]]
        : ['xdg-open', [file]]
  // A browser that can't be started is no failure: the address stands in the terminal.
  spawn(command, args, { stdio: 'ignore', detached: true })
    .once('error', () => undefined)
    .unref()
  return () => rmSync(folder, { recursive: true, force: true })
}

async function main() {
  const args = startArguments(process.argv.slice(2), process.env.INIT_CWD ?? process.cwd())
  if (args.usage) {
    say(args.usage)
    return 2
  }
  if (args.path && isAbsent(args.path)) {
    say(`neuron-workbench: ${JSON.stringify(args.path)} cannot be opened: there is nothing of that name.`)
    return 1
  }
  await ensureBuilt()
  if (args.retry) forgetFailure()
  let reason = null
  if (!args.browser) {
    const stop = new AbortController()
    const abort = () => stop.abort()
    process.once('SIGINT', abort)
    const found = await findWindow({ signal: stop.signal })
    process.off('SIGINT', abort)
    if (stop.signal.aborted) return 130
    const ended = found.binary ? await runWindow(found.binary, args.path) : found.reason
    if (typeof ended === 'number') return ended
    reason = ended
    say(`No window: ${reason}. Serving ${args.path ?? 'the sample profile'} to the browser instead:`)
  }
  return runServer(args.path, reason)
}

if (process.argv[1] && resolve(process.argv[1]) === import.meta.filename)
  main().then(
    code => (process.exitCode = code),
    e => {
      say(`neuron-workbench: ${e.message}`)
      process.exitCode = 1
    },
  )
