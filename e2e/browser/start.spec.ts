/** `npm start` on a machine without a display: one line says why, and the browser takes the window's place. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { makeSample, removeTemp, REPO, tempDir } from '../helpers'

test.afterAll(removeTemp)

function start(args: readonly string[]) {
  const env: NodeJS.ProcessEnv = { ...process.env, NEURON_WORKBENCH_DIR: tempDir(), INIT_CWD: REPO }
  delete env['DISPLAY']
  delete env['WAYLAND_DISPLAY']
  // A process group of its own, so that Ctrl-C can be sent as a terminal sends it: to all of them.
  const child = spawn(process.execPath, [join(REPO, 'scripts/start.mjs'), ...args], {
    cwd: REPO,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let out = ''
  let err = ''
  child.stdout.on('data', d => (out += String(d)))
  child.stderr.on('data', d => (err += String(d)))
  const ended = new Promise<number | null>(ok => child.once('exit', code => ok(code)))
  return { child, ended, out: () => out, err: () => err }
}

test('serves the path to the browser, says why, and ends with Ctrl-C', async ({ page }) => {
  test.skip(process.platform !== 'linux', 'other systems have a display')
  const sample = makeSample({ ranks: 1, steps: 1 })
  const run = start(['--', sample])
  await expect.poll(run.out, { timeout: 60_000 }).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\n$/)
  expect(
    run
      .err()
      .split('\n')
      .filter(l => l.startsWith('No window')),
  ).toEqual([`No window: there is no display. Serving ${sample} to the browser instead:`])
  await page.goto(run.out().trim())
  await page
    .getByRole('button', { name: /^Diagnostics/ })
    .first()
    .click()
  await expect(page.getByText('Shown in the browser because there is no display.').first()).toBeVisible()
  await expect(page.getByRole('tree').getByText('trace.json').first()).toBeVisible()
  process.kill(-run.child.pid!, 'SIGINT')
  expect(await run.ended).toBe(0)
})

test('hands SIGTERM on, and serves the sample without a path', async ({ page }) => {
  const run = start(['--browser'])
  await expect.poll(run.out, { timeout: 60_000 }).toMatch(/\n$/)
  await page.goto(run.out().trim())
  await expect(page.getByText(/sample-profile/).first()).toBeVisible()
  run.child.kill('SIGTERM')
  expect(await run.ended).toBe(0)
})

test('tells wrong arguments', async () => {
  const run = start(['--wrong'])
  expect(await run.ended).toBe(2)
  expect(run.err()).toMatch(/^usage: npm start/)
})
