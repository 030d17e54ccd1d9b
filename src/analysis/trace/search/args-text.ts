/** What of the `args` of an event is searched: their JSON text with escapes resolved, and the values that are stacks. */

/** Bytes of `args` of one event that are searched; what is longer is counted. */
export const MAX_ARGS_TEXT = 256 * 1024

/** Keys whose values are stacks: `Call stack` of PyTorch, and what others write. */
export const STACK_KEY = /stack|backtrace|traceback/i

const ESCAPE = /\\(u[0-9a-fA-F]{4}|[^u])/g
const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

/** JSON text with its escapes resolved, so that what people read is what is found. The same text where there is none. */
export const unescaped = (json: string): string =>
  json.includes('\\')
    ? json.replace(ESCAPE, (_, c: string) => (c.length === 5 ? String.fromCharCode(parseInt(c.slice(1), 16)) : (NAMED[c] ?? c)))
    : json

/** Values of the stack-like keys of an args object (JSON text, may be cut), without quotes and with escapes resolved. Linear. */
export function stackValues(json: string): readonly string[] {
  if (!STACK_KEY.test(json)) return []
  const out: string[] = []
  let depth = 0
  for (let i = 0; i < json.length; i++) {
    const c = json[i]
    if (c === '{' || c === '[') depth++
    else if (c === '}' || c === ']') depth--
    else if (c === '"') {
      const end = endOfString(json, i)
      if (depth === 1) {
        let v = skipSpace(json, end)
        if (json[v] === ':') {
          v = skipSpace(json, v + 1)
          const to = endOfValue(json, v)
          if (STACK_KEY.test(json.slice(i + 1, end - 1))) {
            const value = json.slice(v, to)
            out.push(unescaped(value.startsWith('"') ? value.slice(1, value.endsWith('"') && value.length > 1 ? -1 : undefined) : value))
          }
          i = to - 1
          continue
        }
      }
      i = end - 1
    }
  }
  return out
}

function skipSpace(json: string, i: number): number {
  while (i < json.length && json.charCodeAt(i) <= 32) i++
  return i
}

/** Behind the closing quote of the string that begins at `i`; the end where it is cut. */
function endOfString(json: string, i: number): number {
  let j = i + 1
  while (j < json.length && json[j] !== '"') j += json[j] === '\\' ? 2 : 1
  return Math.min(json.length, j + 1)
}

/** Behind the value that begins at `i`. */
function endOfValue(json: string, i: number): number {
  let depth = 0
  let j = i
  while (j < json.length) {
    const c = json[j]
    if (c === '"') j = endOfString(json, j)
    else if (c === '{' || c === '[') {
      depth++
      j++
    } else if (c === '}' || c === ']') {
      if (depth === 0) return j
      depth--
      j++
      if (depth === 0) return j
    } else if (c === ',' && depth === 0) return j
    else j++
    if (c === '"' && depth === 0) return j
  }
  return Math.min(j, json.length)
}
