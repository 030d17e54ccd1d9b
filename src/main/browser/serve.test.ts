import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { RequestError, type HostEvent } from '../../shared/api'
import { CHECK_PATH, SOCKET_PATH, SOCKET_PROTOCOL, TOKEN_PROTOCOL } from '../../shared/socket'
import { decodeWire, encodeWire } from '../../shared/wire'
import { Bundle } from '../bundle'
import { serveBrowser, type BrowserShell } from './serve'

let folder: string
let shell: BrowserShell
let token: string
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

const own = (): string => `http://127.0.0.1:${shell.port}`

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
    const ws = new WebSocket(`ws://127.0.0.1:${shell.port}${path}`, protocols ?? [SOCKET_PROTOCOL, TOKEN_PROTOCOL + token], {
      headers: { ...headers, ...(origin === null ? {} : { origin }), ...(host ? { host } : {}) },
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
    expect(csp).toContain(`connect-src 'self' ws://127.0.0.1:${shell.port} ws://localhost:${shell.port}`)
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
  it('localhost with the port is ours', async () => {
    expect((await get('/', { host: `localhost:${shell.port}` })).status).toBe(200)
  })
})

describe('the token', () => {
  const bearer = (t: string): Record<string, string> => ({ authorization: `Bearer ${t}` })
  it('is checked without a WebSocket', async () => {
    expect((await get(CHECK_PATH, bearer(token))).status).toBe(204)
    expect((await get(CHECK_PATH, bearer(token.slice(1)))).status).toBe(401)
    expect((await get(CHECK_PATH, bearer(`${token}x`))).status).toBe(401)
    expect((await get(CHECK_PATH)).status).toBe(401)
    expect((await get(`${CHECK_PATH}?token=${token}`)).status).toBe(401)
    expect((await get(CHECK_PATH, { ...bearer(token), origin: 'http://evil.example' })).status).toBe(403)
    expect((await get(CHECK_PATH, { ...bearer(token), 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  })
  it('is needed for a connection', async () => {
    expect(await dial({ protocols: [SOCKET_PROTOCOL] })).toBe(401)
    expect(await dial({ protocols: [SOCKET_PROTOCOL, TOKEN_PROTOCOL + 'nope'] })).toBe(401)
    expect(await dial({ protocols: [SOCKET_PROTOCOL], path: `${SOCKET_PATH}?token=${token}` })).toBe(401)
    expect(await dial({ protocols: [TOKEN_PROTOCOL + token] })).toBe(400)
  })
  it('stands in no answer and no log', async () => {
    const ws = await page()
    expect(ws.protocol).toBe(SOCKET_PROTOCOL)
    ws.close()
    await dial({ protocols: [SOCKET_PROTOCOL, `${TOKEN_PROTOCOL}x${token}`] })
    expect(log.join('\n')).not.toContain(token)
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
    ['too large', Buffer.alloc(70_000), 1009],
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
    for (let i = 0; i < 129; i++) ws.send(encodeWire([i, 'slow', {}]))
    expect(await next(ws)).toEqual(['error', 128, 'Too many requests at once.'])
  })
  it('is told when the program stops', async () => {
    const ws = await page()
    const end = closed(ws)
    await shell.close()
    expect(await end).toBe(1001)
  })
  it('has a limit of pages', async () => {
    const pages = await Promise.all(Array.from({ length: 32 }, () => dial()))
    expect(pages.every(p => p instanceof WebSocket)).toBe(true)
    expect(await dial()).toBe(403)
  })
})

it('a port in use is an error', async () => {
  await expect(
    serveBrowser({
      port: shell.port,
      log: () => undefined,
      bundle: await Bundle.open(folder),
      host: { handle: () => Promise.resolve(), onEvent: () => () => undefined },
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
