/** Which tab of the drawer is open; null: the drawer is closed. */
import { create } from 'zustand'

export const DRAWER_TABS = ['statistics', 'search', 'gaps', 'steps', 'chain', 'notes'] as const
export type DrawerTab = (typeof DRAWER_TABS)[number]

export interface DrawerState {
  readonly tab: DrawerTab | null
  /** Height in px that the user gave it; null: the one that suits the centre. */
  readonly height: number | null
}

export const DRAWER_MIN = 140
/** What the drawer takes by itself: a third of the centre, on a large screen not more than this. */
const START = { most: 260, share: 0.34 } as const

export const useDrawer = create<DrawerState>()(() => ({ tab: null, height: null }))

/** The highest drawer in a centre of `room` px that leaves `above` px for what stands above it. */
export const drawerMax = (room: number, above: number): number => Math.max(DRAWER_MIN, room - above)

/** Height of the drawer in px: as the user left it or as suits the centre, within what there is room for. */
export const drawerHeight = (kept: number | null, room: number, above: number): number =>
  Math.round(Math.min(Math.max(kept ?? Math.min(START.most, room * START.share), DRAWER_MIN), drawerMax(room, above)))

export const openDrawer = (tab: DrawerTab): void => useDrawer.setState({ tab })
export const closeDrawer = (): void => useDrawer.setState({ tab: null })
export const toggleDrawer = (tab: DrawerTab): void => useDrawer.setState(s => ({ tab: s.tab === tab ? null : tab }))
