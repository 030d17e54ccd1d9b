import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { samplesDir } from '../../testing/samples'
import { pickleDumps, type PickleValue } from '../pickle/write'
import { exampleSnapshot, snapshotBytes, type FixtureSnapshot } from './fixture'
import { sniffSnapshot } from './sniff'

const HEAD = 4096

describe('content decides', () => {
  test('dict form in every protocol, also by less than its first segment', () => {
    for (const protocol of [2, 4, 5] as const) {
      const data = snapshotBytes(exampleSnapshot(), protocol)
      for (const n of [64, 100, 500, HEAD, data.length])
        expect([protocol, n, sniffSnapshot(data.subarray(0, n), 'x.bin')]).toEqual([protocol, n, true])
    }
  })
  test('list form, traces first, settings first', () => {
    expect(sniffSnapshot(snapshotBytes(exampleSnapshot().segments).subarray(0, 400), 'x')).toBe(true)
    const { segments, device_traces, allocator_settings } = exampleSnapshot()
    expect(sniffSnapshot(snapshotBytes({ device_traces, segments } as FixtureSnapshot).subarray(0, 300), 'x')).toBe(true)
    expect(sniffSnapshot(pickleDumps({ allocator_settings, segments, device_traces } as PickleValue).subarray(0, 300), 'x')).toBe(true)
  })
  test('other pickles are none, whatever keys they hold further in', () => {
    for (const v of [{ model: [1, 2] }, [1, 2, 3], [], 5, { a: { segments: [] } }] as PickleValue[])
      expect(sniffSnapshot(pickleDumps(v), 'data.pkl')).toBe(false)
  })
  test('what is no pickle is none', () => {
    for (const text of ['{"segments": []}', '<html>', 'PK\u0003\u0004', '', 'segments', '\u007fELF'])
      expect([text, sniffSnapshot(Buffer.from(text, 'latin1'), 'memory_snapshot_rank0.pickle')]).toEqual([text, false])
  })
})

test('a pickle named as a snapshot is one, so that its reader can say what is wrong with it', () => {
  const hostile = Buffer.from("cposix\nsystem\n(S'echo'\ntR.")
  expect(sniffSnapshot(hostile, 'memory_snapshot_rank0.pickle')).toBe(true)
  expect(sniffSnapshot(hostile, 'data.pickle')).toBe(false)
  expect(sniffSnapshot(pickleDumps({ model: 1 }), 'memory_snapshot_rank0.pickle')).toBe(true)
  expect(sniffSnapshot(Buffer.from('hello'), 'memory_snapshot_rank0.pickle')).toBe(false)
})

test('any head gives an answer', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), head => void sniffSnapshot(head, 'x')),
    { numRuns: 1000 },
  )
})

const dir = samplesDir()
test.runIf(dir !== null)('every sample snapshot by its first 4 KiB; no opcode case', () => {
  for (const [folder, want] of [
    ['snapshots', true],
    ['synthetic-snapshots', true],
    ['synthetic-snapshots/edge_opcodes', false],
  ] as const) {
    const base = join(dir ?? '', folder)
    for (const name of Object.keys(JSON.parse(readFileSync(join(base, 'expected.json'), 'utf8')) as object))
      expect([name, sniffSnapshot(readFileSync(join(base, name)).subarray(0, HEAD), 'file')]).toEqual([name, want])
  }
})
