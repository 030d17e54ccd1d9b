/** What the page of the desktop can't do. Runs unchanged on the real binary and on the stand-in. */
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { chooseMenu, type Desktop, launchDesktop, removeTemp, REPO } from '../helpers'

let desktop: Desktop
test.beforeAll(async () => {
  desktop = await launchDesktop()
  await expect.poll(() => desktop.page.evaluate(() => document.body.innerText.length)).toBeGreaterThan(0)
})
test.afterAll(async () => {
  await desktop.close()
  removeTemp()
})

/** The page still speaks with its host. */
const alive = (): Promise<string> => desktop.page.evaluate(async () => (await window.workbench!.request('app.info', {})).shell)

test('the page sees the bridge and nothing else', async () => {
  const seen = await desktop.page.evaluate(() => {
    const world = globalThis as unknown as Record<string, unknown>
    const bridge = window.workbench as unknown as Record<string, unknown>
    try {
      world['workbench'] = 1
      bridge['request'] = 1
      bridge['extra'] = 1
    } catch {
      // strict code is told, sloppy code is not
    }
    const replaced = world['workbench'] !== bridge || typeof bridge['request'] !== 'function' || 'extra' in bridge
    return {
      bridge: Object.fromEntries(Object.entries(bridge).map(([k, v]) => [k, typeof v])),
      inherited: Object.getPrototypeOf(bridge) === Object.prototype,
      frozen: Object.isFrozen(bridge),
      replaced,
      leaks: [
        'require',
        'module',
        'exports',
        'process',
        'Buffer',
        'global',
        'electron',
        'ipcRenderer',
        '__ipc',
        '__ipcIn',
        '__files',
        '__dirname',
      ].filter(k => typeof world[k] !== 'undefined'),
      // A function that came across belongs to the page's own world: its constructor reaches no Node.
      ownFunctions: Object.values(bridge).every(v => typeof v !== 'function' || v.constructor === Function),
    }
  })
  expect(seen).toEqual({
    bridge: { shell: 'string', request: 'function', onEvent: 'function', openDropped: 'function' },
    inherited: true,
    frozen: true,
    replaced: false,
    leaks: [],
    ownFunctions: true,
  })
})

test('events carry data, not the sender', async () => {
  await desktop.page.evaluate(() => {
    const world = globalThis as unknown as { seen: unknown }
    const stop = window.workbench!.onEvent((...args: readonly unknown[]) => {
      stop()
      world.seen = { count: args.length, keys: Object.keys(args[0] as object).sort() }
    })
  })
  await chooseMenu(desktop.app, 'fit')
  await expect
    .poll(() => desktop.page.evaluate(() => (globalThis as unknown as { seen: unknown }).seen))
    .toEqual({ count: 1, keys: ['command', 'type'] })
})

test('requests are checked by the host', async () => {
  const answers = await desktop.page.evaluate(async () => {
    const ask = (...args: readonly unknown[]): Promise<string> =>
      (window.workbench!.request as unknown as (...a: readonly unknown[]) => Promise<unknown>)(...args).then(
        () => 'answered',
        (e: unknown) => String(e),
      )
    return {
      unknown: await ask('file.read', { path: '/etc/passwd' }),
      prototype: await ask('__proto__', {}),
      noName: await ask(),
      object: await ask({ toString: 1 }, {}),
      path: await ask('recent.open', { path: '/etc' }),
      id: await ask('browse.open', { id: '/etc' }),
      extra: await ask('root.get', { extra: 1 }),
      tracks: await ask('trace.slices', { session: 'x', tracks: Array(300).fill(0), start: 0, end: 1, width: 10 }),
      width: await ask('trace.slices', { session: 'x', tracks: [0], start: 0, end: NaN, width: 1e9 }),
    }
  })
  for (const [name, answer] of Object.entries(answers)) expect([name, answer]).toEqual([name, expect.stringMatching(/^Error: /)])
  // The text is ours, without what Electron puts before an error.
  expect(answers.unknown).toBe('Error: unknown request "file.read"')
  expect(Object.values(answers).join()).not.toMatch(/remote method|answered/)
  expect(await alive()).toBe('desktop')
})

test('the policy of the page forbids foreign code and foreign hosts', async () => {
  const found = await desktop.page.evaluate(async () => {
    const violated: string[] = []
    document.addEventListener('securitypolicyviolation', e => violated.push(e.effectiveDirective))
    const world = globalThis as unknown as Record<string, unknown>
    const later = (): Promise<void> => new Promise(ok => setTimeout(ok, 50))
    const add = (tag: string, props: object): void => void document.body.append(Object.assign(document.createElement(tag), props))
    add('script', { textContent: 'globalThis.inlineRan = true' })
    add('img', { src: 'https://evil.example/x.png' })
    add('iframe', { src: 'https://evil.example/' })
    const button = document.createElement('button')
    button.setAttribute('onclick', 'globalThis.handlerRan = true')
    button.click()
    const style = document.createElement('style')
    style.textContent = 'body { --from-inline: 1 }'
    document.head.append(style)
    // Out of the debugger's own evaluation, which is allowed more than the page is.
    const evaluated = await new Promise(ok =>
      setTimeout(() => {
        try {
          ok((0, eval)('1'))
        } catch (e) {
          ok((e as Error).name)
        }
      }),
    )
    const made = await new Promise(ok =>
      setTimeout(() => {
        try {
          ok(new Function('return 1')())
        } catch (e) {
          ok((e as Error).name)
        }
      }),
    )
    const fetched = await fetch('https://evil.example/').then(
      () => 'fetched',
      () => 'refused',
    )
    let socket: unknown
    try {
      socket = await new Promise(ok => {
        const s = new WebSocket('ws://127.0.0.1:1/')
        s.onerror = () => ok('refused')
        s.onopen = () => ok('open')
      })
    } catch {
      socket = 'refused'
    }
    await later()
    return {
      violated: [...new Set(violated)].sort(),
      inline: world['inlineRan'] === true || world['handlerRan'] === true,
      style: getComputedStyle(document.body).getPropertyValue('--from-inline'),
      evaluated,
      made,
      fetched,
      socket,
    }
  })
  expect(found).toMatchObject({
    inline: false,
    style: '',
    evaluated: 'EvalError',
    made: 'EvalError',
    fetched: 'refused',
    socket: 'refused',
  })
  for (const directive of ['connect-src', 'frame-src', 'img-src', 'script-src', 'script-src-attr', 'script-src-elem', 'style-src-elem'])
    expect(found.violated).toContain(directive)
})

test('the page stays where it is', async () => {
  const url = (): Promise<string> => desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.getURL())
  expect(await url()).toBe('app://workbench/index.html')
  await desktop.page.evaluate(() => Object.assign(globalThis, { marker: 'same page' }))
  for (const to of [
    'https://evil.example/',
    'http://127.0.0.1:1/',
    'file:///etc/passwd',
    'data:text/html,x',
    'javascript:void(document.body.remove())',
  ])
    await desktop.page.evaluate(async u => {
      location.href = u
      const a = Object.assign(document.createElement('a'), { href: u, textContent: 'away' })
      document.body.append(a)
      a.click()
      await new Promise(ok => setTimeout(ok, 100))
      a.remove()
    }, to)
  expect(await url()).toBe('app://workbench/index.html')
  expect(await desktop.page.evaluate(() => (globalThis as unknown as { marker?: string }).marker)).toBe('same page')
  expect(await alive()).toBe('desktop')
})

test('the page opens no window', async () => {
  const windows = (): Promise<number> => desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
  const opened = await desktop.page.evaluate(async () => {
    const made = ['https://evil.example/', 'app://workbench/index.html', 'about:blank', ''].map(url => window.open(url))
    const a = Object.assign(document.createElement('a'), { href: 'https://evil.example/', target: '_blank', textContent: 'new' })
    document.body.append(a)
    a.click()
    await new Promise(ok => setTimeout(ok, 200))
    a.remove()
    return made.filter(w => w !== null).length
  })
  expect(opened).toBe(0)
  expect(await windows()).toBe(1)
  await expect.poll(() => desktop.app.windows().length).toBe(1)
  expect(await alive()).toBe('desktop')
})

test('every permission is denied', async () => {
  const states = await desktop.page.evaluate(async () => {
    const query = async (name: string): Promise<string> => (await navigator.permissions.query({ name: name as PermissionName })).state
    const media = await navigator.mediaDevices.getUserMedia({ audio: true }).then(
      () => 'granted',
      (e: unknown) => (e as Error).name,
    )
    const position = await new Promise(ok =>
      navigator.geolocation.getCurrentPosition(
        () => ok('granted'),
        e => ok(e.code),
      ),
    )
    return {
      geolocation: await query('geolocation'),
      notifications: await query('notifications'),
      camera: await query('camera'),
      microphone: await query('microphone'),
      clipboard: await query('clipboard-read'),
      notification: await Notification.requestPermission(),
      media: ['NotAllowedError', 'NotFoundError'].includes(media),
      position,
    }
  })
  expect(states).toEqual({
    geolocation: 'denied',
    notifications: 'denied',
    camera: 'denied',
    microphone: 'denied',
    clipboard: 'denied',
    notification: 'denied',
    media: true,
    position: 1,
  })
})

test('another page gets nothing from the host, even with the preload', async () => {
  const answer = await desktop.app.evaluate(
    async ({ BrowserWindow }, preload) => {
      const other = new BrowserWindow({ show: false, webPreferences: { preload, sandbox: true, contextIsolation: true } })
      await other.loadURL('data:text/html,<title>other</title>')
      return other.id
    },
    join(REPO, 'out/preload/index.cjs'),
  )
  expect(answer).toBeGreaterThan(0)
  await expect.poll(() => desktop.app.windows().length).toBe(2)
  const other = desktop.app.windows().find(p => p !== desktop.page)!
  const answers = await other.evaluate(async () => {
    const refused = (e: unknown): string => String(e)
    return [
      await window.workbench!.request('app.info', {}).then(() => 'answered', refused),
      await window.workbench!.openDropped(new File(['x'], 'x')).then(() => 'answered', refused),
    ]
  })
  expect(answers).toEqual(Array(2).fill('Error: This page may not ask the program anything.'))
  await other.close()
  await expect.poll(() => desktop.app.windows().length).toBe(1)
  expect(await alive()).toBe('desktop')
})

test('app:// serves the files of the build and nothing else', async () => {
  const answers = await desktop.page.evaluate(async () => {
    const status = async (path: string): Promise<number> => (await fetch(path)).status
    return {
      page: await status('/index.html'),
      missing: await status('/missing.js'),
      up: await status('/../package.json'),
      encoded: await status('/%2e%2e/main/index.js'),
      encodedSlash: await status('/..%2f..%2fpackage.json'),
      absolute: await status('/etc/passwd'),
      written: (await fetch('/index.html', { method: 'POST', body: 'x' })).status,
      policy: (await fetch('/missing.js')).headers.get('content-security-policy') !== null,
      sniff: (await fetch('/index.html')).headers.get('x-content-type-options'),
    }
  })
  expect(answers).toEqual({
    page: 200,
    missing: 404,
    up: 404,
    encoded: 404,
    encodedSlash: 404,
    absolute: 404,
    written: 405,
    policy: true,
    sniff: 'nosniff',
  })
})

test('a file that a script made is not opened', async () => {
  const answer = await desktop.page.evaluate(() => window.workbench!.openDropped(new File(['{}'], '/etc/passwd')))
  expect(answer.opened).toBe(false)
  expect(answer.reason).toContain('no file or folder of this machine')
  expect(
    await desktop.page.evaluate(() => window.workbench!.openDropped('/etc/passwd' as never).catch((e: unknown) => `refused: ${String(e)}`)),
  ).toMatch(/^refused/)
})
