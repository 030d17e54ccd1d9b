/** The built program as a process (`serve`), and a second client on its socket that sees what the page sees without costing the page anything. */
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import type { Answers, HostEvent, RequestArgs, RequestName } from '../../src/shared/api'
import { AUTH_PATH, KEY_PROTOCOL, SOCKET_PATH, SOCKET_PROTOCOL, type FromHost } from '../../src/shared/socket'
import { decodeWire, encodeWire } from '../../src/shared/wire'

export interface Served {
  /** With the token in its fragment. */
  readonly url: string
  /** `performance.timeOrigin`-based ms at which the process was started. */
  readonly startedMs: number
  readonly pid: number
  /** Peak memory (RSS) of the process, MB; null where the system doesn't tell. */
  peakMb(): number | null
  /** Threads of the process; null where the system doesn't tell. */
  threads(): number | null
  stop(): Promise<void>
}

/** Wall clock in ms with fractions, comparable between the processes of this machine. */
export const wallMs = (): number => performance.timeOrigin + performance.now()

/** Starts `serve DIR` of the built program and waits for its address. Settings and cache go to `home`. */
export async function serve(root: string, dir: string, home: string): Promise<Served> {
  const startedMs = wallMs()
  const child = spawn(process.execPath, [join(root, 'out/main/cli.js'), 'serve', dir], {
    env: { ...process.env, NEURON_WORKBENCH_DIR: home },
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
    child.once('exit', code => no(new Error(`serve ended with ${code}: ${err.trim().split('\n').at(-1)}`)))
  })
  const pid = child.pid ?? 0
  const status = (key: string): number | null => {
    try {
      const m = new RegExp(`^${key}:\\s*(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
      return m ? Number(m[1]) : null
    } catch {
      return null
    }
  }
  return {
    url,
    startedMs,
    pid,
    peakMb: () => {
      const kb = status('VmHWM')
      return kb === null ? null : kb / 1024
    },
    threads: () => status('Threads'),
    stop: () => stop(child),
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise(ok => child.once('exit', ok))
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await gone
  clearTimeout(late)
}

export interface Client {
  request<N extends RequestName>(name: N, args: RequestArgs<N>): Promise<Answers[N]>
  /** Resolves with the first event from now on that `wanted` answers true for. */
  event(wanted: (e: HostEvent) => boolean): Promise<HostEvent>
  close(): void
}

export async function connect(url: string): Promise<Client> {
  const { host, origin, hash } = new URL(url)
  const token = new URLSearchParams(hash.slice(1)).get('token') ?? ''
  const proof = await fetch(`${origin}${AUTH_PATH}`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
  const headers = {
    cookie: proof.headers
      .getSetCookie()
      .map(c => c.split(';', 1)[0])
      .join('; '),
  }
  const socket = new WebSocket(`ws://${host}${SOCKET_PATH}`, [SOCKET_PROTOCOL, KEY_PROTOCOL + (await proof.text())], { origin, headers })
  await new Promise<void>((ok, no) => {
    socket.once('open', () => ok())
    socket.once('error', no)
  })
  let next = 1
  const waiting = new Map<number, { ok: (v: never) => void; no: (e: Error) => void }>()
  const listeners = new Set<(e: HostEvent) => void>()
  socket.on('message', data => {
    const message = decodeWire(data as Buffer) as FromHost
    if (message[0] === 'event') {
      for (const l of [...listeners]) l(message[1])
      return
    }
    const w = waiting.get(message[1])
    waiting.delete(message[1])
    if (message[0] === 'answer') w?.ok(message[2] as never)
    else w?.no(new Error(message[2]))
  })
  return {
    request: (name, args) =>
      new Promise((ok, no) => {
        waiting.set(next, { ok, no })
        socket.send(encodeWire([next++, name, args]))
      }),
    event: wanted =>
      new Promise(ok => {
        const l = (e: HostEvent): void => {
          if (!wanted(e)) return
          listeners.delete(l)
          ok(e)
        }
        listeners.add(l)
      }),
    close: () => socket.terminate(),
  }
}
