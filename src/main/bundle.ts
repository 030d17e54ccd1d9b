/**
 * The built renderer, as both shells hand it to the page: a closed list of the files that the build made, and the headers that go with each answer.
 * A request names an entry of the list or nothing; no path is ever put together from what a page asked for.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
}

/**
 * The folder `out/NAME` of the build. Code may stand in `out/main` or in one of its chunks, so the folder is looked for upwards from there.
 * Throws where the program was not built.
 */
export function builtFolder(name: 'renderer' | 'preload'): string {
  for (const up of ['..', '../..']) {
    const folder = join(import.meta.dirname, up, name)
    if (existsSync(folder)) return folder
  }
  throw new Error(`The program is not built: out/${name} is missing. Run "npm run build".`)
}

export interface BuiltFile {
  readonly body: Buffer
  readonly type: string
  /** The build put a hash of the content into the name. */
  readonly immutable: boolean
}

export class Bundle {
  readonly #files: ReadonlyMap<string, string>
  readonly #root: string

  private constructor(root: string, files: ReadonlyMap<string, string>) {
    this.#root = root
    this.#files = files
  }

  /** Lists the files of the folder. Links are left out: the build makes none. */
  static async open(folder: string): Promise<Bundle> {
    const root = await realpath(folder)
    const files = new Map<string, string>()
    const walk = async (dir: string, url: string): Promise<void> => {
      for (const entry of await readdir(dir, { withFileTypes: true })) {
        const path = join(dir, entry.name)
        if (entry.isDirectory()) await walk(path, `${url}${entry.name}/`)
        else if (entry.isFile()) files.set(url + entry.name, path)
      }
    }
    await walk(root, '/')
    return new Bundle(root, files)
  }

  /** Paths as a page asks for them, `/index.html` and the rest. */
  get paths(): readonly string[] {
    return [...this.#files.keys()]
  }

  /** The file of an URL path taken as it stands (not decoded), `/` being the page; null for anything that is not in the list. */
  async read(pathname: string): Promise<BuiltFile | null> {
    const name = pathname === '/' ? '/index.html' : pathname
    const path = this.#files.get(name)
    if (path === undefined) return null
    try {
      // The list was made at start; a link that took the place of a file since then leads nowhere.
      if (!(await realpath(path)).startsWith(this.#root + sep)) return null
      const type = TYPES[extname(name)] ?? 'application/octet-stream'
      return { body: await readFile(path), type, immutable: /-[\w-]{8,}\.\w+$/.test(name) }
    } catch {
      return null
    }
  }
}

/**
 * The Content-Security-Policy of the page, the same in both shells. `connect-src 'self'` covers the WebSocket of the browser shell, whose host and port are those of the page.
 * Styles: React and the charts set styles through the CSSOM, which needs no 'unsafe-inline'. No eval, no inline script, no frame, no form.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every answer of both shells. */
export function securityHeaders(): Readonly<Record<string, string>> {
  return {
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=(), payment=(), display-capture=()',
  }
}
