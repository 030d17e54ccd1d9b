/** What of instants reaches the pixels: painted with the canvas of the command line. */
import { createCanvas } from '@napi-rs/canvas'
import { describe, expect, it } from 'vitest'
import { testTheme } from '../../testing/theme'
import { rgba, type Context2D } from '../theme'
import { paintTrace, sections } from './scene'
import { columns, rowsOf, scene, track, type Event } from './testing'
import type { ScratchCanvas } from './scratch'

/** Colours of the bar's rows at plot x 0 .. 1000, as hex. */
function painted(events: readonly Event[], theme: 'dark' | 'light'): (time: number, dy: number) => string {
  const rows = rowsOf([track(1)])
  const s = scene({
    rows,
    slices: new Map([[1, columns(events)]]),
    canvas: (w, h) => createCanvas(w, h) as unknown as ScratchCanvas,
  })
  const canvas = createCanvas(s.width, s.height)
  const ctx = canvas.getContext('2d')
  paintTrace(ctx as unknown as Context2D, testTheme(theme), s)
  const row = rows.byTrack.get(1)
  const top = sections(s).rows + (row?.y ?? NaN) + 3
  return (time, dy) => [...ctx.getImageData(160 + time, top + dy, 1, 1).data.subarray(0, 3)].join(' ')
}
const of = (theme: 'dark' | 'light', token: string): string => rgba(testTheme(theme).token(token)).slice(0, 3).join(' ')

describe.each(['dark', 'light'] as const)('instants on slices, %s', theme => {
  const slice: Event = { from: 100, duration: 400, name: 'aten::mm' }

  it('stand on a slice of the same time, over the whole height of the bar', () => {
    const at = painted([slice, { from: 300, duration: 0, flag: 1 }], theme)
    const ink = of(theme, '--text-1')
    for (const dy of [8, 10, 12]) expect(at(300, dy), `row ${dy}`).toBe(ink)
    expect(at(320, 10)).not.toBe(ink)
  })
  it('stand on the very begin of a slice', () => {
    const at = painted([slice, { from: 100, duration: 0, flag: 1 }], theme)
    expect(at(100, 10)).toBe(of(theme, '--text-1'))
  })
  it('that stand close together are marks at the top of the bar', () => {
    const close = Array.from({ length: 20 }, (_, i): Event => ({ from: 300 + i, duration: 0, flag: 1 }))
    const at = painted([slice, ...close], theme)
    expect(at(310, 1)).toBe(of(theme, '--text-3'))
    expect(at(310, 10)).not.toBe(of(theme, '--text-3'))
    expect(at(400, 1)).not.toBe(of(theme, '--text-3'))
  })
})
