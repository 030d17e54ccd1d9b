/** Every expected value of the sample snapshots, field by field as the samples' README maps them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bufferSource } from '../../formats/source'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import { stringAt } from '../../shared/columns'
import type { SnapshotTable } from '../../shared/tables'
import { samplesDir } from '../../testing/samples'
import { replayAll } from './replay'
import { snapshotReport, type DeviceReport, type SnapshotReport } from './report'

interface ExpectedDevice {
  readonly [key: string]: number | readonly number[]
}
interface Expected {
  readonly proto: number
  readonly nsegments: number
  readonly nblocks: number
  readonly device_traces_len: readonly number[]
  readonly actions: Readonly<Record<string, number>>
  readonly time_us: readonly [number | null, number | null]
  readonly entries_without_frames: number
  readonly max_stack: number
  readonly devices: Readonly<Record<string, ExpectedDevice>>
}

const dir = samplesDir() ?? ''
const load = (path: string): unknown => JSON.parse(readFileSync(join(dir, path), 'utf8'))

async function report(path: string): Promise<{ readonly table: SnapshotTable; readonly doc: SnapshotReport }> {
  const { table, diagnostics } = await readSnapshot(bufferSource(path, readFileSync(join(dir, path))))
  if (!table) throw new Error(JSON.stringify(diagnostics))
  return { table, doc: snapshotReport(table, replayAll(table), 0, diagnostics) }
}
const sum = (doc: SnapshotReport, of: (d: DeviceReport) => number): number => doc.devices.reduce((n, d) => n + of(d), 0)
function actionsOf(doc: SnapshotReport): Record<string, number> {
  const out: Record<string, number> = {}
  for (const d of doc.devices) for (const [a, n] of Object.entries(d.eventsByAction)) out[a] = (out[a] ?? 0) + n
  return out
}

/** Keys of a device and the field of the report they stand for. */
const FIELDS: Readonly<Record<string, (d: DeviceReport) => unknown>> = {
  start_active: d => d.startActiveBytes,
  peak_active: d => d.peakActiveBytes,
  peak_active_idx: d => d.peakActiveEvent,
  end_active: d => d.endActiveBytes,
  peak_allocated: d => d.peakAllocatedBytes,
  end_allocated: d => d.endAllocatedBytes,
  reserved_start: d => d.startReservedBytes,
  peak_reserved: d => d.peakReservedBytes,
  reserved_end: d => d.endReservedBytes,
  unknown_frees: d => d.unknownFrees,
  unknown_free_bytes: d => d.unknownFreeBytes,
  preexisting_live: d => d.liveAtStart,
  preexisting_live_bytes: d => d.liveAtStartBytes,
  peak_block_rounded: d => d.peakBlockRoundedBytes,
  end_block_rounded: d => d.endBlockRoundedBytes,
  snapshot_checkpoints_matched: d => d.checkpoints,
}

describe.runIf(dir !== '')('real snapshots', () => {
  const all = dir === '' ? {} : (load('snapshots/expected.json') as Readonly<Record<string, Expected>>)
  for (const [name, want] of Object.entries(all))
    test(name, async () => {
      const { table, doc } = await report(`snapshots/${name}`)
      expect(doc.format).toBe('pickle')
      expect(doc.pickleProtocol).toBe(want.proto)
      expect(doc.segments).toBe(want.nsegments)
      expect(doc.blocks).toBe(want.nblocks)
      expect(doc.timeUs).toEqual(want.time_us.map(t => (t === null ? null : String(t))))
      expect(table.devices.map(d => d.count)).toEqual(want.device_traces_len)
      for (const d of doc.devices) expect(d.events).toBe(want.device_traces_len[d.device] ?? 0)
      expect(actionsOf(doc)).toEqual(want.actions)
      expect(sum(doc, d => d.entriesWithoutFrames)).toBe(want.entries_without_frames)
      expect(Math.max(0, ...doc.devices.map(d => d.maxStack))).toBe(want.max_stack)
      expect(doc.devices.map(d => String(d.device))).toEqual(Object.keys(want.devices))
      for (const d of doc.devices) {
        const expected = want.devices[d.device] as ExpectedDevice
        for (const [key, value] of Object.entries(expected)) {
          const field = FIELDS[key]
          if (field) expect([key, field(d)]).toEqual([key, value])
          else throw new Error(`no field for ${key}`)
        }
      }
      // The history and the segment table agree, except where the author removed the blocks.
      expect(doc.devices.map(d => d.selfCheck.ok)).toEqual(doc.devices.map(() => name !== 'trimmed-by-author.pickle'))
    })

  test('the block-rounded curve: what it was checked on, and where it is not known', async () => {
    const told: Record<string, string> = {}
    let checked = 0
    for (const name of Object.keys(all))
      for (const d of (await report(`snapshots/${name}`)).doc.devices) {
        told[name] = d.blockRounded.status
        checked += d.blockRounded.checkedBlocks
        expect([name, d.peakBlockRoundedBytes === null]).toEqual([name, !('peak_block_rounded' in (all[name]?.devices[d.device] ?? {}))])
      }
    expect(told).toEqual({
      'allocator-settings.pickle': 'not-confirmed',
      'state-only.pickle': 'not-confirmed',
      'forward-fp32.pickle': 'not-confirmed',
      'frames-empty.pickle': 'confirmed',
      'inference.pickle': 'not-confirmed',
      'late-start-222-unknown-frees.pickle': 'confirmed',
      'torch20-history-a.pickle': 'not-confirmed',
      'torch20-history-b.pickle': 'not-confirmed',
      'train-step.pickle': 'confirmed',
      'trimmed-by-author.pickle': 'unknown',
    })
    expect(checked).toBeGreaterThan(100)
  })
})

describe.runIf(dir !== '')('synthetic snapshots', () => {
  const all = dir === '' ? {} : (load('synthetic-snapshots/expected.json') as Readonly<Record<string, Readonly<Record<string, unknown>>>>)
  const ONE: Readonly<Record<string, (d: DeviceReport) => unknown>> = {
    peak_active: d => d.peakActiveBytes,
    peak_idx: d => d.peakActiveEvent,
    start_active: d => d.startActiveBytes,
    end_active: d => d.endActiveBytes,
    peak_allocated: d => d.peakAllocatedBytes,
    end_allocated: d => d.endAllocatedBytes,
    peak_reserved: d => d.peakReservedBytes,
    end_reserved: d => d.endReservedBytes,
    unknown_frees: d => d.unknownFrees,
    allocs: d => d.eventsByAction['alloc'],
  }
  for (const [name, want] of Object.entries(all))
    test(name, async () => {
      const { table, doc } = await report(`synthetic-snapshots/${name}`)
      const device = doc.devices[0] as DeviceReport
      expect(doc.devices).toHaveLength(1)
      for (const [key, value] of Object.entries(want)) {
        const field = ONE[key]
        if (field) expect([key, field(device)]).toEqual([key, value])
        else if (key === 'private_pool_reserved') expect(device.pools).toMatchObject(value as object)
        else if (key === 'oom') {
          const oom = value as { readonly size: number; readonly device_free: number }
          expect(device.ooms).toEqual([{ event: 5, size: oom.size, deviceFree: oom.device_free }])
        } else if (key === 'annotations') expect(doc.annotations.map(a => a.text)).toEqual(expect.arrayContaining(value as string[]))
        else if (key === 'categories') {
          const used = new Set(table.devices.flatMap(d => [...d.category].filter(c => c >= 0).map(c => stringAt(table.strings, c))))
          expect([...used]).toEqual(value)
        } else if (key === 'distinct_addresses') {
          const allocs = table.devices.flatMap(d => [...d.address].filter((_, i) => d.action[i] === 0))
          expect(new Set(allocs).size).toBe(value)
        } else if (key !== 'note') throw new Error(`no field for ${key}`)
      }
    })

  test('protocols, and the texts of user_defined entries', async () => {
    expect((await report('synthetic-snapshots/proto2.pickle')).doc.pickleProtocol).toBe(2)
    expect((await report('synthetic-snapshots/proto5.pickle')).doc.pickleProtocol).toBe(5)
    expect((await report('synthetic-snapshots/user_defined_action.pickle')).doc.annotations).toEqual([
      { text: 'ProfilerStep#0', stage: 'START', device: 0, timeUs: '1' },
      { text: 'ProfilerStep#0', stage: 'END', device: 0, timeUs: '3' },
    ])
  })
})
