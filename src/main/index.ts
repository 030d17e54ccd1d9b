/**
 * The Electron shell: one window that shows the built page, and the host behind it. What makes it safe stands in desktop/: the scheme of the page,
 * the guards, the checks of the sender. Nothing here waits for `whenReady` at the top level: Electron is ready only after this module was evaluated.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { app, type BrowserWindow, dialog, ipcMain, session } from 'electron'
import { CHANNEL } from '../shared/channels'
import type { HostEvent } from '../shared/api'
import { Bundle, builtFolder } from './bundle'
import { pathArgument } from './desktop/argument'
import { confineContents, denyPermissions } from './desktop/guards'
import { registerIpc } from './desktop/ipc'
import { setMenu } from './desktop/menu'
import { devServerOf, PAGE_URL } from './desktop/origin'
import { registerScheme, servePage } from './desktop/page'
import { openWindow } from './desktop/window'
import { createHost, type Host } from './host/host'
import { ensureSample } from './sample'
import { cacheDir, userDir } from './user-dir'
import { spawnEngine, spawnParse, spawnVerify } from './workers'

const log = (line: string): void => console.error(line)

let window: BrowserWindow | null = null
let host: Host | null = null

/** Paths that were asked for before the host was there (a double click in the Finder starts the program with such an event). */
const early: string[] = []

const send = (event: HostEvent): void => {
  if (window && !window.isDestroyed()) window.webContents.send(CHANNEL.event, event)
}

async function openPath(path: string): Promise<void> {
  if (!host) return void early.push(path)
  const { opened, reason } = await host.openPath(path)
  if (!opened) dialog.showErrorBox('Not opened', `${path}\n\n${reason ?? ''}`)
}

const open = (path: string): void => {
  openPath(path).catch((e: unknown) => log(String(e)))
}

const PICK_TITLES = { folder: 'Open a profile_output folder', file: 'Open one file of a profile', schema: 'Import a trace schema' } as const

async function pick(what: keyof typeof PICK_TITLES): Promise<string | null> {
  if (!window) return null
  const answer = await dialog.showOpenDialog(window, {
    title: PICK_TITLES[what],
    properties: [what === 'folder' ? 'openDirectory' : 'openFile'],
  })
  return answer.canceled ? null : (answer.filePaths[0] ?? null)
}

async function save(name: string, data: Uint8Array): Promise<string | null> {
  if (!window) return null
  const picture = /\.(png|svg)$/.test(name)
  const answer = await dialog.showSaveDialog(window, {
    title: picture ? 'Save the picture' : name.endsWith('.json') ? 'Save the events' : 'Save the table',
    defaultPath: join(app.getPath(picture ? 'pictures' : 'documents'), name),
  })
  if (answer.canceled || !answer.filePath) return null
  await writeFile(answer.filePath, data)
  return answer.filePath
}

async function start(): Promise<void> {
  const devServer = devServerOf(process.env, app.isPackaged)
  denyPermissions(session.defaultSession)
  servePage(await Bundle.open(builtFolder('renderer')))
  host = createHost({
    version: app.getVersion(),
    shell: 'desktop',
    notice: null,
    spawnParse,
    spawnEngine,
    spawnVerify,
    pick,
    save,
    roots: null,
    userDir: app.getPath('userData'),
    makeSample: () => ensureSample(cacheDir(), app.getVersion()),
  })
  host.onEvent(send)
  registerIpc(ipcMain, host, devServer, log)
  setMenu({
    name: app.getName(),
    mac: process.platform === 'darwin',
    developer: !app.isPackaged,
    send: command => send({ type: 'menu', command }),
  })
  for (const path of early.splice(0)) open(path)
  await show(devServer)
  app.on('activate', () => {
    if (!window) show(devServer).catch((e: unknown) => log(String(e)))
  })
}

async function show(devServer: string | null): Promise<void> {
  const made = openWindow({
    preload: join(builtFolder('preload'), 'index.cjs'),
    url: devServer ?? PAGE_URL,
    log,
    made: w => {
      window = w
      w.once('closed', () => (window = null))
    },
  })
  await made
}

function focus(): void {
  if (!window) return
  if (window.isMinimized()) window.restore()
  window.focus()
}

app.setPath('userData', userDir())
const asked = pathArgument(process.argv, { packaged: app.isPackaged, appPath: app.getAppPath(), cwd: process.cwd() })

// A second start hands its path to the first one and ends. The path goes as data: Electron may add switches to the arguments and reorder them.
if (!app.requestSingleInstanceLock({ path: asked })) app.quit()
else {
  registerScheme()
  confineContents(app, log)
  if (asked !== null) early.push(asked)
  app.on('open-file', (event, path) => {
    event.preventDefault()
    open(path)
  })
  app.on('second-instance', (_event, _argv, _cwd, data) => {
    focus()
    const path = typeof data === 'object' && data !== null && 'path' in data ? data.path : null
    if (typeof path === 'string') open(path)
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  app.on('will-quit', () => {
    host?.close().catch((e: unknown) => log(String(e)))
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.quit())
  app
    .whenReady()
    .then(start)
    .catch((e: unknown) => {
      log(e instanceof Error ? (e.stack ?? e.message) : String(e))
      dialog.showErrorBox('Neuron Workbench could not start', e instanceof Error ? e.message : String(e))
      app.exit(1)
    })
}
