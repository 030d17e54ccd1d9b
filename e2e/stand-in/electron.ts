/**
 * The `electron` module as the program under test sees it: what the product uses, with the meaning that Electron's documentation gives it, and an error
 * for everything else. Signatures are checked against electron.d.ts. What it can't show stands in the README.
 */
import { EventEmitter } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as Electron from 'electron'
import { outerOrigin, schemes, toInner, toOuter } from './address.ts'
import { cdp, listen, listenBrowser, type Params, profile, shutDown } from './chromium.ts'
import { codec, membrane, outerLocation, preloadHost, windowOpener } from './page.ts'

const WORLD = 'preload'
const { enc, dec } = codec()
const injected = `${codec};${membrane};${preloadHost};${outerLocation};${windowOpener}`
/** Path of the page's origin at which windows are asked for. */
const OPEN = '/.stand-in/window-open'

/** Anything that the stand-in lacks is an error, never silently undefined. */
const strict = <T extends object>(o: T, name: string): T =>
  new Proxy(o, {
    get: (t, k) => {
      if (!(k in t) && typeof k !== 'symbol' && k !== 'then' && k !== 'toJSON') throw new Error(`${name}.${k} is not in the stand-in`)
      const v: unknown = t[k as keyof T]
      return typeof v === 'function' ? (v.bind(t) as unknown) : v // bound: private members know their own object only
    },
  })

// ───────────────────────────── app ─────────────────────────────

type PathName = Parameters<Electron.App['getPath']>[0]

class StandInApp
  extends EventEmitter
  implements
    Pick<
      Electron.App,
      | 'whenReady'
      | 'isReady'
      | 'getVersion'
      | 'getName'
      | 'getAppPath'
      | 'getPath'
      | 'setPath'
      | 'quit'
      | 'exit'
      | 'focus'
      | 'requestSingleInstanceLock'
      | 'isPackaged'
    >
{
  readonly isPackaged = false
  #about = { root: process.cwd(), name: 'stand-in', version: '0.0.0' }
  #ready = false
  #paths = new Map<string, string>()
  #lock: string | null = null
  #becomeReady: () => void = () => undefined
  readonly #whenReady = new Promise<void>(ok => (this.#becomeReady = ok))

  describe(about: { readonly root: string; readonly name: string; readonly version: string }): void {
    this.#about = { ...about }
  }
  becomeReady(): void {
    this.#ready = true
    this.emit('ready', {}, {})
    this.#becomeReady()
  }
  whenReady(): Promise<void> {
    return this.#whenReady
  }
  isReady(): boolean {
    return this.#ready
  }
  getVersion(): string {
    return this.#about.version
  }
  getName(): string {
    return this.#about.name
  }
  getAppPath(): string {
    return this.#about.root
  }
  getPath(name: PathName): string {
    return this.#paths.get(name) ?? join(profile, 'paths', name)
  }
  setPath(name: string, path: string): void {
    this.#paths.set(name, path)
  }
  focus(): void {}

  /** One instance per userData folder, as in Electron; a later one leaves its data in a file that the first one watches for. */
  requestSingleInstanceLock(data: Record<never, never> = {}): boolean {
    const folder = join(this.getPath('userData'), 'stand-in-instances')
    mkdirSync(folder, { recursive: true })
    const lock = join(folder, 'lock')
    const owner = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0
    if (owner > 0 && owner !== process.pid && alive(owner)) {
      writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify({ argv: process.argv, cwd: process.cwd(), data }))
      return false
    }
    writeFileSync(lock, String(process.pid))
    this.#lock = lock
    const take = (): void => {
      for (const name of readdirSync(folder).filter(n => n.endsWith('.json'))) {
        const file = join(folder, name)
        let message: { argv: string[]; cwd: string; data: unknown }
        try {
          message = JSON.parse(readFileSync(file, 'utf8')) as typeof message
        } catch {
          continue // not written to its end yet; another event follows
        }
        rmSync(file, { force: true })
        this.emit('second-instance', {}, message.argv, message.cwd, message.data)
      }
    }
    watch(folder, take).unref()
    return true
  }
  quit(): void {
    let stopped = false
    this.emit('before-quit', { preventDefault: () => (stopped = true) })
    if (!stopped) this.exit(0)
  }
  exit(code = 0): void {
    this.emit('will-quit', { preventDefault() {} })
    this.emit('quit', {}, code)
    if (this.#lock) rmSync(this.#lock, { force: true })
    void shutDown().then(() => process.exit(code))
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const theApp = new StandInApp()
export const app = strict(theApp, 'app')
export const describeApp = (about: { readonly root: string; readonly name: string; readonly version: string }): void =>
  theApp.describe(about)
export const becomeReady = (): void => theApp.becomeReady()
process.on('uncaughtException', e => {
  console.error('A JavaScript error occurred in the main process\n', e)
  theApp.exit(1)
})

// ───────────────────────────── IPC ─────────────────────────────

type Handler = Parameters<Electron.IpcMain['handle']>[1]

class StandInIpcMain extends EventEmitter implements Pick<Electron.IpcMain, 'handle' | 'removeHandler'> {
  readonly handlers = new Map<string, Handler>()
  handle(channel: string, handler: Handler): void {
    if (this.handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    this.handlers.set(channel, handler)
  }
  removeHandler(channel: string): void {
    this.handlers.delete(channel)
  }
}
const theIpcMain = new StandInIpcMain()
export const ipcMain = strict(theIpcMain, 'ipcMain')

// ───────────────────────────── session, protocol ─────────────────────────────

type RequestHandler = Parameters<Electron.Session['setPermissionRequestHandler']>[0]
type CheckHandler = Parameters<Electron.Session['setPermissionCheckHandler']>[0]

let onRequest: RequestHandler = null
let onCheck: CheckHandler = null

const defaultSession = strict(
  {
    setPermissionRequestHandler: (h: RequestHandler) => void (onRequest = h),
    setPermissionCheckHandler: (h: CheckHandler) => void (onCheck = h),
    setDevicePermissionHandler: () => undefined,
  } satisfies Partial<Electron.Session>,
  'session',
)
export const session = strict({ defaultSession }, 'session')

/** Permissions by Electron's name and by the one of the DevTools protocol. */
const PERMISSIONS = [
  ['geolocation', 'geolocation'],
  ['notifications', 'notifications'],
  ['media', 'camera'],
  ['media', 'microphone'],
  ['midi', 'midi'],
  ['clipboard-read', 'clipboard-read'],
  ['clipboard-sanitized-write', 'clipboard-write'],
  ['idle-detection', 'idle-detection'],
] as const

/** Asks the program's handlers about each permission and makes Chromium keep to the answer. Without a handler Electron grants. */
async function applyPermissions(contents: Electron.WebContents, inner: string): Promise<void> {
  const { origin } = new URL(inner)
  for (const [name, inChromium] of PERMISSIONS) {
    const url = toOuter(inner)
    const checked = onCheck ? onCheck(contents, name, outerOrigin(inner), { isMainFrame: true, requestingUrl: url }) : true
    const asked = onRequest
    const granted = asked
      ? await new Promise<boolean>(ok => asked(contents, name, ok, { isMainFrame: true, requestingUrl: url } as Electron.PermissionRequest))
      : true
    await cdp('Browser.setPermission', { origin, permission: { name: inChromium }, setting: checked && granted ? 'granted' : 'denied' })
  }
}

type ProtocolHandler = Parameters<Electron.Protocol['handle']>[1]
const protocolHandlers = new Map<string, ProtocolHandler>()
const privileged = new Set<string>()

export const protocol = strict(
  {
    registerSchemesAsPrivileged(list: Electron.CustomScheme[]) {
      if (theApp.isReady()) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
      for (const { scheme, privileges } of list) {
        if (!privileges?.standard || !privileges.secure || privileges.bypassCSP)
          throw new Error('the stand-in has only standard, secure schemes that keep to the CSP')
        privileged.add(scheme)
      }
    },
    handle(scheme: string, handler: ProtocolHandler) {
      if (!privileged.has(scheme)) throw new Error(`the stand-in needs the scheme ${scheme} to be registered`)
      if (windows.size) throw new Error('the stand-in needs handlers to be registered before the first window')
      schemes.add(scheme)
      protocolHandlers.set(scheme, handler)
    },
  } satisfies Partial<Electron.Protocol>,
  'protocol',
)

/** A request of the page, answered by the program. */
async function answerRequest(method: string, inner: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  const url = toOuter(inner)
  const handler = protocolHandlers.get(new URL(url).protocol.slice(0, -1))
  if (!handler) throw new Error(`no handler for ${url}`)
  const outer = Object.fromEntries(
    Object.entries(headers).map(([k, v]) => [
      k,
      k.toLowerCase() === 'origin' ? outerOrigin(v) : k.toLowerCase() === 'referer' ? toOuter(v) : v,
    ]),
  )
  return handler(new Request(url, { method, headers: outer }))
}

// ───────────────────────────── windows ─────────────────────────────

const windows = new Map<number, StandInWindow>()

/** A window that came up without being asked for (see `windowOpener`) goes: a moment later, for one that is closed while it starts can hang its opener. */
listenBrowser((method, params) => {
  if (method !== 'Target.targetCreated') return
  const info = params['targetInfo'] as { readonly targetId: string; readonly openerId?: string }
  if (info.openerId === undefined) return
  setTimeout(() => {
    cdp('Target.closeTarget', { targetId: info.targetId }).catch(() => undefined)
  }, 300)
})

type OpenHandler = Parameters<Electron.WebContents['setWindowOpenHandler']>[0]

class StandInContents extends EventEmitter {
  readonly id: number
  readonly session = defaultSession
  readonly window: StandInWindow
  url = ''
  openHandler: OpenHandler | null = null
  constructor(id: number, window: StandInWindow) {
    super()
    this.id = id
    this.window = window
  }
  /** What a message tells about its sender. */
  get mainFrame(): Electron.WebFrameMain {
    const frame = {
      url: this.url,
      origin: outerOrigin(this.url),
      name: '',
      parent: null,
      processId: 1,
      routingId: 1,
      frameTreeNodeId: this.id,
    }
    return strict({ ...frame, top: frame }, 'senderFrame') as unknown as Electron.WebFrameMain
  }
  send(channel: string, ...args: unknown[]): void {
    const a = enc(args)
    if (!this.window.isDestroyed()) this.window.toPreload({ t: 'send', ch: channel, a }).catch(() => undefined)
  }
  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler
  }
  getURL(): string {
    return this.url
  }
  isDestroyed(): boolean {
    return this.window.isDestroyed()
  }
  reload(): void {
    this.window.reload()
  }
  close(): void {
    this.window.close()
  }
}

interface PausedRequest {
  readonly requestId: string
  readonly resourceType: string
  readonly frameId: string
  readonly request: { readonly url: string; readonly method: string; readonly headers: Readonly<Record<string, string>> }
}

class StandInWindow extends EventEmitter {
  static #count = 0
  readonly id = ++StandInWindow.#count
  readonly webContents: StandInContents
  readonly #bounds: Electron.Rectangle
  readonly #ready: Promise<void>
  #target = ''
  #session = ''
  #gone = false
  #visible: boolean
  #maximized = false
  #shown = false
  /** The address that the program itself loads. */
  #expected: string | null = null
  #loaded: () => void = () => undefined
  #context: Promise<number>
  #setContext: (id: number) => void = () => undefined

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super()
    if (!theApp.isReady()) throw new Error('Cannot create BrowserWindow before app is ready')
    const preferences = options.webPreferences ?? {}
    if (
      preferences.nodeIntegration ||
      preferences.contextIsolation === false ||
      preferences.sandbox === false ||
      preferences.webSecurity === false
    )
      throw new Error('the stand-in has only sandboxed, context-isolated windows')
    this.#visible = options.show !== false
    this.#bounds = { x: options.x ?? 0, y: options.y ?? 0, width: options.width ?? 800, height: options.height ?? 600 }
    this.#context = this.#newContext()
    this.webContents = strict(new StandInContents(this.id, this), 'webContents')
    windows.set(this.id, this)
    this.#ready = this.#open(preferences.preload)
    theApp.emit('web-contents-created', {}, this.webContents)
    theApp.emit('browser-window-created', {}, this)
  }

  #newContext(): Promise<number> {
    return new Promise<number>(ok => (this.#setContext = ok))
  }
  #cdp<R = Params>(method: string, params: Params = {}): Promise<R> {
    return cdp<R>(method, params, this.#session)
  }

  async #open(preload: string | undefined): Promise<void> {
    const { width, height } = this.#bounds
    this.#target = (await cdp<{ targetId: string }>('Target.createTarget', { url: 'about:blank', newWindow: true, width, height })).targetId
    this.#session = (await cdp<{ sessionId: string }>('Target.attachToTarget', { targetId: this.#target, flatten: true })).sessionId
    listen(this.#session, (method, params) => {
      this.#event(method, params).catch((e: unknown) => {
        if (!this.#gone) console.error(e)
      })
    })
    await Promise.all([
      this.#cdp('Page.enable'),
      this.#cdp('Runtime.enable'),
      this.#cdp('DOM.enable'),
      this.#cdp('Runtime.addBinding', { name: '__ipc', executionContextName: WORLD }),
    ])
    const scheme = JSON.stringify([...schemes][0] ?? 'none')
    const addresses = `const l=outerLocation(${scheme});
      if(l.protocol===${scheme}+':'){for(const k of ['URL','documentURI'])Object.defineProperty(document,k,{get:()=>l.href,configurable:true});Object.defineProperty(window,'origin',{get:()=>l.origin,configurable:true})}`
    await this.#cdp('Page.addScriptToEvaluateOnNewDocument', {
      source: `(()=>{if(window!==top)return;${injected};membrane('main');windowOpener(${JSON.stringify(OPEN)});${addresses}})()`,
    })
    if (preload) {
      const info = JSON.stringify({ platform: process.platform, versions: process.versions })
      const body = `function(require,module,exports,process,location){${readFileSync(preload, 'utf8')}\n}`
      await this.#cdp('Page.addScriptToEvaluateOnNewDocument', {
        worldName: WORLD,
        source: `(()=>{if(window!==top)return;${injected};preloadHost(${body},${info},outerLocation(${scheme}),membrane('iso'),codec())})()\n//# sourceURL=${preload}`,
      })
    }
    await this.#cdp('Fetch.enable', {
      patterns: [{ urlPattern: '*', resourceType: 'Document' }, ...[...schemes].map(s => ({ urlPattern: `http://*.${s}.localhost/*` }))],
    })
  }

  /** Gives a message to the preload. */
  async toPreload(message: object): Promise<void> {
    await this.#cdp('Runtime.callFunctionOn', {
      executionContextId: await this.#context,
      functionDeclaration: 'function(s){globalThis.__ipcIn(s)}',
      arguments: [{ value: JSON.stringify(message) }],
    })
  }

  async #event(method: string, p: Params): Promise<void> {
    const contents = this.webContents
    switch (method) {
      case 'Runtime.executionContextCreated': {
        const context = p['context'] as { readonly id: number; readonly name: string; readonly auxData: { readonly frameId: string } }
        if (context.name === WORLD && context.auxData.frameId === this.#target) this.#setContext(context.id)
        return
      }
      case 'Runtime.executionContextsCleared':
        this.#context = this.#newContext()
        return
      case 'Page.frameNavigated': {
        const frame = p['frame'] as { readonly url: string; readonly parentId?: string }
        if (frame.parentId === undefined) contents.url = toOuter(frame.url)
        return
      }
      case 'Page.loadEventFired':
        this.#loaded()
        contents.emit('did-finish-load')
        if (!this.#shown) {
          this.#shown = true
          this.emit('ready-to-show')
        }
        return
      case 'Runtime.exceptionThrown': {
        const details = p['exceptionDetails'] as { readonly text: string; readonly exception?: { readonly description?: string } }
        contents.emit('preload-error', {}, '', new Error(details.exception?.description ?? details.text))
        return
      }
      case 'Fetch.requestPaused':
        return this.#paused(p as unknown as PausedRequest)
      case 'Runtime.bindingCalled':
        if (p['name'] === '__ipc') await this.#fromPreload(JSON.parse(String(p['payload'])) as IpcMessage)
        return
      case 'Target.detachedFromTarget':
        this.#closed()
    }
  }

  async #paused({ requestId, resourceType, frameId, request }: PausedRequest): Promise<void> {
    const main = resourceType === 'Document' && frameId === this.#target
    // A page that leaves for another address: the program may forbid it. Loading by the program and reloading are no navigation of the page.
    if (main && request.url !== this.#expected && toOuter(request.url) !== this.webContents.url.split('#')[0]) {
      let prevented = false
      const url = toOuter(request.url)
      this.webContents.emit(
        'will-navigate',
        { url, isMainFrame: true, isSameDocument: false, preventDefault: () => (prevented = true) },
        url,
      )
      if (prevented) return void (await this.#cdp('Fetch.failRequest', { requestId, errorReason: 'Aborted' }))
    }
    if (toOuter(request.url) === request.url) return void (await this.#cdp('Fetch.continueRequest', { requestId }))
    const asked = new URL(request.url)
    if (asked.pathname === OPEN) {
      const url = toOuter(decodeURIComponent(asked.search.slice(1)))
      const answer = this.webContents.openHandler?.({ url, frameName: '' } as Electron.HandlerDetails) ?? { action: 'allow' }
      return void (await this.#cdp('Fetch.fulfillRequest', {
        requestId,
        responseCode: 200,
        body: Buffer.from(answer.action).toString('base64'),
      }))
    }
    let answer: Response
    try {
      answer = await answerRequest(request.method, request.url, request.headers)
    } catch (e) {
      console.error(e)
      return void (await this.#cdp('Fetch.failRequest', { requestId, errorReason: 'Failed' }))
    }
    let body = Buffer.from(await answer.arrayBuffer())
    const headers = [...answer.headers].map(([name, value]) => ({ name, value: toInner(value) }))
    // Scripts of the page are told the outer address (see address.ts): `location` can't be replaced on the window itself.
    if (resourceType === 'Script') {
      const scheme = JSON.stringify(new URL(toOuter(request.url)).protocol.slice(0, -1))
      body = Buffer.concat([Buffer.from(`const location=(${outerLocation})(${scheme});\n`), body])
    }
    await this.#cdp('Fetch.fulfillRequest', {
      requestId,
      responseCode: answer.status,
      responseHeaders: headers.filter(h => h.name !== 'content-length'),
      body: body.toString('base64'),
    })
  }

  async #fromPreload(m: IpcMessage): Promise<void> {
    const contents = this.webContents
    const senderFrame = contents.mainFrame
    const event = { sender: contents, senderFrame, processId: 1, frameId: 1, type: 'frame' } as unknown as Electron.IpcMainInvokeEvent
    const args = await Promise.all((dec(m.a) as unknown[]).map(a => this.#path(a)))
    if (m.t === 'send') return void theIpcMain.emit(m.ch, event, ...args)
    try {
      const handler = theIpcMain.handlers.get(m.ch)
      if (!handler) throw new Error(`No handler registered for '${m.ch}'`)
      const result: unknown = await handler(event, ...args)
      await this.toPreload({ id: m.id, r: enc(result) })
    } catch (e) {
      if (!this.#gone) await this.toPreload({ id: m.id, e: String(e) })
    }
  }

  /** Puts the path of a File in the place of its token (see page.ts). Chromium tells it for files that the user chose or dropped, '' for others. */
  async #path(argument: unknown): Promise<unknown> {
    const n = typeof argument === 'string' ? /^\0stand-in-file:(\d+)$/.exec(argument)?.[1] : undefined
    if (n === undefined) return argument
    const { result } = await this.#cdp<{ result: { objectId: string } }>('Runtime.evaluate', {
      expression: `__files.get(${n})`,
      contextId: await this.#context,
    })
    return (await this.#cdp<{ path: string }>('DOM.getFileInfo', { objectId: result.objectId })).path
  }

  async loadURL(url: string): Promise<void> {
    await this.#ready
    const inner = toInner(url)
    if (inner !== url) await applyPermissions(this.webContents as unknown as Electron.WebContents, inner)
    this.#expected = inner.split('#')[0] as string
    const done = new Promise<void>(ok => (this.#loaded = ok))
    const { errorText } = await this.#cdp<{ errorText?: string }>('Page.navigate', { url: inner })
    if (errorText) throw new Error(`${errorText} loading '${url}'`)
    await done
  }
  reload(): void {
    this.#cdp('Page.reload').catch((e: unknown) => console.error(e))
  }
  show(): void {
    this.#visible = true
    this.emit('show')
  }
  focus(): void {
    this.emit('focus')
  }
  isVisible(): boolean {
    return this.#visible
  }
  isDestroyed(): boolean {
    return this.#gone
  }
  isMinimized(): boolean {
    return false
  }
  restore(): void {}
  maximize(): void {
    this.#maximized = true
  }
  isMaximized(): boolean {
    return this.#maximized
  }
  getNormalBounds(): Electron.Rectangle {
    return this.#bounds
  }
  close(): void {
    let stopped = false
    this.emit('close', { preventDefault: () => (stopped = true) })
    if (!stopped) this.destroy()
  }
  destroy(): void {
    cdp('Target.closeTarget', { targetId: this.#target }).catch(() => undefined)
  }
  #closed(): void {
    if (this.#gone) return
    this.#gone = true
    windows.delete(this.id)
    this.webContents.emit('destroyed')
    this.emit('closed')
    if (!windows.size && !theApp.emit('window-all-closed')) theApp.quit()
  }
  /** The target, for Playwright. */
  get target(): string {
    return this.#target
  }
}

interface IpcMessage {
  readonly t: 'invoke' | 'send'
  readonly id: number
  readonly ch: string
  readonly a: unknown
}

const windowOf = (contents: unknown): StandInWindow | null =>
  contents instanceof StandInContents ? (windows.get(contents.id) ?? null) : null

export const BrowserWindow = Object.assign(StandInWindow, {
  getAllWindows: () => [...windows.values()],
  fromWebContents: windowOf,
  getFocusedWindow: () => [...windows.values()].at(-1) ?? null,
})

export const webContents = strict(
  {
    fromDevToolsTargetId: (id: string) => [...windows.values()].find(w => w.target === id)?.webContents,
    getAllWebContents: () => [...windows.values()].map(w => w.webContents),
  },
  'webContents',
)

// ───────────────────────────── dialogs, menu, the rest ─────────────────────────────

const unanswered = (name: string) => (): Promise<never> => Promise.reject(new Error(`dialog.${name}: the test gave no answer`))

/** A test puts its own functions here: `app.evaluate(({ dialog }) => { dialog.showOpenDialog = ... })`. */
export const dialog = strict(
  {
    showOpenDialog: unanswered('showOpenDialog'),
    showSaveDialog: unanswered('showSaveDialog'),
    showMessageBox: unanswered('showMessageBox'),
    showErrorBox: (title: string, content: string) => console.error(`${title}: ${content}`),
  },
  'dialog',
)

class StandInMenu {
  static #application: StandInMenu | null = null
  readonly items: readonly StandInItem[]
  constructor(template: readonly Electron.MenuItemConstructorOptions[] = []) {
    this.items = template.map(o => ({
      ...o,
      label: o.label ?? o.role ?? '',
      submenu: Array.isArray(o.submenu) ? new StandInMenu(o.submenu) : null,
      click: () => (o.click as (() => void) | undefined)?.(),
    }))
  }
  getMenuItemById(id: string): StandInItem | null {
    for (const item of this.items) {
      if (item.id === id) return item
      const inside = item.submenu?.getMenuItemById(id)
      if (inside) return inside
    }
    return null
  }
  static buildFromTemplate(template: readonly Electron.MenuItemConstructorOptions[]): StandInMenu {
    return new StandInMenu(template)
  }
  static setApplicationMenu(menu: StandInMenu | null): void {
    StandInMenu.#application = menu
  }
  static getApplicationMenu(): StandInMenu | null {
    return StandInMenu.#application
  }
}
interface StandInItem {
  readonly id?: string
  readonly label: string
  readonly role?: string
  readonly accelerator?: string
  readonly submenu: StandInMenu | null
  click(): void
}
export const Menu = StandInMenu

export const screen = strict({ getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] }, 'screen')

export default strict({ app, BrowserWindow, ipcMain, dialog, Menu, session, protocol, screen, webContents }, 'electron')
