/** The two themes from the text of tokens.css, which the page has as its style: no colour is written twice. */
import tokens from '../../renderer/tokens.css?raw'
import type { Theme } from '../../paint/theme'

/** Declarations of the custom properties of every block whose selector matches, later ones win. */
function block(css: string, selector: RegExp): ReadonlyMap<string, string> {
  const out = new Map<string, string>()
  for (const [, name, body] of css.replace(/\/\*[^]*?\*\//g, '').matchAll(/([^{}]+)\{([^}]*)\}/g))
    if (selector.test(name as string))
      for (const [, key, value] of (body as string).matchAll(/(--[\w-]+)\s*:\s*([^;]+);/g)) out.set(key as string, (value as string).trim())
  return out
}

/** Tokens as the cascade gives them, `var()` resolved. `token` throws on an unknown name: no colour is made up. */
export function cliTheme(name: Theme['name'], css: string = tokens): Theme {
  const values = new Map([...block(css, /:root|data-theme="dark"/), ...(name === 'light' ? block(css, /data-theme="light"/) : [])])
  const token = (key: string): string => {
    const v = values.get(key)
    if (v === undefined) throw new Error(`unknown design token ${key}`)
    return v.replace(/var\((--[\w-]+)\)/g, (_, k: string) => token(k))
  }
  return { name, token }
}
