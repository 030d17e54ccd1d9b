/** What a snapshot does not tell is not told: a size that does not fit, and what lies beyond an early end. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { EXAMPLE, exampleSnapshot, snapshotBytes, snapshotJson, type FixtureEvent } from '../formats/memory-snapshot/fixture'
import { run } from './run'

const folder = mkdtempSync(join(tmpdir(), 'unknown-sizes-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function call(...args: string[]): Promise<string> {
  let out = ''
  await run(args, { cwd: folder, out: (t: string) => (out += t), err: () => undefined, progress: false })
  return out
}
const time = String(BigInt(EXAMPLE.timeUs + 65) * 1000n)

test('a size that does not fit: inspect and at know no totals of its device', async () => {
  const write = (s: ReturnType<typeof exampleSnapshot>): string => {
    writeFileSync(join(folder, 'a.pickle'), snapshotBytes(s))
    return 'a.pickle'
  }
  const peak = (document: string): unknown =>
    (JSON.parse(document) as { sessions: { files: { facts: { devices: { peakActiveBytes: unknown }[] } }[] }[] }).sessions[0]?.files[0]
      ?.facts.devices[0]?.peakActiveBytes
  const at = (document: string): unknown => (JSON.parse(document) as { memory: { activeBytes: unknown }[] }).memory[0]?.activeBytes
  write(exampleSnapshot())
  expect(peak(await call('inspect', '.', '--json'))).toBe(10_000_000)
  expect(at(await call('at', '.', '--time', time, '--json'))).toBe(10_000_000)
  const odd = exampleSnapshot()
  ;((odd.device_traces[1] as FixtureEvent[])[5] as { size: unknown }).size = 'many'
  write(odd)
  expect(peak(await call('inspect', '.', '--json'))).toBeNull()
  expect(at(await call('at', '.', '--time', time, '--json'))).toBeNull()
  expect(await call('inspect', '.')).toContain('peak — active (requested)')
  expect(await call('at', '.', '--time', time)).toMatch(/\n *0 +1 +— +5\n/)
  rmSync(join(folder, 'a.pickle'))
})

test('a file that ends early proves a figure and no more', async () => {
  const text = (name: string, data: Uint8Array): Promise<string> => {
    writeFileSync(join(folder, name), data)
    return call('snapshot', name)
  }
  const data = snapshotBytes(exampleSnapshot())
  const json = Buffer.from(snapshotJson(exampleSnapshot()))
  for (const cut of [data.subarray(0, Buffer.from(data).indexOf('segment_free')), json.subarray(0, json.indexOf('segment_free'))]) {
    const shown = await text('cut', cut)
    for (const row of ['active at the start', 'peak active', 'active at the end', 'peak allocated', 'allocated at the end'])
      expect(shown).toMatch(new RegExp(`${row} \\(requested\\) +at least [\\d.]+`))
    expect(shown).toMatch(/live at the start +— \(—\)/)
  }
  expect(await text('whole', data)).not.toContain('at least')
})

test('host memory is in the document and in no figure of a device', async () => {
  const s = exampleSnapshot()
  const segment = {
    address: 4096,
    total_size: 8192,
    blocks: [{ address: 4096, size: 8192, requested_size: 5000, state: 'active_allocated' }],
  }
  const document = async (more: object): Promise<Record<string, unknown>> => {
    writeFileSync(join(folder, 'h'), snapshotBytes({ ...s, ...more } as typeof s))
    return JSON.parse(await call('snapshot', 'h', '--json')) as Record<string, unknown>
  }
  const plain = await document({})
  expect(plain['hostSegments']).toBeNull()
  const host = await document({ host_segments: [segment, { ...segment, address: 65536, total_size: 4096 }], host_traces: [] })
  expect(host['hostSegments']).toEqual({ count: 2, bytes: 12288 })
  expect(host['devices']).toEqual(plain['devices'])
  expect((await document({ host_segments: [] }))['hostSegments']).toEqual({ count: 0, bytes: 0 })
  expect((await document({ host_segments: [{ ...segment, total_size: -1 }] }))['hostSegments']).toEqual({ count: 1, bytes: null })
})
