/** Where the browser shell listens, and under which names it is then reached. */
import { isIPv6 } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

/** Whether an address is reached from this machine only. Names other than localhost may lead anywhere. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

const ALL = ['0.0.0.0', '::']

/** As in an URL and a Host header. */
const bracketed = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

/**
 * The Host headers that are ours, exactly. `host` is what was listened on. A Host that is an IP address cannot be a DNS name that was pointed here; of
 * names only localhost, the one given, and the machine's own are taken.
 */
export function hostsOf(host: string, port: number, machine: () => readonly string[] = ownNames): readonly string[] {
  // Those of the loopback always: a tunnel ends there, and nobody else can be them.
  const names = new Set(['127.0.0.1', 'localhost', ...(ALL.includes(host) ? ['::1', ...machine()] : [host])])
  return [...names].map(n => bracketed(n.toLowerCase())).flatMap(n => (port === 80 ? [n, `${n}:80`] : [`${n}:${port}`]))
}

/** Addresses of the machine and its name. */
function ownNames(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap(list =>
    (list ?? []).filter(a => !a.address.includes('%')).map(a => a.address),
  )
  return [...addresses, hostname().toLowerCase()]
}

/** The host of the printed address: what was listened on, or for all interfaces the first address that others reach. */
export function shownHost(host: string): string {
  if (!ALL.includes(host)) return bracketed(host)
  const all = Object.values(networkInterfaces()).flatMap(list => list ?? [])
  const outer = all.find(a => !a.internal && a.family === 'IPv4') ?? all.find(a => !a.internal && !a.address.startsWith('fe80'))
  return bracketed(outer?.address ?? '127.0.0.1')
}
