/**
 * What the specs of both shells share: starting the program (built, as a user gets it), sample profiles by the command line, figures by the command line.
 * The desktop runs on the real Electron binary where the package has one, and on the stand-in elsewhere; specs are the same for both.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { type IncomingHttpHeaders, request } from 'node:http'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { _electron, type ElectronApplication, expect, type Page } from '@playwright/test'
import { WebSocket } from 'ws'
import type { Answers, RequestArgs, RequestName } from '../src/shared/api'
import { AUTH_PATH, KEY_PROTOCOL, SOCKET_PATH, SOCKET_PROTOCOL } from '../src/shared/socket'
import { decodeWire, encodeWire } from '../src/shared/wire'

export const REPO = resolve(import.meta.dirname, '..')
const CLI = join(REPO, 'out/main/cli.js')

/** Whether the Electron package has its binary. */
export const realElectron = ((): boolean => {
  const file = join(REPO, 'node_modules/electron/path.txt')
  return existsSync(file) && existsSync(join(REPO, 'node_modules/electron/dist', readFileSync(file, 'utf8')))
})()

const folders: string[] = []

/** A new empty folder; all of them are removed by `removeTemp`. */
export function tempDir(name = 'neuron-workbench-e2e-'): string {
  const folder = mkdtempSync(join(tmpdir(), name))
  folders.push(folder)
  return folder
}

/** For afterAll. */
export function removeTemp(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Runs the built command line; answers its stdout. Throws where it exits with anything but 0. */
export function cli(...args: readonly string[]): string {
  return execFileSync(process.execPath, [CLI, ...args], {
    cwd: REPO,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Runs the built command line with --json; answers the document. */
export function cliJson<T = Record<string, unknown>>(...args: readonly string[]): T {
  return JSON.parse(cli(...args, '--json')) as T
}

export interface SampleOptions {
  readonly ranks?: number
  readonly steps?: number
  readonly seed?: number
}

/** Writes a sample profile into `dir` (a new folder by default) and answers the folder. */
export function makeSample(options: SampleOptions = {}, dir: string = join(tempDir(), 'profile_output')): string {
  const args = (['ranks', 'steps', 'seed'] as const).flatMap(k => (options[k] === undefined ? [] : [`--${k}`, String(options[k])]))
  cli('sample', dir, ...args)
  return dir
}

// ───────────────────────────── both shells ─────────────────────────────

/** Collects what a page must never say: errors of the console and of scripts, refusals of the CSP among them. */
export function watchErrors(page: Page): readonly string[] {
  const errors: string[] = []
  page.on('console', m => {
    if (m.type() === 'error') errors.push(m.text())
  })
  page.on('pageerror', e => errors.push(String(e)))
  return errors
}

/** Drops files or folders onto the middle of an element, as the file manager does: Chromium takes the paths, the page gets File objects. */
export async function dropOn(page: Page, selector: string, paths: readonly string[]): Promise<void> {
  const box = await page.locator(selector).first().boundingBox()
  if (!box) throw new Error(`nothing to drop on: ${selector}`)
  const session = await page.context().newCDPSession(page)
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const data = { items: [], files: [...paths], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await session.send('Input.dispatchDragEvent', { type, ...at, data })
  await session.detach()
}

/**
 * Waits until every file of the shown session is read and taken in: before that rows, colours and windows still change, and a click at a fixed place may hit what was
 * there a moment ago.
 */
export async function settled(page: Page): Promise<void> {
  const status = page.getByRole('contentinfo', { name: 'Status' })
  const state = async (): Promise<string> => `${await status.getAttribute('data-reading')}/${await status.getAttribute('data-version')}`
  await expect(async () => {
    const first = await state()
    expect(first).toMatch(/^0\/\d+$/)
    await page.waitForTimeout(250)
    expect(await state()).toBe(first)
  }).toPass({ timeout: 30_000, intervals: [50] })
}

// ───────────────────────────── desktop ─────────────────────────────

export interface Desktop {
  readonly app: ElectronApplication
  readonly page: Page
  readonly errors: readonly string[]
  /** Settings of this start; give it to another start to keep them. */
  readonly home: string
  close(): Promise<void>
}

/** Environment of a start that touches nothing of the user's. */
const environment = (home: string): Record<string, string> => ({
  ...(process.env as Record<string, string>),
  NEURON_WORKBENCH_DIR: home,
  STAND_IN_NODE: process.execPath,
})

/** Starts the desktop with these arguments behind the program (`[PATH]`) and waits for its window. */
export async function launchDesktop(
  args: readonly string[] = [],
  options: { readonly home?: string; readonly size?: { width: number; height: number } } = {},
): Promise<Desktop> {
  const home = options.home ?? tempDir()
  const app = await _electron.launch({
    ...(realElectron ? {} : { executablePath: join(REPO, 'e2e/stand-in/electron') }),
    args: ['.', ...args],
    cwd: REPO,
    env: environment(home),
  })
  const page = await app.firstWindow()
  const errors = watchErrors(page)
  // The window is there before its page is; `errors` may miss what is said before the first line of the page ran, never what comes after.
  await page.waitForFunction(() => window.workbench !== undefined && document.readyState === 'complete')
  await page.setViewportSize(options.size ?? { width: 1440, height: 900 })
  return {
    app,
    page,
    errors,
    home,
    close: () => app.close(),
  }
}

/** Answers the next native open dialog. */
export async function answerOpenDialog(app: ElectronApplication, path: string | null): Promise<void> {
  await app.evaluate(({ dialog }, p) => {
    dialog.showOpenDialog = () => Promise.resolve(p === null ? { canceled: true, filePaths: [] } : { canceled: false, filePaths: [p] })
  }, path)
}

/** Answers the next native save dialog. */
export async function answerSaveDialog(app: ElectronApplication, path: string | null): Promise<void> {
  await app.evaluate(({ dialog }, p) => {
    dialog.showSaveDialog = () => Promise.resolve(p === null ? { canceled: true, filePath: '' } : { canceled: false, filePath: p })
  }, path)
}

/** Chooses an item of the native menu. */
export async function chooseMenu(app: ElectronApplication, id: string): Promise<void> {
  await app.evaluate(({ Menu }, i) => {
    const item = Menu.getApplicationMenu()?.getMenuItemById(i)
    if (!item) throw new Error(`no menu item ${i}`)
    item.click()
  }, id)
}

// ───────────────────────────── browser ─────────────────────────────

export interface Served {
  /** With the token in the fragment. */
  readonly url: string
  readonly port: number
  readonly token: string
  readonly process: ChildProcess
  /** Everything on stderr so far. */
  log(): string
  /** Sends SIGTERM and answers the exit code. */
  stop(): Promise<number | null>
}

/** Starts `serve` with these arguments (`[PATH, '--port', '0']`) and waits for its address. */
export async function serve(args: readonly string[], options: { readonly home?: string; readonly node?: string } = {}): Promise<Served> {
  const child = spawn(options.node ?? process.execPath, [CLI, 'serve', ...args], {
    cwd: REPO,
    env: environment(options.home ?? tempDir()),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let err = ''
  child.stderr.on('data', (d: Buffer) => (err += d.toString()))
  const url = await new Promise<string>((ok, no) => {
    let out = ''
    child.stdout.on('data', (d: Buffer) => {
      out += d.toString()
      if (out.includes('\n')) ok(out.trim())
    })
    child.once('exit', code => no(new Error(`serve ended with ${code}: ${err}`)))
  })
  const { port, hash } = new URL(url)
  return {
    url,
    port: Number(port),
    token: new URLSearchParams(hash.slice(1)).get('token') ?? '',
    process: child,
    log: () => err,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const gone = new Promise<number | null>(ok => child.once('exit', code => ok(code)))
      child.kill('SIGTERM')
      return gone
    },
  }
}

/** Starts `serve PATH` and opens its address in `page`. */
export async function launchBrowser(
  page: Page,
  path: string,
  args: readonly string[] = [],
  options: { readonly home?: string } = {},
): Promise<Served & { readonly errors: readonly string[] }> {
  const served = await serve([path, ...args], options)
  const errors = watchErrors(page)
  await page.goto(served.url)
  return { ...served, errors }
}

/** A client without a browser: what a program that has the token can ask. */
export interface RawClient {
  /** Resolves with the answer, rejects with the host's text. */
  request<N extends RequestName>(name: N, args: RequestArgs<N>): Promise<Answers[N]>
  /** Sends whatever it is given. */
  send(name: unknown, args: unknown): Promise<unknown>
  close(): void
}

/** What the token of `serve` is exchanged for: the cookie as a browser sends it back, and the key. Rejects with the HTTP status of a refusal. */
export async function exchange(served: Served, token = served.token): Promise<{ readonly cookie: string; readonly key: string }> {
  const { status, headers, body } = await rawGet(served, AUTH_PATH, { authorization: `Bearer ${token}` }, 'POST')
  if (status !== 200) throw new Error(`refused with ${status}`)
  return { cookie: (headers['set-cookie'] ?? []).map(c => c.split(';', 1)[0]).join('; '), key: body }
}

export interface DialOptions {
  /** null: neither cookie nor key. */
  readonly token?: string | null
  readonly cookie?: string
  readonly key?: string
  readonly origin?: string | null
  readonly host?: string
}

/** Exchanges the token and dials the socket of `serve`; rejects with the HTTP status of a refusal. */
export async function dial(served: Served, options: DialOptions = {}): Promise<RawClient> {
  const got = options.token === null ? { cookie: '', key: null } : await exchange(served, options.token)
  const key = options.key ?? got.key
  const cookie = options.cookie ?? got.cookie
  const origin = options.origin === undefined ? `http://127.0.0.1:${served.port}` : options.origin
  const socket = new WebSocket(
    `ws://127.0.0.1:${served.port}${SOCKET_PATH}`,
    [SOCKET_PROTOCOL, ...(key === null ? [] : [KEY_PROTOCOL + key])],
    {
      headers: {
        ...(cookie ? { cookie } : {}),
        ...(origin === null ? {} : { origin }),
        ...(options.host ? { host: options.host } : {}),
      },
    },
  )
  await new Promise<void>((ok, no) => {
    socket.on('open', ok)
    socket.on('error', no)
    socket.on('unexpected-response', (_request, response) => no(new Error(`refused with ${response.statusCode}`)))
  })
  let next = 1
  const waiting = new Map<number, (m: readonly unknown[]) => void>()
  socket.on('message', data => {
    const message = decodeWire(data as Buffer) as readonly unknown[]
    if (message[0] !== 'event') waiting.get(message[1] as number)?.(message)
  })
  const send = (name: unknown, args: unknown): Promise<unknown> =>
    new Promise((ok, no) => {
      const id = next++
      waiting.set(id, ([kind, , value]) => (kind === 'answer' ? ok(value) : no(new Error(String(value)))))
      socket.send(encodeWire([id, name, args]))
    })
  return {
    send,
    request: <N extends RequestName>(name: N, args: RequestArgs<N>) => send(name, args) as Promise<Answers[N]>,
    close: () => socket.terminate(),
  }
}

/** A plain HTTP request whose path and headers go out as they stand here. */
export function rawGet(
  served: Served,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }> {
  return new Promise((ok, no) => {
    const own = { host: `127.0.0.1:${served.port}`, ...headers }
    const sent = request({ host: '127.0.0.1', port: served.port, path, method, headers: own }, response => {
      let body = ''
      response.on('data', d => (body += String(d)))
      response.on('end', () => ok({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    sent.on('error', no)
    sent.end()
  })
}

export { expect }
