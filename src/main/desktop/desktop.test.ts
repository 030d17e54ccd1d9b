/** The parts of the desktop shell that run without Electron. What needs it is shown by e2e/desktop. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import type { IpcMain } from 'electron'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { RequestError } from '../../shared/api'
import { CHANNEL, type Outcome } from '../../shared/channels'
import { MENU_COMMANDS } from '../../shared/menu'
import { Bundle } from '../bundle'
import { pathArgument } from './argument'
import { registerIpc } from './ipc'
import { menuTemplate } from './menu'
import { devServerOf, isOurFrame, isOurUrl } from './origin'
import { answerPage } from './page'
import { boundsFor, readPlacement, writePlacement } from './placement'

vi.mock('electron', () => ({ Menu: {}, protocol: {} }))

const folder = mkdtempSync(join(tmpdir(), 'desktop-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('whose address it is', () => {
  it.each(['app://workbench/index.html', 'app://workbench/', 'app://workbench/#x', 'app://workbench'])('%s is ours', url => {
    expect(isOurUrl(url, null)).toBe(true)
  })
  it.each([
    '',
    'about:blank',
    'app://other/index.html',
    'app://workbench.evil.example/',
    'app://workbench:1/',
    'app://user@workbench/',
    'app:workbench/',
    'app:///workbench/',
    'https://workbench/',
    'http://workbench.app.localhost/index.html',
    'http://localhost:5173/',
    'file:///home/u/index.html',
    'data:text/html,app://workbench/',
    'blob:app://workbench/1',
    'javascript:1',
    'chrome-extension://workbench/',
  ])('%s is not ours', url => {
    expect(isOurUrl(url, null)).toBe(false)
    expect(isOurFrame({ url, parent: null }, null)).toBe(false)
  })
  it('only the main frame speaks', () => {
    const main = { url: 'app://workbench/index.html', parent: null }
    expect(isOurFrame(main, null)).toBe(true)
    expect(isOurFrame({ ...main, parent: main }, null)).toBe(false)
    expect(isOurFrame(null, null)).toBe(false)
  })
  it('the development server counts where one is allowed', () => {
    const url = 'http://localhost:5173'
    expect(devServerOf({ ELECTRON_RENDERER_URL: url }, false)).toBe(url)
    expect(devServerOf({ ELECTRON_RENDERER_URL: url }, true)).toBeNull()
    expect(devServerOf({}, false)).toBeNull()
    expect(() => devServerOf({ ELECTRON_RENDERER_URL: 'http://evil.example/' }, false)).toThrow(/on this machine/)
    expect(() => devServerOf({ ELECTRON_RENDERER_URL: 'https://localhost/' }, false)).toThrow(/on this machine/)
    expect(isOurUrl(`${url}/index.html`, url)).toBe(true)
    expect(isOurUrl('http://localhost:5174/', url)).toBe(false)
    expect(isOurUrl('http://evil.example:5173/', url)).toBe(false)
  })
})

describe('IPC', () => {
  const page = { url: 'app://workbench/index.html', parent: null }
  function ipc() {
    const handlers = new Map<string, (event: unknown, ...args: unknown[]) => Promise<Outcome>>()
    const calls: unknown[][] = []
    const log: string[] = []
    const host = {
      handle: (...a: unknown[]) => {
        calls.push(a)
        if (a[0] === 'bad') return Promise.reject(new RequestError('For the user.'))
        if (a[0] === 'bug') return Promise.reject(new TypeError('a bug'))
        return Promise.resolve('answer')
      },
      openPath: (path: string) => {
        calls.push([path])
        return Promise.resolve({ opened: true, reason: null })
      },
    }
    registerIpc({ handle: (c: string, h: never) => void handlers.set(c, h) } as unknown as IpcMain, host, null, l => log.push(l))
    const invoke = (channel: string, senderFrame: unknown, ...args: unknown[]) => {
      const handler = handlers.get(channel)
      if (!handler) throw new Error(`no ${channel}`)
      return handler({ senderFrame }, ...args)
    }
    return { handlers, calls, log, invoke }
  }

  it('has the two channels and no other', () => {
    expect([...ipc().handlers.keys()].sort()).toEqual([CHANNEL.drop, CHANNEL.request].sort())
  })
  it('hands requests of the page to the host, which checks them', async () => {
    const { invoke, calls } = ipc()
    expect(await invoke(CHANNEL.request, page, 'root.get', {})).toEqual({ ok: true, value: 'answer' })
    expect(calls).toEqual([['root.get', {}]])
  })
  it.each([
    ['another page', { url: 'https://evil.example/', parent: null }],
    ['a frame in the page', { url: 'app://workbench/index.html', parent: page }],
    ['a frame that is gone', null],
  ])('%s gets nothing', async (_name, frame) => {
    const { invoke, calls, log } = ipc()
    for (const channel of [CHANNEL.request, CHANNEL.drop])
      expect(await invoke(channel, frame, join(sep, 'x'), {})).toMatchObject({ ok: false })
    expect(calls).toEqual([])
    expect(log).toHaveLength(2)
  })
  it('tells the user the words of an error and logs a bug', async () => {
    const { invoke, log } = ipc()
    expect(await invoke(CHANNEL.request, page, 'bad', {})).toEqual({ ok: false, text: 'For the user.' })
    expect(log).toEqual([])
    expect(await invoke(CHANNEL.request, page, 'bug', {})).toEqual({ ok: false, text: 'Internal error: a bug' })
    expect(log).toHaveLength(1)
  })
  it('opens what was dropped when it has a path', async () => {
    const { invoke, calls } = ipc()
    const path = join(folder, 'x')
    expect(await invoke(CHANNEL.drop, page, path)).toEqual({ ok: true, value: { opened: true, reason: null } })
    expect(calls).toEqual([[path]])
    expect(await invoke(CHANNEL.drop, page, '')).toMatchObject({
      ok: true,
      value: { opened: false, reason: expect.stringContaining('no file or folder') as string },
    })
    expect(await invoke(CHANNEL.drop, page, 'relative/x')).toMatchObject({ ok: true, value: { opened: false } })
    for (const wrong of [undefined, 1, {}, ['/x'], `/${'x'.repeat(5000)}`, '/x\0y'])
      expect(await invoke(CHANNEL.drop, page, wrong)).toEqual({ ok: false, text: 'Not a path.' })
    expect(calls).toHaveLength(1)
  })
})

describe('the page', () => {
  it('is served from the list, with the headers', async () => {
    writeFileSync(join(folder, 'index.html'), 'page')
    const bundle = await Bundle.open(folder)
    const ask = (url: string, method = 'GET') => answerPage(bundle, { url, method } as Request)
    const ok = await ask('app://workbench/index.html?x#y')
    expect([ok.status, await ok.text()]).toEqual([200, 'page'])
    expect(ok.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /)
    expect(ok.headers.get('content-security-policy')).not.toMatch(/unsafe|ws:|http/)
    expect(ok.headers.get('x-content-type-options')).toBe('nosniff')
    for (const [url, status] of [
      ['app://workbench/../desktop.test.ts', 404],
      ['app://workbench/%2e%2e/x', 404],
      ['app://workbench/etc/passwd', 404],
      ['app://other/index.html', 404],
    ] as const)
      expect([url, (await ask(url)).status]).toEqual([url, status])
    const post = await ask('app://workbench/index.html', 'POST')
    expect(post.status).toBe(405)
    expect(post.headers.get('content-security-policy')).not.toBeNull()
    expect(await (await ask('app://workbench/', 'HEAD')).text()).toBe('')
  })
})

describe('PATH of the command line', () => {
  const repo = join(folder, 'app')
  const cwd = folder
  const dev = { packaged: false, appPath: repo, cwd }
  it.each([
    ['no path', ['electron', repo], null],
    ['a path', ['electron', repo, '/p'], '/p'],
    ['a relative path', ['electron', 'app', 'p/q'], join(folder, 'p/q')],
    ['switches before', ['electron', '--no-sandbox', '-r', '/loader.js', '--inspect=0', repo, '/p'], '/p'],
    ['switches behind', ['electron', repo, '--flag', '/p'], '/p'],
    ['an empty one', ['electron', repo, '', '/p'], '/p'],
    ['another program', ['electron', '/elsewhere', '/p'], null],
  ])('%s', (_name, argv, path) => {
    expect(pathArgument(argv, dev)).toBe(path)
  })
  it('of a packaged program is the first argument', () => {
    expect(pathArgument(['workbench', '--flag', '/p'], { ...dev, packaged: true })).toBe('/p')
    expect(pathArgument(['workbench'], { ...dev, packaged: true })).toBeNull()
  })
})

describe('placement of the window', () => {
  const screens = [{ x: 0, y: 0, width: 1920, height: 1080 }]
  const placed = { x: 10, y: 20, width: 1000, height: 700, maximized: true }
  it('is kept', () => {
    const file = join(folder, 'sub/window.json')
    writePlacement(file, placed)
    expect(readPlacement(file)).toEqual(placed)
    expect(boundsFor(placed, screens)).toEqual({ x: 10, y: 20, width: 1000, height: 700 })
  })
  it('is forgotten where it is damaged or on no screen', () => {
    const file = join(folder, 'window.json')
    for (const text of ['', '{', 'null', '{"x":"1"}', JSON.stringify({ ...placed, width: 1e9 }), JSON.stringify({ ...placed, x: 0.5 })]) {
      writeFileSync(file, text)
      expect(readPlacement(file)).toBeNull()
    }
    expect(readPlacement(join(folder, 'none.json'))).toBeNull()
    expect(boundsFor(null, screens)).toEqual({ width: 1440, height: 900 })
    expect(boundsFor({ ...placed, x: 5000 }, screens)).toEqual({ width: 1000, height: 700 })
    expect(boundsFor({ ...placed, y: -500 }, screens)).toEqual({ width: 1000, height: 700 })
    expect(boundsFor({ ...placed, width: 10 }, screens)).toMatchObject({ width: 900 })
  })
})

it('the menu offers every command once', () => {
  const sent: string[] = []
  const ids: string[] = []
  for (const mac of [true, false]) {
    ids.length = 0
    for (const top of menuTemplate({ name: 'N', mac, developer: false, send: c => sent.push(c) }))
      for (const item of Array.isArray(top.submenu) ? top.submenu : []) {
        if (item.role === 'toggleDevTools') throw new Error('developer tools')
        if (!item.id) continue
        ids.push(item.id)
        ;(item.click as () => void)()
      }
    expect([...ids].sort()).toEqual([...MENU_COMMANDS].sort())
  }
  expect(sent).toHaveLength(2 * MENU_COMMANDS.length)
})
