/** The Alignment panel in both shells: a trace whose clock is 10 s ahead is said to be, and is brought into line by two events or by a number, kept, and taken back. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { encodeEvents, FIXTURE_EPOCH, frame, workload } from '../../src/formats/neuron-runtime/fixture'
import { expect, test } from '../fixture'
import { tempDir } from '../helpers'

test.describe.configure({ timeout: 150_000 })

/** How far the trace is ahead: its first event should begin with the first of the runtime. */
const AHEAD = '10.00000025'
const SHIFT = `\u2212${AHEAD}\u00a0s`

/** A session of a runtime trace, and a framework trace of which every time is 10.00000025 s late. */
function session(): string {
  const root = join(tempDir(), 'profile_output')
  const dir = join(root, 'i-0align0000000000_pid_42', '1790000000000000000')
  mkdirSync(dir, { recursive: true })
  const slice = (name: string, ts: number, dur: number) => ({ ph: 'X', cat: 'cpu_op', name, pid: 42, tid: 7, ts, dur })
  const trace = {
    schemaVersion: 1,
    baseTimeNanoseconds: Number(FIXTURE_EPOCH + 10_000_000_000n),
    traceEvents: [slice('load the model', 0.25, 400), slice('train step', 900, 1800)],
  }
  writeFileSync(join(dir, 'trace.json'), JSON.stringify(trace))
  writeFileSync(join(dir, 'ntrace.pb'), frame(encodeEvents(workload({ steps: 20, cores: 1 })), 'varint'))
  return root
}

const panel = (page: Page): Locator => page.getByTestId('alignment')
const card = (page: Page, file: string): Locator => panel(page).getByRole('region', { name: new RegExp(`${file}$`) })
const status = (page: Page): Locator => page.getByRole('contentinfo', { name: 'Status' })
const strip = (page: Page): Locator => page.getByTestId('pick-strip')
const range = (page: Page): Locator => page.getByRole('combobox', { name: /^Time range/ })

/** Opens the panel by the button in the head of the System Trace. */
async function openPanel(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Alignment', exact: true }).click()
  await expect(panel(page)).toBeVisible()
}

/** Shows the range of a file and selects the first event of its first track. */
async function pickFirst(page: Page, file: string): Promise<void> {
  const options = await range(page).locator('option').allInnerTexts()
  const label = options.find(o => o.includes(file))
  expect(label, `a range of ${file} among ${options.join('; ')}`).toBeDefined()
  await range(page).selectOption({ label: label as string })
  const rows = page.getByRole('application', { name: /^System Trace/ })
  await expect(rows).toBeVisible()
  const said = strip(page).locator('.wrap')
  const text = await said.innerText()
  // Rows and slices may still be on their way.
  await expect(async () => {
    const box = await rows.boundingBox()
    if (!box) throw new Error('the rows have no box')
    // 5 % into the plot, the first level of the first track: below the rows of instance and process.
    await page.mouse.click(box.x + 160 + (box.width - 172) * 0.05, box.y + 22 + 22 + 3 + 7)
    await expect(said).not.toHaveText(text, { timeout: 3000 })
  }).toPass({ timeout: 20_000 })
}

async function clean(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  expect(violations.map(v => `${what}: ${v.id} at ${v.nodes.map(n => n.target.join(' ')).join(', ')}`)).toEqual([])
}

test('sources that do not overlap are said to, two events bring them together, undo parts them, and a shift is kept', async ({ open }) => {
  const home = tempDir()
  const root = session()
  const first = await open(root, { home })
  const { page } = first
  await expect(status(page)).toContainText("2 ranges that don't overlap, not aligned", { timeout: 30_000 })
  await openPanel(page)
  await expect(panel(page).getByRole('note')).toContainText('Nothing is shifted unless you do it here')
  const trace = card(page, 'trace.json')
  const runtime = card(page, 'ntrace.pb')
  await expect(trace).toContainText('doubtful')
  await expect(trace).toContainText('Base time of the trace')
  await expect(trace).toContainText(String(FIXTURE_EPOCH + 10_000_000_250n))
  await expect(trace).toContainText('no other file')
  await expect(trace).toContainText('10.0\u00a0s from ntrace.pb')
  await expect(runtime).toContainText('Sync points of the device')

  // Cancelled in between, nothing is shifted.
  await trace.getByRole('button', { name: /Pick the event to move/ }).click()
  await expect(strip(page)).toContainText('Click the event of trace.json that is to move.')
  await pickFirst(page, 'ntrace.pb')
  await expect(strip(page)).toContainText('That is an event of ntrace.pb.')
  await pickFirst(page, 'trace.json')
  await expect(strip(page)).toContainText('load the model of trace.json moves.')
  await page.keyboard.press('Escape')
  await expect(strip(page)).toHaveCount(0)
  await expect(panel(page)).toBeVisible()

  await trace.getByRole('button', { name: /Pick the event to move/ }).click()
  await pickFirst(page, 'trace.json')
  await pickFirst(page, 'ntrace.pb')
  await expect(strip(page)).toContainText(`Shift trace.json by ${SHIFT}: load the model then begins with`)
  // Shown before it is made.
  await expect(status(page)).toContainText('2 ranges')
  await strip(page).getByRole('button', { name: 'Shift' }).click()
  await expect(status(page)).toContainText(/trace and runtime on one axis.*shifted by hand \u221210\.00000025\u00a0s/)
  await expect(page.locator('.panel.trace .phead')).toContainText(`shifted by hand ${SHIFT}`)
  await expect(page.locator('.toast')).toContainText('Shifted by hand')
  await expect(trace).toContainText(String(FIXTURE_EPOCH))
  await expect(trace.getByLabel('Shift by hand')).toHaveValue(`-${AHEAD}`)
  await expect(range(page)).toHaveCount(0)

  // Undo by key, while the panel has the focus.
  await panel(page).focus()
  await page.keyboard.press('Control+z')
  await expect(status(page)).toContainText('2 ranges')
  await expect(status(page)).not.toContainText('shifted by hand')
  await panel(page).getByRole('button', { name: 'Undo' }).click()
  await expect(page.locator('.toast', { hasText: 'Nothing to undo' })).toBeVisible()

  // The same by a number; what is no number says so and shifts nothing.
  const input = trace.getByLabel('Shift by hand')
  await trace.getByLabel('Unit').selectOption('s')
  await input.fill('10,5')
  await expect(trace.getByRole('alert')).toContainText('no commas')
  await expect(trace.getByRole('button', { name: 'Shift', exact: true })).toBeDisabled()
  await input.fill(`-${AHEAD}`)
  await input.press('Enter')
  await expect(status(page)).toContainText('trace and runtime on one axis')
  await trace.getByLabel('Unit').selectOption('ns')
  await trace.getByRole('button', { name: 'Shift 1 ns later' }).click()
  await expect(input).toHaveValue('-10000000249')
  await expect(trace).toContainText(String(FIXTURE_EPOCH + 1n))
  await first.close()

  const second = await open(root, { home })
  await expect(status(second.page)).toContainText('shifted by hand \u221210.000000249\u00a0s', { timeout: 30_000 })
  await expect(status(second.page)).toContainText('trace and runtime on one axis')
  await status(second.page)
    .getByRole('button', { name: /^Clocks/ })
    .click()
  await card(second.page, 'trace.json').getByRole('button', { name: 'Reset' }).click()
  await expect(status(second.page)).toContainText('2 ranges')
})

for (const theme of ['dark', 'light'] as const)
  test(`no axe violation in ${theme}, wide and small`, async ({ open }) => {
    const { page } = await open(session())
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await expect(status(page)).toContainText('2 ranges', { timeout: 30_000 })
    await openPanel(page)
    await card(page, 'trace.json').getByLabel('Shift by hand').fill('x')
    await clean(page, 'panel')
    await card(page, 'trace.json')
      .getByRole('button', { name: /Pick the event/ })
      .click()
    await clean(page, 'picking')
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 900, height: 700 })
    await openPanel(page)
    await clean(page, 'small')
    // The tracks are free while events are picked.
    await card(page, 'trace.json')
      .getByRole('button', { name: /Pick the event/ })
      .click()
    await expect(panel(page)).toHaveCount(0)
    await expect(strip(page)).toBeVisible()
    await clean(page, 'small, picking')
  })
