/** Ways to open something. Each tells the user the host's reason when it says no; none ever sees a path. */
import { fail, request, useSession, words } from '../state/session'
import { closeDialog, notify, openDialog } from '../shell/ui'
import { loadNeffFolders } from '../state/neff'

interface Opened {
  readonly opened: boolean
  readonly reason: string | null
}

const refused = (reason: string | null): void => notify({ icon: 'warn', title: 'Not opened', detail: reason ?? 'The host gave no reason.' })

async function open(ask: () => Promise<Opened>): Promise<boolean> {
  try {
    const { opened, reason } = await ask()
    if (!opened) refused(reason)
    return opened
  } catch (e) {
    refused(words(e))
    return false
  }
}

async function pick(what: 'folder' | 'file'): Promise<void> {
  try {
    const answer = await request('folder.pick', { what })
    if (answer.kind === 'browse') openDialog('browse')
  } catch (e) {
    fail(e)
  }
}

/** Desktop: the system's dialog. Browser: the picker over the served folders. */
export const openFolder = (): Promise<void> => pick('folder')
export const openFile = (): Promise<void> => pick('file')
export const openRecent = (id: string): Promise<boolean> => open(() => request('recent.open', { id }))
export const openSample = (): Promise<boolean> => open(() => request('sample.open', {}))
export async function openBrowsed(id: string): Promise<void> {
  if (await open(() => request('browse.open', { id }))) closeDialog()
}
/** A dropped file or folder. The browser shell refuses with its reason, since a page gets contents, not folders that can be watched. */
export const openDropped = (file: File): Promise<boolean> =>
  open(() => useSession.getState().bridge?.openDropped(file) ?? Promise.resolve({ opened: false, reason: 'Not connected to the host.' }))
export const closeRoot = (): void => void request('root.close', {}).catch(fail)

const notAdded = (e: unknown): void => notify({ icon: 'warn', title: 'Folder not added', detail: words(e) })

/** Adds a folder in which NEFFs are looked for too. Desktop: the system's dialog. Browser: the picker. */
export async function addNeffs(): Promise<void> {
  try {
    const answer = await request('neff.pick', {})
    if (answer.kind === 'browse') openDialog('browse-neff')
    else await loadNeffFolders()
  } catch (e) {
    notAdded(e)
  }
}
export async function addBrowsedNeffs(id: string): Promise<void> {
  try {
    await request('neff.add', { id })
    closeDialog()
    await loadNeffFolders()
  } catch (e) {
    notAdded(e)
  }
}
export const removeNeffs = (id: string): void => void request('neff.remove', { id }).then(loadNeffFolders).catch(fail)
