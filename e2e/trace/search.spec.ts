/** Search and gaps: counts are those of the command line, hits are stepped through and lit, gaps lead to their place. One start of the program for all of it. */
import { readFileSync } from 'node:fs'
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { num } from '../../src/shared/format'
import { expect, test } from '../fixture'
import { cliJson, makeSample, settled } from '../helpers'

interface Search {
  readonly total: number
  readonly hits: readonly { readonly id: string; readonly name: string; readonly startNs: string; readonly where: string }[]
  readonly tracks: readonly { readonly track: string; readonly hits: number }[]
}
interface Gaps {
  readonly total: number
  readonly gaps: readonly {
    readonly core: string
    readonly startNs: string
    readonly lengthNs: number
    readonly before: { readonly id: string; readonly name: string; readonly startNs: string }
    readonly after: { readonly id: string }
  }[]
  readonly cores: readonly {
    readonly core: string
    readonly idleNs: number
    readonly busyNs: number
    readonly knownNs: number
    readonly gaps: number
  }[]
}

async function clean(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).include('[data-testid=drawer]').analyze()
  expect(violations.map(v => `${what}: ${v.id} at ${v.nodes.map(n => n.target.join(' ')).join(', ')}`)).toEqual([])
}

/** Unix ns of the start of the slice in the details. */
const startOf = async (page: Page): Promise<string> =>
  ((await page.locator('.slice-details dd[title*="since 1970"]').getAttribute('title')) ?? '').replace(/\D/g, '').replace(/1970$/, '')

/** Pixels of the trace that have the colour of hits, of both themes' pins. */
const litPixels = (page: Page): Promise<number> =>
  page
    .locator('.trace-plot canvas')
    .first()
    .evaluate((c: HTMLCanvasElement) => {
      const k = c.width / c.clientWidth
      const left = Math.round(162 * k)
      const data = c
        .getContext('2d')
        ?.getImageData(left, Math.round(90 * k), c.width - left - Math.round(14 * k), c.height - Math.round(90 * k)).data
      let n = 0
      const pixels = new Uint32Array(data?.buffer ?? new ArrayBuffer(0))
      for (const p of pixels) if (p === 0xffffffff) n++
      return n
    })

test('search and gaps', async ({ open }) => {
  const root = makeSample({ ranks: 1, steps: 1 })
  const search = (text: string, ...more: readonly string[]): Search => cliJson<Search>('search', root, text, ...more)
  const { page, shell } = await open(root)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await expect(page.getByRole('application', { name: /^System Trace/ })).toBeVisible()
  await settled(page)
  const drawer = page.getByTestId('drawer')
  const field = drawer.getByRole('searchbox', { name: 'Search events' })
  const count = page.getByTestId('search-count')
  const total = (n: number): Promise<void> => expect(count).toHaveAttribute('data-total', String(n))

  await test.step('a key leads to the field; hits are counted as by the command line and lit', async () => {
    const before = await litPixels(page)
    await page.keyboard.press('/')
    await expect(field).toBeFocused()
    await page.keyboard.type('aten::linear')
    const wanted = search('aten::linear', '--in', 'names,args')
    await total(wanted.total)
    await expect(count).toHaveText(`${num(wanted.total)} hits`)
    await expect(page.getByRole('grid', { name: 'Hits' }).getByRole('row')).not.toHaveCount(1)
    await expect.poll(() => litPixels(page)).toBeGreaterThan(before + 200)
    await clean(page, 'search')
  })

  await test.step('Enter and F3 step through them, Shift goes back, behind the last comes the first', async () => {
    const { hits, total: n } = search('aten::linear', '--in', 'names,args', '--limit', '100000')
    await page.keyboard.press('Enter')
    await expect(count).toHaveText(`1 of ${num(n)}`)
    await expect(page.locator('.slice-details .hero .big')).toHaveAttribute('title', hits[0].name)
    expect(await startOf(page)).toBe(hits[0].startNs)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('application', { name: /^System Trace/ })).toBeFocused()
    await page.keyboard.press('F3')
    await expect(count).toHaveText(`2 of ${num(n)}`)
    await expect.poll(() => startOf(page)).toBe(hits[1].startNs)
    await page.keyboard.press('Shift+F3')
    await page.keyboard.press('Shift+F3')
    await expect(count).toHaveText(`${num(n)} of ${num(n)}`)
    await expect.poll(() => startOf(page)).toBe(hits[n - 1].startNs)
    await page.keyboard.press('F3')
    await expect(count).toHaveText(`1 of ${num(n)}`)
  })

  await test.step('case, regular expressions and where to look', async () => {
    await drawer.getByRole('button', { name: 'Match case' }).click()
    await field.fill('Aten::linear')
    await total(0)
    await expect(page.getByText('Nothing matches “Aten::linear”.')).toBeVisible()
    await drawer.getByRole('button', { name: 'Regular expression' }).click()
    await field.fill('^aten::(linear|add)$')
    await drawer.getByRole('checkbox', { name: 'Args' }).uncheck()
    await total(search('^aten::(linear|add)$', '--regex', '--case', '--in', 'names').total)
    await field.fill('aten::(linear')
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    await expect(page.locator('.dt-empty')).toContainText('Not a regular expression that can be searched for: missing closing )')
    // One that would run forever elsewhere is answered.
    await drawer.getByRole('checkbox', { name: 'Args' }).check()
    await field.fill('(x+x+)+y$')
    await total(search('(x+x+)+y$', '--regex', '--case', '--in', 'names,args').total)
    await drawer.getByRole('checkbox', { name: 'Names' }).uncheck()
    await field.fill('"Sequence number": ?\\d')
    await total(search('"Sequence number": ?\\d', '--regex', '--case', '--in', 'args').total)
    await expect(page.getByRole('grid', { name: 'Hits' }).locator('mark').first()).toContainText('"Sequence number"')
    await drawer.getByRole('checkbox', { name: 'Args' }).uncheck()
    await drawer.getByRole('checkbox', { name: 'Stacks' }).check()
    await drawer.getByRole('button', { name: 'Regular expression' }).click()
    await field.fill('loader.py')
    await total(search('loader.py', '--case', '--in', 'stacks').total)
  })

  await test.step('visible tracks only', async () => {
    await drawer.getByRole('checkbox', { name: 'Names' }).check()
    await field.fill('aten::')
    const { tracks, total: n } = search('aten::', '--case', '--in', 'names,stacks')
    await total(n)
    const most = [...tracks].filter(t => t.track.includes('/TID:')).sort((a, b) => b.hits - a.hits)[0]
    await page.getByRole('searchbox', { name: 'Filter tracks' }).fill(most.track.slice(most.track.indexOf('TID:')))
    await drawer.getByRole('checkbox', { name: 'Visible tracks only' }).check()
    await total(most.hits)
    await page.getByRole('searchbox', { name: 'Filter tracks' }).fill('')
    await total(n)
    await drawer.getByRole('checkbox', { name: 'Visible tracks only' }).uncheck()
  })

  const gaps = cliJson<Gaps>('gaps', root)
  const list = page.getByRole('grid', { name: 'Gaps' })
  await test.step('gaps are those of the command line', async () => {
    await drawer.getByRole('tab', { name: 'Gaps' }).click()
    const cores = page.getByTestId('gap-cores').getByRole('button')
    await expect(cores).toHaveCount(gaps.cores.length)
    for (const [i, c] of gaps.cores.entries())
      for (const [name, value] of Object.entries({ core: c.core, idle: c.idleNs, busy: c.busyNs, known: c.knownNs }))
        await expect(cores.nth(i)).toHaveAttribute(`data-${name}`, String(value))
    // The bar of each share stands free between its figure and the table.
    const [bar, figure, table] = await Promise.all(
      [cores.first().locator('.share'), cores.first().locator('.num'), list].map(async l => l.boundingBox()),
    )
    if (!bar || !figure || !table) throw new Error('nothing to measure')
    expect(bar.height).toBeGreaterThanOrEqual(4)
    expect(bar.y - (figure.y + figure.height)).toBeGreaterThanOrEqual(2)
    expect(table.y - (bar.y + bar.height)).toBeGreaterThanOrEqual(4)
    await expect(list.getByRole('row').nth(1)).toContainText(gaps.gaps[0].core)
    await expect(list.getByRole('gridcell').nth(2)).toHaveAttribute('title', `${num(gaps.gaps[0].lengthNs)} ns`)
    await clean(page, 'gaps')
    const min = gaps.gaps[3].lengthNs
    await drawer.getByRole('textbox', { name: 'Shortest gap that is listed' }).fill(`${min} ns`)
    await expect(page.getByTestId('table-counts')).toHaveText(`${num(cliJson<Gaps>('gaps', root, '--min', String(min)).total)} gaps`)
  })

  await test.step('a click selects the gap and shows it, a name leads to its event', async () => {
    await list.getByRole('gridcell').nth(2).click()
    await expect(
      page
        .getByRole('complementary')
        .getByText(`${num(gaps.gaps[0].lengthNs)} ns`)
        .first(),
    ).toBeVisible()
    await list.getByRole('row').nth(1).getByRole('button', { name: gaps.gaps[0].before.name }).first().click()
    await expect.poll(() => startOf(page)).toBe(gaps.gaps[0].before.startNs)
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await clean(page, 'gaps in light')
    await drawer.getByRole('tab', { name: 'Search' }).click()
    await clean(page, 'search in light')
  })

  if (shell === 'browser')
    await test.step('gaps as CSV', async () => {
      await drawer.getByRole('tab', { name: 'Gaps' }).click()
      const saved = page.waitForEvent('download')
      await drawer.getByRole('button', { name: 'CSV' }).click()
      const csv = readFileSync(await (await saved).path(), 'utf8')
        .trimEnd()
        .split(/\r?\n/)
      const times = ['start_unix_ns', 'start_ns_from_origin', 'length_ns']
      const events = ['event_before', 'event_after', 'host_names_ns', 'event_before_id', 'event_after_id']
      expect(csv[0].split(',')).toEqual(['core', ...times, ...events])
      expect([csv[1].split(',')[1], csv[1].split(',')[3]]).toEqual([gaps.gaps[0].startNs, String(gaps.gaps[0].lengthNs)])
      expect(csv[1].endsWith(`,${gaps.gaps[0].before.id},${gaps.gaps[0].after.id}`)).toBe(true)
    })

  if (shell === 'browser')
    await test.step('hits as CSV: all of them, with exact times and ids', async () => {
      await drawer.getByRole('tab', { name: 'Search' }).click()
      await drawer.getByRole('searchbox', { name: 'Search events' }).fill('e')
      const all = search('e', '--case', '--in', 'names,stacks', '--limit', '1000000')
      expect(all.total).toBeGreaterThan(1000)
      await expect(page.getByTestId('search-count')).toHaveAttribute('data-total', String(all.total))
      const saved = page.waitForEvent('download')
      await drawer.getByRole('button', { name: 'CSV' }).click()
      const [head, ...lines] = readFileSync(await (await saved).path(), 'utf8')
        .trimEnd()
        .split('\r\n')
      expect(head).toBe('number,name,where,text,track,start_unix_ns,start_ns_from_origin,duration_ns,id')
      expect(new Set(lines.map(l => l.slice(l.lastIndexOf(',') + 1))).size).toBe(all.total)
      expect(new Set(lines.map(l => l.slice(l.lastIndexOf(',') + 1)))).toEqual(new Set(all.hits.map(h => h.id)))
      for (const h of [all.hits[0], all.hits[all.total - 1]]) expect(lines.find(l => l.endsWith(`,${h.id}`))).toContain(`,${h.startNs},`)
    })
})
