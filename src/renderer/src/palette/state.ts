/** What the palette remembers while the program runs. */
import { create } from 'zustand'
import { remember } from './order'

export const useRecent = create<{ readonly ids: readonly string[] }>()(() => ({ ids: [] }))

export const rememberCommand = (id: string): void => useRecent.setState(s => ({ ids: remember(s.ids, id) }))
