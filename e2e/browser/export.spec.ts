/** The picture of the Export dialog and that of the command line are one: the same plot, pixel for pixel. And what paints it there stays out of the desktop. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PNG } from 'pngjs'
import { expect, test } from '../fixture'
import { cliJson, makeSample, REPO, tempDir } from '../helpers'

interface Told {
  readonly plot: { readonly x0: number; readonly x1: number; readonly y0: number; readonly y1: number }
  readonly fromNs: string
  readonly toNs: string
}

/** Where two pictures differ by more than one level within a box: the pixels in patches (cells of 16 px that lie together), as patches of text do. */
function differences(a: PNG, b: PNG, { x0, x1, y0, y1 }: Told['plot']): { readonly pixels: number; readonly heights: readonly number[] } {
  const cells = new Set<string>()
  let pixels = 0
  for (let y = y0; y < y1; y++)
    for (let x = x0; x < x1; x++) {
      const at = (y * a.width + x) * 4
      if (![0, 1, 2].some(i => Math.abs(a.data[at + i]! - b.data[at + i]!) > 1)) continue
      pixels++
      cells.add(`${x >> 4},${y >> 4}`)
    }
  const heights: number[] = []
  for (const first of cells) {
    const rows = new Set<number>()
    for (const queue = [first]; queue.length > 0;) {
      const cell = queue.pop()!
      if (!cells.delete(cell)) continue
      const [x, y] = cell.split(',').map(Number) as [number, number]
      rows.add(y)
      for (let dx = -2; dx <= 2; dx++) for (let dy = -1; dy <= 1; dy++) queue.push(`${x + dx},${y + dy}`)
    }
    heights.push(rows.size * 16)
  }
  return { pixels, heights }
}

for (const [view, label] of [
  ['memory', 'allocator'],
  ['both', 'both'],
  ['trace', 'timeline'],
] as const)
  test(`screen and command line agree on the plot: ${label}`, async ({ open }) => {
    test.slow()
    const root = makeSample({ ranks: 1, steps: 2 })
    const { page } = await open(root)
    await expect(page.getByText(/^\d+ tracks/)).toBeVisible()
    await expect(page.getByTestId('readout-cursor')).toBeAttached()
    // The screen shows the whole time of the session.
    const { fromNs, toNs } = cliJson<Told>('export', root, '--view', 'timeline', '--out', join(tempDir(), 'whole.png'))
    for (const theme of ['light', 'dark'] as const) {
      await page.keyboard.press('Control+KeyE')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Views').selectOption(view)
      await dialog.getByLabel('Theme').selectOption(theme)
      await dialog.getByLabel('Size').selectOption('2')
      const button = page.getByTestId('export-save')
      await expect(button).toBeEnabled({ timeout: 30_000 })
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
      const screen = PNG.sync.read(readFileSync(await download.path()))
      const out = join(tempDir(), 'picture.png')
      const { plot } = cliJson<Told>('export', root, '--view', label, '--out', out, '--theme', theme, '--from', fromNs, '--to', toNs)
      const made = PNG.sync.read(readFileSync(out))
      expect([made.width, made.height]).toEqual([screen.width, screen.height])
      const { pixels, heights } = differences(screen, made, plot)
      const share = pixels / ((plot.x1 - plot.x0) * (plot.y1 - plot.y0))
      // Letters are drawn a little differently by the two; everything else is the same.
      if (view === 'trace') expect(share).toBeLessThan(0.03)
      else {
        expect(share).toBeLessThan(0.01)
        // The label of the start state, the peak's with the name of the reserved curve beside it, the names of both steps with those of their annotations below:
        // one line or two each, and some of them touch.
        expect(heights.length).toBeLessThanOrEqual(8)
        for (const h of heights) expect(h).toBeLessThanOrEqual(96)
      }
    }
  })

test('the canvas of the command line is nowhere in the desktop program', () => {
  const out = join(REPO, 'out')
  /** All files that a file names as a module or worker, and theirs. */
  const reached = (entry: string): ReadonlySet<string> => {
    const seen = new Set<string>()
    for (const queue = [entry]; queue.length > 0;) {
      const file = queue.pop()!
      if (seen.has(file) || !existsSync(file)) continue
      seen.add(file)
      for (const [, name] of readFileSync(file, 'utf8').matchAll(/["'`](\.{1,2}\/[\w./-]+\.c?js)["'`]/g))
        queue.push(join(dirname(file), name!))
    }
    return seen
  }
  // Loaded in any way; the name alone also stands in the list of dependencies.
  const loads = (file: string): boolean =>
    /(\bfrom|\bimport|\bimport\(|\brequire\(|\bresolve\()\s*["'`]@napi-rs\//.test(readFileSync(file, 'utf8'))
  const desktop = reached(join(out, 'main/index.js'))
  expect([...desktop].filter(f => f.includes('.worker')).length).toBeGreaterThanOrEqual(2)
  for (const file of [...desktop, ...reached(join(out, 'preload/index.cjs'))]) expect([file, loads(file)]).toEqual([file, false])
  for (const file of readdirSync(join(out, 'renderer/assets')).filter(f => f.endsWith('.js')))
    expect([file, loads(join(out, 'renderer/assets', file))]).toEqual([file, false])
  // The same look finds it where it belongs.
  expect([...reached(join(out, 'main/cli.js'))].some(loads)).toBe(true)
})
