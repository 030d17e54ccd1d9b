/** The System Trace in both shells: what it draws, what it tells, and that it keeps in step with the Memory Viewer. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { duration } from '../../src/shared/format'
import { expect, test } from '../fixture'
import { cliJson, makeSample, settled } from '../helpers'

interface Slice {
  readonly track: string
  readonly name: string
  readonly startNs: string
  readonly durNs: number
}

const GUTTER = 160
const RIGHT = 12

const rows = (page: Page): Locator => page.getByRole('application', { name: /^System Trace/ })
const window_ = (page: Page): Locator => page.getByRole('group', { name: 'Visible range' })
/** Time under the pointer as the Memory Viewer's readout tells it; undefined while it tells none. */
const readout = async (page: Page): Promise<string | undefined> =>
  /[\d.,]+ ms/.exec((await page.getByTestId('readout-cursor').innerText()).replace(/\s+/g, ' '))?.[0]

/** The rows, once the trace is read and its first slices are drawn. */
async function ready(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  await expect(rows(page)).toBeVisible({ timeout: 20_000 })
  await settled(page)
  await expect(page.locator('.phead .hint').first()).toHaveText(/\d+ tracks/)
  await expect.poll(() => colours(page), { timeout: 30_000 }).toBeGreaterThan(6)
  const box = await rows(page).boundingBox()
  if (!box) throw new Error('the rows have no box')
  return box
}

/** How many distinct colours the plot shows: nothing drawn has only those of the furniture. */
const colours = (page: Page): Promise<number> =>
  page
    .locator('.trace-plot canvas')
    .first()
    .evaluate((c: HTMLCanvasElement) => {
      const k = c.width / c.clientWidth
      // A strip across the levels of the first thread.
      const data = c.getContext('2d')?.getImageData(Math.round(172 * k), Math.round(100 * k), Math.round(160 * k), Math.round(150 * k)).data
      return new Set(data && new Uint32Array(data.buffer)).size
    })

/** Session folder of the only rank. */
const session = (root: string): string => {
  const instance = join(root, readdirSync(root)[0])
  return join(instance, readdirSync(instance)[0])
}

/** Slices at the start of the one that the details show, by the command line. */
async function sliceOfDetails(page: Page, folder: string): Promise<{ name: string; unix: string; slices: readonly Slice[] }> {
  const details = page.locator('.slice-details')
  const unix = ((await details.locator('dd[title*="since 1970"]').getAttribute('title')) ?? '').replace(/\D/g, '').replace(/1970$/, '')
  const name = (await details.locator('.hero .big').getAttribute('title')) ?? ''
  return { name, unix, slices: cliJson<{ slices: readonly Slice[] }>('at', folder, '--time', unix).slices }
}

// A start, a sample and several calls of the command line each: more than the usual minute where the machine is shared.
test.describe.configure({ timeout: 150_000 })

test('draws tracks and shows a slice in the details, as the command line has it', async ({ open }) => {
  const root = makeSample({ ranks: 1, steps: 3 })
  const { page } = await open(root)
  const box = await ready(page)
  const details = page.locator('.slice-details')
  // The first level of the first thread: the training steps. 22 px for the instance, 22 px for the process, 3 px of padding. What is drawn may be a moment newer than
  // what a pointer meets: it clicks again, as people do.
  await expect(async () => {
    await page.mouse.click(box.x + GUTTER + (box.width - GUTTER - RIGHT) / 2, box.y + 22 + 22 + 3 + 7)
    await expect(details.locator('.hero .big')).toHaveText(/^ProfilerStep#\d+$/, { timeout: 4000 })
  }).toPass({ timeout: 20_000 })
  await expect(details.locator('.kv').first()).toContainText('Self time')
  const { name, unix, slices } = await sliceOfDetails(page, session(root))
  const same = slices.find(s => s.name === name && s.startNs === unix)
  expect(same, `${name} at ${unix} is told by the command line`).toBeDefined()
  await expect(details.locator('.hero .exact')).toHaveText(duration(same?.durNs ?? NaN))
})

test('hover tells name, start and duration of the trace', async ({ open }) => {
  const root = makeSample({ ranks: 1, steps: 3 })
  const { page } = await open(root)
  const box = await ready(page)
  const at = { x: box.x + GUTTER + (box.width - GUTTER - RIGHT) / 2, y: box.y + 22 + 22 + 3 + 7 + 15 }
  await page.mouse.move(at.x - 3, at.y)
  await page.mouse.move(at.x, at.y)
  const tip = page.locator('.trace-tip')
  await expect(tip).toBeVisible()
  const name = await tip.locator('.big').innerText()
  const text = (await tip.innerText()).replace(/\s+/g, ' ')
  await page.mouse.click(at.x, at.y)
  await expect(page.locator('.slice-details .hero .big')).toHaveText(name)
  const { unix, slices } = await sliceOfDetails(page, session(root))
  const same = slices.find(s => s.name === name && s.startNs === unix)
  expect(same).toBeDefined()
  expect(text).toContain(`Duration ${duration(same?.durNs ?? NaN).replace(/\s/g, ' ')}`)
  const start = await page.locator('.slice-details dd[title*="since 1970"]').innerText()
  expect(text).toContain(`Start ${start.trim().replace(/\s/g, ' ')}`)
})

test('wheel and keys change the window of both views together', async ({ open }) => {
  const { page } = await open(makeSample({ ranks: 1, steps: 3 }))
  const box = await ready(page)
  const x = Math.round(box.x + GUTTER + (box.width - GUTTER - RIGHT) * 0.4)
  const plot = await page.locator('[data-panel="memory"] canvas').first().boundingBox()
  if (!plot) throw new Error('the Memory Viewer has no canvas')
  /** Time under `x` as the Memory Viewer's readout tells it, with the pointer in one panel and then in the other. */
  const inStep = async (): Promise<void> => {
    const shown = (): Promise<string | undefined> => readout(page)
    // The readout follows the pointer a little later: what it says is taken only once it has left the value of another place.
    const moved = async (from: string | undefined, px: number, py: number): Promise<string | undefined> => {
      await page.mouse.move(px, py)
      await expect.poll(shown).not.toBe(from)
      return shown()
    }
    await page.mouse.move(x + 80, box.y + 60)
    await expect.poll(shown).toBeDefined()
    const start = await shown()
    await page.mouse.move(x + 40, box.y + 60)
    await expect.poll(shown).not.toBe(start)
    let aside = await shown()
    // A busy machine may show the place before last first.
    await expect
      .poll(
        async () => {
          const was = aside
          aside = await shown()
          return was === aside
        },
        { intervals: [400] },
      )
      .toBe(true)
    const above = await moved(aside, x, box.y + 60)
    await moved(above, x + 40, plot.y + plot.height / 2)
    await page.mouse.move(x, plot.y + plot.height / 2)
    await expect.poll(shown).toBe(above)
  }
  const changes = async (act: () => Promise<void>): Promise<void> => {
    const before = await window_(page).innerText()
    await act()
    await expect.poll(() => window_(page).innerText()).not.toBe(before)
  }
  await inStep()
  await page.mouse.move(x, box.y + 60)
  await changes(async () => {
    await page.keyboard.down('Control')
    for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -120)
    await page.keyboard.up('Control')
  })
  await inStep()
  await changes(() => page.keyboard.press('KeyD'))
  await changes(() => page.keyboard.press('KeyW'))
  await inStep()
  await changes(async () => {
    await page.keyboard.down('Shift')
    await page.mouse.move(x, box.y + 60)
    await page.mouse.wheel(0, 200)
    await page.keyboard.up('Shift')
  })
  await inStep()
  await changes(() => page.keyboard.press('Shift+KeyF'))
})

test('a drag measures a range, a double click zooms to a slice, the navigator moves the window', async ({ open }) => {
  const { page } = await open(makeSample({ ranks: 1, steps: 3 }))
  const box = await ready(page)
  const x = (share: number): number => box.x + GUTTER + (box.width - GUTTER - RIGHT) * share
  const axis = box.y - 30
  await page.mouse.move(x(0.3), axis)
  await page.mouse.down()
  await page.mouse.move(x(0.5), axis, { steps: 4 })
  await page.mouse.up()
  await expect(page.getByRole('heading', { name: 'Selected range' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: 'Selected range' })).toBeHidden()

  const whole = await window_(page).innerText()
  await page.mouse.dblclick(x(0.5), box.y + 22 + 22 + 3 + 7)
  await expect.poll(() => window_(page).innerText()).not.toBe(whole)
  await expect(page.locator('.slice-details .hero .big')).toHaveText(/^ProfilerStep/)
  // 220 ms of movement, then it stands.
  await page.waitForTimeout(400)
  const zoomed = await window_(page).innerText()
  const navigator = box.y - 60
  await page.mouse.move(x(0.5), navigator)
  await page.mouse.down()
  await page.mouse.move(x(0.6), navigator, { steps: 4 })
  await page.mouse.up()
  await expect.poll(() => window_(page).innerText()).not.toBe(zoomed)
})

test('works by keyboard alone', async ({ open }) => {
  const root = makeSample({ ranks: 1, steps: 3 })
  const { page } = await open(root)
  await ready(page)
  await rows(page).focus()
  // Instance, process, first thread; then its first slice.
  for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
  const name = page.locator('.slice-details .hero .big')
  await expect(name).toHaveText(/./)
  const first = await sliceOfDetails(page, session(root))
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await sliceOfDetails(page, session(root))).unix).not.toBe(first.unix)
  // Folding the process takes its tracks away and says so.
  for (const key of ['Home', 'ArrowDown', 'ArrowLeft']) await page.keyboard.press(key)
  await expect(page.locator('.phead .hint').first()).toHaveText(/\d+ tracks, \d+ shown/)
})
