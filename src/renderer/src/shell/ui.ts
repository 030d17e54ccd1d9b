/** What the frame itself shows: dialogs, side columns, notices. Nothing here is about data. */
import { create } from 'zustand'
import type { IconName } from './icons'

export interface Notice {
  readonly id: number
  readonly icon: IconName
  readonly title: string
  readonly detail: string
  readonly action?: { readonly label: string; readonly run: () => void }
}

export interface UiState {
  readonly dialog: 'help' | 'palette' | 'go-to' | 'note' | 'export' | 'browse' | 'browse-neff' | 'browse-schema' | 'schemas' | null
  /** Whether the diagnostics stand in the details column. */
  readonly diagnostics: boolean
  /** Whether the alignment stands there. */
  readonly alignment: boolean
  /** File whose diagnostics were asked for; null for all. */
  readonly diagnosticsFile: string | null
  /** Wide layout: whether the details column is open. */
  readonly details: boolean
  /** Small layout: the column that stands over the centre. */
  readonly over: 'tree' | 'details' | null
  /** Panel that the pointer or the focus was in last: keys act there where the panels differ. */
  readonly panel: 'trace' | 'memory'
  readonly notices: readonly Notice[]
  /** True while something is dragged over the window. */
  readonly dropping: boolean
}

export const useUi = create<UiState>()(() => ({
  dialog: null,
  diagnostics: false,
  alignment: false,
  diagnosticsFile: null,
  details: true,
  over: null,
  panel: 'trace',
  notices: [],
  dropping: false,
}))

const set = useUi.setState

let noticeId = 0
/** Shows a quiet notice in the details column. Everything that one says can be found elsewhere too. */
export function notify(n: Omit<Notice, 'id'>): void {
  const id = ++noticeId
  set(s => ({ notices: [...s.notices.filter(o => o.title !== n.title || o.detail !== n.detail), { ...n, id }].slice(-3) }))
}
export const dismiss = (id: number): void => set(s => ({ notices: s.notices.filter(n => n.id !== id) }))

export const openDialog = (dialog: NonNullable<UiState['dialog']>): void => set({ dialog })
export const closeDialog = (): void => set({ dialog: null })

/** Below this width both side columns become rails (README of the design, "Layout grid"). */
export const SMALL = '(max-width: 1199.98px)'
const isSmall = (): boolean => matchMedia(SMALL).matches

/** Opens the diagnostics, of one file or of all. */
export function showDiagnostics(file: string | null = null): void {
  set({ diagnostics: true, alignment: false, diagnosticsFile: file, ...(isSmall() ? { over: 'details' as const } : {}) })
}
export const hideDiagnostics = (): void =>
  set(s => ({ diagnostics: false, diagnosticsFile: null, over: s.over === 'details' ? null : s.over }))
export function toggleDiagnostics(): void {
  const { diagnostics, over } = useUi.getState()
  if (diagnostics && (!isSmall() || over === 'details')) hideDiagnostics()
  else showDiagnostics()
}

export const openDetails = (): void =>
  set({ ...(isSmall() ? { over: 'details' as const } : { details: true }), diagnostics: false, alignment: false })
export const closeDetails = (): void => set(isSmall() ? { over: null } : { details: false })
export const toggleOver = (over: NonNullable<UiState['over']>): void => set(s => ({ over: s.over === over ? null : over }))
export const closeOver = (): void => set({ over: null })
