/** The real traces of the samples, cut and damaged. What must come out is computed from the whole text with JSON.parse and a naive walk over its braces. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringAt } from '../../shared/columns'
import type { TraceTable } from '../../shared/tables'
import { samplesDir } from '../../testing/samples'
import { bufferSource } from '../source'
import { readTrace } from './read'

const dir = samplesDir()
const files = dir === null ? [] : readdirSync(join(dir, 'traces')).filter(f => f.endsWith('.json.gz'))

interface Plain {
  readonly data: Buffer
  /** Offset of the first byte of each event and of the byte after it. */
  readonly start: readonly number[]
  readonly end: readonly number[]
  readonly names: readonly (string | null)[]
}

const isLong = (data: Uint8Array): boolean => data.length > 4e6

const plains = new Map<string, Plain>()
function plain(file: string): Plain {
  const known = plains.get(file)
  if (known) return known
  const data = gunzipSync(readFileSync(join(dir as string, 'traces', file)))
  const text = data.toString('latin1')
  const start: number[] = []
  const end: number[] = []
  let depth = 0
  for (let i = text.indexOf('[', text.indexOf('"traceEvents"')) + 1; ; i++) {
    const c = text[i]
    if (c === '"') {
      do i = text.indexOf('"', i + 1)
      while (/(^|[^\\])(\\\\)*\\$/.test(text.slice(Math.max(0, i - 20), i)))
    } else if (c === '{' && depth++ === 0) start.push(i)
    else if (c === '}' && --depth === 0) end.push(i + 1)
    else if (c === ']' && depth === 0) break
    else if (c === '[') depth++
    else if (c === ']') depth--
  }
  const doc = JSON.parse(data.toString('utf8')) as { readonly traceEvents: readonly { readonly name?: unknown }[] }
  expect(doc.traceEvents).toHaveLength(start.length)
  expect(end).toHaveLength(start.length)
  const names = doc.traceEvents.map(e => (e.name === undefined ? null : String(e.name)))
  plains.set(file, { data, start, end, names })
  return plains.get(file) as Plain
}

const read = async (data: Uint8Array, chunk?: number): Promise<{ table: TraceTable | null; codes: Set<string> }> => {
  const { table, diagnostics } = await readTrace(bufferSource('t.json', data, chunk), {})
  return { table, codes: new Set(diagnostics.map(d => d.code)) }
}
const nameOf = (t: TraceTable, i: number): string | null => (t.name[i] < 0 ? null : stringAt(t.strings, t.name[i]))

/** Deterministic numbers in [0, 1). */
function random(seed: number): () => number {
  let x = seed
  return () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    return x / 2 ** 32
  }
}

describe.skipIf(files.length === 0)('real traces', () => {
  it.each(files)('%s cut at 20 places gives the events that are whole before the cut', async file => {
    const { data, start, end, names } = plain(file)
    const next = random(7)
    // Half of the cuts anywhere, half around the borders of events; of long files more in the first part, because reading them takes time.
    for (let k = 0; k < 20; k++) {
      const where = next() ** (isLong(data) && k > 0 ? 16 : 1)
      const e = Math.floor(where * end.length)
      const cut = k % 2 ? Math.floor(where * data.length) : k % 4 ? end[e] : end[e] - 1
      const { table, codes } = await read(data.subarray(0, cut), 1 + Math.floor(next() * 300_000))
      const whole = end.filter(x => x <= cut).length
      if (cut <= start[0]) {
        expect(table?.count ?? 0).toBe(0)
        continue
      }
      expect(table?.count).toBe(whole)
      for (let i = 0; i < whole; i += 97) expect(nameOf(table as TraceTable, i)).toBe(names[i])
      const list = data.indexOf(']', end[end.length - 1])
      expect(table?.complete).toBe(cut > list)
      expect(codes.has('trace-truncated')).toBe(cut <= list)
    }
  })

  it.each(files)('%s with a cut gzip stream gives what inflates', async file => {
    const packed = readFileSync(join(dir as string, 'traces', file))
    const { end } = plain(file)
    for (const part of isLong(plain(file).data) ? [0.05, 0.15] : [0.2, 0.5, 0.9, 0.999]) {
      const cut = packed.subarray(0, Math.floor(packed.length * part))
      const inflated = gunzipSync(cut, { finishFlush: constants.Z_SYNC_FLUSH }).length
      const { table, codes } = await read(cut)
      expect(table?.count ?? 0).toBe(end.filter(x => x <= inflated).length)
      expect(codes.has('gzip-truncated')).toBe(true)
    }
  })

  it.each(files)('%s with bytes injected keeps every event that was not touched', async file => {
    const { data, start, end, names } = plain(file)
    const next = random(11)
    const BYTES = [0, 1, 0x0a, 0x20, 0x22, 0x27, 0x2c, 0x2f, 0x30, 0x3a, 0x41, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d, 0x80, 0xc3, 0xff]
    for (let round = 0; round < (isLong(data) ? 1 : 8); round++) {
      // Some are replaced, some put in between; offsets are those of the whole file, ascending.
      const at = [...new Set(Array.from({ length: 5 }, () => Math.floor(next() * data.length)))].sort((a, b) => a - b)
      const parts: Uint8Array[] = []
      let from = 0
      for (const o of at) {
        const put = Uint8Array.from({ length: 1 + Math.floor(next() * 3) }, () => BYTES[Math.floor(next() * BYTES.length)])
        parts.push(data.subarray(from, o), put)
        from = next() < 0.5 ? o + 1 : o
      }
      parts.push(data.subarray(from))
      const { table } = await read(Buffer.concat(parts), 1 + Math.floor(next() * 300_000))
      // Touched: the event that an offset lies in.
      const touched = new Set(at.map(o => start.findIndex((s, i) => o >= s && o < end[i])))
      const want = names.filter((_, i) => !touched.has(i))
      const t = table as TraceTable
      expect(t).not.toBeNull()
      expect(t.count).toBeLessThanOrEqual(names.length)
      expect(t.count).toBeGreaterThanOrEqual(want.length)
      // All untouched ones, in order, with at most as many in between as were touched.
      let i = 0
      for (let row = 0; row < t.count && i < want.length; row++) if (nameOf(t, row) === want[i]) i++
      expect(i).toBe(want.length)
    }
  })
})

it.skipIf(files.length === 0)('mutations of a real trace never crash or hang, and do not depend on how the input is cut', async () => {
  const { data } = plain('cpu-only-rank34.json.gz')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(data.length - 1), fc.nat(255), fc.integer({ min: -2000, max: 2000 })), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 5000 }),
      async (edits, chunk) => {
        let bytes = Buffer.from(data)
        for (const [at, to, span] of edits) {
          const o = at % bytes.length
          if (span >= -100 && span <= 100) bytes[o] = to
          // A piece taken out, or put in a second time.
          else if (span < 0) bytes = Buffer.concat([bytes.subarray(0, o), bytes.subarray(o - span)])
          else bytes = Buffer.concat([bytes.subarray(0, o), bytes.subarray(Math.max(0, o - span))])
          if (bytes.length === 0) return
        }
        const comparable = async (c?: number): Promise<unknown> => {
          const { table, diagnostics } = await readTrace(bufferSource('t.json', bytes, c), {})
          return { diagnostics, table: table && { ...table, epochNs: String(table.epochNs), extentNs: table.extentNs?.map(String) } }
        }
        expect(await comparable(chunk)).toEqual(await comparable())
      },
    ),
    { numRuns: 200 },
  )
})
