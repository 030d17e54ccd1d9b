/** The list of folders where NEFFs are looked for too, as the host keeps it; null until it was asked for. */
import { create } from 'zustand'
import type { NeffFolder } from '../../../shared/neff-api'
import { fail, request } from './session'

export const useNeffFolders = create<{ readonly folders: readonly NeffFolder[] | null }>()(() => ({ folders: null }))

export async function loadNeffFolders(): Promise<void> {
  try {
    useNeffFolders.setState({ folders: await request('neff.folders', {}) })
  } catch (e) {
    fail(e)
  }
}
