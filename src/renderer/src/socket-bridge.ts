/**
 * The Bridge of the browser shell. The token comes in the fragment of the address that `serve` printed; it is exchanged once for a cookie, which the browser
 * keeps, and a key, which lies in the storage of this origin (so that a reload and a second tab work), and leaves the address bar (so that it is not copied
 * along with the address).
 */
import { RequestError, type Bridge, type HostEvent } from '../../shared/api'
import { AUTH_PATH, CHECK_PATH, KEY_PROTOCOL, SOCKET_PATH, SOCKET_PROTOCOL, type ToHost } from '../../shared/socket'
import { ANSWER_LIMITS, decodeWire, encodeWire, WireError } from '../../shared/wire'

export type ConnectionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** Lost; the next attempt starts at `retryAt` (ms since 1970). */
  | { readonly kind: 'lost'; readonly reason: string; readonly retryAt: number }
  /** The host refuses this page; another attempt makes no sense. */
  | { readonly kind: 'refused'; readonly reason: string }

export interface Connection {
  state(): ConnectionState
  onState(listener: (state: ConnectionState) => void): () => void
  /** Tries to connect at once. */
  retry(): void
}

/** The parts of a window that the bridge uses; tests give their own. */
export interface BridgeWindow {
  readonly location: { readonly host: string; readonly hash: string; readonly pathname: string; readonly search: string }
  readonly history: { replaceState(data: unknown, unused: string, url: string): void }
  readonly localStorage: Pick<Storage, 'getItem' | 'setItem'>
  readonly WebSocket: new (url: string, protocols: string[]) => WebSocket
  fetch(url: string, init: RequestInit): Promise<{ readonly status: number; text(): Promise<string> }>
}

const STORED = 'neuron-workbench.key'
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000

const NO_TOKEN =
  'This address carries no key. Open the address that "serve" printed in the terminal; it ends in #token=…, and each browser needs it once.'
const WRONG_TOKEN =
  'The key of this address is not the one of the running program. Open the address that it printed when it was started last.'
const LOST = 'The connection to the program was lost. It is tried again; the terminal where it was started tells more.'

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

/** Makes the bridge and starts to connect. Requests made before the first connection wait for it; later ones fail at once while it is lost. */
export function socketBridge(win: BridgeWindow): { readonly bridge: Bridge; readonly connection: Connection } {
  /** Of the address, until it was exchanged. */
  let token = new URLSearchParams(win.location.hash.slice(1)).get('token')
  let key = token === null ? stored(win) : null
  const waiting = new Map<number, Waiting>()
  const listeners = new Set<(event: HostEvent) => void>()
  const stateListeners = new Set<(state: ConnectionState) => void>()
  /** Requests that were made before the first connection. */
  let early: Uint8Array<ArrayBuffer>[] = []
  let state: ConnectionState = { kind: 'connecting' }
  let socket: WebSocket | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let pause = FIRST_PAUSE_MS
  let next = 1

  const become = (s: ConnectionState): void => {
    state = s
    for (const listener of [...stateListeners]) listener(s)
  }
  const failAll = (reason: string): void => {
    early = []
    const failed = [...waiting.values()]
    waiting.clear()
    for (const w of failed) w.reject(new RequestError(reason))
  }

  const refuse = (reason: string): void => {
    become({ kind: 'refused', reason })
    failAll(reason)
  }
  const later = (): void => {
    become({ kind: 'lost', reason: LOST, retryAt: Date.now() + pause })
    failAll(LOST)
    timer = setTimeout(connect, pause)
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
  const refuses = (status: number): boolean => status === 401 || status === 403 || status === 421

  const connect = (): void => {
    clearTimeout(timer)
    if (token === null && key === null) return refuse(NO_TOKEN)
    if (state.kind !== 'connecting') become({ kind: 'connecting' })
    if (token !== null) return void exchange(token)
    dial(key ?? '')
  }

  const exchange = async (given: string): Promise<void> => {
    const answer = await win
      .fetch(AUTH_PATH, { method: 'POST', headers: { authorization: `Bearer ${given}` }, cache: 'no-store' })
      .then(async r => ({ status: r.status, text: await r.text() }))
      .catch(() => null)
    if (answer !== null && refuses(answer.status)) return refuse(WRONG_TOKEN)
    if (answer?.status !== 200) return later()
    key = answer.text
    token = null
    try {
      win.localStorage.setItem(STORED, key)
      win.history.replaceState(null, '', win.location.pathname + win.location.search)
    } catch {
      // Storage is off in this browser: the token stays in the address, so that a reload finds it there.
    }
    dial(key)
  }

  const dial = (proof: string): void => {
    const s = new win.WebSocket(`ws://${win.location.host}${SOCKET_PATH}`, [SOCKET_PROTOCOL, KEY_PROTOCOL + proof])
    socket = s
    s.binaryType = 'arraybuffer'
    s.onopen = () => {
      pause = FIRST_PAUSE_MS
      for (const message of early) s.send(message)
      early = []
      become({ kind: 'open' })
    }
    s.onmessage = ({ data }) => receive(data)
    s.onclose = () => {
      if (socket !== s) return
      socket = null
      void lost(proof)
    }
  }

  /** A page is not told why a WebSocket failed: a plain request tells a wrong key from a host that is gone. */
  const lost = async (proof: string): Promise<void> => {
    const status = await win
      .fetch(CHECK_PATH, { headers: { authorization: `Bearer ${proof}` }, cache: 'no-store' })
      .then(r => r.status)
      .catch(() => null)
    if (socket) return
    if (status !== null && refuses(status)) return refuse(WRONG_TOKEN)
    later()
  }

  const receive = (data: unknown): void => {
    let message: unknown
    try {
      if (!(data instanceof ArrayBuffer)) throw new WireError('text instead of bytes')
      message = decodeWire(new Uint8Array(data), ANSWER_LIMITS)
      if (!Array.isArray(message)) throw new WireError('not a message')
    } catch (e) {
      // A damaged stream can't be trusted any further; the answers that are missing fail, and a new connection starts clean.
      console.error(e)
      socket?.close()
      return
    }
    const [kind, id, value] = message as readonly unknown[]
    if (kind === 'event') {
      for (const listener of [...listeners]) listener(id as HostEvent)
      return
    }
    const w = waiting.get(id as number)
    if (!w) return
    waiting.delete(id as number)
    if (kind === 'answer') w.resolve(value as never)
    else w.reject(new RequestError(String(value)))
  }

  const bridge: Bridge = {
    shell: 'browser',
    request: (name, args) =>
      new Promise((resolve, reject) => {
        if (state.kind === 'refused' || state.kind === 'lost') return reject(new RequestError(state.reason))
        const id = next++
        const message: ToHost = [id, name, args]
        const bytes = encodeWire(message)
        waiting.set(id, { resolve, reject })
        if (socket && socket.readyState === socket.OPEN) socket.send(bytes)
        else early.push(bytes)
      }),
    onEvent(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    openDropped: file =>
      Promise.resolve({
        opened: false,
        reason: `"${file.name}" was not opened: a browser tells no program where a dropped file lies. Use "Open folder", or start "serve" with its path.`,
      }),
  }
  connect()
  return {
    bridge,
    connection: {
      state: () => state,
      onState(listener) {
        stateListeners.add(listener)
        return () => stateListeners.delete(listener)
      },
      retry() {
        if (state.kind === 'lost') connect()
      },
    },
  }
}

/** The key that an earlier page of this origin got, null without one. */
function stored(win: BridgeWindow): string | null {
  try {
    return win.localStorage.getItem(STORED)
  } catch {
    return null // storage is off in this browser
  }
}
