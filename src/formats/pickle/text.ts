/** Text forms of protocol 0 and the UTF-8 that Python writes (lone surrogates pass as three bytes). */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** Text of UTF-8 bytes as Python's `surrogatepass` decodes them; bytes that are no UTF-8 become U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    let out = ''
    let from = 0
    for (let i = 0; i + 2 < bytes.length; i++) {
      const b = bytes[i + 1] as number
      const c = bytes[i + 2] as number
      if (bytes[i] !== 0xed || (b & 0xe0) !== 0xa0 || (c & 0xc0) !== 0x80) continue
      out += lenient.decode(bytes.subarray(from, i)) + String.fromCharCode(0xd000 | ((b & 0x3f) << 6) | (c & 0x3f))
      i += 2
      from = i + 1
    }
    return out + lenient.decode(bytes.subarray(from))
  }
}

const isHex = (b: number): boolean => (b >= 48 && b <= 57) || (b >= 65 && b <= 70) || (b >= 97 && b <= 102)
const hexAt = (b: Uint8Array, at: number, digits: number): number => {
  if (at + digits > b.length) return -1
  let v = 0
  for (let i = at; i < at + digits; i++) {
    const d = b[i] as number
    if (!isHex(d)) return -1
    v = v * 16 + (d <= 57 ? d - 48 : (d | 32) - 87)
  }
  return v
}

function putCodePoint(out: number[], cp: number): void {
  if (cp < 0x80) out.push(cp)
  else if (cp < 0x800) out.push(0xc0 | (cp >> 6), 0x80 | (cp & 63))
  else if (cp < 0x10000) out.push(0xe0 | (cp >> 12), 0x80 | ((cp >> 6) & 63), 0x80 | (cp & 63))
  else out.push(0xf0 | (cp >> 18), 0x80 | ((cp >> 12) & 63), 0x80 | ((cp >> 6) & 63), 0x80 | (cp & 63))
}

/** Line of a UNICODE opcode: Latin-1 with \uXXXX and \UXXXXXXXX. Returns UTF-8, null for a broken escape. */
export function rawUnicodeEscape(line: Uint8Array): Uint8Array | null {
  const out: number[] = []
  for (let i = 0; i < line.length; i++) {
    const b = line[i] as number
    const next = line[i + 1]
    if (b !== 0x5c || (next !== 0x75 && next !== 0x55)) {
      putCodePoint(out, b)
      // A backslash escapes a following one: `\\u0041` is no escape.
      if (b === 0x5c && next === 0x5c) {
        putCodePoint(out, 0x5c)
        i++
      }
      continue
    }
    const digits = next === 0x75 ? 4 : 8
    let cp = hexAt(line, i + 2, digits)
    if (cp < 0 || cp > 0x10ffff) return null
    i += 1 + digits
    // Python 2 wrote characters beyond the BMP as two escapes.
    if (cp >= 0xd800 && cp < 0xdc00 && line[i + 1] === 0x5c && line[i + 2] === 0x75) {
      const low = hexAt(line, i + 3, 4)
      if (low >= 0xdc00 && low < 0xe000) {
        cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00)
        i += 6
      }
    }
    putCodePoint(out, cp)
  }
  return Uint8Array.from(out)
}

const SIMPLE: Readonly<Record<number, number>> = {
  0x5c: 0x5c,
  0x27: 0x27,
  0x22: 0x22,
  0x6e: 10,
  0x74: 9,
  0x72: 13,
  0x61: 7,
  0x62: 8,
  0x66: 12,
  0x76: 11,
}

/** Line of a STRING opcode: a quoted Python literal. Returns its bytes, null when it is not one. */
export function stringLiteral(line: Uint8Array): Uint8Array | null {
  const quote = line[0]
  if (line.length < 2 || (quote !== 0x27 && quote !== 0x22) || line[line.length - 1] !== quote) return null
  const out: number[] = []
  for (let i = 1; i < line.length - 1; i++) {
    const b = line[i] as number
    if (b !== 0x5c) {
      out.push(b)
      continue
    }
    const e = line[++i] as number
    const simple = SIMPLE[e]
    if (simple !== undefined) out.push(simple)
    else if (e === 0x78) {
      const v = hexAt(line, i + 1, 2)
      if (v < 0) return null
      out.push(v)
      i += 2
    } else if (e >= 48 && e <= 55) {
      let v = e - 48
      for (let k = 0; k < 2 && (line[i + 1] as number) >= 48 && (line[i + 1] as number) <= 55; k++) v = v * 8 + (line[++i] as number) - 48
      out.push(v & 255)
    } else out.push(0x5c, e)
  }
  return Uint8Array.from(out)
}

/** Python's text of a float as FLOAT carries it; null when it is none. */
export function floatLiteral(text: string): number | null {
  const t = text.trim().toLowerCase()
  const special: Readonly<Record<string, number>> = {
    inf: Infinity,
    '+inf': Infinity,
    '-inf': -Infinity,
    nan: NaN,
    '-nan': NaN,
    infinity: Infinity,
    '-infinity': -Infinity,
  }
  if (Object.hasOwn(special, t)) return special[t] as number
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(t) ? Number(t) : null
}
