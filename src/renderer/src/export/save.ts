/** The way out for any file: the save dialog of the desktop, a download in the browser. */
import { request, useSession } from '../state/session'

/** Saves a file under a proposed name. Answers where it went in words for the user, null when the user cancelled. */
export async function saveFile(blob: Blob, name: string): Promise<string | null> {
  if (useSession.getState().bridge?.shell === 'desktop') {
    const { saved } = await request('export.save', { name, data: new Uint8Array(await blob.arrayBuffer()) })
    return saved
  }
  const url = URL.createObjectURL(blob)
  const a = document.createElement('a')
  a.href = url
  a.download = name
  a.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
  return `${name}, in the downloads of the browser`
}
