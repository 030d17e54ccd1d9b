/** How the allocator timeline is drawn: shared by the panel and the export dialog, kept as long as the window lives. */
import { create } from 'zustand'
import type { MemoryOptions } from '../../../paint/memory/scene'

export interface MemorySettings extends MemoryOptions {
  /** `fit`: the Y axis fits the window. `fixed`: it fits the whole recording, so that windows can be compared. */
  readonly y: 'fit' | 'fixed'
  /** Only this owner group is in full colour; null for all. */
  readonly only: number | null
  readonly rounded: boolean
}

export const useMemorySettings = create<MemorySettings>()(() => ({
  reserved: true,
  allocated: false,
  rounded: false,
  startState: true,
  peak: true,
  y: 'fit',
  only: null,
}))

export const setMemorySettings = (s: Partial<MemorySettings>): void => useMemorySettings.setState(s)
