/** Where the window stood when it was closed. A damaged or outdated record is no error: the window then has its usual size. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as v from 'valibot'

export interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const whole = v.pipe(v.number(), v.integer(), v.minValue(-100_000), v.maxValue(100_000))
const record = v.object({ x: whole, y: whole, width: whole, height: whole, maximized: v.boolean() })
export type Placement = v.InferOutput<typeof record>

export const MIN_SIZE = { width: 900, height: 560 } as const
const USUAL = { width: 1440, height: 900 } as const

/** The recorded placement, null without a usable one. */
export function readPlacement(file: string): Placement | null {
  try {
    const parsed = v.safeParse(record, JSON.parse(readFileSync(file, 'utf8')))
    return parsed.success ? parsed.output : null
  } catch {
    return null
  }
}

/** Keeps a placement. That it can't be written is not worth a message. */
export function writePlacement(file: string, placement: Placement): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(placement))
  } catch {
    // The window then opens in its usual size.
  }
}

/** Bounds for a new window: the recorded ones if at least a corner worth grabbing is on a screen of today, the usual size otherwise. */
export function boundsFor(
  placement: Placement | null,
  screens: readonly Rect[],
): Partial<Rect> & { readonly width: number; readonly height: number } {
  if (!placement) return USUAL
  const width = Math.max(MIN_SIZE.width, placement.width)
  const height = Math.max(MIN_SIZE.height, placement.height)
  const { x, y } = placement
  const seen = screens.some(s => x < s.x + s.width - 80 && x + width > s.x + 80 && y >= s.y - 8 && y < s.y + s.height - 40)
  return seen ? { x, y, width, height } : { width, height }
}
