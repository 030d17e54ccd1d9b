/** Devices that the segment table names: how many there may be, and numbers that are none. */
import { describe, expect, test } from 'vitest'
import { replayAll } from '../../analysis/allocator/replay'
import { bufferSource } from '../source'
import { Float, pickleDumps, type PickleValue } from '../pickle/write'
import { readSnapshot } from './read'

const segment = (device: PickleValue, i: number, bytes = 512): PickleValue => ({
  device,
  address: 0x10000 + 4096 * i,
  total_size: bytes,
  stream: 0,
  segment_type: 'small',
  blocks: [{ address: 0x10000 + 4096 * i, size: 512, requested_size: 500, state: 'active_allocated' }],
})
const read = async (segments: PickleValue[], more: Record<string, PickleValue> = {}) => {
  const { table, diagnostics } = await readSnapshot(bufferSource('d.pickle', pickleDumps({ segments, device_traces: [], ...more })))
  if (!table) throw new Error('no table')
  return { table, diagnostics, models: replayAll(table) }
}

describe('very many devices', () => {
  test('the first 1,024 are taken, the bytes of the rest are told', async () => {
    // A second segment of a device that is taken stays with it, wherever it stands.
    const segments = [...Array.from({ length: 20_000 }, (_, i) => segment(i, i)), segment(7, 20_000, 1024)]
    const { models, diagnostics } = await read(segments)
    expect(models.map(m => m.device)).toEqual(Array.from({ length: 1024 }, (_, i) => i))
    expect(models[7]?.figures.endReservedBytes).toBe(1536)
    expect(models[7]?.figures.endActiveBytes).toBe(1000)
    const told = diagnostics.filter(d => d.code === 'pickle-limit')
    expect(told).toHaveLength(1)
    expect(told[0]?.message).toBe('segments: more devices than 1024.')
    expect(told[0]?.count).toBe(20_000 - 1024)
    expect(told[0]?.meaning).toContain(`${(20_000 - 1024) * 512} bytes`)
  })
  test('a device list is no segment: 1,024 devices of segments are no finding', async () => {
    const { models, diagnostics } = await read(Array.from({ length: 1024 }, (_, i) => segment(i, i)))
    expect(models).toHaveLength(1024)
    expect(diagnostics).toEqual([])
  })
})

describe('a device of a segment that does not fit', () => {
  for (const [name, value, shown] of [
    ['2^32', 2 ** 32, '4294967296'],
    ['2^31', 2 ** 31, '2147483648'],
    ['1.5', new Float(1.5), '1.5'],
    ['-1', -1, '-1'],
    ['2^63', 2n ** 63n, '9223372036854775808'],
    ['None', null, 'null'],
    ['a text', '0', '"0"'],
  ] as const)
    test(name, async () => {
      const { models, diagnostics } = await read([segment(0, 0), segment(value, 1, 2048)])
      expect(models.map(m => m.device)).toEqual([0])
      expect(models[0]?.figures.endReservedBytes).toBe(512)
      expect(diagnostics.map(d => d.code)).toEqual(['snapshot-bad-value', 'snapshot-segment-device'])
      expect(diagnostics[0]?.message).toBe(`The value of device is ${shown}, which does not fit.`)
      expect(diagnostics[0]?.offset).toBeGreaterThan(0)
      expect(diagnostics[1]?.count).toBe(1)
      expect(diagnostics[1]?.meaning).toContain('2048 bytes')
    })
  test('an annotation may name no device, but not one that does not fit', async () => {
    const note = (device: PickleValue): PickleValue => ({ name: 'n', stage: 'START', device, time_us: 1 })
    const { table, diagnostics } = await read([segment(0, 0)], { external_annotations: [note(-1), note(null), note(2), note(2 ** 32)] })
    expect([...table.annotations.device]).toEqual([-1, -1, 2, -1])
    expect(diagnostics.map(d => d.message)).toEqual(['The value of device is 4294967296, which does not fit.'])
  })
})
