/** Import of trace schemas in both shells: a runtime trace that no known schema fits is refused, and is read once its schema was imported; without it, it is refused again. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { encodeEvents, frame, protoOf, SHUFFLED, workload } from '../../src/formats/neuron-runtime/fixture'
import { expect, test, type Opened } from '../fixture'
import { answerOpenDialog, chooseMenu, tempDir } from '../helpers'

test.describe.configure({ timeout: 150_000 })

/** So few events that a numbering of its own cannot be told from them. */
const EVENTS = 6

/** A session whose only file is such a trace; beside it the schema, and a file that holds none. */
function session(): { readonly root: string; readonly proto: string; readonly other: string } {
  const root = join(tempDir(), 'profile_output')
  const dir = join(root, 'i-0schema000000000_pid_42', '1790000000000000000')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'ntrace.pb'), frame(encodeEvents(workload({ steps: 20, cores: 1 }).slice(0, EVENTS), SHUFFLED), 'varint'))
  const proto = join(root, 'runtime.proto')
  writeFileSync(proto, protoOf(SHUFFLED))
  const other = join(root, 'notes.md')
  writeFileSync(other, 'no schema here')
  return { root, proto, other }
}

const dialog = (page: Page): Locator => page.getByRole('dialog', { name: 'Trace schemas' })
const details = (page: Page): Locator => page.getByRole('complementary', { name: 'Details' })

/** Imports a file of the opened folder: by the native menu and dialog, or by the window's own menu and picker. */
async function importFile({ page, desktop }: Opened, path: string): Promise<void> {
  if (desktop) {
    await answerOpenDialog(desktop.app, path)
    await chooseMenu(desktop.app, 'schema-import')
  } else {
    await page.getByRole('button', { name: /^Folder / }).click()
    await page.getByRole('menuitem', { name: /Import trace schema/ }).click()
    await pick(page, path)
  }
  await expect(dialog(page)).toBeVisible()
}
async function pick(page: Page, path: string): Promise<void> {
  const picker = page.getByRole('dialog', { name: 'Import trace schema' })
  await picker.locator('button.row').first().click()
  await picker.getByRole('button', { name: path.slice(path.lastIndexOf('/') + 1) }).click()
}

async function clean(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  expect(violations.map(v => `${what}: ${v.id} at ${v.nodes.map(n => n.target.join(' ')).join(', ')}`)).toEqual([])
}

test('a refused trace is read once its schema is imported, and is refused again without it', async ({ open }) => {
  const { root, proto, other } = session()
  const opened = await open(root)
  const { page, desktop } = opened
  await page.getByRole('treeitem', { name: /ntrace\.pb/ }).click()
  await expect(details(page)).toContainText('not decoded', { timeout: 30_000 })
  await expect(details(page)).toContainText('none fits; nothing was decoded')
  await expect(details(page).getByRole('list', { name: 'Checks of the schema' })).toContainText('failed: timestamp')

  // The findings offer the import too.
  await details(page)
    .getByRole('button', { name: /Show .* of this file/ })
    .click()
  await expect(page.getByRole('complementary', { name: 'Diagnostics' }).getByRole('button', { name: /Import trace schema/ })).toBeVisible()
  await page.getByRole('button', { name: 'Close diagnostics' }).click()

  // A file without a schema is refused with the reason.
  await importFile(opened, other)
  await expect(dialog(page)).toContainText('No trace schema could be taken from notes.md')
  await expect(dialog(page)).toContainText('No schema was imported yet.')

  // From inside the dialog.
  if (desktop) await answerOpenDialog(desktop.app, proto)
  await dialog(page)
    .getByRole('button', { name: /Import trace schema/ })
    .click()
  if (!desktop) await pick(page, proto)
  await expect(dialog(page)).toContainText('Imported runtime.proto: 1 message with 16 fields, ntrace_event among them.')
  await expect(dialog(page)).toContainText('1 file of the runtime is read again.')
  await expect(dialog(page).getByRole('list', { name: 'Imported schemas' })).toContainText('runtime.proto')
  await page.keyboard.press('Escape')

  await expect(details(page)).toContainText('imported schema', { timeout: 30_000 })
  await expect(details(page)).toContainText(/All \d+ checks passed/)
  await expect(details(page)).toContainText(`Events${EVENTS}`)
  await expect(details(page).getByRole('button', { name: /Import trace schema/ })).toHaveCount(0)
  await expect(page.getByRole('application', { name: /^System Trace/ })).toBeVisible()

  // Removed: the list is empty and the trace goes.
  await page.getByRole('button', { name: /^Folder / }).click()
  await page.getByRole('menuitem', { name: 'Trace schemas' }).click()
  await dialog(page).getByRole('button', { name: 'Remove the schema of runtime.proto' }).click()
  await expect(dialog(page)).toContainText('Removed the schema of runtime.proto.')
  await expect(dialog(page)).toContainText('No schema was imported yet.')
  await page.keyboard.press('Escape')
  await expect(details(page)).toContainText('not decoded', { timeout: 30_000 })
})

for (const theme of ['dark', 'light'] as const)
  test(`no axe violation in ${theme}`, async ({ open }) => {
    const { root, proto, other } = session()
    const opened = await open(root)
    const { page } = opened
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.getByRole('treeitem', { name: /ntrace\.pb/ }).click()
    await expect(details(page)).toContainText('not decoded', { timeout: 30_000 })
    await clean(page, 'refused')
    await importFile(opened, other)
    await expect(dialog(page)).toContainText('No trace schema')
    await clean(page, 'not imported')
    await page.keyboard.press('Escape')
    await importFile(opened, proto)
    await expect(dialog(page)).toContainText('Imported runtime.proto')
    await clean(page, 'imported')
    await page.setViewportSize({ width: 900, height: 700 })
    await clean(page, 'small')
  })
