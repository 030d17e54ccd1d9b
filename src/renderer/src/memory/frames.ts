/** Frames of a Python stack as the views show them. */
import type { Frame } from '../../../shared/api'

/** `model/block.py:74`: the last two parts of the path and the line. */
export function shortFile(f: Pick<Frame, 'file' | 'line'>): string {
  const parts = f.file.split(/[\\/]/).filter(Boolean)
  const name = parts.slice(-2).join('/') || f.file
  return f.line >= 0 && name ? `${name}:${f.line}` : name
}

export type StackPart =
  | { readonly kind: 'frame'; readonly frame: Frame; readonly index: number }
  | { readonly kind: 'fold'; readonly frames: readonly Frame[]; readonly index: number }

/** Frames, innermost first, with stretches of library frames folded. A stack of library frames only is shown whole: folding it would hide all of it. */
export function fold(frames: readonly Frame[]): readonly StackPart[] {
  if (frames.every(f => f.library)) return frames.map((frame, index) => ({ kind: 'frame', frame, index }))
  const out: StackPart[] = []
  for (let i = 0; i < frames.length;) {
    if (!frames[i].library) {
      out.push({ kind: 'frame', frame: frames[i], index: i })
      i++
      continue
    }
    let end = i
    while (end < frames.length && frames[end].library) end++
    out.push({ kind: 'fold', frames: frames.slice(i, end), index: i })
    i = end
  }
  return out
}

/** The stack as text, innermost last, as Python prints it. */
export const stackText = (frames: readonly Frame[]): string =>
  [...frames]
    .reverse()
    .map(f => `  File "${f.file}", line ${f.line >= 0 ? f.line : '?'}, in ${f.name}`)
    .join('\n')
