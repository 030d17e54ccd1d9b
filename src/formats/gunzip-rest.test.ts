import { gzipSync, inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bufferSource, type SourceProblem } from './source'

/** Text that deflate cannot make much shorter than a third, so that damage lies far behind the beginning. */
const text = (n: number): Buffer => {
  let x = 1
  return Buffer.from(Array.from({ length: n }, () => ((x = (Math.imul(x, 1103515245) + 12345) >>> 0) >>> 24).toString(36)).join(' '))
}
const data = text(600_000)
const packed = gzipSync(data)

async function read(bytes: Uint8Array, chunk?: number): Promise<{ readonly out: Buffer; readonly problem: SourceProblem | null }> {
  const source = bufferSource('x', bytes, chunk)
  const parts: Buffer[] = []
  for await (const part of source.chunks()) parts.push(Buffer.from(part))
  return { out: Buffer.concat(parts), problem: source.problem }
}

describe('a damaged gzip stream', () => {
  it('with other bytes behind its end gives all of it, and the offset of these', async () => {
    for (const chunk of [undefined, 100_000, 777]) {
      const { out, problem } = await read(Buffer.concat([packed, Buffer.from('and so on')]), chunk)
      expect(out.equals(data)).toBe(true)
      expect(problem).toEqual({ code: 'gzip-damaged', message: 'other bytes follow its end', offset: packed.length })
    }
  })
  it('with a wrong checksum gives all of it', async () => {
    const wrong = Buffer.from(packed)
    wrong[wrong.length - 8] = (wrong[wrong.length - 8] as number) ^ 1
    const { out, problem } = await read(wrong)
    expect(out.equals(data)).toBe(true)
    expect(problem).toMatchObject({ code: 'gzip-damaged', message: 'incorrect data check' })
  })
  it('gives the same bytes however it is cut, and all that stand before the damage', async () => {
    // A stored block whose two lengths do not agree is found out at once, so what must come out is known: the blocks before it.
    const stored = (b: Buffer, broken = false): Buffer => {
      const head = Buffer.from([0, 0, 0, 0, 0])
      head.writeUInt16LE(b.length, 1)
      head.writeUInt16LE((b.length ^ 0xffff ^ (broken ? 1 : 0)) & 0xffff, 3)
      return Buffer.concat([head, b])
    }
    const blocks = Array.from({ length: 40 }, (_, i) => data.subarray(i * 20_000, (i + 1) * 20_000))
    const good = blocks.map(b => stored(b))
    expect(inflateRawSync(Buffer.concat([...good, Buffer.from([1, 0, 0, 0xff, 0xff])])).equals(data.subarray(0, 800_000))).toBe(true)
    const bytes = Buffer.concat([packed.subarray(0, 10), ...good.slice(0, 33), stored(blocks[33] as Buffer, true), ...good.slice(34)])
    for (const chunk of [undefined, 70_000, 501]) {
      const { out, problem } = await read(bytes, chunk)
      expect(out.equals(data.subarray(0, 33 * 20_000))).toBe(true)
      expect(problem).toMatchObject({ code: 'gzip-damaged', offset: 10 + 33 * 20_005 + 4 })
    }
  })
})
