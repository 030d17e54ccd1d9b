/** Where the page of the desktop lives, and whether an address or a frame is that page. */

export const SCHEME = 'app'
export const HOST = 'workbench'
export const PAGE_URL = `${SCHEME}://${HOST}/index.html`

/** The part of Electron's WebFrameMain that tells who sends. */
export interface FrameLike {
  readonly url: string
  readonly parent: FrameLike | null
}

/** Whether an address is of our page: the app scheme and host exactly, or the development server where one is allowed. */
export function isOurUrl(url: string, devServer: string | null): boolean {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    return false
  }
  if (parsed.username || parsed.password) return false
  if (parsed.protocol === `${SCHEME}:`) return parsed.host === HOST
  return devServer !== null && parsed.protocol === 'http:' && parsed.origin === new URL(devServer).origin
}

/** Whether a message comes from the main frame of our page. A frame that is gone (null) is nobody's. */
export function isOurFrame(frame: FrameLike | null, devServer: string | null): boolean {
  return frame !== null && frame.parent === null && isOurUrl(frame.url, devServer)
}

/** The address of electron-vite's development server: taken from the environment, never by a packaged program, only on this machine. */
export function devServerOf(env: Readonly<Record<string, string | undefined>>, packaged: boolean): string | null {
  const url = env['ELECTRON_RENDERER_URL']
  if (packaged || !url) return null
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' || !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    throw new Error(`ELECTRON_RENDERER_URL has to be on this machine: ${url}`)
  return url
}
