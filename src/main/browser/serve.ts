/**
 * The browser shell: the built page and the API contract on a loopback port. Only 127.0.0.1 is listened on; the way from elsewhere is a tunnel
 * (`ssh -L PORT:127.0.0.1:PORT HOST`).
 *
 * The token stands in the fragment of the printed address, which no browser sends anywhere. The page moves it into its session storage, which belongs
 * to this origin (port included) and this tab, and sends it when it connects. It is no cookie on purpose: cookies of 127.0.0.1 go to every port of
 * that address, so another user's server on the same machine could collect it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { WebSocketServer } from 'ws'
import { CHECK_PATH, SOCKET_PATH, SOCKET_PROTOCOL } from '../../shared/socket'
import { REQUEST_LIMITS } from '../../shared/wire'
import { type Bundle, securityHeaders } from '../bundle'
import { serveConnection, type RequestHost } from './connection'
import { checkCall, checkHost, checkStatic, checkUpgrade, makeToken, type Refusal } from './guard'

export interface ServeOptions {
  readonly host: RequestHost
  readonly bundle: Bundle
  /** 0 takes a free one. */
  readonly port: number
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

const MAX_PAGES = 32
const ALIVE_MS = 30_000
const zip = promisify(gzip)

/** Starts the shell. Rejects when the port cannot be had. */
export async function serveBrowser(options: ServeOptions): Promise<BrowserShell> {
  const { host, bundle, log } = options
  const token = makeToken()
  let port = options.port
  let headers: Readonly<Record<string, string>> = {}
  const zipped = new Map<string, Promise<Buffer>>()

  const refuse = (res: ServerResponse, { status, reason }: Refusal): void => {
    log(`refused: ${reason}`)
    const extra = status === 405 ? { allow: 'GET, HEAD' } : {}
    res
      .writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...extra })
      .end(`${reason}\n`)
  }

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const wrongHost = checkHost(req.headers, port)
    if (wrongHost) return refuse(res, wrongHost)
    if (req.method !== 'GET' && req.method !== 'HEAD') return refuse(res, { status: 405, reason: `method ${req.method}` })
    const pathname = pathOf(req)
    if (pathname === null) return refuse(res, { status: 400, reason: 'no path' })
    if (pathname === CHECK_PATH) {
      const refusal = checkCall(req.headers, token)
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
  server.maxConnections = 256

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
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
  })

  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const refusal =
      checkHost(req.headers, port) ??
      (pathOf(req) === SOCKET_PATH ? null : { status: 404 as const, reason: 'not found' }) ??
      checkUpgrade(req.headers, token) ??
      (sockets.clients.size < MAX_PAGES ? null : { status: 403 as const, reason: `more than ${MAX_PAGES} pages` })
    if (refusal) {
      log(`refused: ${refusal.reason}`)
      // An upgraded socket has left the HTTP server and its time limits: it goes once the answer is written, whatever its other side does.
      socket.end(`HTTP/1.1 ${refusal.status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
      return
    }
    sockets.handleUpgrade(req, socket, head, page => {
      alive.add(page)
      page.on('pong', () => alive.add(page))
      serveConnection(page, host, log)
    })
  })

  await new Promise<void>((ok, fail) => {
    server.once('error', fail)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', fail)
      ok()
    })
  })
  port = (server.address() as AddressInfo).port
  // 'self' covers the WebSocket of the same host and port in current browsers; older ones want it named.
  headers = securityHeaders([`ws://127.0.0.1:${port}`, `ws://localhost:${port}`])

  return {
    port,
    url: `http://127.0.0.1:${port}/#token=${token}`,
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
