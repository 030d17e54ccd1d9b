/**
 * Indents JSON text without parsing it: numbers stay as they stand in the file (64-bit addresses do not survive `JSON.parse`), and text that is cut or
 * is no JSON comes out as far as it goes. Never throws.
 */

/** At most `limit` characters; `cut` tells that the rest was left out. */
export function prettyJson(text: string, limit: number): { readonly text: string; readonly cut: boolean } {
  let out = ''
  let depth = 0
  const line = (): string => '\n' + '  '.repeat(Math.min(depth, 40))
  for (let i = 0; i < text.length; i++) {
    if (out.length > limit) return { text: out.slice(0, limit), cut: true }
    const c = text[i] as string
    if (c === '"') {
      let j = i + 1
      while (j < text.length && text[j] !== '"') j += text[j] === '\\' ? 2 : 1
      out += text.slice(i, Math.min(j + 1, i + limit + 1))
      i = j
    } else if (c === '{' || c === '[') {
      const close = c === '{' ? '}' : ']'
      let j = i + 1
      while (j < text.length && /\s/.test(text[j] as string)) j++
      if (text[j] === close) {
        out += c + close
        i = j
      } else {
        depth++
        out += c + line()
      }
    } else if (c === '}' || c === ']') {
      depth = Math.max(0, depth - 1)
      out += line() + c
    } else if (c === ',') out += c + line()
    else if (c === ':') out += ': '
    else if (!/\s/.test(c)) out += c
    // Where a comma is missing, space is all that keeps two values apart.
    else if (/[^\s{[,:]$/.test(out.slice(-1)) && /[^\s}\],:]/.test(text[i + 1] ?? ' ')) out += ' '
  }
  return out.length > limit ? { text: out.slice(0, limit), cut: true } : { text: out, cut: false }
}
