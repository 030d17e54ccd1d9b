/** The options of `export` as typed, checked. */
import type { ParseArgsOptionsConfig } from 'node:util'
import { GROUPINGS, type Grouping } from '../../shared/trace-api'

export const VIEWS = ['timeline', 'allocator', 'hbm', 'both'] as const
export type View = (typeof VIEWS)[number]

/** What is written: a picture of pixels, one of shapes, or the events of the timeline. */
export type Format = 'png' | 'svg' | 'json'

export interface ExportOptions {
  /** File that is written, as typed. */
  readonly out: string
  /** By the end of its name; PNG where that tells nothing. */
  readonly format: Format
  /** null: the timeline where there is a trace, else the allocator. */
  readonly view: View | null
  /** Unix ns, both or none. `from` is shown, `to` is the first that is not. */
  readonly range: { readonly from: bigint; readonly to: bigint } | null
  readonly width: number
  /** null: what the content needs. */
  readonly height: number | null
  readonly theme: 'light' | 'dark'
  readonly rank: number | null
  readonly device: number | null
  /** Number of the HBM; null: the first one of the device. */
  readonly hbm: number | null
  readonly grouping: Grouping
  /** Only tracks whose row has these words; null for all. */
  readonly filter: string | null
  /** Folder of the session, relative to PATH. */
  readonly session: string | null
}

/** Sizes of a picture in px. The area is that of the largest picture that the analysis makes. */
export const SIZE = { defaultWidth: 2560, minWidth: 320, minHeight: 240, max: 16_384, maxArea: 2 ** 26 } as const

export const EXPORT_OPTIONS = {
  out: { type: 'string' },
  view: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  width: { type: 'string' },
  height: { type: 'string' },
  theme: { type: 'string' },
  rank: { type: 'string' },
  device: { type: 'string' },
  hbm: { type: 'string' },
  grouping: { type: 'string' },
  filter: { type: 'string' },
  session: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig

/** Checks the values of the options. Throws what `wrong` makes of a sentence for the user. */
export function exportOptions(values: Readonly<Record<string, unknown>>, wrong: (message: string) => Error): ExportOptions {
  const text = (name: keyof typeof EXPORT_OPTIONS): string | null => {
    const v = values[name]
    return typeof v === 'string' ? v : null
  }
  const oneOf = <T extends string>(name: 'view' | 'theme' | 'grouping', allowed: readonly T[]): T | null => {
    const v = text(name)
    const found = allowed.find(a => a === v)
    if (v !== null && found === undefined) throw wrong(`--${name} takes ${allowed.join(' or ')}, not ${quoted(v)}`)
    return found ?? null
  }
  const whole = (name: 'width' | 'height' | 'rank' | 'device' | 'hbm', least: number, most: number): number | null => {
    const v = text(name)
    if (v === null) return null
    if (!/^\d{1,9}$/.test(v) || Number(v) < least || Number(v) > most)
      throw wrong(`--${name} takes a whole number from ${least} to ${most}, not ${quoted(v)}`)
    return Number(v)
  }
  const time = (name: 'from' | 'to'): bigint | null => {
    const v = text(name)
    if (v === null) return null
    if (!/^\d{1,20}$/.test(v)) throw wrong(`--${name} takes Unix nanoseconds as a whole number, not ${quoted(v)}`)
    return BigInt(v)
  }
  const out = text('out')
  if (!out) throw wrong('export needs --out FILE.png, FILE.svg or FILE.json')
  const [from, to] = [time('from'), time('to')]
  if ((from === null) !== (to === null)) throw wrong('--from and --to belong together: give both or none')
  if (from !== null && to !== null && from >= to) throw wrong('--from must be earlier than --to')
  const width = whole('width', SIZE.minWidth, SIZE.max) ?? SIZE.defaultWidth
  const height = whole('height', SIZE.minHeight, SIZE.max)
  if (height !== null && width * height > SIZE.maxArea)
    throw wrong(`a picture has at most ${SIZE.maxArea} pixels; make it narrower or lower`)
  const format = /\.svg$/i.test(out) ? 'svg' : /\.json$/i.test(out) ? 'json' : 'png'
  const view = oneOf('view', VIEWS)
  if (format === 'json' && view !== null && view !== 'timeline')
    throw wrong('a .json file has the events of the timeline; --view belongs to pictures')
  return {
    out,
    format,
    view,
    range: from === null || to === null ? null : { from, to },
    width,
    height,
    theme: oneOf('theme', ['light', 'dark'] as const) ?? 'light',
    rank: whole('rank', 0, 2 ** 20),
    device: whole('device', 0, 2 ** 16),
    hbm: whole('hbm', 0, 2 ** 16),
    grouping: oneOf('grouping', GROUPINGS) ?? 'default',
    filter: text('filter'),
    session: text('session'),
  }
}

const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

/**
 * Device pixels per CSS px. Text and lines keep the proportion that they have in the Export dialog (1,280 CSS px over the width), in whole steps, so that
 * every edge of the layout is a whole pixel; a low picture is drawn finer, so that its plot is not all frame.
 */
export function scaleOf(width: number, height: number | null): number {
  const wide = Math.max(1, Math.round(width / 1280))
  return height === null ? wide : Math.max(1, Math.min(wide, Math.floor(height / 360)))
}
