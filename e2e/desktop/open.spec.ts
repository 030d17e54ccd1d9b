/** The ways into the desktop: argument, dialog, drop, menu, a second start. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { _electron, expect, test } from '@playwright/test'
import {
  answerOpenDialog,
  chooseMenu,
  type Desktop,
  dropOn,
  launchDesktop,
  makeSample,
  realElectron,
  removeTemp,
  REPO,
  tempDir,
} from '../helpers'

test.afterAll(removeTemp)

/** Name and number of sessions of the opened root, as the host tells them. */
const root = (d: Desktop): Promise<string | null> =>
  d.page.evaluate(async () => {
    const r = await window.workbench!.request('root.get', {})
    return r && !r.scanning ? `${r.name}: ${r.catalog.sessions.length}` : null
  })

test('starts without a path on the welcome view', async () => {
  const desktop = await launchDesktop()
  await expect(desktop.page.getByRole('button', { name: /open.*folder/i }).first()).toBeVisible()
  expect(await root(desktop)).toBeNull()
  expect(desktop.errors).toEqual([])
  await desktop.close()
})

test('opens the path of the command line', async () => {
  const desktop = await launchDesktop([makeSample({ ranks: 2, steps: 1 })])
  await expect.poll(() => root(desktop)).toBe('profile_output: 2')
  expect(desktop.errors).toEqual([])
  await desktop.close()
})

test('opens one file, a folder from the dialog, a cancelled dialog changes nothing', async () => {
  const sample = makeSample({ ranks: 1, steps: 1 })
  const desktop = await launchDesktop()
  await answerOpenDialog(desktop.app, null)
  await chooseMenu(desktop.app, 'open-folder')
  await desktop.page.waitForTimeout(200)
  expect(await root(desktop)).toBeNull()
  await answerOpenDialog(desktop.app, sample)
  await desktop.page
    .getByRole('button', { name: /open.*folder/i })
    .first()
    .click()
  await expect.poll(() => root(desktop)).toBe('profile_output: 1')
  await chooseMenu(desktop.app, 'close-folder')
  await expect.poll(() => root(desktop)).toBeNull()
  expect(desktop.errors).toEqual([])
  await desktop.close()
})

test('opens what is dropped, by the path that the shell tells', async () => {
  const sample = makeSample({ ranks: 1, steps: 1 })
  const desktop = await launchDesktop()
  await expect(desktop.page.getByRole('button', { name: /open.*folder/i }).first()).toBeVisible()
  await dropOn(desktop.page, 'body', [sample])
  await expect.poll(() => root(desktop)).toBe('profile_output: 1')
  expect(desktop.errors).toEqual([])
  await desktop.close()
})

test('opens the sample profile from the menu', async () => {
  const desktop = await launchDesktop()
  await chooseMenu(desktop.app, 'open-sample')
  await expect.poll(() => root(desktop), { timeout: 30_000 }).toMatch(/^sample-profile-[\d.]+: [1-9]/)
  expect(desktop.errors).toEqual([])
  await desktop.close()
})

test('a path that is not there is told, and the window stays usable', async () => {
  const home = tempDir()
  const desktop = await launchDesktop([], { home })
  await desktop.app.evaluate(({ dialog }) => {
    dialog.showErrorBox = (title, content) => void Object.assign(globalThis, { told: `${title}: ${content}` })
  })
  // A second start ends at once and hands its path to the first one.
  const second = (path: string): Promise<unknown> =>
    _electron
      .launch({
        ...(realElectron ? {} : { executablePath: join(REPO, 'e2e/stand-in/electron') }),
        args: ['.', path],
        cwd: REPO,
        env: { ...(process.env as Record<string, string>), NEURON_WORKBENCH_DIR: home, STAND_IN_NODE: process.execPath },
      })
      .then(app => app.close())
      .catch(() => undefined)
  await second(join(home, 'missing'))
  await expect.poll(() => desktop.app.evaluate(() => (globalThis as unknown as { told?: string }).told)).toMatch(/Not opened[^]*missing/)
  await second(makeSample({ ranks: 1, steps: 1 }))
  await expect.poll(() => root(desktop)).toBe('profile_output: 1')
  await desktop.close()
})

test('the window comes back where it stood, after its page was reloaded too', async () => {
  const desktop = await launchDesktop([makeSample({ ranks: 1, steps: 1 })])
  await expect.poll(() => root(desktop)).toBe('profile_output: 1')
  await desktop.page.reload()
  await expect.poll(() => root(desktop)).toBe('profile_output: 1')
  const { app } = desktop
  const process = app.process()
  const gone = app.waitForEvent('close')
  await desktop.page.close()
  await gone
  expect(process.exitCode).toBe(0)
  const folder = mkdtempSync(join(tempDir(), 'x'))
  writeFileSync(join(folder, 'window.json'), 'damaged')
  const again = await launchDesktop([], { home: folder })
  expect(await root(again)).toBeNull()
  await again.close()
})
