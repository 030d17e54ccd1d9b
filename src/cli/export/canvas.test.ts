import { PNG } from 'pngjs'
import { expect, it } from 'vitest'
import { openCanvas } from './canvas'

it('draws strips out of a large canvas as the library itself would: cut, scaled and placed', async () => {
  const picture = await openCanvas()
  const [w, h] = [64, 200]
  const pixels = new Uint8ClampedArray(w * h * 4)
  for (let i = 0; i < w * h; i++) pixels.set([Math.floor(i / w), (i % w) * 3, 90, 255], i * 4)
  const source = picture.image(pixels, w, h)
  const drawn = PNG.sync.read(
    Buffer.from(
      await picture.png(64, 64, ctx => {
        // Two strips of one row stretched to eight, one strip moved, one wider than half the source.
        ctx.drawImage(source, 0, 7, w, 1, 0, 0, w, 8)
        ctx.drawImage(source, 0, 150, w, 2, 0, 8, w, 2)
        ctx.drawImage(source, 10, 20, 4, 4, 30, 16, 4, 4)
        ctx.drawImage(source, 0, 0, w, 120, 0, 24, w, 40)
      }),
    ),
  )
  const at = (x: number, y: number): readonly number[] => [...drawn.data.subarray((y * 64 + x) * 4, (y * 64 + x) * 4 + 4)]
  for (const x of [0, 31, 63]) {
    for (const y of [0, 4, 7]) expect(at(x, y)).toEqual([7, x * 3, 90, 255])
    expect(at(x, 8)).toEqual([150, x * 3, 90, 255])
    expect(at(x, 9)).toEqual([151, x * 3, 90, 255])
  }
  expect(at(32, 18)).toEqual([22, 36, 90, 255])
  expect(at(29, 18)).toEqual([0, 0, 0, 0])
  expect(at(10, 44)[3]).toBe(255)
})
