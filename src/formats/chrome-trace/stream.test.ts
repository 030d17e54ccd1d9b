import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { streamBytes, type ByteRange } from './stream'

const DATA = Uint8Array.from({ length: 5000 }, (_, i) => (i * 31) % 251)
let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-stream-'))
  await writeFile(join(dir, 'plain'), DATA)
  // Two members one after the other are one stream.
  await writeFile(join(dir, 'packed'), Buffer.concat([gzipSync(DATA.subarray(0, 3000)), gzipSync(DATA.subarray(3000))]))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function read(name: string, ranges: readonly ByteRange[], chunk: number): Promise<(readonly [number, number])[]> {
  const out: (readonly [number, number])[] = []
  for await (const { offset, bytes } of streamBytes(join(dir, name), ranges, undefined, chunk))
    bytes.forEach((b, i) => out.push([offset + i, b]))
  return out
}

it('gives the bytes of the ranges in order, however the file is cut, plain and packed', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(5200), { maxLength: 8 }),
      fc.integer({ min: 1, max: 900 }),
      fc.constantFrom('plain', 'packed'),
      async (cuts, chunk, name) => {
        const sorted = [...new Set(cuts)].sort((a, b) => a - b)
        const ranges: ByteRange[] = []
        for (let i = 0; i + 1 < sorted.length; i += 2) ranges.push([sorted[i], sorted[i + 1]])
        const wanted = ranges.flatMap(([a, b]) => Array.from(DATA.subarray(a, b), (v, i) => [a + i, v] as const))
        expect(await read(name, ranges, chunk)).toEqual(wanted)
      },
    ),
    { numRuns: 60 },
  ))

it('ends early where the file does, and rejects where there is none', async () => {
  expect(await read('plain', [[4990, 9000]], 100)).toHaveLength(10)
  await expect(read('gone', [[0, 1]], 10)).rejects.toThrow()
})
