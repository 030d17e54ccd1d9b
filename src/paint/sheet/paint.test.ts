import { describe, expect, it } from 'vitest'
import { recordingContext, testTheme } from '../../testing/theme'
import { placeLegend } from './layout'
import { paintSheet, sheetLayout, type ExportSheet } from './paint'

const sheet: ExportSheet = {
  width: 600,
  height: null,
  title: 'PyTorch active memory, rank 0',
  subtitle: 'run  ·  0.0 – 10.0 ms',
  trace: null,
  memory: null,
  legend: [
    { label: 'mlp.fc1', token: '--cat-1' },
    { label: 'start state', token: 'start' },
  ],
  sources: ['a_very_long_name_'.repeat(20) + '.pickle (1.0 MB)', 'trace.json'],
  program: 'Neuron Workbench 0.1.0',
}

describe('paintSheet', () => {
  it('writes title, range, legend, sources and program; long names end in an ellipsis inside the sheet', () => {
    const r = recordingContext()
    paintSheet(r.ctx, testTheme('light'), sheet)
    const texts = r.texts()
    for (const t of [sheet.title, sheet.subtitle, 'mlp.fc1', 'start state', sheet.program]) expect(texts).toContain(t)
    const sources = texts.find(t => t.startsWith('Sources: ')) ?? ''
    expect(sources.endsWith('…')).toBe(true)
    expect(sources.length * 6).toBeLessThanOrEqual(600 - 32)
  })

  it('is higher with a legend than without', () => {
    const { ctx } = recordingContext()
    expect(sheetLayout(ctx, testTheme(), sheet).height - sheetLayout(ctx, testTheme(), { ...sheet, legend: [] }).height).toBe(32)
  })

  it('keeps a given height, with legend and foot at its lower end', () => {
    const { ctx } = recordingContext()
    const layout = sheetLayout(ctx, testTheme(), { ...sheet, height: 500 })
    expect(layout).toMatchObject({ height: 500, foot: 466, legend: 446 })
  })
})

describe('placeLegend', () => {
  it('wraps entries into rows inside the sheet', () => {
    const placed = placeLegend(
      Array.from({ length: 30 }, (_, i) => ({ label: `group ${i}`, token: '--cat-1' })),
      400,
      s => s.length * 6,
    )
    expect(placed.at(-1)?.row).toBeGreaterThan(2)
    for (const p of placed) expect(p.x + 12 + p.width).toBeLessThanOrEqual(400 - 16)
  })
})
