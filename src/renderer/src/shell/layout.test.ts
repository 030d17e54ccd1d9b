import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DRAWER_MIN, drawerHeight } from '../drawer/state'
import { DEFAULT_LAYOUT, HEAD, readLayout, sharePanels, SPLITTER, WITH_TABLES } from './layout'

it('takes a kept layout within its bounds and nothing else', () => {
  expect(readLayout(null)).toEqual(DEFAULT_LAYOUT)
  expect(readLayout('not json')).toEqual(DEFAULT_LAYOUT)
  expect(readLayout('[1]')).toEqual(DEFAULT_LAYOUT)
  expect(readLayout('null')).toEqual(DEFAULT_LAYOUT)
  expect(readLayout('{"side":300,"details":9999,"split":"x"}')).toEqual({ ...DEFAULT_LAYOUT, side: 300 })
})

describe('the panels of the centre', () => {
  const heights = fc.integer({ min: 320, max: 2000 })
  const splits = fc.double({ min: 0.05, max: 0.95, noNaN: true })
  it('are both there as long as the tables are closed', () => {
    fc.assert(
      fc.property(heights, splits, fc.boolean(), (height, split, empty) => {
        const { folded, trace } = sharePanels(height, split, { tables: false, empty })
        expect(folded).toBe(false)
        expect(trace).toBeGreaterThanOrEqual(160)
        if (height >= 326) expect(height - SPLITTER - trace).toBeGreaterThanOrEqual(160)
      }),
    )
  })
  it('leave the tracks their room when the tables open: a low or empty Memory Viewer is its head', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 440, max: 2000 }),
        splits,
        fc.boolean(),
        fc.option(fc.integer({ min: -50, max: 3000 })),
        (room, split, empty, kept) => {
          const above = WITH_TABLES.trace + HEAD + SPLITTER
          const drawer = drawerHeight(kept, room, above)
          expect(drawer).toBeGreaterThanOrEqual(DRAWER_MIN)
          const height = room - SPLITTER - drawer
          const { folded, trace } = sharePanels(height, split, { tables: true, empty })
          expect(trace).toBeGreaterThanOrEqual(WITH_TABLES.trace)
          expect(height - trace).toBeGreaterThanOrEqual(HEAD)
          if (empty) expect(folded).toBe(true)
          if (!folded) expect(height - SPLITTER - trace).toBeGreaterThanOrEqual(WITH_TABLES.memory)
        },
      ),
    )
  })
  it('fold in a small window, and not in a large one', () => {
    const folds = (room: number): boolean =>
      sharePanels(room - SPLITTER - drawerHeight(null, room, 280), DEFAULT_LAYOUT.split, { tables: true, empty: false }).folded
    expect([folds(620), folds(820)]).toEqual([true, false])
    expect([drawerHeight(null, 620, 280), drawerHeight(null, 820, 280), drawerHeight(900, 620, 280)]).toEqual([211, 260, 340])
  })
})
