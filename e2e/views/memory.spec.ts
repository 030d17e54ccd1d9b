/** The Memory Viewer and the exported picture, in both shells: what the screen says is what the command line says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { PNG } from 'pngjs'
import { areaFill, groupToken } from '../../src/paint/memory/raster'
import { FIT_SHARE } from '../../src/paint/memory/scale'
import { rgba } from '../../src/paint/theme'
import { exactBytes, memory } from '../../src/shared/format'
import { testTheme } from '../../src/testing/theme'
import { expect, test, type Opened } from '../fixture'
import { answerSaveDialog, cliJson, makeSample, tempDir, settled } from '../helpers'

interface Inspect {
  readonly sessions: readonly { readonly dir: string; readonly files: readonly { readonly path: string; readonly kind: string }[] }[]
}
interface Snapshot {
  readonly timeUs: readonly [string, string]
  readonly devices: readonly {
    readonly device: number
    readonly events: number
    readonly startActiveBytes: number
    readonly peakActiveBytes: number
    readonly peakActiveEvent: number
    readonly peakReservedBytes: number
    readonly endReservedBytes: number
    readonly endBlockRoundedBytes: number
    readonly blockRounded: { readonly status: string }
  }[]
}
interface At {
  readonly memory: readonly { readonly rank: number; readonly device: number; readonly activeBytes: number; readonly event: number }[]
}

const SHEET = { width: 1280, plot: 1280 - 160 - 12, gutter: 160, memory: 380, below: 90 }

interface Sample {
  readonly root: string
  readonly trace: string
  readonly snapshot: string
  readonly figures: Snapshot
  /** Unix ns of time 0 of the screen: the earliest time of the two files. */
  readonly origin: bigint
}

function sample(): Sample {
  const root = makeSample({ ranks: 1, steps: 3 })
  const files = cliJson<Inspect>('inspect', root).sessions[0].files
  const path = (kind: string): string => join(root, files.find(f => f.kind === kind)?.path ?? '')
  const figures = cliJson<Snapshot>('snapshot', path('memory-snapshot'))
  const { startNs } = cliJson<{ startNs: string }>('trace', path('chrome-trace'))
  const first = BigInt(figures.timeUs[0]) * 1000n
  return {
    root,
    trace: path('chrome-trace'),
    snapshot: path('memory-snapshot'),
    figures,
    origin: BigInt(startNs) < first ? BigInt(startNs) : first,
  }
}

const canvas = (page: Page): Locator => page.getByTestId('memory-canvas')
/** A point of the plot by its share of width and height. */
async function plotPoint(page: Page, fx: number, fy: number): Promise<{ readonly x: number; readonly y: number }> {
  const b = await canvas(page).boundingBox()
  if (!b) throw new Error('no memory canvas')
  return { x: b.x + 160 + (b.width - 172) * fx, y: b.y + (b.height - 18) * fy }
}
async function ready(page: Page): Promise<void> {
  await settled(page)
  await expect(canvas(page)).toHaveAttribute('data-picture', /^\d+x\d+$/)
}
const bytes = async (l: Locator): Promise<number> => Number(await l.getAttribute('data-bytes'))
const windowOf = async (page: Page): Promise<readonly number[]> =>
  ((await canvas(page).getAttribute('data-window')) ?? '').split(',').map(Number)

/** Moves the pointer up from the bottom of the plot until it stands on one allocation, and answers its tooltip. */
async function hoverAllocation(page: Page, fx: number): Promise<Locator> {
  const size = page.getByTestId('tooltip-size')
  for (let fy = 0.9; fy > 0.1; fy -= 0.04) {
    const p = await plotPoint(page, fx, fy)
    await page.mouse.move(p.x, p.y)
    await page.waitForTimeout(150)
    if (await size.isVisible()) return size
  }
  throw new Error('no allocation under the pointer')
}

test('peak and cursor figures equal those of the command line', async ({ open }) => {
  const s = sample()
  const { page } = await open(s.root)
  await ready(page)
  const device = s.figures.devices[0]
  const peak = page.getByTestId('peak-value')
  await expect(peak).toHaveText(memory(device.peakActiveBytes))
  expect(await bytes(peak)).toBe(device.peakActiveBytes)
  expect(Number(await peak.getAttribute('data-event'))).toBe(device.peakActiveEvent)

  // P puts the cursor on the peak: the totals there are the peak's.
  await page.keyboard.press('KeyP')
  const active = page.getByTestId('readout-active')
  await expect(active).toHaveText(memory(device.peakActiveBytes))
  expect(await bytes(active)).toBe(device.peakActiveBytes)

  for (const fx of [0.13, 0.34, 0.5, 0.71, 0.94]) {
    const p = await plotPoint(page, fx, 0.03)
    await page.mouse.move(p.x, p.y)
    const cursor = page.getByTestId('readout-cursor')
    const now = await windowOf(page)
    const wanted = now[0] + (now[1] - now[0]) * fx
    await expect.poll(async () => Math.abs(Number(await cursor.getAttribute('data-at')) - wanted)).toBeLessThan((now[1] - now[0]) / 400)
    await expect(active).not.toHaveText('—')
    const at = Number(await cursor.getAttribute('data-at'))
    const told = cliJson<At>('at', s.root, '--time', String(s.origin + BigInt(Math.floor(at)))).memory[0]
    expect({ bytes: await bytes(active), event: Number(await cursor.getAttribute('data-event')) }).toEqual({
      bytes: told.activeBytes,
      event: told.event,
    })
    await expect(active).toHaveText(memory(told.activeBytes))
  }
})

test('block-rounded bytes at the cursor are those of the command line, and so is what is cached', async ({ open }) => {
  const s = sample()
  const { page } = await open(s.root)
  await ready(page)
  const device = s.figures.devices[0]
  expect(device.blockRounded.status).toBe('confirmed')
  await page.getByRole('checkbox', { name: /block-rounded/i }).check()
  // At the end of the recording the figures are those of the segment table.
  await page.getByRole('button', { name: 'Event', exact: true }).click()
  await expect.poll(() => windowOf(page)).toEqual([-1, device.events])
  const p = await plotPoint(page, 0.9999, 0.03)
  await page.mouse.move(p.x, p.y)
  await expect(page.getByTestId('readout-cursor')).toHaveAttribute('data-event', String(device.events - 1))
  await expect.poll(() => bytes(page.getByTestId('readout-rounded'))).toBe(device.endBlockRoundedBytes)
  expect(await bytes(page.getByTestId('readout-cached'))).toBe(device.endReservedBytes - device.endBlockRoundedBytes)
})

test('a snapshot is verified with a second reader', async ({ open }) => {
  const s = sample()
  const { page } = await open(s.root)
  await page.getByRole('tree').getByText('memory_snapshot_rank0.pickle').first().click()
  await expect(page.getByTestId('block-rounded')).toHaveAttribute('data-status', 'confirmed')
  await page.getByRole('button', { name: 'Verify with a second reader' }).click()
  await expect(page.getByTestId('verify-verdict')).toHaveAttribute('data-verdict', 'equal')
  const peak = page.getByRole('row', { name: /^Active, peak/ })
  await expect(peak.getByRole('cell').first()).toHaveText(s.figures.devices[0].peakActiveBytes.toLocaleString('en-US'))
  await expect(peak.getByRole('cell').last()).toHaveText(s.figures.devices[0].peakActiveBytes.toLocaleString('en-US'))
})

test('the event axis ends and peaks where the command line says', async ({ open }) => {
  const s = sample()
  const { page } = await open(s.root)
  await ready(page)
  await page.getByRole('button', { name: 'Event', exact: true }).click()
  await expect.poll(() => windowOf(page)).toEqual([-1, s.figures.devices[0].events])
  await page.keyboard.press('KeyP')
  await expect(page.getByTestId('readout-cursor')).toHaveAttribute('data-event', String(s.figures.devices[0].peakActiveEvent))
  expect(await bytes(page.getByTestId('readout-active'))).toBe(s.figures.devices[0].peakActiveBytes)
})

test('hover tells an allocation, a click pins it and fills the details with its stack, Esc unpins', async ({ open }) => {
  const s = sample()
  const { page } = await open(s.root)
  await ready(page)
  const size = await hoverAllocation(page, 0.5)
  const n = await bytes(size)
  await expect(page.getByTestId('tooltip')).toContainText(exactBytes(n))
  await expect(size).toHaveText(memory(n))
  await expect(page.getByTestId('tooltip-address')).toHaveAttribute('data-address', /^0x[0-9a-f]+$/)
  const allocation = await size.getAttribute('data-allocation')

  await page.mouse.down()
  await page.mouse.up()
  const details = page.getByTestId('allocation-details')
  await expect(details).toHaveAttribute('data-allocation', allocation ?? '')
  expect(await bytes(page.getByTestId('details-size'))).toBe(n)
  await expect(page.getByTestId('details-size')).toHaveText(memory(n))
  // Every stack of the sample ends in the module of its training script.
  await expect(page.getByTestId('stack')).toContainText('<module>')
  await expect(page.getByTestId('stack')).toContainText('train.py')

  // Library frames are folded and open on demand.
  const folds = page.getByTestId('stack').getByRole('button', { name: /library frame/ })
  const before = await folds.count()
  if (before > 0) {
    await folds.first().click()
    await expect(folds).toHaveCount(before - 1)
  }

  // The pin stays while the pointer goes on, and goes with Esc.
  const p = await plotPoint(page, 0.8, 0.02)
  await page.mouse.move(p.x, p.y)
  await expect(details).toHaveAttribute('data-allocation', allocation ?? '')
  await page.keyboard.press('Escape')
  await expect(details).toHaveCount(0)
})

test('zoom and pan move both panels together', async ({ open }) => {
  const s = sample()
  const { page } = await open(s.root)
  await ready(page)
  const full = await windowOf(page)
  // Ctrl and wheel over the Memory Viewer zooms at the pointer.
  const p = await plotPoint(page, 0.25, 0.3)
  await page.mouse.move(p.x, p.y)
  await page.keyboard.down('Control')
  for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -240)
  await page.keyboard.up('Control')
  await expect.poll(async () => (await windowOf(page))[1] - (await windowOf(page))[0]).toBeLessThan((full[1] - full[0]) / 2)
  const zoomed = await windowOf(page)
  const t = full[0] + (full[1] - full[0]) * 0.25
  // The instant under the pointer stays there.
  expect((t - zoomed[0]) / (zoomed[1] - zoomed[0])).toBeCloseTo(0.25, 1)
  // The top bar and the trace show the same window.
  const ms = (v: number): string => (v / 1e6).toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
  await expect(page.getByText(`${ms(zoomed[0])} – ${ms(zoomed[1])}`).first()).toBeVisible()
  const trace = page.getByRole('region', { name: 'System Trace' })
  const box = await trace.boundingBox()
  if (!box) throw new Error('no System Trace')
  // Shift and wheel over the System Trace pans the Memory Viewer too.
  await page.mouse.move(box.x + box.width / 2, box.y + box.height - 40)
  await page.keyboard.down('Shift')
  await page.mouse.wheel(0, 200)
  await page.keyboard.up('Shift')
  await expect.poll(async () => (await windowOf(page))[0]).toBeGreaterThan(zoomed[0])
  const panned = await windowOf(page)
  expect(panned[1] - panned[0]).toBeCloseTo(zoomed[1] - zoomed[0], 0)
  // And the picture that is drawn is one of this window: the readout at the pointer equals the command line's.
  const q = await plotPoint(page, 0.6, 0.03)
  await page.mouse.move(q.x, q.y)
  const cursor = page.getByTestId('readout-cursor')
  await expect.poll(async () => Number(await cursor.getAttribute('data-at'))).toBeGreaterThan(panned[0] + (panned[1] - panned[0]) * 0.5)
  const at = Number(await cursor.getAttribute('data-at'))
  const told = cliJson<At>('at', s.root, '--time', String(s.origin + BigInt(Math.floor(at)))).memory[0]
  expect(await bytes(page.getByTestId('readout-active'))).toBe(told.activeBytes)
})

/** Saves the picture of the open dialog. */
async function save(opened: Opened): Promise<PNG> {
  const { page, desktop } = opened
  const button = page.getByTestId('export-save')
  await expect(button).toBeEnabled({ timeout: 30_000 })
  if (desktop) {
    const path = join(tempDir(), 'picture.png')
    await answerSaveDialog(desktop.app, path)
    await button.click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    return PNG.sync.read(readFileSync(path))
  }
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  expect(download.suggestedFilename()).toMatch(/^trace-allocator_rank0_\d+-\d+ms\.png$/)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  return PNG.sync.read(readFileSync(await download.path()))
}

test('exports a PNG of the asked size with the plot in it', async ({ open }) => {
  test.slow()
  const s = sample()
  const opened = await open(s.root)
  const { page } = opened
  await ready(page)
  // Both panels have something to draw.
  await expect(page.getByText(/^\d+ tracks/)).toBeVisible()
  const heights: number[] = []
  for (const scale of [2, 1] as const) {
    await page.keyboard.press('Control+KeyE')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByLabel('Views')).toHaveValue('both')
    await dialog.getByLabel('Theme').selectOption('light')
    await dialog.getByLabel('Size').selectOption(String(scale))
    const preview = page.getByTestId('export-preview')
    await expect(preview).toHaveAttribute('data-ready', new RegExp(`^${SHEET.width * scale}x`), { timeout: 30_000 })
    const told = (await preview.getAttribute('data-ready')) ?? ''
    const png = await save(opened)
    expect(`${png.width}x${png.height}`).toBe(told)
    expect(png.width).toBe(SHEET.width * scale)
    heights.push(png.height)
    checkPicture(png, scale, s)
  }
  expect(heights[0]).toBe(heights[1] * 2)
})

function checkPicture(png: PNG, scale: number, s: Sample): void {
  const at = (x: number, y: number): readonly number[] => [...png.data.subarray((y * png.width + x) * 4, (y * png.width + x) * 4 + 4)]
  const count = new Map<number, number>()
  let clear = 0
  for (let i = 0; i < png.data.length; i += 4) {
    if (png.data[i + 3] !== 255) clear++
    const c = (png.data[i] << 16) | (png.data[i + 1] << 8) | png.data[i + 2]
    count.set(c, (count.get(c) ?? 0) + 1)
  }
  expect(clear).toBe(0)
  expect(count.size).toBeGreaterThan(100)
  const theme = testTheme('light')
  const key = (color: string): number => {
    const [r, g, b] = rgba(color)
    return (r << 16) | (g << 8) | b
  }
  // Allocations of several owners are drawn in their colours.
  const drawn = Array.from({ length: 10 }, (_, g) => count.get(key(areaFill(theme, groupToken(g)))) ?? 0)
  expect(drawn.filter(n => n > 50 * scale).length).toBeGreaterThanOrEqual(3)

  // The start state: a hatched band of its own height from the bottom of the plot, where the recording begins.
  const device = s.figures.devices[0]
  const max = Math.max(device.peakActiveBytes, device.peakReservedBytes) / FIT_SHARE
  const band = (device.startActiveBytes / max) * SHEET.memory * scale
  const start = rgba(theme.token('--hatch-start-bg')).slice(0, 3)
  const line = rgba(theme.token('--hatch-start-line')).slice(0, 3)
  const hatched = (p: readonly number[]): boolean =>
    p.slice(0, 3).every((v, i) => v <= Math.max(start[i], line[i]) && v >= Math.min(start[i], line[i]))
  // The longest hatched column inside the recording. The trace above has greys like these: only the rows of the memory plot are looked at.
  const top = png.height - (SHEET.memory + SHEET.below) * scale
  let best = 0
  for (let x = (SHEET.gutter + 40) * scale; x < (SHEET.gutter + 400) * scale; x += 3) {
    let longest = 0
    let run = 0
    for (let y = top; y < png.height; y++) {
      run = hatched(at(x, y)) ? run + 1 : 0
      longest = Math.max(longest, run)
    }
    best = Math.max(best, longest)
  }
  expect(Math.abs(best - band)).toBeLessThanOrEqual(6 * scale)
}
