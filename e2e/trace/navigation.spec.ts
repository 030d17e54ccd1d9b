/**
 * Ways through the time axis: palette, history of windows, go to time, ranges that are drawn to edges, marks and notes that are kept, the navigator by keyboard, fingers, steps
 * as bands, and what is spoken. One start of the program for most of it.
 */
import { readFileSync } from 'node:fs'
import AxeBuilder from '@axe-core/playwright'
import type { Download, Locator, Page } from '@playwright/test'
import { expect, test } from '../fixture'
import { makeSample, settled, tempDir } from '../helpers'

const GUTTER = 160
const RIGHT = 12

const rows = (page: Page): Locator => page.getByRole('application', { name: /^System Trace/ })
const plain = (s: string): string => s.replace(/\s+/g, ' ').trim()
const shown = async (page: Page): Promise<string> => plain(await page.getByRole('group', { name: 'Visible range' }).innerText())
const dialog = (page: Page, name: string): Locator => page.getByRole('dialog', { name })
const fact = (page: Page, name: string): Locator =>
  page
    .getByRole('complementary')
    .locator('dt', { hasText: new RegExp(`^${name}$`) })
    .locator('xpath=following-sibling::dd[1]')

async function clean(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  expect(violations.map(v => `${what}: ${v.id} at ${v.nodes.map(n => n.target.join(' ')).join(', ')}`)).toEqual([])
}

interface Place {
  /** x of a share of the plot. */
  readonly x: (share: number) => number
  readonly axis: number
  /** The first level of the first thread, where the training steps are. */
  readonly steps: number
  readonly width: number
}

/** Where things stand now: the row of marks comes and goes. */
async function place(page: Page): Promise<Place> {
  const box = await rows(page).boundingBox()
  const plot = await page.locator('.trace-plot').boundingBox()
  if (!box || !plot) throw new Error('the trace is not shown')
  const width = box.width - GUTTER - RIGHT
  return { x: share => box.x + GUTTER + width * share, axis: plot.y + 36 + 11, steps: box.y + 22 + 22 + 3 + 7, width }
}

/** Changes the window and waits until it has changed and stands. */
async function moves(page: Page, act: () => Promise<void>): Promise<string> {
  const before = await shown(page)
  await act()
  await expect.poll(() => shown(page)).not.toBe(before)
  let last = ''
  await expect
    .poll(
      async () => {
        const was = last
        last = await shown(page)
        return was === last
      },
      { intervals: [300] },
    )
    .toBe(true)
  return last
}

async function drag(page: Page, from: readonly [number, number], to: readonly [number, number]): Promise<void> {
  await page.mouse.move(...from)
  await page.mouse.down()
  await page.mouse.move(...to, { steps: 6 })
  await page.mouse.up()
}

async function saved(page: Page, act: () => Promise<void>): Promise<string> {
  const coming: Promise<Download> = page.waitForEvent('download')
  await act()
  return readFileSync(await (await coming).path(), 'utf8')
}

test.describe.configure({ timeout: 150_000 })

test('leads through the time axis by keys, words, pointer and fingers', async ({ open }) => {
  const { page } = await open(makeSample({ ranks: 1, steps: 3 }))
  await settled(page)
  await expect(rows(page)).toBeVisible()
  const whole = await shown(page)

  await test.step('the palette finds, runs and remembers', async () => {
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Find a command' })
    await expect(field).toBeFocused()
    const options = dialog(page, 'Commands').getByRole('option')
    const all = await options.count()
    expect(all).toBeGreaterThan(30)
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme })
      await clean(page, `palette, ${theme}`)
    }
    await page.keyboard.type('statis')
    await expect(options.first()).toHaveAttribute('data-command', 'table-statistics')
    expect(await options.count()).toBeLessThan(all)
    await page.keyboard.press('Enter')
    await expect(page.getByTestId('drawer')).toBeVisible()
    await page.keyboard.press('Control+k')
    await expect(options.first()).toHaveAttribute('data-command', 'table-statistics')
    await page.keyboard.press('ArrowDown')
    await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect(page.getByTestId('drawer')).toBeHidden()
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Escape')
    await expect(field).toBeHidden()
  })

  await test.step('help lists the keys', async () => {
    await page.keyboard.press('?')
    const help = dialog(page, 'Keys and mouse')
    for (const words of ['Go to a time…', 'Mark the cursor', 'Back to the window before', 'Find a command'])
      await expect(help).toContainText(words)
    await clean(page, 'help')
    await page.keyboard.press('Escape')
  })

  await test.step('windows are gone back to, and forth', async () => {
    const p = await place(page)
    await page.mouse.move(p.x(0.4), p.steps)
    const near = await moves(page, () => page.keyboard.press('w'))
    await page.waitForTimeout(600) // what comes sooner is the same step
    const nearer = await moves(page, () => page.keyboard.press('w'))
    expect(await moves(page, () => page.keyboard.press('Alt+ArrowLeft'))).toBe(near)
    expect(await moves(page, () => page.keyboard.press('Backspace'))).toBe(whole)
    expect(await moves(page, () => page.keyboard.press('Alt+ArrowRight'))).toBe(near)
    expect(await moves(page, () => page.keyboard.press('Shift+Backspace'))).toBe(nearer)
    await moves(page, () => page.keyboard.press('Shift+F'))
    expect(await shown(page)).toBe(whole)
  })

  let stepStart = ''
  let stepUnix = ''
  await test.step('selecting is spoken of', async () => {
    const p = await place(page)
    await page.mouse.click(p.x(0.5), p.steps)
    await expect(page.getByTestId('spoken')).toHaveText(/^Selected ProfilerStep#\d+, [\d.]+\sms, at [\d.]+\sms/)
    stepStart = plain(await page.locator('.slice-details dd[title*="since 1970"]').innerText())
    stepUnix = ((await page.locator('.slice-details dd[title*="since 1970"]').getAttribute('title')) ?? '')
      .replace(/\D/g, '')
      .replace(/1970$/, '')
    expect(stepUnix).toMatch(/^\d{19}$/)
  })

  await test.step('Z zooms to it, R makes it a range with its exact ends', async () => {
    await moves(page, () => page.keyboard.press('z'))
    await page.keyboard.press('r')
    await expect(page.getByRole('heading', { name: 'Selected range' })).toBeVisible()
    expect(plain(await fact(page, 'From').innerText())).toBe(stepStart)
    await moves(page, () => page.keyboard.press('Shift+F'))
    await page.keyboard.press('Escape')
  })

  await test.step('a range is drawn to edges, Alt lets it go free, its ends can be dragged', async () => {
    // The step begins at a tenth of a window of which it is eight tenths: its place on the axis is known.
    await page.keyboard.press('g')
    await page.keyboard.type(`${stepUnix} .. +30 ms`)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Selected range' })).toBeVisible()
    await page.waitForTimeout(400)
    await page.keyboard.press('Escape')
    const p = await place(page)
    const edge = p.x(1 / 12)
    await drag(page, [edge + 4, p.axis], [p.x(0.61), p.axis])
    await expect.poll(async () => plain(await fact(page, 'From').innerText())).toBe(stepStart)
    const to = plain(await fact(page, 'To').innerText())
    await page.keyboard.press('Escape')
    await page.keyboard.down('Alt')
    await drag(page, [edge + 4, p.axis], [p.x(0.61), p.axis])
    await page.keyboard.up('Alt')
    await expect(fact(page, 'From')).toBeVisible()
    expect(plain(await fact(page, 'From').innerText())).not.toBe(stepStart)
    const from = plain(await fact(page, 'From').innerText())
    // Its end, taken on the axis.
    await drag(page, [p.x(0.61), p.axis], [p.x(0.8), p.axis])
    await expect.poll(async () => plain(await fact(page, 'To').innerText())).not.toBe(to)
    expect(plain(await fact(page, 'From').innerText())).toBe(from)
    await page.keyboard.press('Escape')
  })

  await test.step('go to time takes every spelling and says what it does not understand', async () => {
    await page.keyboard.press('g')
    const told = page.getByTestId('goto-told')
    await page.keyboard.type('12 parsec')
    await expect(told).toContainText('no unit of time')
    await expect(dialog(page, 'Go to time').getByRole('button', { name: 'Go' })).toBeDisabled()
    await clean(page, 'go to time')
    const field = page.getByRole('textbox', { name: /^Time, or two times/ })
    await field.fill(stepUnix)
    await expect(told).toContainText(stepUnix)
    const iso = (await told.locator('dd').last().innerText()).trim()
    expect(iso).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]{18}Z$/)
    await field.fill(iso)
    await expect(told).toContainText(stepUnix)
    await page.keyboard.press('Enter')
    await expect.poll(async () => plain(await page.getByTestId('readout-cursor').innerText())).toContain(stepStart)
    await page.keyboard.press('g')
    await page.keyboard.type('+2.5 ms')
    await expect(told).toContainText(String(BigInt(stepUnix) + 2_500_000n))
    await page.keyboard.press('Escape')
  })

  await test.step('the time of the cursor is copied', async () => {
    await page.keyboard.press('c')
    await expect(page.getByText(stepUnix, { exact: true })).toBeVisible()
    await page.keyboard.press('Shift+C')
    await expect(page.getByText(/Time of the cursor copied, from the begin/)).toBeVisible()
  })

  await test.step('the navigator moves the window by keyboard', async () => {
    await moves(page, () => page.keyboard.press('z').then(() => page.keyboard.press('Shift+F')))
    await page.mouse.move((await place(page)).x(0.5), (await place(page)).steps)
    for (let i = 0; i < 4; i++) await page.keyboard.press('w')
    const slider = page.getByRole('slider', { name: 'Visible window in the whole session' })
    await slider.focus()
    await moves(page, () => page.keyboard.press('ArrowRight'))
    await moves(page, () => page.keyboard.press('Shift+ArrowLeft'))
    await moves(page, () => page.keyboard.press('Home'))
    await expect(slider).toHaveAttribute('aria-valuenow', '0')
    await page.keyboard.press('Enter')
    await expect.poll(() => shown(page)).toBe(whole)
  })

  await test.step('a range is selected by keyboard', async () => {
    await rows(page).focus()
    for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowRight')
    await expect(page.getByRole('heading', { name: 'Selected range' })).toBeVisible()
    await expect(page.getByTestId('spoken')).toHaveText(/^Selected a range of/)
    await page.keyboard.press('Escape')
  })

  await test.step('steps stand in the memory chart as bands, B hides them', async () => {
    const canvas = page.getByTestId('memory-canvas')
    const picture = (): Promise<string> => canvas.evaluate((c: HTMLCanvasElement) => c.toDataURL())
    await page.mouse.move(5, 5)
    await page.keyboard.press('Escape')
    const steady = async (): Promise<string> => {
      let last = ''
      await expect
        .poll(
          async () => {
            const was = last
            last = await picture()
            return was === last
          },
          { intervals: [300] },
        )
        .toBe(true)
      return last
    }
    const on = await steady()
    await page.keyboard.press('b')
    await expect.poll(picture).not.toBe(on)
    await page.keyboard.press('b')
    expect(await steady()).toBe(on)
  })

  await test.step('fingers: two zoom, one moves, a tap selects, a long press measures', async () => {
    const p = await place(page)
    const cdp = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: readonly (readonly [number, number])[]): Promise<unknown> =>
      cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) })
    const y = p.steps
    await moves(page, async () => {
      await touch('touchStart', [p.x(0.4), y])
      await touch('touchStart', [p.x(0.4), y], [p.x(0.6), y])
      await touch('touchMove', [p.x(0.35), y], [p.x(0.65), y])
      await touch('touchMove', [p.x(0.2), y], [p.x(0.8), y])
      await touch('touchEnd')
    })
    await moves(page, async () => {
      await touch('touchStart', [p.x(0.5), y])
      await touch('touchMove', [p.x(0.48), y])
      await touch('touchMove', [p.x(0.3), y])
      await touch('touchEnd')
    })
    await touch('touchStart', [p.x(0.3), y])
    await touch('touchEnd')
    await expect(page.locator('.slice-details .hero .big')).toHaveText(/^ProfilerStep#/)
    await touch('touchStart', [p.x(0.3), p.axis])
    await page.waitForTimeout(700)
    await touch('touchMove', [p.x(0.4), p.axis])
    await touch('touchMove', [p.x(0.5), p.axis])
    await touch('touchEnd')
    await expect(page.getByRole('heading', { name: 'Selected range' })).toBeVisible()
    await cdp.detach()
  })
})

test('marks and notes are made, moved, named, exported, and there again at the next start', async ({ open }) => {
  const root = makeSample({ ranks: 1, steps: 2 })
  const home = tempDir()
  const first = await open(root, { home })
  const { page } = first
  await settled(page)
  const table = (p: Page): Locator => p.getByRole('grid', { name: 'Marks and notes' })
  const words = (p: Page): Promise<readonly string[]> =>
    table(p)
      .getByRole('textbox', { name: 'Words of the note' })
      .evaluateAll(list => list.map(i => (i as HTMLInputElement).value))
  const unix = async (p: Page): Promise<readonly string[]> =>
    (await table(p).locator('[role=row][data-key] [role=gridcell]:nth-child(4)').allInnerTexts()).map(plain)

  let p = await place(page)
  await page.mouse.move(p.x(0.25), p.axis)
  await page.keyboard.press('m')
  p = await place(page) // the row of marks has come
  await page.mouse.move(p.x(0.45), p.axis)
  await page.keyboard.press('Shift+M')
  await expect(dialog(page, 'Mark').getByRole('textbox', { name: 'Words' })).toBeFocused()
  await clean(page, 'mark')
  await page.keyboard.type('optimizer begins')
  await page.keyboard.press('Enter')
  await drag(page, [p.x(0.6), p.axis], [p.x(0.7), p.axis])
  await page.keyboard.press('n')
  await page.keyboard.type('slow part')
  await page.keyboard.press('Enter')

  await page.keyboard.press('Control+k')
  await page.keyboard.type('marks and notes')
  await page.keyboard.press('Enter')
  await expect(table(page)).toBeVisible()
  await expect.poll(() => words(page)).toEqual(['', 'optimizer begins', 'slow part'])
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await clean(page, `notes, ${theme}`)
  }

  await test.step('a flag is dragged', async () => {
    p = await place(page)
    const before = await unix(page)
    const y = p.axis + 11 + 8
    await drag(page, [p.x(0.25) + 12, y], [p.x(0.35) + 12, y])
    await expect.poll(async () => (await unix(page))[0]).not.toBe(before[0])
    expect((await unix(page)).slice(1)).toEqual(before.slice(1))
  })

  await test.step('the chosen one is removed, and comes back', async () => {
    await page.keyboard.press('Delete')
    await expect.poll(() => words(page)).toEqual(['optimizer begins', 'slow part'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => words(page)).toEqual(['', 'optimizer begins', 'slow part'])
  })

  await test.step('words are written in the table, a click in the row of marks adds one', async () => {
    await table(page).getByRole('textbox', { name: 'Words of the note' }).first().fill('start')
    p = await place(page)
    await page.mouse.click(p.x(0.9), p.axis + 11 + 8)
    await expect.poll(() => words(page)).toEqual(['start', 'optimizer begins', 'slow part', ''])
  })

  await test.step('a note leads to its range', async () => {
    await page.keyboard.press('Escape')
    const row = table(page).locator('[role=row][data-key]').nth(2)
    await moves(page, () => row.getByRole('button', { name: 'Go to the note' }).click())
    await expect(page.getByRole('heading', { name: 'Selected range' })).toBeVisible()
  })

  const times = await unix(page)
  await test.step('all of them leave as JSON and CSV with exact times', async () => {
    const json = JSON.parse(await saved(page, () => page.getByRole('button', { name: 'JSON' }).click())) as {
      readonly notes: readonly { readonly text: string; readonly startNs: string; readonly endNs: string | null }[]
    }
    expect(json.notes.map(n => n.text)).toEqual(['start', 'optimizer begins', 'slow part', ''])
    expect(json.notes.map(n => n.startNs)).toEqual(times)
    expect(json.notes[2].endNs).toMatch(/^\d{19}$/)
    const csv = await saved(page, () => page.getByTestId('drawer').getByRole('button', { name: 'CSV' }).click())
    expect(
      csv
        .split('\r\n')
        .slice(1, 5)
        .map(l => l.split(',')[1]),
    ).toEqual(times)
  })

  await page.waitForTimeout(500) // written a moment after the last change
  await first.close()
  const again = (await open(root, { home })).page
  await settled(again)
  await again.keyboard.press('Control+k')
  await again.keyboard.type('marks and notes')
  await again.keyboard.press('Enter')
  await expect.poll(() => words(again)).toEqual(['start', 'optimizer begins', 'slow part', ''])
  expect(await unix(again)).toEqual(times)
})
