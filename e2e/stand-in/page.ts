/**
 * What runs inside Chromium: the text of these functions is injected, so each uses nothing but its arguments and globals (`codec` is injected beside
 * them). The page's world gets `membrane('main')`, an isolated world gets `membrane('iso')` through `preloadHost`, as Electron keeps a preload apart.
 */

/** A preload's `require`, as far as a sandboxed one has it. */
type Require = (id: string) => unknown
export type PreloadBody = (
  require: Require,
  module: { exports: unknown },
  exports: unknown,
  process: Readonly<Record<string, unknown>>,
  location: Location,
) => void

interface Tagged {
  readonly $: string
  readonly v: unknown
  readonly c?: string
  readonly s?: string
}

/** JSON with tags, in place of the structured clone that carries Electron's IPC. */
export function codec(): { enc(v: unknown): unknown; dec(v: unknown): unknown } {
  const base64 = (u: Uint8Array): string => {
    let s = ''
    for (let i = 0; i < u.length; i += 8192) s += String.fromCharCode(...u.subarray(i, i + 8192))
    return btoa(s)
  }
  const enc = (v: unknown): unknown => {
    if (v === undefined) return { $: 'u' }
    if (typeof v === 'bigint') return { $: 'n', v: String(v) }
    if (typeof v === 'number' && (!Number.isFinite(v) || Object.is(v, -0))) return { $: 'd', v: Object.is(v, -0) ? '-0' : String(v) }
    if (typeof v === 'function' || typeof v === 'symbol') throw new Error('An object could not be cloned.')
    if (v === null || typeof v !== 'object') return v
    if (v instanceof Date) return { $: 'D', v: +v }
    if (v instanceof Error) return { $: 'E', v: v.message, s: v.name }
    if (v instanceof Map) return { $: 'M', v: [...v].map(e => e.map(enc)) }
    if (v instanceof Set) return { $: 'S', v: [...v].map(enc) }
    if (v instanceof ArrayBuffer) return { $: 'B', c: 'ArrayBuffer', v: base64(new Uint8Array(v)) }
    if (ArrayBuffer.isView(v)) {
      const kind = v.constructor.name === 'Buffer' ? 'Uint8Array' : v.constructor.name
      return { $: 'B', c: kind, v: base64(new Uint8Array(v.buffer, v.byteOffset, v.byteLength)) }
    }
    if (Array.isArray(v)) return v.map(enc)
    return { $: 'o', v: Object.entries(v).map(([k, x]) => [k, enc(x)]) }
  }
  const dec = (v: unknown): unknown => {
    if (v === null || typeof v !== 'object') return v
    if (Array.isArray(v)) return v.map(dec)
    const t = v as Tagged
    const list = t.v as readonly unknown[]
    switch (t.$) {
      case 'u':
        return undefined
      case 'n':
        return BigInt(t.v as string)
      case 'd':
        return Number(t.v)
      case 'D':
        return new Date(t.v as number)
      case 'E':
        return Object.assign(new Error(t.v as string), { name: t.s })
      case 'M':
        return new Map(list.map(e => (e as readonly unknown[]).map(dec) as [unknown, unknown]))
      case 'S':
        return new Set(list.map(dec))
      case 'B': {
        const bytes = Uint8Array.from(atob(t.v as string), c => c.charCodeAt(0)).buffer
        if (t.c === 'ArrayBuffer') return bytes
        const view = (globalThis as unknown as Record<string, new (b: ArrayBuffer) => unknown>)[t.c as string]
        if (!view) throw new Error(`no ${t.c}`)
        return new view(bytes)
      }
      default: {
        const o = {}
        for (const [k, x] of list as readonly [string, unknown][])
          Object.defineProperty(o, k, { value: dec(x), enumerable: true, configurable: true, writable: true })
        return o
      }
    }
  }
  return { enc, dec }
}

/** The context bridge between the two worlds: copies data, stands in for functions and promises, lets no reference through. */
export function membrane(side: 'iso' | 'main'): { post(detail: unknown): void; out(v: unknown): unknown } {
  interface Message {
    readonly t: 'call' | 'ret' | 'expose' | 'ok' | 'no'
    readonly id: number
    readonly fn: number
    readonly k: string
    readonly a: readonly unknown[]
    readonly v: unknown
    readonly e?: unknown
  }
  type Fn = (...args: unknown[]) => unknown
  const other = side === 'iso' ? 'main' : 'iso'
  const functions = new Map<number, Fn>()
  const promises = new Map<number, { readonly ok: (v: unknown) => void; readonly no: (e: unknown) => void }>()
  const returned = new Map<number, Message>()
  let n = 0
  // The detail of an event that crosses worlds is cloned by Chromium itself: typed arrays, bigint, File and so on arrive as copies.
  const post = (detail: unknown): void => void dispatchEvent(new CustomEvent('$bridge-' + other, { detail }))
  const plain = (v: unknown): v is Record<string, unknown> =>
    typeof v === 'object' && v !== null && [Object.prototype, null].includes(Object.getPrototypeOf(v) as never)
  const out = (v: unknown): unknown => {
    if (typeof v === 'symbol') throw new TypeError('contextBridge cannot pass a symbol')
    if (typeof v === 'function') {
      functions.set(++n, v as Fn)
      return { $: 'f', id: n }
    }
    if (v instanceof Promise) {
      const id = ++n
      v.then(
        x => post({ t: 'ok', id, v: out(x) }),
        (e: unknown) => post({ t: 'no', id, v: out(e) }),
      )
      return { $: 'p', id }
    }
    if (v instanceof Error) return { $: 'e', v: v.message }
    if (Array.isArray(v)) return v.map(out)
    return plain(v) ? { $: 'o', v: Object.entries(v).map(([k, x]) => [k, out(x)]) } : v
  }
  const inn = (v: unknown, freeze = false): unknown => {
    if (Array.isArray(v)) return v.map(x => inn(x, freeze))
    if (!plain(v)) return v
    if (v['$'] === 'e') return new Error(v['v'] as string)
    if (v['$'] === 'p') return new Promise((ok, no) => promises.set(v['id'] as number, { ok, no }))
    if (v['$'] === 'f')
      return (...args: unknown[]) => {
        const id = ++n
        post({ t: 'call', id, fn: v['id'], a: args.map(out) })
        const r = returned.get(id)
        returned.delete(id)
        if (!r || 'e' in r) throw inn(r?.e)
        return inn(r.v)
      }
    const o = {}
    for (const [k, x] of v['v'] as [string, unknown][])
      Object.defineProperty(o, k, { value: inn(x, freeze), enumerable: true, configurable: true, writable: true })
    return freeze ? Object.freeze(o) : o
  }
  const call = (d: Message): void => {
    let r: object
    try {
      r = { v: out((functions.get(d.fn) as Fn)(...d.a.map(x => inn(x)))) }
    } catch (e) {
      r = { e: out(e) }
    }
    post({ t: 'ret', id: d.id, ...r })
  }
  addEventListener('$bridge-' + side, event => {
    const d = (event as CustomEvent).detail as Message
    if (d.t === 'call') call(d)
    else if (d.t === 'ret') returned.set(d.id, d)
    else if (d.t === 'expose') Object.defineProperty(window, d.k, { value: inn(d.v, true), enumerable: true })
    else {
      promises.get(d.id)?.[d.t](inn(d.v))
      promises.delete(d.id)
    }
  })
  return { post, out }
}

/** The isolated world: runs a preload with what a sandboxed one can see. */
export function preloadHost(
  body: PreloadBody,
  info: Readonly<Record<string, unknown>>,
  location: Location,
  { post, out }: ReturnType<typeof membrane>,
  { enc, dec }: ReturnType<typeof codec>,
): void {
  interface FromMain {
    readonly t?: 'send'
    readonly ch: string
    readonly a: unknown
    readonly id: number
    readonly e?: string
    readonly r: unknown
  }
  type Fn = (...args: unknown[]) => void
  const world = globalThis as unknown as { __ipc(text: string): void; __ipcIn(text: string): void; __files: Map<number, File> }
  const waits = new Map<number, { readonly ok: (v: unknown) => void; readonly no: (e: Error) => void; readonly ch: string }>()
  const listeners = new Map<string, readonly Fn[]>()
  let n = 0
  world.__files = new Map()
  world.__ipcIn = text => {
    const m = JSON.parse(text) as FromMain
    if (m.t === 'send') {
      for (const f of listeners.get(m.ch) ?? []) f({ senderId: 0, ports: [] }, ...(dec(m.a) as unknown[]))
      return
    }
    const w = waits.get(m.id)
    waits.delete(m.id)
    if (m.e !== undefined) w?.no(new Error(`Error invoking remote method '${w.ch}': ${m.e}`))
    else w?.ok(dec(m.r))
  }
  const strict = <T extends object>(o: T, name: string): T =>
    new Proxy(o, {
      get: (t, k) => {
        if (k in t || typeof k === 'symbol') return t[k as keyof T]
        throw new Error(`${name}.${k} is not in the stand-in`)
      },
    })
  const on = (ch: string, f: Fn): unknown => (listeners.set(ch, [...(listeners.get(ch) ?? []), f]), ipcRenderer)
  const off = (ch: string, f: Fn): unknown => (
    listeners.set(
      ch,
      (listeners.get(ch) ?? []).filter(x => x !== f),
    ),
    ipcRenderer
  )
  const ipcRenderer: object = strict(
    {
      invoke: (ch: string, ...a: unknown[]) =>
        new Promise((ok, no) => {
          const id = ++n
          waits.set(id, { ok, no, ch })
          world.__ipc(JSON.stringify({ t: 'invoke', id, ch, a: enc(a) }))
        }),
      send: (ch: string, ...a: unknown[]) => world.__ipc(JSON.stringify({ t: 'send', ch, a: enc(a) })),
      on,
      addListener: on,
      off,
      removeListener: off,
      once: (ch: string, f: Fn) => {
        const g: Fn = (...a) => {
          off(ch, g)
          f(...a)
        }
        return on(ch, g)
      },
    },
    'ipcRenderer',
  )
  const electron = strict(
    {
      contextBridge: strict({ exposeInMainWorld: (k: string, v: unknown) => post({ t: 'expose', k, v: out(v) }) }, 'contextBridge'),
      ipcRenderer,
      webUtils: strict(
        {
          // Only Chromium's browser side tells paths, and not at once: a token goes out, and the path takes its place before the main process sees it.
          getPathForFile: (file: unknown) => {
            if (!(file instanceof File)) throw new TypeError('getPathForFile expected to receive a File object but one was not provided')
            world.__files.set(++n, file)
            return `\0stand-in-file:${n}`
          },
        },
        'webUtils',
      ),
    },
    'electron (preload)',
  )
  const module = { exports: {} }
  const require: Require = id => {
    if (id === 'electron' || id === 'electron/renderer') return electron
    throw new Error(`module not found: ${id} (sandboxed preload)`)
  }
  body(require, module, module.exports, { ...info, sandboxed: true, contextIsolated: true, type: 'renderer' }, location)
}

/** `location` with the addresses of the scheme, for code that is told it (see address.ts). */
export function outerLocation(scheme: string): Location {
  const real = window.location
  const inner = `.${scheme}.localhost`
  const outer = real.host.endsWith(inner)
  const host = real.host.slice(0, -inner.length)
  const get = (k: string | symbol): unknown => {
    if (outer)
      switch (k) {
        case 'protocol':
          return `${scheme}:`
        case 'host':
        case 'hostname':
          return host
        case 'origin':
          return `${scheme}://${host}`
        case 'href':
          return `${scheme}://${host}${real.pathname}${real.search}${real.hash}`
        case 'toString':
          return () => get('href')
      }
    const v: unknown = Reflect.get(real, k, real)
    return typeof v === 'function' ? (v.bind(real) as unknown) : v
  }
  // The target is an object of our own: the members of the real one can't be reported otherwise than they are.
  return new Proxy({} as Location, { get: (_, k) => get(k), set: (_, k, v) => Reflect.set(real, k, v, real), has: (_, k) => k in real })
}

/**
 * The page's world: a window that the page asks for is first asked of the program, at once, as Electron does it. A synchronous request to the page's own
 * origin carries the question; the stand-in answers it in the place of the network.
 */
export function windowOpener(path: string): void {
  const native = window.open.bind(window)
  const allowed = (url: string): boolean => {
    const ask = new XMLHttpRequest()
    try {
      ask.open('GET', `${path}?${encodeURIComponent(url)}`, false)
      ask.send()
    } catch {
      return false
    }
    return ask.responseText === 'allow'
  }
  const absolute = (url: string): string => {
    try {
      return new URL(url, document.baseURI).href
    } catch {
      return url
    }
  }
  window.open = (url, ...rest) => (allowed(absolute(String(url ?? 'about:blank'))) ? native(url, ...rest) : null)
  addEventListener('click', event => {
    const link = (event.target as Element | null)?.closest?.('a[href][target]') as HTMLAnchorElement | null | undefined
    if (!link || event.defaultPrevented || ['', '_self', '_top', '_parent'].includes(link.target)) return
    if (!allowed(link.href)) event.preventDefault()
  })
}
