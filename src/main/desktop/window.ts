/** The one window of the desktop. */
import { join } from 'node:path'
import { app, BrowserWindow, screen } from 'electron'
import { boundsFor, MIN_SIZE, readPlacement, writePlacement } from './placement'

export interface WindowOptions {
  readonly preload: string
  readonly url: string
  readonly log: (line: string) => void
  /** Called as soon as the window exists, before its page is loaded. */
  readonly made: (window: BrowserWindow) => void
}

/** Makes the window and loads the page. The promise ends when the page is there, or fails to load. */
export async function openWindow({ preload, url, log, made }: WindowOptions): Promise<void> {
  const file = join(app.getPath('userData'), 'window.json')
  const placement = readPlacement(file)
  const window = new BrowserWindow({
    ...boundsFor(
      placement,
      screen.getAllDisplays().map(d => d.workArea),
    ),
    minWidth: MIN_SIZE.width,
    minHeight: MIN_SIZE.height,
    show: false,
    title: 'Neuron Workbench',
    backgroundColor: '#14171c',
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    },
  })
  if (placement?.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  window.on('close', () => writePlacement(file, { ...window.getNormalBounds(), maximized: window.isMaximized() }))
  window.webContents.on('preload-error', (_event, path, error) => log(`preload ${path}: ${error.stack ?? error.message}`))
  let reloaded = 0
  window.webContents.on('render-process-gone', (_event, details) => {
    log(`the page's process ended: ${details.reason}`)
    // The host and all it has read live on: a fresh page shows them again. One that ends as soon as it starts is left alone.
    const now = Date.now()
    if (details.reason !== 'clean-exit' && !window.isDestroyed() && now - reloaded > 10_000) window.webContents.reload()
    reloaded = now
  })
  made(window)
  await window.loadURL(url)
}
