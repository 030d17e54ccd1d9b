/** Tracks of the System Trace: groupings, pin, hide, order, filter, lanes; by mouse and by keyboard; kept when the folder is opened again. */
import AxeBuilder from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../fixture'
import { makeSample, settled, tempDir } from '../helpers'

test.describe.configure({ timeout: 150_000 })

const rows = (page: Page): Locator => page.getByRole('application', { name: /^System Trace/ })
const count = (page: Page): Locator => page.locator('.trace .phead .hint').first()
const grouping = (page: Page): Locator => page.getByLabel('Grouping of tracks')
const filter = (page: Page): Locator => page.getByLabel('Filter tracks')
const menu = (page: Page): Locator => page.getByRole('menu', { name: /^Track/ })
/** Top of the rows of the sample: instance and process stand before the first track. */
const HEADS = 44

async function ready(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  await expect(rows(page)).toBeVisible({ timeout: 20_000 })
  await settled(page)
  const box = await rows(page).boundingBox()
  if (!box) throw new Error('the rows have no box')
  return box
}

/** What is said of the row that a key leads to. */
async function said(page: Page, key: string): Promise<string> {
  await page.keyboard.press(key)
  await page.waitForTimeout(450) // words are spoken once the cursor has rested
  return page.getByTestId('live').innerText()
}

/** All rows in words, from the first to the last, by keyboard. */
async function outline(page: Page): Promise<readonly string[]> {
  await rows(page).focus()
  const out = [await said(page, 'Home')]
  for (;;) {
    const next = await said(page, 'ArrowDown')
    if (next === out.at(-1) || out.length > 60) break
    out.push(next)
  }
  await page.keyboard.press('Home')
  return out
}

/** The row at a place, in words; it has the focus. */
async function rowAt(page: Page, index: number): Promise<string> {
  await rows(page).focus()
  let words = await said(page, 'Home')
  for (let i = 0; i < index; i++) {
    if (i < index - 1) await page.keyboard.press('ArrowDown')
    else words = await said(page, 'ArrowDown')
  }
  return words
}

async function choose(page: Page, action: string): Promise<void> {
  await menu(page).locator(`[data-action=${action}]`).click()
  await expect(menu(page)).toHaveCount(0)
}

/** Distinct colours of a strip of the plot, y from the top of the rows. */
const colours = (page: Page, y: number, height: number): Promise<number> =>
  page
    .locator('.trace-plot canvas')
    .first()
    .evaluate(
      (c: HTMLCanvasElement, [top, h]) => {
        const k = c.width / c.clientWidth
        const from = (document.querySelector('.trace-rows') as HTMLElement).offsetTop + top
        const data = c
          .getContext('2d')
          ?.getImageData(Math.round(172 * k), Math.round(from * k), Math.round(600 * k), Math.round(h * k)).data
        return new Set(data && new Uint32Array(data.buffer)).size
      },
      [y, height] as const,
    )

test('six groupings lay the same tracks out, with the names of Neuron Explorer', async ({ open }) => {
  const { page } = await open(makeSample({ ranks: 1, steps: 1 }))
  const box = await ready(page)
  await expect(grouping(page)).toHaveValue('default')
  const heads = async (): Promise<readonly string[]> => (await outline(page)).filter(w => / (open|closed)|, open|, closed/.test(w))
  expect((await heads()).map(w => w.split(',')[0]?.trim())).toEqual([
    expect.stringMatching(/^i-/),
    expect.stringMatching(/^PID:\d+ rank 0/),
    expect.stringMatching(/^PID:0/),
    expect.stringMatching(/^Spans/),
    'Memory and transfers',
    'Host',
    'Host CPU by core',
  ])
  const first: Readonly<Record<string, RegExp>> = {
    'cpu-device': /^CPU/,
    neuroncore: /^NC:0/,
    thread: /^TID:\d+ PID:\d+/,
    process: /^PID:\d+/,
    instance: /TID:\d+/,
  }
  for (const [mode, want] of Object.entries(first)) {
    await grouping(page).selectOption(mode)
    await rows(page).focus()
    await said(page, 'Home')
    expect(await said(page, 'ArrowDown'), mode).toMatch(want)
  }
  // The full name on hover, exactly.
  await grouping(page).selectOption('default')
  await page.mouse.move(box.x + 60, box.y + HEADS + 8)
  await page.mouse.move(box.x + 62, box.y + HEADS + 9)
  await expect(page.locator('.trace-tip .full')).toHaveText(/^i-[0-9a-f]+\/PID:\d+\/framework\/TID:\d+$/)
})

test('a track is pinned, moved and hidden by mouse, and all of it is there when the folder is opened again', async ({ open }) => {
  const root = makeSample({ ranks: 1, steps: 1 })
  const home = tempDir()
  const start = await open(root, { home })
  const { page } = start
  const box = await ready(page)
  const all = await count(page).innerText()
  const first = await rowAt(page, 2)
  // Pin the first track by the button that stands over its name.
  await page.mouse.move(box.x + 60, box.y + HEADS + 8)
  await page.getByRole('button', { name: /^Pin TID/ }).click()
  expect(await rowAt(page, 0)).toMatch(/^Pinned/)
  expect(await rowAt(page, 1)).toBe(`${first}, pinned`)
  // It stays where it is while the others scroll, and is still drawn.
  await page.mouse.move(box.x + 400, box.y + box.height - 20)
  await page.mouse.wheel(0, 5000)
  await expect.poll(() => colours(page, 26, 60)).toBeGreaterThan(4)
  await rows(page).evaluate(e => (e.scrollTop = 0))
  // Hide the thread of autograd by its menu.
  await grouping(page).selectOption('thread')
  await filter(page).fill('pt_autograd')
  await expect(count(page)).toHaveText(/, 2 shown/)
  await rows(page).focus()
  await said(page, 'End')
  await page.keyboard.press('Shift+F10')
  await choose(page, 'hide')
  await expect(page.getByRole('button', { name: /1 hidden/ })).toBeVisible()
  // Move the last row of NC:0 to the top of its group; the filter stays with the rest.
  await filter(page).fill('NC:0')
  await grouping(page).selectOption('neuroncore')
  const order = await outline(page)
  const head = order.findIndex(w => /^NC:0/.test(w))
  await rowAt(page, order.length - 1)
  for (let i = head + 1; i < order.length - 1; i++) await page.keyboard.press('Alt+ArrowUp')
  const moved = await outline(page)
  expect(moved).toEqual([...order.slice(0, head + 1), order.at(-1), ...order.slice(head + 1, -1)])
  await page.waitForTimeout(700) // written a moment later
  await start.close()

  const again = await open(root, { home })
  await ready(again.page)
  await expect(grouping(again.page)).toHaveValue('neuroncore')
  await expect(filter(again.page)).toHaveValue('NC:0')
  await expect(again.page.getByRole('button', { name: /1 hidden/ })).toBeVisible()
  expect(await outline(again.page)).toEqual(moved)
  // Show all, and back to where it began.
  await again.page.getByRole('button', { name: /1 hidden/ }).click()
  await filter(again.page).fill('')
  await grouping(again.page).selectOption('default')
  await rowAt(again.page, 1)
  await again.page.keyboard.press('Shift+P')
  await expect(count(again.page)).toHaveText(all)
  expect(await rowAt(again.page, 2)).toBe(first)
})

test('a row is dragged by its name', async ({ open }) => {
  const { page } = await open(makeSample({ ranks: 1, steps: 1 }))
  const box = await ready(page)
  await filter(page).fill('framework TID')
  const before = await outline(page)
  // Instance, process, two threads. The first has many levels; the second begins where it ends.
  await page.mouse.move(box.x + 60, box.y + HEADS + 8)
  await page.mouse.down()
  await page.mouse.move(box.x + 60, box.y + HEADS + 60, { steps: 3 })
  await page.mouse.move(box.x + 60, box.y + HEADS + 165, { steps: 3 })
  await page.mouse.up()
  const after = await outline(page)
  expect(after).not.toEqual(before)
  expect([...after].sort()).toEqual([...before].sort())
  expect(after.indexOf(before[2])).toBeGreaterThan(2)
})

test('tracks are filtered by words and by expressions; one that is none is told', async ({ open }) => {
  const { page } = await open(makeSample({ ranks: 1, steps: 1 }))
  await ready(page)
  const all = await count(page).innerText()
  await filter(page).fill('neuron_hw NC0')
  await expect(count(page)).toHaveText(/, 2 shown/)
  await filter(page).fill('/NC0:[45]$')
  await expect(count(page)).toHaveText(/, 0 shown/)
  await page.locator('.track-filter').getByRole('button', { name: 'Regular expression' }).click()
  await expect(count(page)).toHaveText(/, 2 shown/)
  await filter(page).fill('NC0:(')
  await expect(page.getByRole('alert').filter({ hasText: 'No regular expression' })).toBeVisible()
  await expect(count(page)).toHaveText(all)
  await filter(page).fill('host_cpu_util')
  // What only begins closed is opened, so that it is seen.
  await expect(count(page)).toHaveText(/, 9 shown/)
  await filter(page).fill('')
  await expect(count(page)).toHaveText(all)
})

test('lanes of transfers, HBM and PyTorch tell what they hold', async ({ open }) => {
  const { page } = await open(makeSample({ ranks: 1, steps: 1 }))
  const box = await ready(page)
  await filter(page).fill('transfer')
  await expect
    .poll(async () => (await outline(page)).filter(w => !/open/.test(w)).map(w => w.split(',')[0]))
    .toEqual(['NC:0 H2D transfers', 'NC:0 H2D bandwidth', 'NC:0 D2H transfers', 'NC:0 D2H bandwidth'])
  await filter(page).fill('neuron_hbm_usage')
  await expect(count(page)).toHaveText(/, 1 shown/)
  const at = { x: box.x + 160 + (box.width - 172) / 2, y: box.y + HEADS + 12 }
  await page.mouse.move(at.x, at.y)
  await page.mouse.move(at.x + 2, at.y + 1)
  const tip = page.locator('.trace-tip')
  await expect(tip.locator('.full')).toHaveText(/^i-[0-9a-f]+\/ND:0\/HBM:0\/neuron_hbm_usage$/)
  await expect(tip.locator('.hbm-tip')).toContainText('tensors')
  await expect(tip.locator('.hbm-tip')).toContainText(/Total[\d,.]+ MiB/)
  // PyTorch's active bytes have the peak that the Memory Viewer tells.
  await filter(page).fill('pytorch_allocator active')
  await expect(count(page)).toHaveText(/, 1 shown/)
  // One row was shown before, too: the rows are other ones once the tip of the one under the pointer is gone.
  await expect(tip).toHaveCount(0)
  const peak = (await page.getByTestId('peak-value').innerText()).replace(/\s+/g, ' ').trim()
  await page.mouse.move(at.x - 3, at.y)
  await page.mouse.move(at.x, at.y)
  await expect(tip).toContainText(peak.replace(' ', '\u00a0'))
})

test('everything by keyboard; no violation of accessibility in either theme', async ({ open }) => {
  const { page } = await open(makeSample({ ranks: 1, steps: 1 }))
  await ready(page)
  const clean = async (what: string): Promise<void> => {
    const { violations } = await new AxeBuilder({ page }).include('.trace').setLegacyMode(true).analyze()
    expect(
      violations.map(v => `${what}: ${v.id} at ${v.nodes.map(n => n.target.join(' ')).join(', ')}`),
      what,
    ).toEqual([])
  }
  await rows(page).focus()
  await said(page, 'Home')
  await said(page, 'ArrowDown')
  const first = await said(page, 'ArrowDown')
  // Move down and up again, hide: the focus stays with the row, then goes to its neighbour.
  expect(await said(page, 'Alt+ArrowDown')).toMatch(/moved down$/)
  expect(await said(page, 'Alt+ArrowUp')).toMatch(/moved up$/)
  expect(await said(page, 'KeyH')).toMatch(/hidden$/)
  await expect(page.getByRole('button', { name: /1 hidden/ })).toBeVisible()
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await rows(page).focus()
    await page.keyboard.press('Shift+F10')
    await expect(menu(page)).toBeVisible()
    await clean(`menu, ${theme}`)
    await page.keyboard.press('Escape')
    await expect(menu(page)).toHaveCount(0)
    await expect(rows(page)).toBeFocused()
  }
  // The filter has a key of its own, and so has the way back.
  await page.keyboard.press('Shift+H')
  await expect(filter(page)).toBeFocused()
  await page.keyboard.type('(')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await expect(page.getByRole('alert').filter({ hasText: 'No regular expression' })).toBeVisible()
  await clean('bad filter')
  await filter(page).fill('')
  await page.getByRole('button', { name: /1 hidden/ }).focus()
  await page.keyboard.press('Enter')
  await rows(page).focus()
  await said(page, 'Home')
  await said(page, 'ArrowDown')
  expect(await said(page, 'ArrowDown')).toBe(first)
})
