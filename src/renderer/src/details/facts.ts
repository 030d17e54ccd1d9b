/** Facts that a reader put into the catalog, as rows of text. Their keys are open; what is known gets a name of its own, the rest is spelled out. */
import { num } from '../../../shared/format'

const NAMES: Readonly<Record<string, string>> = {
  format: 'Format',
  pickleProtocol: 'Pickle protocol',
  spanNs: 'Span, ns',
  baseTimeNs: 'Base time, ns',
  startNs: 'Begin, ns',
  memoryEvents: 'Memory events',
  byPhase: 'By phase',
  byCategory: 'By category',
}

/** `distinctStacks` → `Distinct stacks`. */
const spelled = (key: string): string => {
  const s = key.replace(/[_-]+/g, ' ').replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`)
  return s ? s[0].toUpperCase() + s.slice(1) : s
}

function text(v: unknown): string | null {
  if (v === null || v === undefined) return null
  if (typeof v === 'number') return Number.isInteger(v) ? num(v) : num(v, 3)
  if (typeof v === 'bigint') return v.toString()
  if (typeof v === 'string') return v || null
  if (typeof v === 'boolean') return v ? 'yes' : 'no'
  if (Array.isArray(v)) return v.map(text).filter(Boolean).join(', ') || null
  if (typeof v === 'object') {
    const parts = Object.entries(v).map(([k, x]) => `${k} ${text(x) ?? '—'}`)
    return parts.join(', ') || null
  }
  return null
}

/** [key, name, text] of each fact that has a value. */
export const factRows = (facts: Readonly<Record<string, unknown>>): readonly (readonly [string, string, string])[] =>
  Object.entries(facts).flatMap(([k, v]) => {
    const t = text(v)
    return t === null ? [] : [[k, NAMES[k] ?? spelled(k), t] as const]
  })
