/**
 * Which colour a slice has. Steps, phases, modules and waits are grey, since they say where time was spent rather than what was done; operators, kernels and
 * runtime calls carry a hue that depends on their name alone, so that it is the same in every track, file and run.
 */
import { CATEGORIES, hashName, mix, rgba, type Theme } from '../theme'

/** Style numbers: 0..3 grey, then one per categorical colour. */
export const STEP = 0
export const PHASE = 1
export const MODULE = 2
export const WAIT = 3
export const HUES = 4
export const STYLES = HUES + CATEGORIES

/** Synchronisation calls of the runtimes and of collectives: the thread only waits. */
const WAITS = /synchronize|(^|[^a-z])wait(ing)?([^a-z]|$)|barrier|\bidle\b|\bsleep\b/i
const PHASE_CATEGORIES = new Set(['user_annotation', 'gpu_user_annotation', 'annotation'])
const MODULE_CATEGORIES = new Set(['python_function', 'module', 'nn_module', 'python'])

/** Style of a slice by its name and category, as PyTorch writes them (`cat` of Kineto traces). */
export function styleOf(name: string, category: string): number {
  if (/^ProfilerStep/.test(name)) return STEP
  if (PHASE_CATEGORIES.has(category)) return PHASE
  if (MODULE_CATEGORIES.has(category) || name.startsWith('nn.Module:')) return MODULE
  if (category === 'overhead' || WAITS.test(name)) return WAIT
  return HUES + hueOf(name)
}

/** Index 0..9 of the categorical colour of a name. */
export const hueOf = (name: string): number => hashName(name) % CATEGORIES

/** Token names of a style's fill and ink. */
export function styleTokens(style: number): readonly [fill: string, ink: string] {
  switch (style) {
    case STEP:
      return ['--slice-step', '--slice-ink']
    case PHASE:
      return ['--slice-phase', '--slice-ink']
    case MODULE:
      return ['--slice-module', '--slice-ink']
    case WAIT:
      return ['--slice-wait', '--slice-wait-ink']
    default:
      return [`--cat-${style - HUES + 1}`, `--cat-${style - HUES + 1}-ink`]
  }
}

/** 0xAABBGGRR of a colour: one pixel of an ImageData on the little-endian machines that Chromium runs on. */
export function pixel(color: string, alpha = 1): number {
  const [r, g, b, a] = rgba(color)
  return ((Math.round(a * alpha * 255) << 24) | (b << 16) | (g << 8) | r) >>> 0
}

export interface Palette {
  readonly fill: readonly string[]
  readonly ink: readonly string[]
  readonly pixel: Uint32Array
  /** Instants that stand close together; those with room get a head of their own. */
  readonly instant: number
}

const palettes = new WeakMap<Theme, Palette>()

/** Colours of all styles under a theme. */
export function paletteOf(theme: Theme): Palette {
  let p = palettes.get(theme)
  if (!p) {
    const tokens = Array.from({ length: STYLES }, (_, s) => styleTokens(s))
    const fill = tokens.map(([f]) => theme.token(f))
    p = {
      fill,
      ink: tokens.map(([, i]) => theme.token(i)),
      pixel: Uint32Array.from(fill, f => pixel(f)),
      instant: pixel(theme.token('--text-3')),
    }
    palettes.set(theme, p)
  }
  return p
}

/** Colours of a counter's lane: its line and the area under it. */
export function counterColors(theme: Theme, name: string): { readonly line: string; readonly area: string; readonly band: string } {
  const line = theme.token(`--cat-${hueOf(name) + 1}`)
  const ground = theme.token('--surface-0')
  return { line, area: mix(line, ground, 0.28), band: mix(line, ground, 0.55) }
}
