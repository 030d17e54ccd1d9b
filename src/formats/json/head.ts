/**
 * What the first bytes and the last bytes of a JSON text tell, without parsing it: the members of the outermost value, and whether its closing bracket is there.
 */

export interface JsonMember {
  /** '' for elements of an array. */
  readonly key: string
  /** Offset of the value and of the byte after it; `end` is -1 where the bytes end inside the value. */
  readonly at: number
  readonly end: number
}

export interface JsonHead {
  readonly shape: 'object' | 'array'
  /** Offset of the opening bracket. */
  readonly at: number
  readonly members: readonly JsonMember[]
  /** closed: the closing bracket was seen. cut: the bytes end before it. full: `limit` members were seen. bad: this is not JSON, at `stop`. */
  readonly end: 'closed' | 'cut' | 'full' | 'bad'
  readonly stop: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const COMMA = 0x2c
const COLON = 0x3a

const isSpace = (b: number | undefined): boolean => b === 0x20 || b === 0x0a || b === 0x0d || b === 0x09
const decoder = new TextDecoder('utf-8')

function skipSpace(b: Uint8Array, at: number): number {
  while (isSpace(b[at])) at++
  return at
}

/** Offset after the string that opens at `at`; -1 where the bytes end inside it. */
function skipString(b: Uint8Array, at: number): number {
  for (let i = at + 1; i < b.length; i++) {
    if (b[i] === BACKSLASH) i++
    else if (b[i] === QUOTE) return i + 1
  }
  return -1
}

/** Offset after the value at `at`; -1 where the bytes end inside it, -2 where no value stands there. */
function skipValue(b: Uint8Array, at: number): number {
  const first = b[at]
  if (first === undefined) return -1
  if (first === QUOTE) return skipString(b, at)
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
    let depth = 0
    for (let i = at; i < b.length; i++) {
      const c = b[i]
      if (c === QUOTE) {
        const end = skipString(b, i)
        if (end < 0) return -1
        i = end - 1
      } else if (c === OPEN_OBJECT || c === OPEN_ARRAY) depth++
      else if ((c === CLOSE_OBJECT || c === CLOSE_ARRAY) && --depth === 0) return i + 1
    }
    return -1
  }
  let i = at
  // Numbers and words; NaN and Infinity of Python writers pass too.
  while (i < b.length && /[\w+.-]/.test(String.fromCharCode(b[i] as number))) i++
  if (i === at) return -2
  return i === b.length ? -1 : i
}

/**
 * Members of the outermost object, or elements of the outermost array, at `from` (after white space and a byte order mark).
 * null where no bracket stands there.
 */
export function scanJson(b: Uint8Array, from = 0, limit = 400): JsonHead | null {
  let at = from
  if (at === 0 && b[0] === 0xef && b[1] === 0xbb && b[2] === 0xbf) at = 3
  at = skipSpace(b, at)
  const open = b[at]
  if (open !== OPEN_OBJECT && open !== OPEN_ARRAY) return null
  const shape = open === OPEN_OBJECT ? 'object' : 'array'
  const close = open === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY
  const members: JsonMember[] = []
  const done = (end: JsonHead['end'], stop: number): JsonHead => ({ shape, at, members, end, stop })
  let i = skipSpace(b, at + 1)
  if (b[i] === close) return done('closed', i + 1)
  for (;;) {
    if (i >= b.length) return done('cut', i)
    if (members.length >= limit) return done('full', i)
    let key = ''
    if (shape === 'object') {
      if (b[i] !== QUOTE) return done('bad', i)
      const end = skipString(b, i)
      if (end < 0) return done('cut', i)
      key = decoder.decode(b.subarray(i + 1, end - 1))
      i = skipSpace(b, end)
      if (i >= b.length) return done('cut', i)
      if (b[i] !== COLON) return done('bad', i)
      i = skipSpace(b, i + 1)
      if (i >= b.length) return done('cut', i)
    }
    const end = skipValue(b, i)
    if (end === -2) return done('bad', i)
    members.push({ key, at: i, end })
    if (end < 0) return done('cut', b.length)
    i = skipSpace(b, end)
    if (i >= b.length) return done('cut', i)
    if (b[i] === close) return done('closed', i + 1)
    if (b[i] !== COMMA) return done('bad', i)
    i = skipSpace(b, i + 1)
    // A comma before the closing bracket: some trace writers leave one.
    if (b[i] === close) return done('closed', i + 1)
  }
}

/** Keys of the first object inside the array that stands at `at`; [] where there is none. */
export function firstElementKeys(b: Uint8Array, at: number): readonly string[] {
  const list = scanJson(b, at, 1)
  const first = list?.shape === 'array' ? list.members[0] : undefined
  const object = first ? scanJson(b, first.at, 64) : null
  return object?.shape === 'object' ? object.members.map(m => m.key) : []
}

/**
 * Whether the text ends with the bracket that closes its outermost value. `tail` are the last bytes, `tailAt` their offset, `openAt` the offset of the
 * opening bracket and `open` that byte. The last bracket is matched backwards: when its partner lies inside the tail and is not the first bracket of the text, it closes
 * something inside, and the text was cut there. Exact where the tail is the whole text, otherwise sure up to nested values longer than the tail.
 */
export function jsonClosed(tail: Uint8Array, tailAt: number, openAt: number, open: number): boolean {
  let i = tail.length - 1
  while (i >= 0 && isSpace(tail[i])) i--
  if (i < 0 || tail[i] !== (open === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY)) return false
  let depth = 0
  let inString = false
  for (; i >= 0; i--) {
    const c = tail[i]
    if (c === QUOTE) {
      let slashes = 0
      while (tail[i - 1 - slashes] === BACKSLASH) slashes++
      if (slashes % 2 === 0) inString = !inString
    } else if (inString) continue
    else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) depth++
    else if ((c === OPEN_OBJECT || c === OPEN_ARRAY) && --depth === 0) return tailAt + i === openAt
  }
  return tailAt > 0
}
