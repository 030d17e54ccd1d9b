import { gzipSync } from 'node:zlib'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bufferSource, fileSource, type CheckedSource } from './source'

const data = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7919) >> 3)
const all = async (s: CheckedSource): Promise<Uint8Array> => {
  const parts: Uint8Array[] = []
  for await (const c of s.chunks()) parts.push(c.slice())
  return Buffer.concat(parts)
}

describe('byte sources', () => {
  it.each([1, 7, 4096, 1 << 22])('yields the same bytes whatever the chunk size (%i)', async chunk => {
    expect(Buffer.compare(await all(bufferSource('x', data.subarray(0, 5000), chunk)), data.subarray(0, 5000))).toBe(0)
  })
  it('recognises gzip by content and reads several members', async () => {
    const source = bufferSource('x', Buffer.concat([gzipSync(data), gzipSync(data)]), 1000)
    const out = await all(source)
    expect(out.length).toBe(600_000)
    expect(source.problem).toBeNull()
    expect(source.compressed).toBe(true)
  })
  it('gives out what a cut gzip stream holds and says that it was cut', async () => {
    const zip = gzipSync(data)
    const source = bufferSource('x', zip.subarray(0, zip.length - 100), 1000)
    const out = await all(source)
    expect(out.length).toBeGreaterThan(100_000)
    expect(Buffer.compare(out, data.subarray(0, out.length))).toBe(0)
    expect(source.problem?.code).toBe('gzip-truncated')
  })
  it('gives out what stands before a damage', async () => {
    const zip = gzipSync(data)
    zip[zip.length - 6] ^= 0xff // the checksum in the trailer
    const source = bufferSource('x', zip, 1000)
    const out = await all(source)
    expect(Buffer.compare(out.subarray(0, 1000), data.subarray(0, 1000))).toBe(0)
    expect(source.problem?.code).toBe('gzip-damaged')
  })
  it('reads files, plain and gzip, and stops early without a leak', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'nw-source-'))
    await writeFile(join(dir, 'a'), data)
    await writeFile(join(dir, 'b'), gzipSync(data))
    for (const name of ['a', 'b']) {
      const s = await fileSource(join(dir, name), name, 4096)
      expect(Buffer.compare(await all(s), data)).toBe(0)
      expect(s.consumed).toBe(s.size)
      for await (const c of s.chunks()) if (c.length) break
      await s.close()
    }
  })
  it.runIf(process.platform === 'linux')('refuses what is no regular file, does not wait for a pipe and leaves nothing open', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'nw-source-'))
    execFileSync('mkfifo', [join(dir, 'pipe.json')])
    const opened = async (): Promise<number> => (await readdir('/proc/self/fd')).length
    const before = await opened()
    for (let i = 0; i < 20; i++)
      for (const path of [dir, join(dir, 'pipe.json'), '/dev/null'])
        await expect(fileSource(path, 'x')).rejects.toThrow('not a regular file')
    // Other work of the test's process may hold a few.
    expect(await opened()).toBeLessThan(before + 20)
  })
  it('reads ranges of plain files and buffers as copies, and offers none of compressed input', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'nw-source-'))
    await writeFile(join(dir, 'a'), data)
    const file = await fileSource(join(dir, 'a'), 'a', 4096)
    for (const s of [file, bufferSource('x', Buffer.from(data), 1000)]) {
      for (const [from, to] of [
        [0, 10],
        [data.length - 7, data.length + 100],
        [500, 500],
        [data.length + 5, data.length + 9],
      ] as const)
        expect(Buffer.compare(await s.range!(from, to), data.subarray(from, to))).toBe(0)
      const part = await s.range!(0, 4)
      part.fill(0)
      expect(Buffer.compare(await s.range!(0, 4), data.subarray(0, 4))).toBe(0)
    }
    await file.close()
    expect(bufferSource('x', gzipSync(data)).range).toBeUndefined()
  })
})
