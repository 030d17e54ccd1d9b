/** The Chromium under the stand-in, and the DevTools protocol to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHROMIUM_FLAGS, findBrowser } from '../../scripts/find-browser.mjs'

export type Params = Readonly<Record<string, unknown>>
export type Listener = (method: string, params: Params) => void

interface Reply {
  readonly id?: number
  readonly sessionId?: string
  readonly method?: string
  readonly params?: Params
  readonly result?: Params
  readonly error?: { readonly message: string }
}

/** Folder of this run: Chromium's profile and what `app.getPath` names. */
export const profile = mkdtempSync(join(tmpdir(), 'electron-stand-in-'))

let socket: WebSocket
let chromium: ChildProcess | undefined
let seq = 0
const waits = new Map<number, { readonly method: string; readonly ok: (r: Params) => void; readonly no: (e: Error) => void }>()
const listeners = new Map<string, Listener>()
const browserListeners = new Set<Listener>()

/** Sends one command of the DevTools protocol. */
export function cdp<R = Params>(method: string, params: Params = {}, sessionId?: string): Promise<R> {
  return new Promise<R>((ok, no) => {
    waits.set(++seq, { method, ok: ok as (r: Params) => void, no })
    socket.send(JSON.stringify({ id: seq, method, params, sessionId }))
  })
}

/** Events of one session; `Target.detachedFromTarget` comes to the session that went. */
export function listen(sessionId: string, listener: Listener): void {
  listeners.set(sessionId, listener)
}

/** Events of the browser itself. */
export function listenBrowser(listener: Listener): void {
  browserListeners.add(listener)
}

/** Starts Chromium and connects. */
export async function boot(): Promise<void> {
  const flags = ['--headless=new', '--remote-debugging-port=0', '--no-startup-window', `--user-data-dir=${profile}`, ...CHROMIUM_FLAGS]
  const child = spawn(findBrowser({ install: false }), flags, { stdio: ['ignore', 'ignore', 'pipe'] })
  chromium = child
  const url = await new Promise<string>((ok, no) => {
    let text = ''
    child.once('error', no)
    child.once('exit', code => no(new Error(`Chromium ended with ${code}: ${text}`)))
    child.stderr.on('data', (d: Buffer) => {
      process.stderr.write(d)
      text += d.toString()
      const address = /^DevTools listening on (\S+)/m.exec(text)?.[1]
      if (address) ok(address)
    })
  })
  socket = new WebSocket(url)
  await new Promise((ok, no) => {
    socket.onopen = ok
    socket.onerror = no
  })
  socket.onmessage = ({ data }) => receive(JSON.parse(String(data)) as Reply)
  await cdp('Target.setDiscoverTargets', { discover: true })
}

function receive(m: Reply): void {
  if (m.id !== undefined) {
    const w = waits.get(m.id)
    waits.delete(m.id)
    if (m.error) w?.no(new Error(`${w.method}: ${m.error.message}`))
    else w?.ok(m.result ?? {})
    return
  }
  const { method = '', params = {} } = m
  const session = method === 'Target.detachedFromTarget' ? String(params['sessionId']) : m.sessionId
  if (session !== undefined) listeners.get(session)?.(method, params)
  else for (const listener of browserListeners) listener(method, params)
}

/** Ends Chromium and removes the profile. */
export async function shutDown(): Promise<void> {
  const child = chromium
  if (child && child.exitCode === null && child.signalCode === null) {
    const gone = new Promise(ok => child.once('exit', ok))
    child.kill()
    await gone
  }
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
}
