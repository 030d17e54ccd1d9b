import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { samplesDir } from '../../testing/samples'
import { exampleSnapshot, snapshotBytes } from '../memory-snapshot/fixture'
import { pickleDumps, type PickleValue } from '../pickle/write'
import { readWithPickleparser } from './pickle'
import { secondReading } from './read'

const valueOf = async (data: Uint8Array): Promise<unknown> => {
  const r = await readWithPickleparser(data)
  if (!r.ok) throw new Error(r.reason)
  return r.value
}
const bytes = (...parts: (number | string)[]): Uint8Array =>
  Uint8Array.from(parts.flatMap(p => (typeof p === 'number' ? [p] : [...Buffer.from(p, 'latin1')])))
const long1 = (...b: number[]): Uint8Array => bytes(0x80, 2, 0x8a, b.length, ...b, 0x2e)

describe('pickleparser', () => {
  test('dicts are Maps, whatever their keys are called', async () => {
    const v = (await valueOf(pickleDumps({ ['__proto__']: { polluted: 1 }, a: [1, 'x'] } as PickleValue))) as Map<string, unknown>
    expect([...v.keys()]).toEqual(['__proto__', 'a'])
    const own = (await valueOf(bytes('(dS', "'__proto__'\n", '(dS', "'polluted'\n", 'I1\nss.'))) as Map<string, unknown>
    expect(own.get('__proto__')).toBeInstanceOf(Map)
    expect(Object.getPrototypeOf(own)).toBe(Map.prototype)
    expect((own as { readonly polluted?: unknown }).polluted).toBeUndefined()
  })

  test('names, persistent ids and extensions are refused before anything is made of them', async () => {
    for (const [what, data] of [
      ['a name', bytes('cos\nsystem\n(S', "'id'\n", 'tR.')],
      ['a name', bytes(0x80, 4, 0x8c, 2, 'os', 0x8c, 6, 'system', 0x93, '.')],
      ['a name', bytes('(ios\nsystem\n.')],
      ['a persistent object', bytes('P7\n.')],
      ['a registered extension', bytes(0x80, 2, 0x82, 1, '.')],
    ] as const) {
      const r = await readWithPickleparser(data)
      expect(r.ok ? r.value : r.reason).toContain(`asks for ${what}, which is refused`)
    }
  })

  test('integers that it gets wrong are counted, and it is kept from writing a line for each', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const misread = async (data: Uint8Array): Promise<unknown> => {
      const r = await readWithPickleparser(data)
      return r.ok ? [r.value, r.misread] : r.reason
    }
    expect(await misread(long1(0, 0, 0, 0, 0, 0, 0x20))).toEqual([2 ** 53, { negative: 0, large: 1 }])
    expect(await misread(long1(255, 255, 255, 255, 255, 255, 0x1f))).toEqual([2 ** 53 - 1, { negative: 0, large: 0 }])
    // -2^31 - 1, which comes out as a large number
    expect(await misread(long1(255, 255, 255, 127, 255))).toEqual([1097364144127, { negative: 1, large: 0 }])
    // 2^64 - 1 with its sign byte
    expect(await misread(long1(255, 255, 255, 255, 255, 255, 255, 255, 0))).toEqual([2 ** 64, { negative: 0, large: 1 }])
    expect(await misread(long1(1, 0, 0, 0, 0, 0, 0, 0, 1))).toMatch(/integer of more than eight bytes/)
    // A text of 138 bytes before one of 88: lengths that look like opcodes are no integers.
    expect(await misread(bytes(0x80, 4, 0x8c, 138, 'x'.repeat(138), 0x30, 0x58, 88, 0, 0, 0, 'é'.repeat(88), '.'))).toMatchObject({
      1: { negative: 0, large: 0 },
    })
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
  })

  test('what it cannot read is a reason', async () => {
    const data = snapshotBytes(exampleSnapshot())
    expect(await readWithPickleparser(data.subarray(0, 500))).toMatchObject({
      ok: false,
      reason: expect.stringContaining('stops') as unknown,
    })
    expect(await readWithPickleparser(new Uint8Array(0))).toMatchObject({ ok: false })
    const many = bytes(0x80, 2, ']', '('.concat('N'.repeat(400_000)), 'e.')
    expect(await readWithPickleparser(many)).toMatchObject({ ok: false, reason: expect.stringContaining('so many items') as unknown })
  })
})

describe('forms', () => {
  test('JSON, and the first pickle of a page', async () => {
    const text = new TextEncoder()
    expect(await secondReading(text.encode('{"segments": []}'), 'json')).toMatchObject({
      ok: true,
      reader: 'JSON.parse',
      value: { segments: [] },
    })
    expect(await secondReading(text.encode('{"segments": '), 'json')).toMatchObject({ ok: false })
    const base64 = Buffer.from(snapshotBytes(exampleSnapshot())).toString('base64')
    const page = (n: number): Uint8Array =>
      text.encode(`<script>const local_files = [${`{"name": "s.pickle", "base64": "${base64}"},`.repeat(n)}]</script>`)
    for (const n of [1, 2]) {
      const r = await secondReading(page(n), 'html')
      expect(r.ok && (r.value as Map<string, unknown>).has('device_traces')).toBe(true)
    }
    expect(await secondReading(page(0), 'html')).toMatchObject({ ok: false, reason: expect.stringContaining('no snapshot') as unknown })
  })
})

const dir = samplesDir()
describe.runIf(dir !== null)('opcode cases', () => {
  test('nothing is run, nothing rejects', async () => {
    const folder = join(dir ?? '', 'synthetic-snapshots/edge_opcodes')
    const names = Object.keys(JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as object)
    expect(names.length).toBeGreaterThan(20)
    for (const name of names) {
      const r = await readWithPickleparser(readFileSync(join(folder, name)))
      if (name.includes('global')) expect([name, r.ok]).toEqual([name, false])
    }
  })
})
