import { describe, expect, it } from 'vitest'
import { rgba } from '../theme'
import { hueOf, HUES, MODULE, paletteOf, PHASE, pixel, STEP, styleOf, STYLES, styleTokens, WAIT } from './style'
import fc from 'fast-check'
import { CATEGORIES } from '../theme'
import { columns } from './testing'
import { testTheme } from '../../testing/theme'
import { distance, VISIONS } from '../../testing/vision'

/** Contrast ratio of WCAG 2. */
function contrast(a: string, b: string): number {
  const l = (c: string): number => {
    const [r, g, v] = rgba(c)
      .slice(0, 3)
      .map(x => x / 255)
      .map(x => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * v
  }
  const [x, y] = [l(a), l(b)].sort((p, q) => q - p)
  return (x + 0.05) / (y + 0.05)
}

describe('colours of slices', () => {
  it('keeps steps, phases, modules and waits grey', () => {
    expect(styleOf('ProfilerStep#3', 'user_annotation')).toBe(STEP)
    expect(styleOf('ProfilerStep*', 'cpu_op')).toBe(STEP)
    expect(styleOf('forward', 'user_annotation')).toBe(PHASE)
    expect(styleOf('train.py(12): step', 'python_function')).toBe(MODULE)
    expect(styleOf('nn.Module: Linear_0', 'cpu_op')).toBe(MODULE)
    expect(styleOf('cudaDeviceSynchronize', 'cuda_runtime')).toBe(WAIT)
    expect(styleOf('nrt_async_sema_wait', 'neuron_rt')).toBe(WAIT)
    expect(styleOf('Lazy Function Loading', 'overhead')).toBe(WAIT)
  })

  it('does not take a part of a word for waiting', () => {
    for (const name of ['aten::await_ready', 'aten::waiter', 'kernel_waitless'])
      expect(styleOf(name, 'cpu_op')).toBeGreaterThanOrEqual(HUES)
  })

  it('gives operators a hue that depends on the name alone', () => {
    expect(styleOf('aten::addmm', 'cpu_op')).toBe(styleOf('aten::addmm', 'kernel'))
    expect(styleOf('aten::addmm', 'cpu_op')).toBe(HUES + hueOf('aten::addmm'))
    const hues = new Set(Array.from({ length: 200 }, (_, i) => hueOf(`op${i}`)))
    expect(hues.size).toBe(10)
  })

  it.each(['dark', 'light'] as const)('has an ink with at least 4.5:1 on every fill (%s)', name => {
    const t = testTheme(name)
    for (let s = 0; s < STYLES; s++) {
      const [fill, ink] = styleTokens(s)
      expect(contrast(t.token(fill), t.token(ink)), `${fill} ${ink}`).toBeGreaterThanOrEqual(4.5)
    }
  })

  it('gives a name the same colour whatever stands beside it', () => {
    const name = fc.string({ minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(name, fc.array(name, { maxLength: 20 }), (one, others) => {
        const alone = columns([{ from: 0, duration: 1, name: one }]).style[0]
        const all = [...others, one]
        const among = columns(all.map((n, k) => ({ from: k * 2, duration: 1, name: n })))
        expect(among.style[all.length - 1]).toBe(alone)
      }),
    )
  })

  it.each((['dark', 'light'] as const).flatMap(theme => VISIONS.map(vision => [theme, vision] as const)))(
    'keeps the categorical colours apart, on %s under %s',
    (theme, vision) => {
      const t = testTheme(theme)
      for (let a = 1; a <= CATEGORIES; a++)
        for (let b = a + 1; b <= CATEGORIES; b++)
          expect(distance(t.token(`--cat-${a}`), t.token(`--cat-${b}`), vision), `${a} and ${b}`).toBeGreaterThan(
            vision === 'normal' ? 11 : 6,
          )
    },
  )

  it('writes pixels in the order of an ImageData', () => {
    expect(pixel('#112233')).toBe(0xff332211)
    expect(pixel('rgb(17 34 51 / .5)')).toBe(0x80332211)
    expect(paletteOf(testTheme('dark')).pixel).toHaveLength(STYLES)
  })
})
