/**
 * Chromium alone knows no scheme of an application's own. A page `app://workbench/x` is therefore loaded as `http://workbench.app.localhost/x` (a secure
 * context with an origin of its own, as in Electron), answered by the program's protocol handler, and every address that the program or its page gets to
 * see is translated back. Nothing of the inner form reaches product code.
 */

/** Schemes with a handler. */
export const schemes = new Set<string>()

const INNER = /^http:\/\/([^/?#]+)\.([a-z][a-z0-9-]*)\.localhost(?=[/?#]|$)/

/** The address as Chromium loads it. */
export function toInner(url: string): string {
  const m = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)/.exec(url)
  return m && schemes.has(m[1] as string) ? `http://${m[2]}.${m[1]}.localhost${url.slice(m[0].length)}` : url
}

/** The address as Electron reports it. */
export function toOuter(url: string): string {
  const m = INNER.exec(url)
  return m && schemes.has(m[2] as string) ? `${m[2]}://${m[1]}${url.slice(m[0].length)}` : url
}

/** The origin as Electron reports it: standard schemes have one. */
export function outerOrigin(url: string): string {
  const m = /^([a-z][a-z0-9+.-]*):\/\/[^/?#]+/.exec(toOuter(url))
  return m ? m[0] : 'null'
}
