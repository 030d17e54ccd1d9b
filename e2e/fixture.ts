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
}

export const test = base.extend<{ open: (path: string) => Promise<Opened> }>({
  open: async ({ browser }, use, info) => {
    const closing: (() => Promise<unknown>)[] = []
    const said: (readonly string[])[] = []
    await use(async path => {
      if (info.project.name === 'desktop') {
        const desktop = await launchDesktop([path])
        closing.push(() => desktop.close())
        said.push(desktop.errors)
        return { page: desktop.page, shell: 'desktop', desktop, served: null }
      }
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, acceptDownloads: true })
      const served = await launchBrowser(page, path)
      closing.push(
        () => page.close(),
        () => served.stop(),
      )
      said.push(served.errors)
      return { page, shell: 'browser', desktop: null, served }
    })
    for (const close of closing) await close()
    removeTemp()
    expect(said.flat()).toEqual([])
  },
})

export { expect }
