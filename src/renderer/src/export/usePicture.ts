/** The picture of the dialog: prepared, painted into the preview and encoded, again after each change. */
import { useEffect, useRef, useState, type RefObject } from 'react'
import { makeTheme } from '../theme'
import { drawSheet, toPng, toSvg } from './files'
import { prepare, type PictureQuery } from './prepare'

export interface Picture {
  readonly key: string
  readonly name: string
  /** The encoded picture: encoding a large one takes a while and runs when the page is idle. */
  readonly file: Promise<Blob>
  readonly bytes: number | null
  readonly width: number
  readonly height: number
  /** Address of the SVG; null for a PNG, which the canvas shows. */
  readonly url: string | null
  readonly notes: readonly string[]
}

export interface PictureState {
  /** null until the picture of the query is there. */
  readonly picture: Picture | null
  readonly error: string | null
}

/** `key` holds all that the picture depends on; a null query asks for nothing. */
export function usePicture(
  query: PictureQuery | null,
  key: string,
  stage: RefObject<HTMLDivElement | null>,
  canvas: RefObject<HTMLCanvasElement | null>,
): PictureState {
  const [picture, setPicture] = useState<Picture | null>(null)
  const [failed, setFailed] = useState<{ readonly key: string; readonly error: string } | null>(null)
  const url = useRef<string | null>(null)
  const drop = (): void => {
    if (url.current !== null) URL.revokeObjectURL(url.current)
    url.current = null
  }
  useEffect(() => drop, [])
  useEffect(() => {
    if (!query) return
    let current = true
    const run = async (): Promise<void> => {
      const s = stage.current
      const c = canvas.current
      if (!s || !c) return
      const t = makeTheme(s)
      // A face that is first used here has to be there before text is measured.
      await document.fonts.ready
      const { scale, kind, width } = query.options
      const made = await prepare(t, query)
      if (!current) return
      drop()
      const { name } = made
      let next: Picture
      if (kind === 'svg') {
        const { blob, notes } = toSvg(made, t)
        url.current = URL.createObjectURL(blob)
        const height = made.height / scale
        next = { key, name, file: Promise.resolve(blob), bytes: blob.size, width, height, url: url.current, notes }
      } else {
        drawSheet(c, t, made, scale)
        next = { key, name, file: toPng(c), bytes: null, width: c.width, height: c.height, url: null, notes: made.notes }
      }
      setPicture(next)
      const { size } = await next.file
      if (current) setPicture(p => (p?.file === next.file ? { ...p, bytes: size } : p))
    }
    run().catch((e: unknown) => current && setFailed({ key, error: e instanceof Error ? e.message : String(e) }))
    return () => {
      current = false
    }
    // `key` holds all that the picture depends on.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key])
  return { picture: picture?.key === key ? picture : null, error: failed?.key === key ? failed.error : null }
}
