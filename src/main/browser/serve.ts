/**
 * The browser shell: the built page and the API contract on a port, by default of 127.0.0.1 alone; the way from elsewhere is a tunnel
 * (`ssh -L PORT:127.0.0.1:PORT HOST`). How a page proves itself, and what one client may ask, is told in README.md of this folder.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { WebSocketServer } from 'ws'
import { AUTH_PATH, CHECK_PATH, SOCKET_PATH, SOCKET_PROTOCOL } from '../../shared/socket'
import { REQUEST_LIMITS } from '../../shared/wire'
import { type Bundle, securityHeaders } from '../bundle'
import { serveConnection, type RequestHost } from './connection'
import { checkCall, checkExchange, checkHost, checkStatic, checkUpgrade, makeSecrets, setCookie, type Refusal } from './guard'
import { Bucket, Clients, LIMITS } from './limits'
import { hostsOf, shownHost } from './listen'

export interface ServeOptions {
  readonly host: RequestHost
  readonly bundle: Bundle
  /** 0 takes a free one. */
  readonly port: number
  /** Address that is listened on; 127.0.0.1 by default. The caller has made sure that the user wants another one. */
  readonly address?: string
  /** One line for each refusal or fault. */
  readonly log: (line: string) => void
}

export interface BrowserShell {
  readonly port: number
  /** Address with the token. */
  readonly url: string
  /** Open TCP connections, pages and others. */
  connections(): number
  /** Says goodbye to the pages and stops listening. */
  close(): Promise<void>
}

const ALIVE_MS = 30_000
const zip = promisify(gzip)

/** Starts the shell. Rejects when the port cannot be had. */
export async function serveBrowser(options: ServeOptions): Promise<BrowserShell> {
  const { host, bundle } = options
  const log = seldom(options.log)
  const address = options.address ?? '127.0.0.1'
  const secrets = makeSecrets()
  const headers = securityHeaders()
  const clients = new Clients()
  let port = options.port
  let hosts: readonly string[] = []
  const zipped = new Map<string, Promise<Buffer>>()

  const refuse = (res: ServerResponse, { status, reason }: Refusal): void => {
    log(`refused: ${reason}`)
    const extra = status === 405 ? { allow: 'GET, HEAD' } : status === 429 ? { 'retry-after': '5' } : {}
    res
      .writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...extra })
      .end(`${reason}\n`)
  }

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (!clients.of(req.socket.remoteAddress).http.take())
      return refuse(res, { status: 429, reason: `more than ${LIMITS.http.perSecond} requests a second of one client` })
    const wrongHost = checkHost(req, hosts)
    if (wrongHost) return refuse(res, wrongHost)
    if (req.method === 'POST' && pathOf(req) === AUTH_PATH) {
      const refusal = checkExchange(req.headers, secrets)
      if (refusal) return refuse(res, refusal)
      const type = 'text/plain; charset=utf-8'
      const cookie = setCookie(port, secrets.cookie)
      res.writeHead(200, { ...headers, 'content-type': type, 'cache-control': 'no-store', 'set-cookie': cookie }).end(secrets.key)
      return
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') return refuse(res, { status: 405, reason: `method ${req.method}` })
    const pathname = pathOf(req)
    if (pathname === null) return refuse(res, { status: 400, reason: 'no path' })
    if (pathname === CHECK_PATH) {
      const refusal = checkCall(req.headers, port, secrets)
      if (refusal) return refuse(res, refusal)
      res.writeHead(204, { ...headers, 'cache-control': 'no-store' }).end()
      return
    }
    const foreign = checkStatic(req.headers)
    if (foreign) return refuse(res, foreign)
    const file = await bundle.read(pathname)
    if (!file) return refuse(res, { status: 404, reason: 'not found' })
    const small =
      file.type.startsWith('font/') || file.type.startsWith('image/') || !/\bgzip\b/.test(String(req.headers['accept-encoding']))
    let body = file.body
    if (!small) {
      // A tunnel is often thin; each file is packed once.
      let packed = zipped.get(pathname)
      if (!packed) zipped.set(pathname, (packed = zip(file.body)))
      body = await packed
    }
    res.writeHead(200, {
      ...headers,
      'content-type': file.type,
      'content-length': body.byteLength,
      'cache-control': file.immutable ? 'private, max-age=31536000, immutable' : 'no-store',
      vary: 'accept-encoding',
      ...(small ? {} : { 'content-encoding': 'gzip' }),
    })
    res.end(req.method === 'HEAD' ? undefined : body)
  }

  const server = createServer(
    { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 2_000 },
    (req, res) => {
      answer(req, res).catch((e: unknown) => {
        log(e instanceof Error ? (e.stack ?? e.message) : String(e))
        if (!res.headersSent) res.writeHead(500, headers)
        res.end()
      })
    },
  )
  server.maxConnections = LIMITS.allConnections

  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: REQUEST_LIMITS.bytes,
    // Columns over a thin pipe: the fastest level, and only for messages that are worth it.
    perMessageDeflate: {
      threshold: 8 * 1024,
      zlibDeflateOptions: { level: 1 },
      serverNoContextTakeover: true,
      clientNoContextTakeover: true,
    },
    handleProtocols: () => SOCKET_PROTOCOL,
  })
  const alive = new WeakSet<object>()
  const heartbeat = setInterval(() => {
    for (const socket of sockets.clients) {
      if (!alive.has(socket)) {
        socket.terminate()
        continue
      }
      alive.delete(socket)
      socket.ping()
    }
  }, ALIVE_MS)
  heartbeat.unref()

  const connections = new Set<Socket>()
  server.on('connection', socket => {
    const client = clients.of(socket.remoteAddress)
    connections.add(socket)
    client.connections++
    socket.on('close', () => {
      connections.delete(socket)
      client.connections--
    })
    if (client.connections <= LIMITS.connections) return
    log(`refused: more than ${LIMITS.connections} connections of one client`)
    const body = `more than ${LIMITS.connections} connections\n`
    socket.on('error', () => socket.destroy())
    socket.end(
      `HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nRetry-After: 5\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      () => socket.destroy(),
    )
  })

  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const client = clients.of(socket.remoteAddress)
    const refusal =
      (client.http.take()
        ? null
        : { status: 429 as const, reason: `more than ${LIMITS.http.perSecond} requests a second of one client` }) ??
      checkHost(req, hosts) ??
      (pathOf(req) === SOCKET_PATH ? null : { status: 404 as const, reason: 'not found' }) ??
      checkUpgrade(req.headers, port, secrets) ??
      (client.pages < LIMITS.pages ? null : { status: 429 as const, reason: `more than ${LIMITS.pages} pages of one client` })
    if (refusal) {
      log(`refused: ${refusal.reason}`)
      // An upgraded socket has left the HTTP server and its time limits: it goes once the answer is written, whatever its other side does.
      socket.end(`HTTP/1.1 ${refusal.status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
      return
    }
    sockets.handleUpgrade(req, socket, head, page => {
      alive.add(page)
      page.on('pong', () => alive.add(page))
      client.pages++
      page.on('close', () => client.pages--)
      serveConnection(page, host, log)
    })
  })

  await new Promise<void>((ok, fail) => {
    server.once('error', fail)
    server.listen(port, address, () => {
      server.off('error', fail)
      ok()
    })
  })
  port = (server.address() as AddressInfo).port
  hosts = hostsOf(address, port)

  return {
    port,
    url: `http://${shownHost(address)}:${port}/#token=${secrets.token}`,
    connections: () => connections.size,
    async close() {
      clearInterval(heartbeat)
      const closed = new Promise<void>(ok => server.close(() => ok()))
      for (const page of sockets.clients) page.close(1001, 'the host stops')
      const late = setTimeout(() => {
        for (const page of sockets.clients) page.terminate()
        for (const socket of connections) socket.destroy()
      }, 500)
      server.closeIdleConnections()
      await closed
      clearTimeout(late)
    },
  }
}

/** The path of a request as it stands, without the query; null for anything that is no path. */
function pathOf(req: IncomingMessage): string | null {
  const url = req.url ?? ''
  return url.startsWith('/') ? (url.split('?', 1)[0] as string) : null
}

/** Logs at most a few lines a second: who sends a flood of requests does not fill the disk that stderr may go to. What was left out is counted. */
function seldom(log: (line: string) => void): (line: string) => void {
  const rate = new Bucket(LIMITS.log)
  let missed = 0
  return line => {
    if (!rate.take()) return void missed++
    if (missed > 0) log(`${missed} more lines were left out`)
    missed = 0
    log(line)
  }
}
