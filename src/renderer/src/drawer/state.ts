/** Which tab of the drawer is open; null: the drawer is closed. */
import { create } from 'zustand'

export const DRAWER_TABS = ['statistics', 'search', 'gaps', 'steps', 'chain', 'notes'] as const
export type DrawerTab = (typeof DRAWER_TABS)[number]

export interface DrawerState {
  readonly tab: DrawerTab | null
  /** Height in px. */
  readonly height: number
}

export const DRAWER_HEIGHT = { min: 140, max: 900, start: 260 } as const

export const useDrawer = create<DrawerState>()(() => ({ tab: null, height: DRAWER_HEIGHT.start }))

export const openDrawer = (tab: DrawerTab): void => useDrawer.setState({ tab })
export const closeDrawer = (): void => useDrawer.setState({ tab: null })
export const toggleDrawer = (tab: DrawerTab): void => useDrawer.setState(s => ({ tab: s.tab === tab ? null : tab }))
