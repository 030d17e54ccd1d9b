/** The ways into the browser shell, and out of a lost connection. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { cli, dropOn, launchBrowser, makeSample, removeTemp, REPO, serve, tempDir, watchErrors } from '../helpers'

test.afterAll(removeTemp)

test('opens the path of the command line', async ({ page }) => {
  const served = await launchBrowser(page, makeSample({ ranks: 2, steps: 1 }))
  await expect(page.getByText('profile_output').first()).toBeVisible()
  await expect(page.getByRole('tree').getByText('trace.json').first()).toBeVisible()
  expect(served.errors).toEqual([])
  expect(await served.stop()).toBe(0)
})

test('opens a folder below the served one from the picker', async ({ page }) => {
  const folder = tempDir()
  makeSample({ ranks: 1, steps: 1 }, join(folder, 'run-a'))
  makeSample({ ranks: 1, steps: 1, seed: 5 }, join(folder, 'run-b'))
  const served = await launchBrowser(page, folder)
  await page.keyboard.press('Control+o')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  await dialog.getByText(folder.split('/').at(-1)!).first().click()
  await dialog.getByText('run-b').first().click()
  // Inside the folder now: its own entry is listed, and the button below opens the folder itself.
  await expect(dialog.getByText(/_pid_/).first()).toBeVisible()
  await dialog.getByRole('button', { name: 'Open this folder' }).click()
  await expect(page.getByText('run-b').first()).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(served.errors).toEqual([])
  await served.stop()
})

test('a dropped file is refused with the reason', async ({ page }) => {
  const sample = makeSample({ ranks: 1, steps: 1 })
  const served = await launchBrowser(page, sample)
  await expect(page.getByText('profile_output').first()).toBeVisible()
  const file = join(tempDir(), 'trace.json')
  writeFileSync(file, '{"traceEvents":[]}')
  await dropOn(page, 'body', [file])
  await expect(page.getByText(/"trace\.json" was not opened: a browser tells no program where a dropped file lies/)).toBeVisible()
  expect(served.errors).toEqual([])
  await served.stop()
})

test('says that the connection is lost, and comes back with the program', async ({ page }) => {
  const sample = makeSample({ ranks: 1, steps: 1 })
  const first = await serve([sample])
  await page.goto(first.url)
  await expect(page.getByText('profile_output').first()).toBeVisible()
  await first.stop()
  await expect(page.getByText(/connection/i).first()).toBeVisible()
  // The same port, another token: the old page is told to take the new address.
  const second = await serve([sample, '--port', String(first.port)])
  await expect(page.getByText('The key of this address is not the one of the running program').first()).toBeVisible({ timeout: 20_000 })
  const errors = watchErrors(page)
  await page.goto(second.url)
  await page.reload()
  await expect(page.getByText('profile_output').first()).toBeVisible()
  expect(errors).toEqual([])
  await second.stop()
})

test('serves the sample profile when no path is given', async ({ page }) => {
  const served = await serve([])
  await page.goto(served.url)
  await expect(page.getByText(/sample-profile/).first()).toBeVisible()
  await expect(page.getByRole('tree').getByText('trace.json').first()).toBeVisible()
  await served.stop()
})

test('prints one line on stdout and ends cleanly with SIGINT and SIGTERM', async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const served = await serve([makeSample({ ranks: 1, steps: 1 })])
    let more = ''
    served.process.stdout?.on('data', d => (more += String(d)))
    const gone = new Promise(ok => served.process.once('exit', code => ok(code)))
    served.process.kill(signal)
    expect(await gone).toBe(0)
    expect(more).toBe('')
  }
})

test('says why it cannot serve', () => {
  const run = (...args: string[]): { readonly status: number; readonly stderr: string; readonly stdout: string } => {
    try {
      execFileSync(process.execPath, [join(REPO, 'out/main/cli.js'), 'serve', ...args], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 20_000,
      })
      return { status: 0, stderr: '', stdout: '' }
    } catch (e) {
      return e as { status: number; stderr: string; stdout: string }
    }
  }
  const missing = run(join(tempDir(), 'missing'))
  expect([missing.status, missing.stdout]).toEqual([1, ''])
  expect(missing.stderr).toMatch(/missing/)
  for (const args of [
    ['--port', 'x'],
    ['--port', '70000'],
    ['--host', '0.0.0.0'],
  ]) {
    const wrong = run(...args)
    expect([wrong.status, wrong.stdout]).toEqual([2, ''])
  }
  expect(cli('--help')).toContain('serve')
})
