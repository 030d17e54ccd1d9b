/** How the chart of the HBM tab is drawn; kept as long as the window lives. */
import { create } from 'zustand'
import type { HbmGrouping, HbmInfo } from '../../../shared/hbm-api'
import type { HbmOptions } from '../../../paint/hbm/scene'
import { defaultY } from '../../../paint/sheet/hbm'

export interface HbmSettings extends HbmOptions {
  readonly grouping: HbmGrouping
  /** `fit`: the Y axis fits the window. `capacity`: it reaches to the capacity. null: as `yOf` decides. */
  readonly y: 'fit' | 'capacity' | null
  /** Label of the only group in full colour; null for all. */
  readonly only: string | null
  /** Whether the table is open; null: as the height allows. */
  readonly table: boolean | null
}

export const useHbmSettings = create<HbmSettings>()(() => ({
  grouping: 'family',
  capacity: true,
  peak: true,
  reserved: false,
  ooms: true,
  y: null,
  only: null,
  table: null,
}))

export const setHbmSettings = (s: Partial<HbmSettings>): void => useHbmSettings.setState(s)

/** Until the user chooses, the capacity is the top of the axis where the peak fills a quarter of it: below that the chart would be flat. */
export function yOf(info: HbmInfo, chosen: HbmSettings['y']): 'fit' | 'capacity' {
  if (info.capacity.bytes === null) return 'fit'
  return chosen ?? defaultY(info)
}
