/**
 * `test` for the specs of e2e/views, which run in both shells: `open(path)` starts the shell of the project on a folder or file and answers its page.
 * Afterwards the shell is closed, and a page that reported an error (or broke the Content-Security-Policy) fails the test.
 */
import { test as base, expect, type Page } from '@playwright/test'
import { type Desktop, launchBrowser, launchDesktop, removeTemp, type Served } from './helpers'

export interface Opened {
  readonly page: Page
  readonly shell: 'desktop' | 'browser'
  /** Null in the browser. */
  readonly desktop: Desktop | null
  /** Null in the desktop. */
  readonly served: Served | null
  /** Ends this start before the test does, so that another may take over its settings. */
  close(): Promise<void>
}

export interface OpenOptions {
  /** Settings of the program; a new folder by default. */
  readonly home?: string
  readonly size?: { readonly width: number; readonly height: number }
}

export const test = base.extend<{ open: (path: string, options?: OpenOptions) => Promise<Opened> }>({
  open: async ({ browser }, use, info) => {
    const closing: (() => Promise<unknown>)[] = []
    const said: (readonly string[])[] = []
    /** Runs once, when the test asks for it or at its end. */
    const once = (work: () => Promise<unknown>): (() => Promise<void>) => {
      let done: Promise<unknown> | null = null
      const close = async (): Promise<void> => void (await (done ??= work()))
      closing.push(close)
      return close
    }
    await use(async (path, { home, size = { width: 1440, height: 900 } } = {}) => {
      if (info.project.name === 'desktop') {
        const desktop = await launchDesktop([path], { ...(home ? { home } : {}), size })
        said.push(desktop.errors)
        return { page: desktop.page, shell: 'desktop', desktop, served: null, close: once(() => desktop.close()) }
      }
      const page = await browser.newPage({ viewport: size, acceptDownloads: true })
      const served = await launchBrowser(page, path, [], home ? { home } : {})
      said.push(served.errors)
      const close = once(async () => {
        await page.close()
        await served.stop()
      })
      return { page, shell: 'browser', desktop: null, served, close }
    })
    for (const close of closing) await close()
    removeTemp()
    expect(said.flat()).toEqual([])
  },
})

export { expect }
