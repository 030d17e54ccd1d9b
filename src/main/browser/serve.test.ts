import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { RequestError, type HostEvent } from '../../shared/api'
import { AUTH_PATH, CHECK_PATH, KEY_PROTOCOL, SOCKET_PATH, SOCKET_PROTOCOL } from '../../shared/socket'
import { decodeWire, encodeWire, REQUEST_LIMITS } from '../../shared/wire'
import { Bundle } from '../bundle'
import { answerPage } from '../desktop/page'
import { PAGE_URL } from '../desktop/origin'
import { cookieName } from './guard'
import { Bucket, Clients, LIMITS } from './limits'
import { hostsOf, isLoopback } from './listen'
import { serveBrowser, type BrowserShell } from './serve'

// The page of the desktop is asked without a desktop.
vi.mock('electron', () => ({ protocol: {} }))

let folder: string
let shell: BrowserShell
let token: string
/** What the token is exchanged for. */
let cookie: string
let key: string
let log: string[]
const listeners = new Set<(event: HostEvent) => void>()
const calls: unknown[][] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'serve-test-'))
  mkdirSync(join(folder, 'renderer/assets'), { recursive: true })
  writeFileSync(join(folder, 'renderer/index.html'), '<!doctype html><p>page</p>')
  writeFileSync(join(folder, 'renderer/assets/index-abcdef12.js'), 'export {}')
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'renderer/link.txt'))
  log = []
  calls.length = 0
  listeners.clear()
  shell = await serveBrowser({
    port: 0,
    log: l => log.push(l),
    bundle: await Bundle.open(join(folder, 'renderer')),
    host: {
      handle: (name, args) => {
        calls.push([name, args])
        if (name === 'fails') return Promise.reject(new RequestError('For the user.'))
        if (name === 'bug') return Promise.reject(new TypeError('a bug'))
        if (name === 'odd') return Promise.resolve(() => 1)
        if (name === 'slow') return new Promise(() => undefined)
        return Promise.resolve({ name, column: new Float64Array([1, NaN]), id: 2n ** 63n, none: undefined })
      },
      onEvent: l => {
        listeners.add(l)
        return () => listeners.delete(l)
      },
    },
  })
  token = new URLSearchParams(new URL(shell.url).hash.slice(1)).get('token') as string
  const exchanged = await get(AUTH_PATH, bearer(token), 'POST')
  cookie = String(exchanged.headers['set-cookie']).split(';', 1)[0] as string
  key = exchanged.body
})
afterEach(async () => {
  await shell.close()
  rmSync(folder, { recursive: true })
})

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** A raw request: path and headers go out as they stand here. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((ok, no) => {
    const req = request(
      { host: '127.0.0.1', port: shell.port, path, method, headers: { host: `127.0.0.1:${shell.port}`, ...headers } },
      res => {
        let body = ''
        res.on('data', d => (body += d))
        res.on('end', () => ok({ status: res.statusCode ?? 0, headers: res.headers, body }))
      },
    )
    req.on('error', no)
    req.end()
  })
}

const bearer = (t: string): Record<string, string> => ({ authorization: `Bearer ${t}` })
const own = (): string => `http://127.0.0.1:${shell.port}`

/** Sends bytes as they are and answers all that comes back. */
function raw(text: string): Promise<string> {
  return new Promise((ok, no) => {
    let got = ''
    const socket = connect(shell.port, '127.0.0.1', () => socket.write(text))
    socket.on('data', d => (got += String(d)))
    socket.on('close', () => ok(got))
    socket.on('error', no)
  })
}

interface Dial {
  readonly origin?: string | null
  readonly host?: string
  readonly protocols?: string[]
  readonly path?: string
  readonly headers?: Record<string, string>
}
/** Opens a WebSocket as a page of ours does, changed where asked; answers the socket or the status of the refusal. */
function dial({ origin = own(), host, protocols, path = SOCKET_PATH, headers = {} }: Dial = {}): Promise<WebSocket | number> {
  return new Promise(ok => {
    const ws = new WebSocket(`ws://127.0.0.1:${shell.port}${path}`, protocols ?? [SOCKET_PROTOCOL, KEY_PROTOCOL + key], {
      headers: { cookie, ...headers, ...(origin === null ? {} : { origin }), ...(host ? { host } : {}) },
    })
    ws.on('open', () => ok(ws))
    ws.on('unexpected-response', (_req, res) => {
      ok(res.statusCode ?? 0)
      ws.terminate()
    })
    ws.on('error', () => undefined)
  })
}
async function page(): Promise<WebSocket> {
  const ws = await dial()
  if (typeof ws === 'number') throw new Error(`refused: ${ws}`)
  return ws
}
const NOBODY = { handle: () => Promise.resolve(), onEvent: () => () => undefined }
const next = (ws: WebSocket): Promise<unknown> => new Promise(ok => ws.once('message', d => ok(decodeWire(d as Buffer))))
const closed = (ws: WebSocket): Promise<number> => new Promise(ok => ws.once('close', code => ok(code)))

describe('the address', () => {
  it('holds 256 random bits in its fragment, and the port is of 127.0.0.1 only', async () => {
    expect(shell.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/)
    await expect(new Promise((ok, no) => connect(shell.port, '127.0.0.2', () => ok('connected')).on('error', no))).rejects.toThrow(
      /ECONNREFUSED/,
    )
  })
})

describe('files of the build', () => {
  it('come with all headers', async () => {
    const { status, headers, body } = await get('/')
    expect(status).toBe(200)
    expect(body).toBe('<!doctype html><p>page</p>')
    const csp = String(headers['content-security-policy'])
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"])
      expect(csp.split('; ')).toContain(part)
    expect(csp).not.toMatch(/unsafe|\*/)
    expect(csp.split('; ')).toContain("connect-src 'self'")
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  it('are the files of the list and nothing else', async () => {
    expect((await get('/assets/index-abcdef12.js')).status).toBe(200)
    for (const path of [
      '/../secret.txt',
      '/assets/../../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/assets/..%5c..%5csecret.txt',
      '//secret.txt',
      '/link.txt',
      '/assets',
      '/assets/',
      '/index.html/',
      '/__proto__',
    ]) {
      const { status, body } = await get(path)
      expect([path, status]).toEqual([path, 404])
      expect(body).not.toContain('secret')
    }
  })

  it('are gone when a link takes their place', async () => {
    rmSync(join(folder, 'renderer/index.html'))
    symlinkSync(join(folder, 'secret.txt'), join(folder, 'renderer/index.html'))
    expect((await get('/')).status).toBe(404)
  })

  it('are read, never written: other methods are refused', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const { status, headers } = await get('/', {}, method)
      expect([method, status, headers['allow']]).toEqual([method, 405, 'GET, HEAD'])
    }
    expect(await get('/', {}, 'HEAD')).toMatchObject({ status: 200, body: '' })
  })

  it('are packed for those who can unpack them', async () => {
    expect((await get('/', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip')
    expect((await get('/', { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined()
  })

  it('are not for other sites, except that a link may lead to the page', async () => {
    expect((await get('/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })).status).toBe(
      200,
    )
    expect((await get('/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' })).status).toBe(403)
    expect((await get('/assets/index-abcdef12.js', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).status).toBe(403)
    expect((await get('/', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' })).status).toBe(403)
    expect((await get('/', { origin: 'http://evil.example' })).status).toBe(403)
  })
})

describe('the Host header', () => {
  it.each(['evil.example', 'evil.example:80', '127.0.0.1', 'localhost', '127.0.0.1.evil.example', '0.0.0.0', '[::1]'])(
    '%s is refused',
    async host => {
      expect((await get('/', { host: host.includes(':') ? host : `${host}` })).status).toBe(421)
      expect(await dial({ host })).toBe(421)
    },
  )
  it('with another port is refused, whatever the origin says', async () => {
    const host = `127.0.0.1:${shell.port + 1}`
    expect((await get('/', { host })).status).toBe(421)
    expect(await dial({ host, origin: `http://${host}` })).toBe(421)
  })
  it('is refused when it is given twice, whichever comes first', async () => {
    const mine = `127.0.0.1:${shell.port}`
    for (const hosts of [
      [mine, 'evil.example'],
      ['evil.example', mine],
      [mine, mine],
    ]) {
      const text = await raw(`GET / HTTP/1.1\r\n${hosts.map(h => `Host: ${h}\r\n`).join('')}Connection: close\r\n\r\n`)
      expect([hosts, text.split('\r\n')[0]]).toEqual([hosts, 'HTTP/1.1 400 Bad Request'])
    }
    expect(await raw('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
    const twice = `Host: ${mine}\r\nOrigin: ${own()}\r\nOrigin: ${own()}\r\nConnection: close\r\n\r\n`
    expect(await raw(`GET / HTTP/1.1\r\n${twice}`)).toMatch(/^HTTP\/1\.1 400 /)
  })
  it('localhost with the port is ours', async () => {
    expect((await get('/', { host: `localhost:${shell.port}` })).status).toBe(200)
  })
})

describe('the token', () => {
  it('is exchanged for a cookie and a key, which are neither the token nor each other', async () => {
    const { status, headers, body } = await get(AUTH_PATH, { ...bearer(token), origin: own() }, 'POST')
    expect(status).toBe(200)
    expect(headers['set-cookie']).toEqual([expect.stringMatching(/^neuron-workbench-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)])
    expect(String(headers['set-cookie'])).toContain(`${cookieName(shell.port)}=`)
    expect(headers['cache-control']).toBe('no-store')
    expect(body).toMatch(/^[\w-]{43}$/)
    const value = cookie.slice(cookie.indexOf('=') + 1)
    expect(new Set([token, value, body]).size).toBe(3)
  })
  it.each([
    ['none', () => ({}), 401],
    ['a wrong one', () => bearer('A'.repeat(43)), 401],
    ['a part of it', () => bearer(token.slice(1)), 401],
    ['more than it', () => bearer(`${token}x`), 401],
    ['the key instead', () => bearer(key), 401],
    ['another scheme', () => ({ authorization: `Basic ${token}` }), 401],
    ['the token of another site', () => ({ ...bearer(token), origin: 'http://evil.example' }), 403],
    ['the token of another port', () => ({ ...bearer(token), origin: `http://127.0.0.1:${shell.port + 1}` }), 403],
    ['the token of a sandboxed page', () => ({ ...bearer(token), origin: 'null' }), 403],
    ['the token, said to be cross-site', () => ({ ...bearer(token), 'sec-fetch-site': 'cross-site' }), 403],
    ['the token, said to be of another port', () => ({ ...bearer(token), 'sec-fetch-site': 'same-site' }), 403],
    ['a body', () => ({ ...bearer(token), 'content-length': '5' }), 413],
  ] as const)('%s is refused', async (_name, headers, status) => {
    const answer = await get(AUTH_PATH, headers(), 'POST')
    expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined])
  })
  it('is taken in no other way', async () => {
    expect((await get(`${AUTH_PATH}?token=${token}`, {}, 'POST')).status).toBe(401)
    expect((await get(AUTH_PATH, bearer(token))).status).toBe(404)
    expect((await get(CHECK_PATH, bearer(token))).status).toBe(401)
    expect(await dial({ protocols: [SOCKET_PROTOCOL, KEY_PROTOCOL + token] })).toBe(401)
  })
  it('stands in no answer and no log, nor does what it was exchanged for', async () => {
    const ws = await page()
    expect(ws.protocol).toBe(SOCKET_PROTOCOL)
    ws.close()
    await dial({ protocols: [SOCKET_PROTOCOL, `${KEY_PROTOCOL}x${key}`] })
    await dial({ headers: { cookie: `${cookie}x` } })
    await get(AUTH_PATH, bearer(`${token}x`), 'POST')
    expect(log.length).toBeGreaterThan(2)
    for (const secret of [token, key, cookie.slice(cookie.indexOf('=') + 1)]) expect(log.join('\n')).not.toContain(secret)
  })
})

describe('cookie and key', () => {
  it('are both needed to connect', async () => {
    for (const wrong of [
      { protocols: [SOCKET_PROTOCOL] },
      { protocols: [SOCKET_PROTOCOL, `${KEY_PROTOCOL}nope`] },
      { protocols: [SOCKET_PROTOCOL], path: `${SOCKET_PATH}?key=${key}` },
      { headers: { cookie: '' } },
      { headers: { cookie: `${cookieName(shell.port)}=nope` } },
      { headers: { cookie: `${cookie}x` } },
      { headers: { cookie: cookie.replace(String(shell.port), String(shell.port + 1)) } },
      { headers: { cookie: `${cookieName(shell.port)}=${key}` } },
      { headers: { cookie: `${cookieName(shell.port)}=${token}` } },
    ])
      expect([wrong, await dial(wrong)]).toEqual([wrong, 401])
    expect(await dial({ protocols: [KEY_PROTOCOL + key] })).toBe(400)
    expect(await dial()).toBeInstanceOf(WebSocket)
  })
  it('are checked without a WebSocket', async () => {
    expect((await get(CHECK_PATH, { ...bearer(key), cookie })).status).toBe(204)
    expect((await get(CHECK_PATH, bearer(key))).status).toBe(401)
    expect((await get(CHECK_PATH, { cookie })).status).toBe(401)
    expect((await get(CHECK_PATH, { ...bearer(key), cookie, origin: 'http://evil.example' })).status).toBe(403)
    expect((await get(CHECK_PATH, { ...bearer(key), cookie, 'sec-fetch-site': 'same-site' })).status).toBe(403)
  })
  it('of our name may be set by another port too: one that is right is enough', async () => {
    const other = `${cookieName(shell.port)}=${'A'.repeat(43)}`
    expect(await dial({ headers: { cookie: `a=b; ${other}; ${cookie}; c=d` } })).toBeInstanceOf(WebSocket)
    expect(await dial({ headers: { cookie: Array(40).fill(other).join('; ') } })).toBe(401)
  })
  it('are others in each process', async () => {
    const again = await serveBrowser({ port: 0, log: () => undefined, bundle: await Bundle.open(join(folder, 'renderer')), host: NOBODY })
    try {
      expect(again.url).not.toContain(token)
      const answer = await fetch(`http://127.0.0.1:${again.port}${CHECK_PATH}`, { headers: { ...bearer(key), cookie } })
      expect(answer.status).toBe(401)
    } finally {
      await again.close()
    }
  })
})

describe('the origin of a connection', () => {
  it.each([null, 'null', 'http://evil.example', 'https://127.0.0.1', 'http://127.0.0.1', 'file://'])('%s is refused', async origin => {
    expect(await dial({ origin })).toBe(403)
  })
  it('has to be the one of the Host header', async () => {
    expect(await dial({ origin: `http://localhost:${shell.port}` })).toBe(403)
    expect(await dial({ origin: `http://127.0.0.1:${shell.port + 1}` })).toBe(403)
  })
  it('is refused when the browser says that another site asks', async () => {
    expect(await dial({ headers: { 'sec-fetch-site': 'cross-site' } })).toBe(403)
  })
  it('an unknown path is refused', async () => {
    expect(await dial({ path: '/other' })).toBe(404)
  })
})

describe('a connection', () => {
  it('carries columns, bigint and undefined exactly', async () => {
    const ws = await page()
    ws.send(encodeWire([1, 'root.get', { a: 1 }]))
    expect(await next(ws)).toStrictEqual([
      'answer',
      1,
      { name: 'root.get', column: new Float64Array([1, NaN]), id: 2n ** 63n, none: undefined },
    ])
    expect(calls).toEqual([['root.get', { a: 1 }]])
  })
  it('tells errors to the user and keeps bugs in the log', async () => {
    const ws = await page()
    ws.send(encodeWire([1, 'fails', {}]))
    expect(await next(ws)).toEqual(['error', 1, 'For the user.'])
    ws.send(encodeWire([2, 'bug', {}]))
    expect(await next(ws)).toEqual(['error', 2, 'Internal error: a bug'])
    expect(log.join('\n')).toContain('serve.test.ts')
    ws.send(encodeWire([3, 'odd', {}]))
    expect(await next(ws)).toEqual(['error', 3, 'Internal error: a function is no data'])
  })
  it('gives each event to every page', async () => {
    const [a, b] = [await page(), await page()]
    const both = Promise.all([next(a), next(b)])
    const event: HostEvent = { type: 'root', version: 7 }
    for (const l of listeners) l(event)
    expect(await both).toEqual([
      ['event', event],
      ['event', event],
    ])
    a.close()
    await closed(a)
    await expect.poll(() => listeners.size).toBe(1)
  })
  it.each([
    ['text', 'hello', 1003],
    ['no MessagePack', Buffer.from([0xc1]), 1007],
    ['no request', Buffer.from(encodeWire({ a: 1 })), 1007],
    ['a request of four parts', Buffer.from(encodeWire([1, 'x', {}, {}])), 1007],
    ['nothing', Buffer.alloc(0), 1007],
    ['too large', Buffer.alloc(REQUEST_LIMITS.bytes + 1), 1009],
  ])('%s ends it, not the program', async (_name, data, code) => {
    const ws = await page()
    const end = closed(ws)
    ws.send(data)
    expect(await end).toBe(code)
    expect(calls).toEqual([])
    const other = await page()
    other.send(encodeWire([1, 'still.there', {}]))
    expect((await next(other)) as unknown[]).toMatchObject(['answer', 1, { name: 'still.there' }])
  })
  it('has a limit of requests under way', async () => {
    const ws = await page()
    for (let i = 0; i < LIMITS.pending + 1; i++) ws.send(encodeWire([i, 'slow', {}]))
    expect(await next(ws)).toEqual(['error', LIMITS.pending, expect.stringMatching(/^Too many requests at once; at most 128/)])
  })
  it('has a limit of requests a second, says so, and serves others meanwhile', async () => {
    const ws = await page()
    const answers: unknown[][] = []
    ws.on('message', d => answers.push(decodeWire(d as Buffer) as unknown[]))
    const n = LIMITS.requests.burst + 1500
    for (let i = 0; i < n; i += 100) {
      for (let k = i; k < i + 100; k++) ws.send(encodeWire([k, 'quick', {}]))
      await expect.poll(() => answers.length, { timeout: 30_000, interval: 1 }).toBe(i + 100)
    }
    const refused = answers.filter(a => a[0] === 'error')
    for (const a of refused) expect(a[2]).toMatch(/^Too many requests; at most 800 a second/)
    // On a machine that is slower than the limit nothing has to be refused.
    const answered = answers.length - refused.length
    expect(answered).toBeGreaterThanOrEqual(LIMITS.requests.burst)
    const other = await page()
    other.send(encodeWire([1, 'still.there', {}]))
    expect((await next(other)) as unknown[]).toMatchObject(['answer', 1, { name: 'still.there' }])
  })
  it('is ended when it goes on over its limits', async () => {
    const ws = await page()
    const end = closed(ws)
    for (let i = 0; i < LIMITS.pending + LIMITS.strikes + 10; i++) ws.send(encodeWire([i, 'slow', {}]))
    expect(await end).toBe(1008)
    expect(log.filter(l => l.includes('again and again'))).toHaveLength(1)
    expect(await page()).toBeInstanceOf(WebSocket)
  })
  it('is told when the program stops', async () => {
    const ws = await page()
    const end = closed(ws)
    await shell.close()
    expect(await end).toBe(1001)
  })
  it('has a limit of pages, and a page that goes makes room', async () => {
    const pages = await Promise.all(Array.from({ length: LIMITS.pages }, () => dial()))
    expect(pages.every(p => p instanceof WebSocket)).toBe(true)
    expect(await dial()).toBe(429)
    const [first] = pages as WebSocket[]
    const gone = closed(first!)
    first!.close()
    await gone
    await expect.poll(async () => (await dial()) instanceof WebSocket).toBe(true)
  })
})

it('a port in use is an error', async () => {
  await expect(
    serveBrowser({
      port: shell.port,
      log: () => undefined,
      bundle: await Bundle.open(folder),
      host: NOBODY,
    }),
  ).rejects.toThrow(/EADDRINUSE/)
})

describe('connections that are held open', () => {
  const held = (first: string): Promise<{ readonly ended: Promise<void> }> =>
    new Promise(ready => {
      const socket = connect({ port: shell.port, host: '127.0.0.1', allowHalfOpen: true }, () => {
        if (first) socket.write(first)
        ready({ ended: new Promise(done => socket.once('close', () => done())) })
      })
      socket.on('error', () => undefined)
      socket.resume()
    })

  it('a refused upgrade is gone at once although its client keeps its side open', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        held(`GET ${SOCKET_PATH} HTTP/1.1\r\nHost: 127.0.0.1:${shell.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`),
      ),
    )
    await expect.poll(() => shell.connections(), { timeout: 20_000 }).toBe(0)
    expect(all).toHaveLength(20)
  })

  it('stopping does not wait for silent clients', async () => {
    await Promise.all([held(''), held('GET / HTTP/1.1\r\n')])
    await expect.poll(() => shell.connections()).toBe(2)
    await shell.close()
    await expect.poll(() => shell.connections()).toBe(0)
  })
})

describe('what one client may ask over HTTP', () => {
  it('has a limit of requests, and says so', async () => {
    const counts = new Map<number, number>()
    const n = LIMITS.http.burst + 400
    for (let i = 0; i < n; i += 50) {
      const some = await Promise.all(Array.from({ length: 50 }, () => get(CHECK_PATH)))
      for (const a of some) {
        counts.set(a.status, (counts.get(a.status) ?? 0) + 1)
        if (a.status === 429) expect([a.headers['retry-after'], a.body]).toEqual(['5', expect.stringMatching(/requests a second/)])
      }
    }
    expect([...counts.keys()].sort()).toEqual([401, 429])
    expect(counts.get(401)).toBeGreaterThanOrEqual(LIMITS.http.burst - 50)
    // The log is not filled by it.
    expect(log.length).toBeLessThan(n / 2)
  })
  it('has a limit of connections, and says so', async () => {
    const held = Array.from({ length: LIMITS.connections }, () => connect(shell.port, '127.0.0.1').on('error', () => undefined))
    await expect.poll(() => shell.connections(), { timeout: 20_000 }).toBeGreaterThanOrEqual(LIMITS.connections)
    const text = await raw(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${shell.port}\r\nConnection: close\r\n\r\n`).catch(
      (e: NodeJS.ErrnoException) => e.code,
    )
    // What was sent meanwhile may make the system reset the connection once it is closed.
    expect(text).toMatch(/^HTTP\/1\.1 429 Too Many Requests|^ECONNRESET/)
    for (const s of held) s.destroy()
    await expect.poll(() => shell.connections(), { timeout: 20_000 }).toBe(0)
    expect((await get('/')).status).toBe(200)
  })
})

describe('limits', () => {
  it('a bucket gives its burst at once and then its rate', () => {
    let now = 0
    const b = new Bucket({ perSecond: 10, burst: 3 }, () => now)
    const take = (n: number): number => Array.from({ length: n }, () => b.take()).filter(Boolean).length
    expect(take(5)).toBe(3)
    now += 100
    expect(take(5)).toBe(1)
    now += 10_000
    expect(b.full).toBe(true)
    expect(take(5)).toBe(3)
  })
  it('clients that left are forgotten', () => {
    let now = 0
    const clients = new Clients(() => now)
    for (let i = 0; i < 1000; i++) clients.of(`10.0.${i >> 8}.${i & 255}`).http.take()
    const stays = clients.of('10.9.9.9')
    stays.connections = 1
    now += 60_000
    clients.of('10.8.8.8')
    expect(clients.size).toBe(2)
    expect(clients.of('10.9.9.9')).toBe(stays)
  })
})

describe('where it listens', () => {
  it('tells loopback from what others reach', () => {
    for (const a of ['127.0.0.1', '127.3.2.1', 'localhost', '::1']) expect([a, isLoopback(a)]).toEqual([a, true])
    for (const a of ['0.0.0.0', '::', '192.168.1.2', '127.evil.example', '127.0.0.1.evil.example', 'host', ''])
      expect([a, isLoopback(a)]).toEqual([a, false])
  })
  it('takes the Host headers of its address, and of all the machine for all interfaces', () => {
    const machine = (): readonly string[] => ['192.168.1.2', 'fd00::2', 'trn-host']
    expect(hostsOf('127.0.0.1', 5, machine)).toEqual(['127.0.0.1:5', 'localhost:5'])
    expect(hostsOf('192.168.1.2', 5, machine)).toEqual(['127.0.0.1:5', 'localhost:5', '192.168.1.2:5'])
    expect(hostsOf('0.0.0.0', 5, machine)).toEqual(['127.0.0.1:5', 'localhost:5', '[::1]:5', '192.168.1.2:5', '[fd00::2]:5', 'trn-host:5'])
    expect(hostsOf('127.0.0.1', 80)).toEqual(['127.0.0.1', '127.0.0.1:80', 'localhost', 'localhost:80'])
  })
  it('on all interfaces still refuses a foreign Host', async () => {
    const wide = await serveBrowser({
      port: 0,
      address: '0.0.0.0',
      log: () => undefined,
      bundle: await Bundle.open(join(folder, 'renderer')),
      host: NOBODY,
    })
    try {
      expect(wide.url).toMatch(/^http:\/\/[\d.]+:\d+\/#token=/)
      const status = (host: string): Promise<number> =>
        new Promise((ok, no) => {
          const req = request({ host: '127.0.0.1', port: wide.port, path: '/', headers: { host } }, res => {
            res.resume()
            ok(res.statusCode ?? 0)
          })
          req.on('error', no).end()
        })
      expect(await status(`127.0.0.1:${wide.port}`)).toBe(200)
      expect(await status(`evil.example:${wide.port}`)).toBe(421)
      expect(await status(`0.0.0.0:${wide.port}`)).toBe(421)
    } finally {
      await wide.close()
    }
  })
})

it('both shells send the same headers with the page', async () => {
  const bundle = await Bundle.open(join(folder, 'renderer'))
  const desktop = await answerPage(bundle, new Request(PAGE_URL))
  expect(desktop.status).toBe(200)
  const { headers } = await get('/')
  const names = [...desktop.headers.keys()].filter(n => n !== 'cache-control' && n !== 'content-type')
  expect(names).toEqual(
    expect.arrayContaining(['content-security-policy', 'x-content-type-options', 'referrer-policy', 'cross-origin-opener-policy']),
  )
  for (const name of names) expect([name, headers[name]]).toEqual([name, desktop.headers.get(name)])
})
