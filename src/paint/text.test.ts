import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { recordingContext } from '../testing/theme'
import { fitName } from './text'

const { ctx } = recordingContext()
/** A letter is 6 px wide. */
const widthOf = (s: string): number => s.length * 6
const fitted = (name: string, letters: number): string => fitName(ctx, name, letters * 6, widthOf)

describe('names of slices in little room', () => {
  it('stand whole where they fit', () => expect(fitted('torch._dynamo.eval_frame', 24)).toBe('torch._dynamo.eval_frame'))
  it('lose what stands before the telling part, then their end', () => {
    expect(fitted('aten::linear', 8)).toBe('linear')
    expect(fitted('aten::convolution_overrideable', 10)).toBe('convoluti…')
  })
  it('keep begin and end where they are paths', () => {
    expect(fitted('torch._dynamo.eval_frame._fn', 11)).toBe('torch…e._fn')
    expect(fitted('model/layers/attention.py', 12)).toBe('model/…on.py')
    // One dot makes no path.
    expect(fitted('attention.forward_fused', 12)).toBe('attention.f…')
  })
  it('never are wider than their room, and are nothing where nothing would be told', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.nat(60), (name, letters) => {
        const out = fitted(name, letters)
        expect(out.length).toBeLessThanOrEqual(Math.max(letters, 0))
        if (out !== name && out !== '') expect(out.length).toBeGreaterThanOrEqual(1)
      }),
    )
    expect(fitted('aten::convolution', 2)).toBe('')
  })
})
