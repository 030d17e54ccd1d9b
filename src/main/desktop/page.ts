/** Serves the built renderer as app://workbench/: a standard, secure scheme that reads nothing but the files of the build. */
import { protocol } from 'electron'
import { type Bundle, securityHeaders } from '../bundle'
import { isOurUrl, SCHEME } from './origin'

/** Has to run before Electron is ready. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } }])
}

/** Answers app:// requests from the bundle. Another host of the scheme, another method and an unknown path are refused. */
export function servePage(bundle: Bundle): void {
  protocol.handle(SCHEME, request => answerPage(bundle, request))
}

export async function answerPage(bundle: Bundle, request: Request): Promise<Response> {
  const headers = { ...securityHeaders(), 'cache-control': 'no-store' }
  const refuse = (status: number): Response => new Response(null, { status, headers })
  if (!isOurUrl(request.url, null)) return refuse(404)
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405)
  const file = await bundle.read(new URL(request.url).pathname)
  if (!file) return refuse(404)
  return new Response(request.method === 'HEAD' ? null : new Uint8Array(file.body), { headers: { ...headers, 'content-type': file.type } })
}
