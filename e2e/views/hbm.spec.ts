/** The HBM tab in both shells: what the screen says is what the command line says, and runtime and PyTorch lead to each other. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { exactBytes, memory } from '../../src/shared/format'
import { expect, test, type Opened } from '../fixture'
import { answerSaveDialog, cliJson, makeSample, tempDir, settled as allRead } from '../helpers'
import { PEAK, runtimeSession, SEGMENTS, START, traceId } from './runtime-session'

interface System {
  readonly hbm: readonly {
    readonly device: number
    readonly hbm: number
    readonly peakBytes: number
    readonly peakNs: string
    readonly categories: Readonly<Record<string, number>>
    readonly liveAtEnd: number
  }[]
  readonly join: { readonly matched: number }
}
interface At {
  readonly hbm: readonly { readonly device: number; readonly hbm: number; readonly totalBytes: number }[]
}
interface Inspect {
  readonly sessions: readonly { readonly files: readonly { readonly path: string; readonly kind: string }[] }[]
}

const canvas = (page: Page): Locator => page.getByTestId('hbm-canvas')
const rows = (page: Page): Locator => page.getByTestId('hbm-table').locator('[data-allocation]')
const bytes = async (l: Locator): Promise<number> => Number(await l.getAttribute('data-bytes'))

async function openTab(page: Page): Promise<void> {
  await allRead(page)
  await page.getByRole('tab', { name: 'HBM' }).click()
  await expect(canvas(page)).toHaveAttribute('data-picture', /^\d+$/)
}
/** Moves the pointer over the plot by its share of width and height. */
async function hover(page: Page, fx: number, fy: number): Promise<{ readonly x: number; readonly y: number }> {
  const b = await canvas(page).boundingBox()
  if (!b) throw new Error('no canvas')
  const p = { x: b.x + 160 + (b.width - 172) * fx, y: b.y + (b.height - 18) * fy }
  await page.mouse.move(p.x, p.y)
  return p
}
/** Waits until the figures are those of the cursor. */
async function settled(page: Page): Promise<void> {
  const cursor = page.getByTestId('hbm-cursor')
  await expect
    .poll(async () => (await page.getByTestId('hbm-table').getAttribute('data-at')) === (await cursor.getAttribute('data-at')))
    .toBe(true)
}
async function clean(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  expect(
    violations.map(v => `${what}: ${v.id} at ${v.nodes.map(n => n.target.join(' ')).join(', ')}`),
    what,
  ).toEqual([])
}

test('peak, totals at the cursor and linked stacks equal those of the command line and of the other tab', async ({ open }) => {
  const root = makeSample({ ranks: 1, steps: 2 })
  const files = cliJson<Inspect>('inspect', root).sessions[0].files
  const system = cliJson<System>('system', join(root, files.find(f => f.kind === 'ntrace')?.path ?? ''))
  const first = system.hbm[0]
  const { page } = await open(root)
  await openTab(page)
  await expect(page.getByTestId('hbm-device')).toHaveValue(/\d+/)
  await page.keyboard.press('KeyP')
  await expect(page.getByTestId('hbm-total')).toHaveText(memory(first.peakBytes))
  expect(await bytes(page.getByTestId('hbm-total'))).toBe(first.peakBytes)
  const cursor = page.getByTestId('hbm-cursor')
  const origin = BigInt(first.peakNs) - BigInt(Math.round(Number(await cursor.getAttribute('data-at'))))

  for (const fx of [0.21, 0.5, 0.83]) {
    await hover(page, fx, 0.5)
    await settled(page)
    const shown = await bytes(page.getByTestId('hbm-total'))
    const at = Number(await cursor.getAttribute('data-at'))
    const told = cliJson<At>('at', root, '--time', String(origin + BigInt(Math.floor(at))))
    expect(shown).toBe(told.hbm.find(h => h.device === first.device && h.hbm === first.hbm)?.totalBytes)
    const legend = page.getByRole('group', { name: /^Legend, MiB/ }).locator('button [data-bytes]')
    const parts = await legend.evaluateAll(all => all.map(e => Number((e as HTMLElement).dataset.bytes)))
    expect(parts.reduce((a, b) => a + b, 0)).toBe(shown)
  }

  // Linked allocations: their stack is that of the PyTorch Allocator tab.
  await page.getByLabel('Filter rows').fill('tensors')
  await settled(page)
  const linked = rows(page)
    .filter({ has: page.locator('.lk') })
    .first()
  await linked.click()
  const details = page.getByTestId('runtime-details')
  await expect(details).toBeVisible()
  await expect(details.getByTestId('stack')).toBeVisible()
  const stack = await details.getByTestId('stack').innerText()
  const link = details.getByTestId('pytorch-link')
  const segment = (await link.innerText()).startsWith('segment')
  await link.click()
  await expect(page.getByRole('tab', { name: 'PyTorch Allocator' })).toHaveAttribute('aria-selected', 'true')
  if (!segment) {
    await expect(page.getByTestId('allocation-details').getByTestId('stack')).toHaveText(stack)
    await page.getByTestId('runtime-links').getByRole('button').last().click()
    await expect(page.getByRole('tab', { name: 'HBM' })).toHaveAttribute('aria-selected', 'true')
  }
})

test('a recording that begins in the middle: start state, lost head, refused allocation, join, both ways of a link', async ({ open }) => {
  const root = runtimeSession()
  const { page } = await open(root)
  await openTab(page)
  await expect(page.getByTestId('hbm-device')).toContainText('ND:0 HBM:1')
  expect(await bytes(page.getByTestId('hbm-peak'))).toBe(PEAK)
  await expect(page.getByRole('checkbox', { name: /OOM/ })).toBeEnabled()
  await expect(canvas(page)).toHaveAttribute('aria-label', /events were lost/)
  await page.keyboard.press('KeyP')
  await expect(page.getByTestId('hbm-total')).toHaveText(memory(PEAK))
  await settled(page)
  const before = START.Weights + START.Tensors + START['Profiler Buffers']
  expect(await bytes(page.getByTestId('hbm-missing'))).toBe(before)
  await expect(page.getByTestId('hbm-counts')).toHaveText(/4 linked by trace id/)

  // Largest first; sorting says so and turns round.
  const size = page.getByRole('columnheader', { name: /Size/ })
  await expect(size).toHaveAttribute('aria-sort', 'descending')
  await expect(rows(page).first()).toContainText('1,024.0')
  await size.getByRole('button').click()
  await expect(size).toHaveAttribute('aria-sort', 'ascending')
  await expect(rows(page).first()).not.toContainText('1,024.0')
  await size.getByRole('button').click()

  // Keyboard: down twice, Enter pins the second row.
  await page.getByTestId('hbm-table').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const details = page.getByTestId('runtime-details')
  await expect(details.getByTestId('runtime-size')).toHaveText(memory(SEGMENTS[1]))
  await expect(details).toContainText(exactBytes(SEGMENTS[1]))
  await expect(details).toContainText(traceId(1))
  await expect(details.getByTestId('stack')).toContainText('Block.forward')
  await expect(rows(page).nth(1)).toHaveAttribute('aria-selected', 'true')

  // Its event is a slice of the System Trace; the pin stays.
  await details.getByRole('button', { name: 'nrt_dma_mem_alloc' }).first().click()
  await expect(page.getByRole('heading', { name: 'Slice details' })).toBeVisible()
  await expect(rows(page).nth(1)).toHaveAttribute('aria-selected', 'true')
  await rows(page).nth(1).click()
  await expect(details.getByTestId('pytorch-link')).toContainText('segment of 512.0')
  await details.getByTestId('pytorch-link').click()
  await expect(page.getByRole('tab', { name: 'PyTorch Allocator' })).toHaveAttribute('aria-selected', 'true')

  // Back from an allocation inside a segment.
  const b = await page.getByTestId('memory-canvas').boundingBox()
  if (!b) throw new Error('no canvas')
  await expect(page.getByTestId('memory-canvas')).toHaveAttribute('data-picture', /x/)
  await page.mouse.click(b.x + 160 + (b.width - 172) * 0.6, b.y + b.height - 26)
  const links = page.getByTestId('runtime-links')
  await expect(links).toContainText('by trace id')
  await links.getByRole('button', { name: /tensors/i }).click()
  await expect(page.getByRole('tab', { name: 'HBM' })).toHaveAttribute('aria-selected', 'true')
  await expect(details.getByTestId('runtime-size')).toHaveText(memory(SEGMENTS[0]))

  await page.getByRole('button', { name: 'Join' }).click()
  const join = page.getByRole('dialog', { name: 'Runtime and PyTorch' })
  await expect(join.getByTestId('join-matched')).toHaveText('4')
  await expect(join.getByRole('row', { name: /trace_id.*taken/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(join).toHaveCount(0)

  // The other HBM has its own allocations.
  await page.getByTestId('hbm-device').selectOption({ label: 'ND:0 HBM:1' })
  await expect.poll(() => bytes(page.getByTestId('hbm-peak'))).toBeLessThan(PEAK)
  await expect(page.getByRole('checkbox', { name: /OOM/ })).toBeDisabled()
})

test('hover tells each category; a click pins the largest allocation of what is under it; groups dim and stand alone', async ({ open }) => {
  const { page } = await open(runtimeSession())
  await openTab(page)
  await hover(page, 0.6, 0.93)
  const tip = page.getByTestId('hbm-tooltip')
  await expect(tip).toBeVisible()
  await expect(tip.locator('[data-category=tensors]')).toContainText('%')
  const listed = await tip.locator('tr[data-bytes]').evaluateAll(all => all.map(e => Number((e as HTMLElement).dataset.bytes)))
  await settled(page)
  expect(listed.reduce((a, b) => a + b, 0)).toBe(await bytes(page.getByTestId('hbm-total')))
  const p = await hover(page, 0.6, 0.55)
  await expect(tip).toContainText('Tensors')
  await page.mouse.click(p.x, p.y)
  await expect(page.getByTestId('runtime-size')).toHaveText(memory(SEGMENTS[0]))

  const weights = page.getByRole('group', { name: /^Legend/ }).getByRole('button', { name: /Weights/ })
  await weights.click()
  await expect(weights).toHaveAttribute('aria-pressed', 'true')
  await page.getByRole('button', { name: /categories/ }).click()
  await expect(page.getByRole('group', { name: /^Legend/ }).locator('[data-group=dma_rings_io]')).toBeVisible()
  await page.getByRole('button', { name: /^Runtime/ }).click()
  await expect(page.getByRole('group', { name: /^Legend/ }).locator('[data-group="Model Constants"]')).toBeVisible()

  // Keys on the canvas: up steps through the groups, Enter pins.
  await page.keyboard.press('Escape')
  await canvas(page).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(page.getByTestId('runtime-details')).toBeVisible()
})

test('the rows of the table as CSV', async ({ open }) => {
  const opened: Opened = await open(runtimeSession())
  const { page, desktop } = opened
  await openTab(page)
  await page.keyboard.press('KeyP')
  await settled(page)
  await page.getByLabel('Filter rows').fill('tensors')
  await expect(page.getByTestId('hbm-counts')).toHaveText(/^4 of 7 rows/)
  const button = page.getByRole('button', { name: 'CSV' })
  let text: string
  if (desktop) {
    const path = join(tempDir(), 'rows.csv')
    await answerSaveDialog(desktop.app, path)
    await button.click()
    await expect(page.getByText('4 rows saved')).toBeVisible()
    text = readFileSync(path, 'utf8')
  } else {
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
    expect(download.suggestedFilename()).toMatch(/^hbm_nd0_hbm0_[\d.]+ms\.csv$/)
    text = readFileSync(await download.path(), 'utf8')
  }
  const lines = text.trim().split(/\r?\n/)
  expect(lines).toHaveLength(5)
  for (const s of SEGMENTS) expect(text).toContain(String(s))
})

test('what stands there without device memory', async ({ open }) => {
  const { page } = await open(runtimeSession({ trace: false }))
  await page.getByRole('tab', { name: 'HBM' }).click()
  await expect(page.getByTestId('memory-hbm')).toContainText('ProfileMode.RUNTIME')
  await expect(canvas(page)).toHaveCount(0)
})

test('a trace of no known schema draws nothing and offers the import', async ({ open }) => {
  const { page } = await open(runtimeSession({ garbage: true }))
  await page.getByRole('tab', { name: 'HBM' }).click()
  await expect(page.getByRole('heading', { name: /doesn't match a known schema/ })).toBeVisible()
  await expect(page.getByRole('button', { name: /Import trace schema/ })).toBeVisible()
  await expect(canvas(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'What was found' }).click()
  await expect(
    page
      .getByRole('complementary')
      .getByText(/schema/i)
      .first(),
  ).toBeVisible()
})

test('no accessibility violation, dark and light, wide and small', async ({ open }) => {
  const { page } = await open(runtimeSession())
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 1440, height: 900 })
    await openTab(page)
    await page.keyboard.press('KeyP')
    await settled(page)
    await rows(page).first().click()
    await expect(page.getByTestId('runtime-details')).toBeVisible()
    await clean(page, `details in ${scheme}`)
    await page.getByRole('button', { name: 'Join' }).click()
    await clean(page, `join in ${scheme}`)
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 900, height: 700 })
    await clean(page, `small in ${scheme}`)
    await page.keyboard.press('Escape')
  }
})
