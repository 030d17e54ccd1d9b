/** A file as the second reader sees it: by the form that our own reader found, from the bytes of the file. */
import { stat } from 'node:fs/promises'
import type { CheckedFile } from '../../shared/reader'
import type { SnapshotTable } from '../../shared/tables'
import type { SecondReading } from '../../shared/verify'
import { fileSource } from '../source'
import { readWithPickleparser } from './pickle'

/** Reads `data` as the given form of a snapshot. Never rejects. */
export async function secondReading(data: Uint8Array, form: SnapshotTable['format']): Promise<SecondReading> {
  if (form === 'json') return readJson(data)
  if (form !== 'html') return readWithPickleparser(data)
  const embedded = embeddedPickle(data)
  if (embedded === null) return { ok: false, reader: 'none', reason: 'the page holds no snapshot as base64' }
  return readWithPickleparser(embedded)
}

function readJson(data: Uint8Array): SecondReading {
  const reader = 'JSON.parse'
  try {
    const value = JSON.parse(new TextDecoder('utf-8').decode(data)) as unknown
    return { ok: true, reader, value, misread: { negative: 0, large: 0 } }
  } catch (e) {
    return { ok: false, reader, reason: `JSON.parse stops: ${e instanceof Error ? e.message.slice(0, 200) : String(e)}` }
  }
}

/** The first pickle inside a page of `_memory_viz`, as our own reader takes it; null where there is none. */
function embeddedPickle(data: Uint8Array): Uint8Array | null {
  const found = /"base64"\s*:\s*"([A-Za-z0-9+/=\s]*)"/.exec(new TextDecoder('latin1').decode(data))
  return found ? Buffer.from(found[1] ?? '', 'base64') : null
}

/** The uncompressed bytes of a file; null where they are more than `limit`. Rejects with the system's error. */
export async function wholeFile(path: string, limit: number, at?: CheckedFile): Promise<Uint8Array | null> {
  const source = await fileSource(path, path, undefined, at)
  try {
    const parts: Uint8Array[] = []
    let n = 0
    if (!source.compressed && source.size > limit) return null
    for await (const part of source.chunks()) {
      n += part.length
      if (n > limit) return null
      parts.push(part.slice())
    }
    const out = new Uint8Array(n)
    let at = 0
    for (const part of parts) {
      out.set(part, at)
      at += part.length
    }
    return out
  } finally {
    await source.close()
  }
}

/** What tells whether a file is still the same. Rejects with the system's error. */
export async function stateOf(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path)
  return `${size} ${mtimeMs} ${ino}`
}
