/** Exports: pictures of a range as PNG and SVG, chosen tracks, device memory, events as Chrome trace JSON, statistics as CSV. One start of the program for all of it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Locator, Page } from '@playwright/test'
import { PNG } from 'pngjs'
import type { StatsRow } from '../../src/shared/trace-api'
import { expect, test } from '../fixture'
import { cliJson, makeSample, settled, tempDir } from '../helpers'

interface Told {
  readonly out: string
  readonly plot: { readonly x0: number; readonly x1: number; readonly y0: number; readonly y1: number }
  readonly fromNs: string
  readonly toNs: string
}
interface TraceJson {
  readonly baseTimeNanoseconds: number
  readonly traceEvents: readonly {
    readonly ph: string
    readonly name: string
    readonly ts: number
    readonly dur?: number
    readonly pid?: number
  }[]
}

/** Share of the pixels of a box in which two pictures differ visibly; `shift`: how far the second is moved to the right. */
function differing(a: PNG, b: PNG, { x0, x1, y0, y1 }: Told['plot'], shift = 0): number {
  let n = 0
  for (let y = y0; y < y1; y++)
    for (let x = x0; x < x1 - shift; x++) {
      const p = (y * a.width + x) * 4
      const q = (y * b.width + x + shift) * 4
      if ([0, 1, 2].some(i => Math.abs(a.data[p + i] - b.data[q + i]) > 40)) n++
    }
  return n / ((x1 - x0 - shift) * (y1 - y0))
}

/** An SVG as Chromium draws it, two device pixels for each of its own. */
async function rendered(browser: Browser, path: string): Promise<PNG> {
  const [, width, height] = (/ width="([\d.]+)" height="([\d.]+)"/.exec(readFileSync(path, 'utf8')) ?? []).map(Number)
  const page = await browser.newPage({ viewport: { width, height: Math.ceil(height) }, deviceScaleFactor: 2 })
  await page.goto(`file://${path}`)
  const png = PNG.sync.read(await page.screenshot())
  await page.close()
  return png
}

const dialog = (page: Page): Locator => page.getByRole('dialog', { name: 'Export' })

async function saved(page: Page, extension: string): Promise<string> {
  const button = page.getByTestId('export-save')
  await expect(button).toBeEnabled({ timeout: 30_000 })
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  expect(download.suggestedFilename()).toMatch(new RegExp(`\\.${extension}$`))
  await expect(dialog(page)).toHaveCount(0)
  const path = join(tempDir(), `saved.${extension}`)
  await download.saveAs(path)
  return path
}

/** No axe violation in the dialog. */
async function clean(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include('dialog, [role=dialog]').setLegacyMode(true).analyze()
  expect(violations.map(v => `${what}: ${v.id} at ${v.nodes.map(n => n.target.join(' ')).join(', ')}`)).toEqual([])
}

const ready = (page: Page): Promise<void> =>
  expect(page.getByTestId('export-preview')).toHaveAttribute('data-ready', /\d+x\d+/, { timeout: 30_000 })
const height = async (page: Page): Promise<number> => {
  await ready(page)
  return Number((await page.getByTestId('export-preview').getAttribute('data-ready'))?.split('x')[1])
}

test.describe.configure({ timeout: 300_000 })

test('pictures, events and statistics of a range', async ({ open, browser }) => {
  const root = makeSample({ ranks: 1, steps: 3 })
  const { page } = await open(root)
  await settled(page)
  const whole = cliJson<Told>('export', root, '--view', 'timeline', '--out', join(tempDir(), 'whole.png'))
  const [from, to] = [20n, 60n].map(ms => String(BigInt(whole.fromNs) + ms * 1_000_000n))

  const command = async (words: string): Promise<void> => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a command' }).fill(words)
    await page.keyboard.press('Enter')
    await expect(dialog(page)).toBeVisible()
  }
  const typed = async (): Promise<void> => {
    await dialog(page).getByLabel('Range', { exact: true }).selectOption('typed')
    await dialog(page).getByLabel('Range, two times').fill('20 ms .. 60 ms')
    await expect(dialog(page).getByText(/^20\.0 – 60\.0/)).toBeVisible()
  }
  const told = cliJson<Told>(
    'export',
    root,
    '--view',
    'timeline',
    '--out',
    join(tempDir(), 'cli.png'),
    '--theme',
    'light',
    '--from',
    from,
    '--to',
    to,
  )

  let png = new PNG()
  await test.step('PNG of a typed range: the plot that the command line draws', async () => {
    await command('export png')
    await dialog(page).getByLabel('Views').selectOption('trace')
    await dialog(page).getByLabel('Theme').selectOption('light')
    await dialog(page).getByLabel('Range', { exact: true }).selectOption('typed')
    await expect(dialog(page).getByRole('alert')).toContainText('Type two times')
    await expect(page.getByTestId('export-save')).toBeDisabled()
    await typed()
    await ready(page)
    await clean(page, 'picture')
    png = PNG.sync.read(readFileSync(await saved(page, 'png')))
    const made = PNG.sync.read(readFileSync(join(told.out)))
    expect([png.width, png.height]).toEqual([made.width, made.height])
    const share = differing(png, made, told.plot)
    expect(share).toBeLessThan(0.01)
    // The same look finds a picture that is a few pixels off.
    expect(differing(png, made, told.plot, 12)).toBeGreaterThan(4 * share)
    expect(differing(png, made, told.plot, 12)).toBeGreaterThan(0.03)
  })

  await test.step('SVG of the same: shapes that are drawn as the PNG', async () => {
    await command('export svg')
    await dialog(page).getByLabel('Views').selectOption('trace')
    await dialog(page).getByLabel('Theme').selectOption('light')
    await typed()
    await expect(page.getByTestId('export-svg')).toBeVisible({ timeout: 30_000 })
    const path = await saved(page, 'svg')
    const text = readFileSync(path, 'utf8')
    expect(text).not.toMatch(/<(script|image|foreignObject|use)|\son\w+=/)
    const drawn = await rendered(browser, path)
    expect([drawn.width, drawn.height]).toEqual([png.width, png.height])
    // Letters are of another face where Inter is not installed, and edges are smoothed; a picture that is a few pixels off is not the same.
    const share = differing(png, drawn, told.plot)
    expect(share).toBeLessThan(0.02)
    expect(differing(png, drawn, told.plot, 12)).toBeGreaterThan(2 * share)
  })

  await test.step('only pinned tracks, and a picture of device memory', async () => {
    const rows = page.getByRole('application', { name: /^System Trace/ })
    await rows.focus()
    for (const key of ['Home', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key)
    await command('export png')
    await dialog(page).getByLabel('Views').selectOption('trace')
    await expect(dialog(page).getByLabel('Tracks').locator('option')).toHaveText(['As shown', 'All'])
    const all = await height(page)
    await page.keyboard.press('Escape')
    await rows.focus()
    await page.keyboard.press('Shift+P')
    await expect(page.locator('.trace')).toBeVisible()
    await command('export png')
    await dialog(page).getByLabel('Views').selectOption('trace')
    await dialog(page).getByLabel('Tracks').selectOption('pinned')
    await expect.poll(() => height(page)).toBeLessThan(all / 2)
    await dialog(page).getByLabel('Tracks').selectOption('layout')
    await dialog(page).getByLabel('Views').selectOption('hbm')
    await dialog(page).getByLabel('Theme').selectOption('light')
    await ready(page)
    const hbm = PNG.sync.read(readFileSync(await saved(page, 'png')))
    const drawn = cliJson<Told>(
      'export',
      root,
      '--view',
      'hbm',
      '--out',
      join(tempDir(), 'hbm.png'),
      '--theme',
      'light',
      '--from',
      from,
      '--to',
      to,
    )
    const made = PNG.sync.read(readFileSync(drawn.out))
    expect([hbm.width, hbm.height]).toEqual([made.width, made.height])
    expect(differing(hbm, made, drawn.plot)).toBeLessThan(0.02)
  })

  await test.step('events as Chrome trace JSON: what the command line writes, and reads again', async () => {
    await command('chrome trace json')
    await typed()
    await clean(page, 'events')
    const path = await saved(page, 'json')
    const events = (t: TraceJson): readonly string[] =>
      t.traceEvents
        .filter(e => e.ph !== 'M')
        .map(e => JSON.stringify([e.ph, e.name, e.ts, e.dur ?? null]))
        .sort()
    const screen = JSON.parse(readFileSync(path, 'utf8')) as TraceJson
    const out = join(tempDir(), 'cli.json')
    const cli = cliJson<{ readonly events: number; readonly cut: number }>('export', root, '--out', out, '--from', from, '--to', to)
    expect(cli.cut).toBe(0)
    expect(events(screen)).toHaveLength(cli.events)
    expect(events(screen)).toEqual(events(JSON.parse(readFileSync(out, 'utf8')) as TraceJson))
    const facts = cliJson<Readonly<Record<string, unknown>>>('trace', path)
    expect(facts['events']).toBe(screen.traceEvents.length)
  })

  await test.step('statistics as CSV: the figures of the command line', async () => {
    await command('statistics as csv')
    await dialog(page).getByLabel('Range', { exact: true }).selectOption('all')
    await dialog(page).getByLabel('Rows by').selectOption('category')
    const [head, ...lines] = readFileSync(await saved(page, 'csv'), 'utf8').split('\r\n')
    const figures = lines.filter(Boolean).map(l => l.split(','))
    const { rows } = cliJson<{ readonly rows: readonly StatsRow[] }>('stats', root, '--by', 'category')
    const at = (name: string): number => head.split(',').indexOf(name)
    expect(figures.map(f => [f[at('key')], Number(f[at('count')]), Number(f[at('total_ns')]), Number(f[at('self_ns')])])).toEqual(
      rows.map(r => [r.key, r.count, r.totalNs, r.selfNs]),
    )
  })
})
