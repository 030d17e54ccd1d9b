/** The allocator timeline of a sheet: one picture of the plot's own size in pixels, so that a column of the answer is one of the sheet. */
import type { AllocatorInfo, Axis, SessionView } from '../../shared/api'
import { geometry } from '../geometry'
import { recordedRange } from '../memory/paint'
import { groupToken, rasterMemory } from '../memory/raster'
import { byteScale } from '../memory/scale'
import type { MemoryOptions, MemoryScene } from '../memory/scene'
import type { Theme } from '../theme'
import type { Ask, Span, Surface } from './ask'
import type { LegendEntry } from './layout'
import { stepsOf, type SheetMarks } from './trace'

export interface MemoryPart {
  readonly view: Pick<SessionView, 'session' | 'steps'>
  readonly allocator: AllocatorInfo
  readonly axis: Axis
  readonly window: Span
  readonly options: MemoryOptions
  /** Top of the Y axis in bytes; null fits it to the window. */
  readonly yMax: number | null
  readonly pinned: number | null
  /** Steps of these traces stand behind the plot; null for all of the group. */
  readonly sources: ReadonlySet<number> | null
  readonly marks?: SheetMarks
  /** CSS px of the sheet and of the plot. */
  readonly width: number
  readonly height: number
  readonly scale: number
}

/** The scene. Rejects as `ask` does. */
export async function memoryScene(ask: Ask, surface: Surface, theme: Theme, p: MemoryPart): Promise<MemoryScene> {
  const { allocator, axis, window, view, height } = p
  const g = geometry(p.width, window.start, window.end)
  const session = view.session
  const { notes, annotations, bands } = p.marks ?? {}
  const picture = await ask('memory.picture', {
    session,
    allocator: allocator.id,
    axis,
    start: window.start,
    end: window.end,
    width: Math.max(1, Math.round(g.plot * p.scale)),
    height: Math.max(1, Math.round(height * p.scale)),
    yMax: p.yMax,
    withReserved: p.options.reserved,
    withRounded: p.options.rounded === true,
  })
  const d = p.pinned === null ? null : await ask('memory.allocation', { session, allocator: allocator.id, allocation: p.pinned })
  const pixels = rasterMemory(picture, theme, { groups: allocator.groups.length, only: p.options.only ?? null, scale: p.scale })
  return {
    geometry: g,
    scale: byteScale(0, height, picture.yMax),
    axis,
    allocator,
    picture,
    pictureWindow: window,
    image: surface.image(pixels, picture.width, picture.height),
    options: p.options,
    steps:
      axis === 'time' && bands !== false && allocator.group !== null && recordedRange({ axis, allocator })
        ? stepsOf(view, allocator.group, p.sources)
        : [],
    ...(axis === 'time' && annotations ? { annotations } : {}),
    ...(axis === 'time' && notes ? { notes } : {}),
    cursor: null,
    value: null,
    valueFlag: false,
    hovered: null,
    pinned: p.pinned,
    lifetime: d
      ? axis === 'time'
        ? { from: d.allocTime, to: d.freeCompletedTime }
        : { from: d.allocEvent < 0 ? null : d.allocEvent, to: d.freeCompletedEvent }
      : null,
    range: null,
    flags: false,
  }
}

/** The groups that the picture shows, and the start state. */
export function legendOf(m: MemoryScene): readonly LegendEntry[] {
  const { picture: p, allocator: a } = m
  if (!p) return []
  const shown = new Set(p.runGroup)
  const start = m.options.startState && p.startBytes.some(b => b > 0)
  return [
    ...a.groups.flatMap((g, i) => (shown.has(i) ? [{ label: g.label, token: groupToken(i) }] : [])),
    ...(start ? [{ label: 'start state', token: 'start' } as const] : []),
  ]
}
