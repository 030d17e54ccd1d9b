/** The two themes of tokens.css for tests of painting code, without a browser. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Theme } from '../paint/theme'

const text = readFileSync(join(import.meta.dirname, '../renderer/tokens.css'), 'utf8').replace(/\/\*[^]*?\*\//g, '')

function block(pattern: RegExp): Map<string, string> {
  const out = new Map<string, string>()
  for (const [, selector, body] of text.matchAll(/([^{}]+)\{([^}]*)\}/g))
    if (pattern.test(selector)) for (const [, k, v] of body.matchAll(/(--[\w-]+)\s*:\s*([^;]+);/g)) out.set(k, v.trim())
  return out
}

/** Tokens as the cascade gives them; `var()` is resolved. */
export function testTheme(name: Theme['name'] = 'dark'): Theme {
  const values = new Map([...block(/:root|data-theme="dark"/), ...(name === 'light' ? block(/data-theme="light"/) : [])])
  const token = (key: string): string => {
    const v = values.get(key)
    if (v === undefined) throw new Error(`unknown design token ${key}`)
    return v.replace(/var\((--[\w-]+)\)/g, (_, k: string) => token(k))
  }
  return { name, token }
}

export interface Call {
  readonly name: string
  readonly args: readonly unknown[]
}

/** A 2D context that records its calls. A letter is 6 px wide. */
export function recordingContext(): {
  readonly ctx: CanvasRenderingContext2D
  readonly calls: readonly Call[]
  readonly texts: () => readonly string[]
} {
  const calls: Call[] = []
  const state: Record<string | symbol, unknown> = {}
  const ctx = new Proxy(state, {
    get: (target, key) => {
      if (key in target) return target[key]
      if (key === 'measureText') return (s: string) => ({ width: s.length * 6 })
      if (key === 'getTransform') return () => ({ a: 1, d: 1 })
      return (...args: unknown[]) => void calls.push({ name: String(key), args })
    },
    set: (target, key, value) => {
      target[key] = value
      return true
    },
  }) as unknown as CanvasRenderingContext2D
  return { ctx, calls, texts: () => calls.filter(c => c.name === 'fillText').map(c => String(c.args[0])) }
}
