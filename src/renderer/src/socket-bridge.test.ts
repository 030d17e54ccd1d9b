import { afterEach, describe, expect, it, vi } from 'vitest'
import { SOCKET_PROTOCOL } from '../../shared/socket'
import { decodeWire, encodeWire } from '../../shared/wire'
import { socketBridge, type BridgeWindow, type ConnectionState } from './socket-bridge'

class FakeSocket {
  static all: FakeSocket[] = []
  static last = (): FakeSocket => FakeSocket.all.at(-1) as FakeSocket
  readonly OPEN = 1
  readyState = 0
  binaryType = ''
  sent: unknown[] = []
  onopen: () => void = () => undefined
  onclose: () => void = () => undefined
  onmessage: (e: { data: unknown }) => void = () => undefined
  readonly url: string
  readonly protocols: string[]
  constructor(url: string, protocols: string[]) {
    this.url = url
    this.protocols = protocols
    FakeSocket.all.push(this)
  }
  send(bytes: Uint8Array): void {
    this.sent.push(decodeWire(bytes))
  }
  close(): void {
    this.readyState = 3
    this.onclose()
  }
  open(): void {
    this.readyState = 1
    this.onopen()
  }
  give(message: unknown): void {
    this.onmessage({ data: encodeWire(message).slice().buffer })
  }
}

/** A page with a key of its own unless told otherwise. `status`: of the answers to plain requests, null where nobody answers. */
function win(hash = '', stored: string | null = 'KEPT', status: number | null = 200) {
  const store = new Map<string, string>(stored === null ? [] : [['neuron-workbench.key', stored]])
  const addresses: string[] = []
  const fetched: (readonly [url: string, method: string | undefined, headers: unknown])[] = []
  const w: BridgeWindow = {
    location: { host: '127.0.0.1:5', hash, pathname: '/', search: '' },
    history: { replaceState: (_d, _u, url) => void addresses.push(url) },
    localStorage: { getItem: k => store.get(k) ?? null, setItem: (k, v) => void store.set(k, v) },
    WebSocket: FakeSocket as unknown as BridgeWindow['WebSocket'],
    fetch: (url, init) => {
      fetched.push([url, init.method, init.headers])
      return status === null ? Promise.reject(new TypeError('failed')) : Promise.resolve({ status, text: () => Promise.resolve('KEY') })
    },
  }
  FakeSocket.all = []
  return { w, store, addresses, fetched }
}
const tick = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

afterEach(() => vi.useRealTimers())

const settled = (): Promise<unknown> => new Promise(ok => setTimeout(ok))

describe('the token', () => {
  it('is exchanged once for a key, which is kept, and leaves the address', async () => {
    const { w, store, addresses, fetched } = win('#token=T', null)
    socketBridge(w)
    expect(FakeSocket.all).toEqual([])
    await settled()
    expect(fetched).toEqual([['/auth', 'POST', { authorization: 'Bearer T' }]])
    expect(FakeSocket.last().url).toBe('ws://127.0.0.1:5/socket')
    expect(FakeSocket.last().protocols).toEqual([SOCKET_PROTOCOL, 'key.KEY'])
    expect([...store.values()]).toEqual(['KEY'])
    expect(addresses).toEqual(['/'])
    FakeSocket.last().close()
    await settled()
    expect(fetched.map(f => f[0])).toEqual(['/auth', '/check'])
  })
  it('is not needed after a reload, and a new one in the address wins over a key', async () => {
    socketBridge(win().w)
    expect(FakeSocket.last().protocols).toContain('key.KEPT')
    socketBridge(win('#token=NEW').w)
    await settled()
    expect(FakeSocket.last().protocols).toContain('key.KEY')
  })
  it('is needed', async () => {
    const { bridge, connection } = socketBridge(win('', null).w)
    expect(FakeSocket.all).toEqual([])
    expect(connection.state().kind).toBe('refused')
    await expect(bridge.request('app.info', {})).rejects.toThrow(/carries no key/)
  })
  it('that is wrong is refused, and stays in the address', async () => {
    const { w, store, addresses } = win('#token=OLD', null, 401)
    const { connection } = socketBridge(w)
    await settled()
    expect(connection.state()).toMatchObject({ kind: 'refused' })
    expect([FakeSocket.all, [...store], addresses]).toEqual([[], [], []])
  })
  it('waits for a program that is not there, or has too much to do', async () => {
    for (const status of [null, 429, 500]) {
      const { connection } = socketBridge(win('#token=T', null, status).w)
      await settled()
      expect(connection.state()).toMatchObject({ kind: 'lost' })
    }
  })
  it('stays in the address where storage is off', async () => {
    const { w, addresses } = win('#token=T', null)
    const off = (): never => {
      throw new DOMException('denied', 'SecurityError')
    }
    socketBridge({ ...w, localStorage: { getItem: off, setItem: off } })
    await settled()
    expect(FakeSocket.last().protocols).toContain('key.KEY')
    expect(addresses).toEqual([])
  })
})

describe('requests', () => {
  it('wait for the first connection, then go out in order', async () => {
    const { bridge } = socketBridge(win().w)
    const answer = bridge.request('app.info', {})
    FakeSocket.last().open()
    void bridge.request('root.get', {})
    expect(FakeSocket.last().sent).toEqual([
      [1, 'app.info', {}],
      [2, 'root.get', {}],
    ])
    FakeSocket.last().give(['answer', 1, { name: 'x' }])
    expect(await answer).toEqual({ name: 'x' })
  })
  it('fail with the words of the host', async () => {
    const { bridge } = socketBridge(win().w)
    FakeSocket.last().open()
    const answer = bridge.request('app.info', {})
    FakeSocket.last().give(['error', 1, 'Not so.'])
    await expect(answer).rejects.toMatchObject({ name: 'RequestError', message: 'Not so.' })
  })
  it('ignore answers that nobody waits for', () => {
    socketBridge(win().w)
    FakeSocket.last().open()
    FakeSocket.last().give(['answer', 99, null])
  })
})

it('events reach every listener until it leaves', () => {
  const { bridge } = socketBridge(win().w)
  const seen: unknown[] = []
  const leave = bridge.onEvent(e => seen.push(e))
  FakeSocket.last().give(['event', { type: 'root', version: 1 }])
  leave()
  FakeSocket.last().give(['event', { type: 'root', version: 2 }])
  expect(seen).toEqual([{ type: 'root', version: 1 }])
})

describe('a lost connection', () => {
  it('fails what is under way, says so, and comes back with growing pauses', async () => {
    vi.useFakeTimers()
    const { bridge, connection } = socketBridge(win('', 'KEPT', null).w)
    const states: ConnectionState['kind'][] = []
    connection.onState(s => states.push(s.kind))
    FakeSocket.last().open()
    const pending = bridge.request('app.info', {})
    pending.catch(() => undefined)
    FakeSocket.last().close()
    await tick()
    await expect(pending).rejects.toThrow(/connection .* was lost/)
    await expect(bridge.request('app.info', {})).rejects.toThrow(/connection .* was lost/)
    const pauses: number[] = []
    for (let i = 0; i < 7; i++) {
      const s = connection.state()
      if (s.kind !== 'lost') throw new Error(s.kind)
      pauses.push(s.retryAt - Date.now())
      await vi.advanceTimersByTimeAsync(s.retryAt - Date.now())
      FakeSocket.last().close()
      await tick()
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000])
    connection.retry()
    FakeSocket.last().open()
    expect(states.slice(0, 3)).toEqual(['open', 'lost', 'connecting'])
    expect(connection.state()).toEqual({ kind: 'open' })
    const again = bridge.request('app.info', {})
    expect(FakeSocket.last().sent).toHaveLength(1)
    FakeSocket.last().give(['answer', 2, 'yes'])
    expect(await again).toBe('yes')
  })
  it('is not tried again when the key is refused', async () => {
    vi.useFakeTimers()
    const { bridge, connection } = socketBridge(win('', 'OLD', 401).w)
    const early = bridge.request('app.info', {})
    early.catch(() => undefined)
    FakeSocket.last().close()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(FakeSocket.all).toHaveLength(1)
    expect(connection.state()).toMatchObject({ kind: 'refused' })
    await expect(early).rejects.toThrow(/not the one of the running program/)
  })
  it('follows a damaged message', async () => {
    vi.useFakeTimers()
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { connection } = socketBridge(win().w)
    FakeSocket.last().open()
    FakeSocket.last().onmessage({ data: new Uint8Array([0xc1]).buffer })
    await tick()
    expect(connection.state().kind).toBe('lost')
    vi.restoreAllMocks()
  })
})

it('a dropped file is refused with the reason', async () => {
  const { bridge } = socketBridge(win().w)
  const answer = await bridge.openDropped(new File(['x'], 'trace.json'))
  expect(answer.opened).toBe(false)
  expect(answer.reason).toMatch(/"trace\.json" was not opened: a browser tells no program where/)
})
