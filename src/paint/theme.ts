/**
 * The theme as the painting code sees it: token names to values. The renderer makes one from the computed style of an element
 * (so that the export can carry another theme than the window), tests from the text of tokens.css.
 */
export interface Theme {
  readonly name: 'dark' | 'light'
  /** Value of a custom property of tokens.css, e.g. `token('--surface-0')`. Throws on an unknown name: no colour is made up. */
  readonly token: (name: string) => string
}

/** Number of categorical colours (`--cat-1` .. `--cat-10`). */
export const CATEGORIES = 10

/** Any 2D context: the screen's, an OffscreenCanvas's, or that of @napi-rs/canvas. */
export type Context2D = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

/** CSS font shorthand of the UI or mono face. */
export const font = (theme: Theme, size = 11, weight = 400, mono = false): string =>
  `${weight} ${size}px ${theme.token(mono ? '--font-mono' : '--font-ui')}`

/** Stable hash of a name: the same operator has the same colour in every view, file and run. */
export function hashName(name: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 0x01000193)
  return (h ^ (h >>> 15)) >>> 0
}

/** Parses `#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa`, `rgb(r g b / a)` and `rgb(r, g, b)`: what tokens.css and its built form use. Returns 0..255 and alpha 0..1. */
export function rgba(color: string): readonly [number, number, number, number] {
  const hex = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(color.trim())
  if (hex) {
    const h = hex[1].length < 6 ? [...hex[1]].map(c => c + c).join('') : hex[1]
    const at = (i: number): number => parseInt(h.slice(i, i + 2), 16)
    return [at(0), at(2), at(4), h.length === 8 ? at(6) / 255 : 1]
  }
  const parts = /^rgba?\(([^)]+)\)$/i.exec(color.trim())
  if (!parts) throw new Error(`not a colour: ${color}`)
  const n = parts[1]
    .split(/[\s,/]+/)
    .filter(Boolean)
    .map(Number)
  return [n[0], n[1], n[2], n[3] ?? 1]
}

/** `share` of a over b, opaque. The area fills of large charts (`--area-mix`) are made with it. */
export function mix(a: string, b: string, share: number): string {
  const x = rgba(a)
  const y = rgba(b)
  const c = [0, 1, 2].map(i => Math.round(x[i] * share + y[i] * (1 - share)))
  return `rgb(${c.join(' ')})`
}
