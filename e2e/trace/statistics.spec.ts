/**
 * Statistics, ranges, occurrences and steps: the figures on the screen and in the saved files are those of the command line. One start of the program for all of it.
 */
import { readFileSync } from 'node:fs'
import AxeBuilder from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import type { SessionView } from '../../src/shared/api'
import { duration, memory, num } from '../../src/shared/format'
import { STATS_COLUMNS, STATS_HEADS, type RangeAnswer, type StatsBy, type StatsRow } from '../../src/shared/trace-api'
import { expect, test } from '../fixture'
import { cliJson, dial, makeSample, settled } from '../helpers'

interface Stats {
  readonly fromNs: string
  readonly rows: readonly Omit<StatsRow, 'longest'>[]
  readonly slices: number
  readonly unmatched: number
}

/** No axe violation in what this spec is about: the tables and the details. */
async function clean(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include('.drawer').include('.details').setLegacyMode(true).analyze()
  expect(violations.map(v => `${what}: ${v.id} at ${v.nodes.map(n => n.target.join(' ')).join(', ')}`)).toEqual([])
}

/** Rows that a button saves, by the head of their column. */
async function saved(page: Page, drawer: Locator): Promise<readonly Readonly<Record<string, string>>[]> {
  const download = page.waitForEvent('download')
  await drawer.getByRole('button', { name: 'CSV' }).click()
  const [head, ...lines] = readFileSync(await (await download).path(), 'utf8')
    .split('\r\n')
    .filter(l => l !== '')
    .map(cells)
  return lines.map(l => Object.fromEntries(head.map((h, i) => [h, l[i]])))
}

/** Cells of a line of CSV. */
const cells = (line: string): string[] =>
  [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .slice(0, -1)
    .map(m => (m[1].startsWith('"') ? m[1].slice(1, -1).replaceAll('""', '"') : m[1]))

const plain = (s: string | null | undefined): string => (s ?? '').replace(/\s+/g, ' ').trim()
/** Text of the cells of the rows in sight, by row. */
const shown = (grid: Locator): Promise<readonly (readonly string[])[]> =>
  grid
    .locator('.dt-body [role=row]')
    .evaluateAll(rows =>
      [...rows]
        .sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')))
        .map(r => [...r.querySelectorAll('[role=gridcell]')].map(c => (c.textContent ?? '').replace(/\s+/g, ' ').trim())),
    )

/** As the table writes a row of the statistics, without its share. */
const written = (r: Stats['rows'][number]): readonly string[] =>
  [
    r.key || '(no name)',
    num(r.count),
    ...[r.totalNs, r.selfNs, r.wallNs, r.meanNs, r.medianNs, r.p95Ns, r.minNs, r.maxNs, r.overlapNs].map(v => duration(v)),
  ].map(plain)
const SHARE = 5

test.describe.configure({ timeout: 240_000 })

test('statistics, ranges, occurrences and steps', async ({ open }) => {
  const root = makeSample({ ranks: 1, steps: 3 })
  const stats = (by: StatsBy, ...more: readonly string[]): Stats => cliJson<Stats>('stats', root, '--by', by, ...more)
  const { page, served } = await open(root)
  if (!served) throw new Error('this spec runs in the browser')
  await settled(page)
  const drawer = page.getByTestId('drawer')
  const details = page.getByRole('complementary', { name: 'Details' })
  const grid = drawer.getByRole('grid')
  const counts = drawer.getByTestId('table-counts')
  const everything = stats('name')

  const client = await dial(served)
  const catalog = (await client.request('root.get', {}))?.catalog
  const session = catalog?.sessions[0].id ?? ''
  const view: SessionView = await client.request('session.open', { session })
  const origin = view.groups[0].originNs
  const unix = (ns: number): string => String(origin + BigInt(Math.round(ns)))

  await test.step('by name, of everything: the command line counts the same', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a command' }).fill('statistics of the range')
    await page.keyboard.press('Enter')
    await expect(drawer.getByRole('radio', { name: 'Everything' })).toBeChecked()
    await expect(counts).toHaveText(`${num(everything.rows.length)} rows`)
    await expect(drawer.getByTestId('stats-counted')).toHaveAttribute('data-slices', String(everything.slices))
    await expect(drawer.getByTestId('stats-counted')).toHaveAttribute('data-unmatched', String(everything.unmatched))
    const rows = await shown(grid)
    expect(rows.length).toBeGreaterThan(4)
    const byTotal = [...everything.rows].sort((a, b) => b.totalNs - a.totalNs)
    // Equal totals may stand in either order: rows are found by name.
    for (const [i, row] of rows.entries()) {
      const own = everything.rows.find(r => (r.key || '(no name)') === row[0])
      if (!own) throw new Error(`${row[0]} is not in the terminal`)
      expect(own.totalNs).toBe(byTotal[i].totalNs)
      expect(row.filter((_, c) => c !== SHARE)).toEqual(written(own))
    }
    const file = await saved(page, drawer)
    expect(file.length).toBe(everything.rows.length)
    for (const own of everything.rows)
      expect(file.find(r => r['key'] === own.key)).toEqual(
        Object.fromEntries(STATS_COLUMNS.map((c, i) => [STATS_HEADS[i], String(own[c])])),
      )
  })

  await test.step('by track and category', async () => {
    for (const by of ['track', 'category'] as const) {
      await drawer.getByRole('radio', { name: by, exact: false }).check()
      const own = stats(by)
      await expect(counts).toHaveText(`${num(own.rows.length)} ${own.rows.length === 1 ? 'row' : 'rows'}`)
      const [most] = [...own.rows].sort((a, b) => b.totalNs - a.totalNs)
      await expect.poll(async () => (await shown(grid))[0]?.[2]).toBe(plain(duration(most.totalNs)))
    }
    await drawer.getByRole('radio', { name: 'Name' }).check()
    await expect(counts).toHaveText(`${num(everything.rows.length)} rows`)
  })

  await test.step('filter by words and by expression', async () => {
    const filter = drawer.getByRole('searchbox', { name: 'Filter names' })
    const aten = everything.rows.filter(r => r.key.startsWith('aten::'))
    await filter.fill('aten::')
    await expect(counts).toHaveText(`${num(aten.length)} rows`)
    await drawer.getByRole('button', { name: 'Regular expression' }).click()
    await filter.fill('^aten::(mm|add)')
    await expect(counts).toHaveText(new RegExp(`^${num(everything.rows.filter(r => /^aten::(mm|add)/.test(r.key)).length)} rows?$`))
    await filter.fill('(')
    await expect(drawer.getByText('Not a regular expression')).toBeVisible()
    await expect(filter).toHaveAttribute('aria-invalid', 'true')
    await drawer.getByRole('button', { name: 'Regular expression' }).click()
    await filter.fill('no such name')
    await expect(drawer.getByText('Nothing matches “no such name”.')).toBeVisible()
    await filter.fill('')
    await expect(counts).toHaveText(`${num(everything.rows.length)} rows`)
  })

  await test.step('order, row focus and copy by keyboard', async () => {
    const head = grid.getByRole('columnheader', { name: 'Count' })
    await head.getByRole('button').focus()
    await page.keyboard.press('Enter')
    await expect(head).toHaveAttribute('aria-sort', 'descending')
    const byCount = [...everything.rows].sort((a, b) => b.count - a.count)
    await expect.poll(async () => (await shown(grid))[0]?.[1]).toBe(num(byCount[0].count))
    await page.keyboard.press('Enter')
    await expect(head).toHaveAttribute('aria-sort', 'ascending')
    await expect.poll(async () => (await shown(grid))[0]?.[1]).toBe(num(byCount[byCount.length - 1].count))
    await grid.getByRole('columnheader', { name: 'Total' }).getByRole('button').click()
    await grid.focus()
    await page.keyboard.press('End')
    const active = grid.locator('.dt-row.active')
    await expect(active).toHaveAttribute('aria-rowindex', String(everything.rows.length + 1))
    // What has the row focus is in sight, not below the edge.
    const [box, row] = [await grid.boundingBox(), await active.boundingBox()]
    expect((row?.y ?? 0) + (row?.height ?? 0)).toBeLessThanOrEqual((box?.y ?? 0) + (box?.height ?? 0) + 1)
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await expect(active).toHaveAttribute('aria-rowindex', '3')
    await page.evaluate(() => {
      document.addEventListener('copy', e => void (document.body.dataset['copied'] = e.clipboardData?.getData('text/plain') ?? ''), {
        once: true,
      })
    })
    await page.keyboard.press('Control+c')
    const copied = await page.evaluate(() => document.body.dataset['copied'] ?? '')
    const lines = copied.split('\n').filter(l => l !== '')
    expect(lines.length).toBe(everything.rows.length + 1)
    expect(lines[0].split('\t').slice(0, 4)).toEqual(['name', 'count', 'total_ns', 'self_ns'])
    const most = everything.rows.find(r => r.key === lines[1].split('\t')[0])
    expect(lines[1].split('\t').slice(1, 4)).toEqual([most?.count, most?.totalNs, most?.selfNs].map(String))
  })

  await test.step('a row leads to its longest slice, keys step through its name', async () => {
    const many = everything.rows.find(r => r.count === 3 && r.key === 'forward') ?? everything.rows.find(r => r.count > 2)
    if (!many) throw new Error('no name comes three times')
    await drawer.getByRole('searchbox', { name: 'Filter names' }).fill(many.key)
    await grid.locator(`[data-key="${many.key}"]`).click()
    await expect(grid.locator(`[data-key="${many.key}"]`)).toHaveAttribute('aria-selected', 'true')
    await expect(details.locator('.hero .big')).toHaveAttribute('title', many.key)
    await expect(details.locator('.hero .exact')).toHaveText(duration(many.maxNs))
    const others = details.getByTestId('occurrences')
    await expect(others).toHaveAttribute('data-count', String(many.count))
    for (const [name, ns] of [
      ['Total', many.totalNs],
      ['Mean', many.meanNs],
      ['Median', many.medianNs],
      ['p95', many.p95Ns],
      ['Min', many.minNs],
      ['Max', many.maxNs],
    ] as const)
      await expect(others.locator(`dt:text-is("${name}") + dd`)).toHaveAttribute('data-ns', String(ns))
    await expect(others.getByRole('img', { name: new RegExp(`Durations of ${num(many.count)} slices`) })).toBeVisible()
    /** Presses a button of the way to the others; one that leads to where we are cannot be pressed. */
    const lead = async (name: string): Promise<void> => {
      const button = others.getByRole('button', { name })
      await expect(others).toHaveAttribute('data-index', /\d/)
      if (await button.isEnabled()) await button.click()
    }
    await lead('First')
    await expect(others).toHaveAttribute('data-index', '0')
    await page.keyboard.press('.')
    await expect(others).toHaveAttribute('data-index', '1')
    await page.keyboard.press('.')
    await expect(others).toHaveAttribute('data-index', '2')
    await page.keyboard.press(',')
    await expect(others).toHaveAttribute('data-index', '1')
    await lead('Longest')
    await expect(details.locator('.hero .exact')).toHaveText(duration(many.maxNs))
    await others.getByRole('button', { name: 'Shortest' }).click()
    await expect(details.locator('.hero .exact')).toHaveText(duration(many.minNs))
    await drawer.getByRole('searchbox', { name: 'Filter names' }).fill('')
  })

  await test.step('children of a slice lead to themselves', async () => {
    const children = details.getByTestId('children')
    await expect(children.getByRole('listitem').first()).toBeVisible()
    const first = children.getByRole('button').first()
    const name = ((await first.getAttribute('title')) ?? '').replace(/^Select /, '')
    await first.click()
    await expect(details.locator('.hero .big')).toHaveAttribute('title', name)
  })

  const steps = view.steps.filter(s => s.group === 0).sort((a, b) => a.start - b.start)
  const clipped = (s: (typeof steps)[number]): Stats => stats('name', '--from', unix(s.start), '--to', unix(s.start + s.duration))

  await test.step('a step is shown, its range is counted and its facts are told', async () => {
    await drawer.getByRole('tab', { name: 'Steps' }).click()
    const row = grid.locator('[role=row]', { hasText: steps[1].name })
    await expect(row).toContainText(duration(steps[1].duration))
    await expect(row.getByText('%')).toBeVisible()
    await row.getByText(steps[1].name).click()
    await expect(details.locator('.hero .big')).toHaveText(duration(steps[1].duration))
    const range: RangeAnswer = await client.request('trace.range', {
      session,
      group: 0,
      start: steps[1].start,
      end: steps[1].start + steps[1].duration,
      lane: 'test',
    })
    expect(range.cores.length).toBeGreaterThan(0)
    expect(range.memory.length).toBeGreaterThan(0)
    await expect(details.locator('.cores li')).toHaveCount(range.cores.length)
    await details.getByRole('button', { name: 'Statistics' }).click()
    await expect(drawer.getByRole('radio', { name: 'Selected range' })).toBeChecked()
    const facts = drawer.getByTestId('range-facts')
    const own = clipped(steps[1])
    const tracks = stats('track', '--from', unix(range.start), '--to', unix(range.end)).rows
    for (const c of range.cores) {
      await expect(facts).toContainText(`${c.name} busy${num((100 * (c.busyNs ?? NaN)) / c.knownNs, 1)}`)
      // What runs on a core is what its track covers.
      expect(
        tracks.some(r => r.wallNs === c.busyNs),
        c.name,
      ).toBe(true)
    }
    for (const m of range.memory) await expect(facts).toContainText(`${memory(m.startBytes ?? NaN)} → ${memory(m.endBytes ?? NaN)}`)
    await expect(counts).toHaveText(`${num(own.rows.length)} rows`)
    await expect(drawer.getByTestId('stats-counted')).toHaveAttribute('data-slices', String(own.slices))
    const file = await saved(page, drawer)
    for (const r of own.rows) {
      const line = file.find(l => l['key'] === r.key)
      expect([line?.['count'], line?.['total_ns'], line?.['self_ns'], line?.['wall_ns']], r.key).toEqual(
        [r.count, r.totalNs, r.selfNs, r.wallNs].map(String),
      )
    }
    // A slice of the range is looked at: the range stays the subject until the selection is cleared.
    await grid.locator('.dt-body [role=row]').first().click()
    await expect(details.locator('.slice-details')).toBeVisible()
    await expect(drawer.getByRole('radio', { name: 'Selected range' })).toBeChecked()
    await page.keyboard.press('Escape')
    await expect(drawer.getByRole('radio', { name: 'Everything' })).toBeChecked()
    await drawer.getByRole('radio', { name: 'Window' }).check()
    await expect(drawer.getByTestId('stats-scope')).toHaveText(/ms to /)
  })

  await test.step('two steps compared by name', async () => {
    await drawer.getByRole('tab', { name: 'Steps' }).click()
    await drawer.getByRole('radio', { name: `${steps[2].name} is A` }).check()
    await drawer.getByRole('radio', { name: `${steps[0].name} is B` }).check()
    await drawer.getByRole('button', { name: 'Compare A with B' }).click()
    const [a, b] = [clipped(steps[2]), clipped(steps[0])]
    // The steps' own slices have a name each and are left out.
    const keys = new Set([...a.rows, ...b.rows].map(r => r.key).filter(k => k !== steps[0].name && k !== steps[2].name))
    await expect(counts).toHaveText(`${num(keys.size)} rows`)
    const file = await saved(page, drawer)
    expect(file.length).toBe(keys.size)
    for (const line of file) {
      const [x, y] = [a, b].map(s => s.rows.find(r => r.key === line['name']))
      expect([line['count_a'], line['count_b'], line['total_ns_a'], line['total_ns_b']]).toEqual(
        [x?.count, y?.count, x?.totalNs, y?.totalNs].map(v => (v === undefined ? '' : String(v))),
      )
      expect(Number(line['difference_ns'])).toBeCloseTo((y?.totalNs ?? 0) - (x?.totalNs ?? 0), 3)
    }
    const sizes = file.map(l => Math.abs(Number(l['difference_ns'])))
    expect(sizes).toEqual([...sizes].sort((p, q) => q - p))
    await drawer.getByRole('button', { name: 'Swap A and B' }).click()
    await expect(drawer.getByRole('combobox', { name: 'Step A' })).toContainText(steps[0].name)
  })
  client.close()

  await test.step('no axe violation in both themes, wide and small', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    for (const theme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await clean(page, `comparison, ${theme}`)
      await drawer.getByRole('radio', { name: 'Steps', exact: true }).check()
      await grid.locator('[role=row]', { hasText: steps[0].name }).getByText(steps[0].name).click()
      await clean(page, `steps and details of a range, ${theme}`)
      await drawer.getByRole('tab', { name: 'Statistics' }).click()
      await expect(drawer.getByTestId('range-facts')).toBeVisible()
      await grid.locator('.dt-body [role=row]').nth(2).click()
      await expect(details.getByTestId('occurrences')).toHaveAttribute('data-count', /\d/)
      await clean(page, `statistics and details of a slice, ${theme}`)
      await drawer.getByRole('tab', { name: 'Steps' }).click()
      await drawer.getByRole('radio', { name: 'Compare' }).check()
    }
    await page.setViewportSize({ width: 1000, height: 700 })
    await drawer.getByRole('tab', { name: 'Statistics' }).click()
    await clean(page, 'small')
  })
})
