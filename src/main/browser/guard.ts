/**
 * Who may talk to the browser shell. Every other program of the machine and every page in the user's browser can reach a loopback port, so each
 * request has to show three things, none of which stands in for another: a Host header of ours (no DNS name that was pointed at 127.0.0.1), an
 * origin of ours wherever a browser tells one, and, for anything but the files of the build, the token.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { SOCKET_PROTOCOL, TOKEN_PROTOCOL } from '../../shared/socket'

export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 421
  /** For the log and the person in front of it; says nothing about files. */
  readonly reason: string
}

/** 256 random bits, as text that may stand in an URL fragment and in a subprotocol. */
export const makeToken = (): string => randomBytes(32).toString('base64url')

/** Compares in a time that tells nothing about the token: digests of equal length, whatever was given. */
export function sameToken(given: string, token: string): boolean {
  const digest = (s: string): Buffer => createHash('sha256').update(s).digest()
  return timingSafeEqual(digest(given), digest(token))
}

/** The Host headers that are ours, exactly. */
export function hostsOf(port: number): readonly string[] {
  const names = ['127.0.0.1', 'localhost']
  return names.flatMap(n => (port === 80 ? [n, `${n}:80`] : [`${n}:${port}`]))
}

/** Refuses a Host header that is not ours. */
export function checkHost(headers: IncomingHttpHeaders, port: number): Refusal | null {
  const host = headers.host
  if (host !== undefined && hostsOf(port).includes(host)) return null
  return {
    status: 421,
    reason: `wrong Host ${JSON.stringify(host ?? null)}; only ${hostsOf(port).join(' and ')} are served (a tunnel must use the port ${port} on both sides)`,
  }
}

/**
 * A GET of a file of the build. Such files hold nothing of the user's, but another site has no business with them either, except to lead the user
 * to the page itself (a link in a mail, the file that `npm start` opens).
 */
export function checkStatic(headers: IncomingHttpHeaders): Refusal | null {
  const site = headers['sec-fetch-site']
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`)
    return { status: 403, reason: `wrong Origin ${JSON.stringify(headers.origin)}` }
  if (site === undefined || site === 'same-origin' || site === 'none') return null
  if (headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document') return null
  return { status: 403, reason: `a request of another site (Sec-Fetch-Site ${JSON.stringify(site)})` }
}

/** Everything else over HTTP: same origin, and the token in the Authorization header (which no other site can send without asking first). */
export function checkCall(headers: IncomingHttpHeaders, token: string): Refusal | null {
  const foreign = checkOrigin(headers, false)
  if (foreign) return foreign
  const given = /^Bearer ([\w-]{1,200})$/.exec(headers.authorization ?? '')?.[1]
  return given !== undefined && sameToken(given, token) ? null : { status: 401, reason: 'wrong token' }
}

/** A WebSocket upgrade: browsers always tell the origin here, so its absence is refused too. */
export function checkUpgrade(headers: IncomingHttpHeaders, token: string): Refusal | null {
  const foreign = checkOrigin(headers, true)
  if (foreign) return foreign
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map(p => p.trim())
  if (!offered.includes(SOCKET_PROTOCOL)) return { status: 400, reason: `the subprotocol ${SOCKET_PROTOCOL} was not offered` }
  const given = offered.find(p => p.startsWith(TOKEN_PROTOCOL))?.slice(TOKEN_PROTOCOL.length) ?? ''
  return sameToken(given, token) ? null : { status: 401, reason: 'wrong token' }
}

function checkOrigin(headers: IncomingHttpHeaders, needed: boolean): Refusal | null {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (origin === undefined ? needed : origin !== `http://${headers.host}`)
    return { status: 403, reason: `wrong Origin ${JSON.stringify(origin ?? null)}` }
  if (site !== undefined && site !== 'same-origin')
    return { status: 403, reason: `a request of another site (Sec-Fetch-Site ${JSON.stringify(site)})` }
  return null
}
