import { describe, expect, it } from 'vitest'
import { attribute, eventName, stopAttribute, type SystemTable } from '../../shared/system-tables'
import { bufferSource } from '../source'
import { parseProto } from './description'
import { ALTERNATIVE, BUILT_IN, encodeEvents, FIXTURE_EPOCH, frame, protoOf, SHUFFLED, workload, type FixtureFraming } from './fixture'
import { readNtrace, type SystemReadOptions } from './ntrace'

const read = (bytes: Uint8Array, o: SystemReadOptions = {}, chunk?: number) => readNtrace(bufferSource('ntrace.pb', bytes, chunk), o)
const FRAMINGS: readonly FixtureFraming[] = ['varint', 'u32', 'u64', 'wrapper']
const EVENTS = workload()

function rowsOf(t: SystemTable) {
  return Array.from({ length: t.count }, (_, r) => ({
    name: eventName(t, r),
    start: t.epochNs + BigInt(t.start[r] as number),
    duration: t.duration[r],
    state: t.state[r],
    tracking: t.trackingId[r],
    nc: t.places.nc[t.place[r] as number],
    thread: t.places.thread[t.place[r] as number],
    core: t.places.core[t.place[r] as number],
  }))
}

describe('framings and numberings', () => {
  for (const framing of FRAMINGS)
    for (const [name, numbers] of [
      ['built-in', BUILT_IN],
      ['alternative', ALTERNATIVE],
      ['inferred', SHUFFLED],
    ] as const)
      it(`${framing}, ${name}`, async () => {
        const r = await read(frame(encodeEvents(EVENTS, numbers), framing))
        expect(r.verdict.checks.filter(c => !c.ok)).toEqual([])
        expect([r.verdict.origin, r.verdict.framing]).toEqual([name, framing])
        const t = r.table as SystemTable
        expect(t.messages).toBe(EVENTS.length)
        const instants = EVENTS.filter(e => e.phase === 3).length
        expect(t.count).toBe((EVENTS.length - instants) / 2 + instants)
        expect(t.epochNs).toBe(FIXTURE_EPOCH)
        const rows = rowsOf(t)
        expect(new Set(rows.map(x => x.name))).toEqual(
          new Set([
            'nrt_load',
            'nrt_execute',
            'nrt_tensor_write',
            'nrt_dma_mem_alloc',
            'kbl_exec_pre',
            'kbl_exec_wait',
            'timestamp_sync_point',
            'nc_exec_running',
            'nrt_dma_mem_dealloc',
          ]),
        )
        expect(new Set(rows.map(x => x.nc))).toEqual(new Set([0, 1]))
        expect(new Set(rows.map(x => x.thread))).toEqual(new Set([4100, 4101]))
        const alloc = rows.findIndex(x => x.name === 'nrt_dma_mem_alloc')
        expect([attribute(t, alloc, 'usage_type'), attribute(t, alloc, 'total_bytes'), attribute(t, alloc, 'physical_address')]).toEqual([
          'Tensors',
          '1048576',
          '0x1000000000',
        ])
        expect(r.diagnostics.filter(d => d.severity !== 'info')).toEqual([])
      })

  it('imported', async () => {
    const schema = { origin: 'imported' as const, title: 'mine', ...parseProto(protoOf(SHUFFLED)) }
    const r = await read(frame(encodeEvents(EVENTS, SHUFFLED), 'varint'), { schemas: [schema] })
    expect([r.verdict.origin, r.verdict.unverified]).toEqual(['imported', []])
    const t = r.table as SystemTable
    const exec = rowsOf(t).findIndex(x => x.name === 'nc_exec_running')
    expect([attribute(t, exec, 'nc_timestamp_ns'), stopAttribute(t, exec, 'nc_timestamp_ns')]).toEqual(['7001010000', '7001070000'])
    expect([t.ncStart[exec], t.ncStop[exec], t.exec[exec], t.model[exec]]).toEqual([
      7001010000n,
      7001070000n,
      281474976710656n,
      998636308723560n,
    ])
  })
})
