/** Dependencies: neighbours in the details, tables, keys, arrows, and the way to the NEFF that ran. One start of the program for all of it. */
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { duration } from '../../src/shared/format'
import { expect, test } from '../fixture'
import { cliJson, makeSample, settled } from '../helpers'

interface ChainEvent {
  readonly id: string
  readonly name: string
  readonly layer: string
  readonly durNs: number | null
}
interface Chain {
  readonly event: ChainEvent
  readonly upstream: readonly { readonly from: ChainEvent; readonly to: ChainEvent }[]
  readonly downstream: readonly { readonly from: ChainEvent; readonly to: ChainEvent }[]
  readonly deviceNs: number | null
  readonly model: { readonly modelId: string; readonly neffs: readonly { readonly path: string }[] } | null
}

async function clean(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  expect(violations.map(v => `${what}: ${v.id} at ${v.nodes.map(n => n.target.join(' ')).join(', ')}`)).toEqual([])
}

/** Pixels over the tracks that have the colour of the arrows. */
const arrowPixels = (page: Page): Promise<number> =>
  page
    .locator('.trace-plot canvas')
    .last()
    .evaluate((c: HTMLCanvasElement) => {
      const flow = getComputedStyle(c).getPropertyValue('--flow').trim()
      const [r, g, b] = [1, 3, 5].map(i => parseInt(flow.slice(i, i + 2), 16))
      const data = c.getContext('2d')?.getImageData(0, 0, c.width, c.height).data ?? new Uint8ClampedArray(0)
      let n = 0
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3] === 255 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 12) n++
      return n
    })

const base = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

test('dependencies of an operator', async ({ open }) => {
  const root = makeSample({ ranks: 1, steps: 1 })
  const chain = (id: string): Chain => cliJson<Chain>('chain', root, '--event', id)
  const op = cliJson<Chain>('chain', root, '--name', 'aten::linear')
  const { page } = await open(root, { size: { width: 1600, height: 1300 } })
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await expect(page.getByRole('application', { name: /^System Trace/ })).toBeVisible()
  await settled(page)
  const details = page.getByRole('complementary', { name: 'Details' })
  const title = details.locator('.hero .big')
  const drawer = page.getByTestId('drawer')
  const own = details.getByRole('region', { name: 'Dependencies' })

  await test.step('an aten op is selected: neighbours, device time and model are those of the command line, arrows are drawn', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('aten::linear')
    const hit = page.getByRole('grid', { name: 'Hits' }).getByRole('row').filter({ hasText: 'aten::linear' }).first()
    await hit.click()
    await expect(title).toHaveText('aten::linear')
    await expect(own).toHaveAttribute('aria-busy', 'false')
    await expect(own.getByText(duration(op.deviceNs ?? NaN))).toBeVisible()
    await expect(own.getByRole('list', { name: 'Downstream' }).getByRole('button')).toHaveCount(
      op.downstream.filter(l => l.from.id === op.event.id).length,
    )
    await expect(own.getByTestId('chain-model')).toContainText(op.model?.modelId ?? '')
    // Centred, then fitted.
    await page.keyboard.press('f')
    await page.keyboard.press('f')
    await expect.poll(() => arrowPixels(page)).toBeGreaterThan(40)
  })

  await test.step('the tables list the whole chain, nc_exec_running with it; a click goes there', async () => {
    await own.getByRole('button', { name: 'Table' }).click()
    const down = drawer.getByRole('grid', { name: 'Downstream events' })
    await expect(drawer.getByRole('region', { name: 'Downstream' }).getByTestId('table-counts')).toHaveText(`${op.downstream.length} links`)
    await expect(drawer.getByRole('region', { name: 'Upstream' }).getByTestId('table-counts')).toHaveText(`${op.upstream.length} links`)
    await clean(page, 'chain')
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => arrowPixels(page)).toBeGreaterThan(40)
    await clean(page, 'chain, light')
    await page.emulateMedia({ colorScheme: 'dark' })
    await down.getByRole('row').filter({ hasText: 'nc_exec_running' }).first().click()
    await expect(title).toHaveText('nc_exec_running')
    // What waited for it depends on it; nothing that caused it does.
    await expect(drawer.getByRole('grid', { name: 'Downstream events' })).toContainText('kbl_exec_wait')
    await expect(drawer.getByRole('grid', { name: 'Upstream events' })).not.toContainText('kbl_exec_wait')
    await expect(drawer.getByRole('grid', { name: 'Upstream events' }).getByRole('row').filter({ hasText: op.event.id })).toHaveCount(1)
    await expect.poll(() => arrowPixels(page)).toBeGreaterThan(40)
  })

  await test.step('keys follow it up to the operator and down again', async () => {
    const run = op.downstream.find(l => l.to.name === 'nc_exec_running')?.to as ChainEvent
    let at = chain(run.id)
    for (let i = 0; i < 12 && at.event.name !== 'aten::linear'; i++) {
      const up = at.upstream[0]?.from as ChainEvent
      await page.keyboard.press('[')
      await expect(title).toHaveText(up.name)
      at = chain(up.id)
    }
    expect(at.event.id).toBe(op.event.id)
    await page.keyboard.press(']')
    await expect(title).toHaveText(op.downstream[0]?.to.name ?? '')
  })

  await test.step('the NEFF that ran opens in the details', async () => {
    const neff = base(op.model?.neffs[0]?.path ?? '')
    await own.getByRole('button', { name: `Show NEFF ${neff}` }).click()
    await expect(details.getByRole('heading', { name: 'File details' })).toBeVisible()
    await expect(details).toContainText(neff)
    await expect.poll(() => arrowPixels(page)).toBe(0)
    await expect(drawer).toContainText('No event is selected')
  })

  await test.step('what has no link says why', async () => {
    await page.keyboard.press('/')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('nrt_load')
    await page.getByRole('grid', { name: 'Hits' }).getByRole('row').filter({ hasText: 'nrt_load' }).first().click()
    await expect(title).toHaveText('nrt_load')
    await expect(own).toContainText('carries no sequence id')
  })
})
