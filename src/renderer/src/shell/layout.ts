/** Sizes of the frame that the user can change, kept for the next start. */
import { useEffect, useState, useSyncExternalStore, type RefObject } from 'react'
import { create } from 'zustand'

export interface Layout {
  /** Width of the tree and of the details, CSS px. */
  readonly side: number
  readonly details: number
  /** Share of the centre's height that the System Trace has. */
  readonly split: number
}

/** The proportions of the design. */
export const DEFAULT_LAYOUT: Layout = { side: 248, details: 316, split: 0.52 }
export const SIDE = { min: 180, max: 480 } as const
export const DETAILS = { min: 260, max: 640 } as const
/** Each panel of the centre keeps at least this height. */
export const PANEL_MIN = 160
/** While the tables are open the System Trace keeps at least this, and a Memory Viewer that cannot have this folds to its head. */
export const WITH_TABLES = { trace: 240, memory: 180 } as const
/** Height of a panel's head. */
export const HEAD = 34
/** The diagnostics widen the details column to this. */
export const WIDE_DETAILS = 500
export const SPLITTER = 6

/** How the two panels of the centre share `height` px. */
export interface Shares {
  /** Only the head of the Memory Viewer is shown, and there is no splitter. */
  readonly folded: boolean
  /** Height of the System Trace in px, and its bounds. */
  readonly trace: number
  readonly min: number
  readonly max: number
}

/** `tables`: whether the tables are open below; `empty`: whether the Memory Viewer has nothing to draw. Without the tables nothing folds. */
export function sharePanels(
  height: number,
  split: number,
  { tables, empty }: { readonly tables: boolean; readonly empty: boolean },
): Shares {
  const free = Math.max(1, height - SPLITTER)
  const least = tables ? WITH_TABLES : { trace: PANEL_MIN, memory: PANEL_MIN }
  const min = least.trace
  const max = Math.max(min, free - least.memory)
  const folded = tables && (empty || free < least.trace + least.memory)
  return { folded, trace: folded ? height - HEAD : Math.min(Math.max(split * free, min), max), min, max }
}

const KEY = 'neuron-workbench.layout'

/** A kept layout, each size within its bounds; what is damaged or missing is the default. */
export function readLayout(text: string | null): Layout {
  let v: unknown
  try {
    v = JSON.parse(text ?? '{}')
  } catch {
    v = {}
  }
  const o: Record<string, unknown> = typeof v === 'object' && v !== null ? { ...v } : {}
  const within = (x: unknown, min: number, max: number, otherwise: number): number =>
    typeof x === 'number' && x >= min && x <= max ? x : otherwise
  return {
    side: within(o.side, SIDE.min, SIDE.max, DEFAULT_LAYOUT.side),
    details: within(o.details, DETAILS.min, DETAILS.max, DEFAULT_LAYOUT.details),
    split: within(o.split, 0.05, 0.95, DEFAULT_LAYOUT.split),
  }
}

const kept = (): string | null => {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

export const useLayout = create<Layout>()(() => readLayout(kept()))

export function setLayout(change: Partial<Layout>): void {
  useLayout.setState(change)
  try {
    localStorage.setItem(KEY, JSON.stringify(useLayout.getState()))
  } catch {
    // storage may be denied; sizes then last as long as the window
  }
}

/** Whether a media query holds, live. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    listener => {
      const m = matchMedia(query)
      m.addEventListener('change', listener)
      return () => m.removeEventListener('change', listener)
    },
    () => matchMedia(query).matches,
  )
}

/** Height of an element in CSS px, live; 0 before the first layout. */
export function useHeight(ref: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(0)
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return height
}
