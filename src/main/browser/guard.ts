/**
 * Who may talk to the browser shell. Every other program of the machine and every page in the user's browser can reach a loopback port, so each
 * request has to show several things, none of which stands in for another: a Host header of ours (no DNS name that was pointed at this machine), an
 * origin of ours wherever a browser tells one, and, for anything but the files of the build, the cookie and the key that the token was exchanged for.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { KEY_PROTOCOL, SOCKET_PROTOCOL } from '../../shared/socket'

export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 421 | 429
  /** For the log and the person in front of it; says nothing about files. */
  readonly reason: string
}

/** 256 random bits each, as text that may stand in an URL fragment, a cookie and a subprotocol. None tells anything of another. */
export interface Secrets {
  /** In the printed address. */
  readonly token: string
  /** Kept by the browser, out of reach of scripts. */
  readonly cookie: string
  /** Kept by the page. */
  readonly key: string
}

const secret = (): string => randomBytes(32).toString('base64url')
export const makeSecrets = (): Secrets => ({ token: secret(), cookie: secret(), key: secret() })

/** Compares in a time that tells nothing about the secret: digests of equal length, whatever was given. */
export function sameSecret(given: string, wanted: string): boolean {
  const digest = (s: string): Buffer => createHash('sha256').update(s).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

/** Cookies of a host go to every port of it: the name says whose it is. */
export const cookieName = (port: number): string => `neuron-workbench-${port}`

/** The cookie as it is set: for this session of the browser, out of reach of scripts, never sent for another site. There is no TLS, so no Secure. */
export const setCookie = (port: number, value: string): string => `${cookieName(port)}=${value}; Path=/; HttpOnly; SameSite=Strict`

/** Headers that decide who somebody is may stand in a request once. */
const ONCE = ['host', 'origin', 'authorization', 'cookie', 'sec-fetch-site'] as const

/** Refuses a Host header that is not ours, and requests whose headers say two things at once. */
export function checkHost(req: Pick<IncomingMessage, 'headers' | 'headersDistinct'>, hosts: readonly string[]): Refusal | null {
  for (const name of ONCE) if ((req.headersDistinct[name]?.length ?? 0) > 1) return { status: 400, reason: `more than one ${name} header` }
  const { host } = req.headers
  if (host !== undefined && hosts.includes(host.toLowerCase())) return null
  return {
    status: 421,
    reason: `wrong Host ${quoted(host)}; only ${hosts.slice(0, 12).join(', ')} ${hosts.length === 1 ? 'is' : 'are'} served (a tunnel must use the same port on both sides)`,
  }
}

/**
 * A GET of a file of the build. Such files hold nothing of the user's, but another site has no business with them either, except to lead the user
 * to the page itself (a link in a mail, the file that `npm start` opens).
 */
export function checkStatic(headers: IncomingHttpHeaders): Refusal | null {
  const site = headers['sec-fetch-site']
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`)
    return { status: 403, reason: `wrong Origin ${quoted(headers.origin)}` }
  if (site === undefined || site === 'same-origin' || site === 'none') return null
  if (headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document') return null
  return { status: 403, reason: `a request of another site (Sec-Fetch-Site ${quoted(site)})` }
}

/** The exchange of the token: same origin, and the token in the Authorization header, which no other site can send without asking first. No body. */
export function checkExchange(headers: IncomingHttpHeaders, secrets: Secrets): Refusal | null {
  const foreign = checkOrigin(headers, false)
  if (foreign) return foreign
  if (Number(headers['content-length'] ?? 0) !== 0 || headers['transfer-encoding'] !== undefined)
    return { status: 413, reason: 'a body is not read' }
  return sameSecret(bearer(headers), secrets.token) ? null : { status: 401, reason: 'wrong token' }
}

/** Everything else over HTTP: same origin, the cookie, and the key in the Authorization header. */
export function checkCall(headers: IncomingHttpHeaders, port: number, secrets: Secrets): Refusal | null {
  return checkOrigin(headers, false) ?? checkPage(headers, port, bearer(headers), secrets)
}

/** A WebSocket upgrade: browsers always tell the origin here, so its absence is refused too. */
export function checkUpgrade(headers: IncomingHttpHeaders, port: number, secrets: Secrets): Refusal | null {
  const foreign = checkOrigin(headers, true)
  if (foreign) return foreign
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map(p => p.trim())
  if (!offered.includes(SOCKET_PROTOCOL)) return { status: 400, reason: `the subprotocol ${SOCKET_PROTOCOL} was not offered` }
  const key = offered.find(p => p.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length) ?? ''
  return checkPage(headers, port, key, secrets)
}

/** Both are looked at in any case, so that the time does not tell which one was wrong. */
function checkPage(headers: IncomingHttpHeaders, port: number, key: string, secrets: Secrets): Refusal | null {
  const keyIs = sameSecret(key, secrets.key)
  const cookieIs = hasCookie(headers, port, secrets.cookie)
  if (keyIs && cookieIs) return null
  return { status: 401, reason: keyIs ? 'wrong cookie' : 'wrong key' }
}

/** Whether one of the cookies of our name is right: another port of this host may have set more of them, and the browser sends all. */
function hasCookie(headers: IncomingHttpHeaders, port: number, wanted: string): boolean {
  const name = `${cookieName(port)}=`
  const given = (headers.cookie ?? '')
    .split(';')
    .map(c => c.trim())
    .filter(c => c.startsWith(name))
  return given.slice(0, 16).filter(c => sameSecret(c.slice(name.length), wanted)).length > 0
}

const bearer = (headers: IncomingHttpHeaders): string => /^Bearer ([\w-]{1,200})$/.exec(headers.authorization ?? '')?.[1] ?? ''

function checkOrigin(headers: IncomingHttpHeaders, needed: boolean): Refusal | null {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (origin === undefined ? needed : origin !== `http://${headers.host}`) return { status: 403, reason: `wrong Origin ${quoted(origin)}` }
  if (site !== undefined && site !== 'same-origin')
    return { status: 403, reason: `a request of another site (Sec-Fetch-Site ${quoted(site)})` }
  return null
}

/** What somebody sent, for the log. */
const quoted = (text: string | readonly string[] | undefined): string => JSON.stringify(text ?? null).slice(0, 200)
