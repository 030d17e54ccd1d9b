/** A painted sheet as a PNG, and the way out for any file: the save dialog of the desktop, a download in the browser. */
import { paintSheet } from '../../../paint/sheet/paint'
import type { GatheredSheet } from '../../../paint/sheet/gather'
import type { Theme } from '../../../paint/theme'
import { request, useSession } from '../state/session'

/** Paints a sheet at `scale` device pixels per CSS px. The canvas gets exactly the size that was gathered. */
export function drawSheet(canvas: HTMLCanvasElement, theme: Theme, { sheet, width, height }: GatheredSheet, scale: number): void {
  // The picture is read back as a whole: without the GPU that is quicker, and the same on every machine.
  const ctx = canvas.getContext('2d', { willReadFrequently: true })
  if (!ctx) throw new Error('the canvas cannot be drawn on')
  canvas.width = width
  canvas.height = height
  ctx.setTransform(scale, 0, 0, scale, 0, 0)
  paintSheet(ctx, theme, sheet)
}

export const toPng = (canvas: HTMLCanvasElement): Promise<Blob> =>
  new Promise((resolve, reject) =>
    canvas.toBlob(b => (b ? resolve(b) : reject(new Error('the picture could not be encoded'))), 'image/png'),
  )

/** Saves a PNG. Answers where it went in words for the user, null when the user cancelled. */
export const savePng = (blob: Blob, name: string): Promise<string | null> => saveFile(blob, name)

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
