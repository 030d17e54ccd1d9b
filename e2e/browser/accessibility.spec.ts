/** No axe violation (WCAG 2.2 AA and best practice) in any state that a user meets first, in both themes, wide and small. */
import AxeBuilder from '@axe-core/playwright'
import { expect, test, type Page } from '@playwright/test'
import { launchBrowser, makeSample, removeTemp, tempDir } from '../helpers'

test.afterAll(removeTemp)
test.describe.configure({ timeout: 120_000 })

async function clean(page: Page, what: string): Promise<void> {
  // Legacy mode: one frame, and no page of its own, which the served page's policy would have to allow.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  expect(
    violations.map(v => `${what}: ${v.id} at ${v.nodes.map(n => n.target.join(' ')).join(', ')}`),
    what,
  ).toEqual([])
}

for (const theme of ['dark', 'light'] as const)
  test(`main, details, help, diagnostics and small views in ${theme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 1440, height: 900 })
    const served = await launchBrowser(page, makeSample({ ranks: 2, steps: 1 }))
    await expect(page.getByTestId('peak-value')).toBeVisible()
    await clean(page, 'main')
    await page
      .getByRole('treeitem', { name: /pickle/ })
      .first()
      .click()
    await expect(
      page
        .getByRole('complementary')
        .getByText(/self-check/i)
        .first(),
    ).toBeVisible()
    await clean(page, 'file details')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog')).toBeVisible()
    await clean(page, 'help')
    await page.keyboard.press('Escape')
    await page
      .getByRole('button', { name: /diagnostics/i })
      .first()
      .click()
    await clean(page, 'diagnostics')
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1024, height: 700 })
    await clean(page, 'small')
    expect(served.errors).toEqual([])
    await served.stop()
  })

test('an empty folder', async ({ page }) => {
  const served = await launchBrowser(page, tempDir())
  await expect(page.getByText(/waiting for the first session/i).first()).toBeVisible()
  await clean(page, 'empty')
  await served.stop()
})
