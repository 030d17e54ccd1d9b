import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventName, type SystemTable } from '../../shared/system-tables'
import { systemTable, TEST_EPOCH, type TestEvent } from '../../testing/system'
import { clockFindings } from './clock-findings'
import { calibrateHardware } from './clocks'

const DEVICE_ZERO = 5_000_000_000n

interface Run {
  readonly exec: bigint
  readonly core: number
  /** True time of begin, ns relative to the epoch, and length. */
  readonly at: number
  readonly dur: number
}

/** What a device with this drift (ppm) writes of runs whose true times are known; `wrong`: what is added to the stored times. */
function recorded(runs: readonly Run[], wrong: number, ppm = 0): SystemTable {
  const nc = (at: number): bigint => DEVICE_ZERO + BigInt(Math.round(at * (1 + ppm / 1e6)))
  const events = runs.flatMap((r): TestEvent[] => [
    {
      name: 'timestamp_sync_point',
      source: 'neuron_hw',
      at: r.at + wrong,
      nc: 0,
      core: r.core,
      exec: r.exec,
      ncStart: nc(r.at),
      attrs: { nc_timestamp_ns: String(nc(r.at)), cpu_timestamp_ns: String(TEST_EPOCH + BigInt(r.at)) },
    },
    {
      name: 'nc_exec_running',
      source: 'neuron_hw',
      at: r.at + 100 + wrong,
      dur: r.dur,
      nc: 0,
      core: r.core,
      exec: r.exec,
      ncStart: nc(r.at + 100),
      ncStop: nc(r.at + 100) + BigInt(r.dur),
    },
  ])
  return systemTable([...events, { name: 'nrt_execute', at: 50, dur: 10, nc: 0 }].sort((a, b) => a.at - b.at))
}

const running = (t: SystemTable): readonly (readonly [number, number])[] =>
  Array.from({ length: t.count }, (_, i) => i)
    .filter(i => eventName(t, i) === 'nc_exec_running')
    .map(i => [Number(t.epochNs - TEST_EPOCH) + (t.start[i] as number), t.duration[i] as number])

const RUNS: readonly Run[] = [
  { exec: 1n, core: 4, at: 1_000, dur: 500 },
  { exec: 1n, core: 5, at: 1_200, dur: 700 },
  { exec: 2n, core: 4, at: 900_000, dur: 400 },
]

describe('clock of the hardware', () => {
  it('leaves times alone that are those of the formula', () => {
    const t = recorded(RUNS, 0)
    const { table, clock } = calibrateHardware(t)
    expect(table).toBe(t)
    expect(clock).toMatchObject({ method: 'stored', events: 6, syncPoints: 3, offsetNs: 0, residualNs: 0, own: 6, without: 0 })
  })

  it('corrects times that are not, once, and says by how much', () => {
    const t = recorded(RUNS, 7_000_000)
    const { table, clock } = calibrateHardware(t)
    expect(clock).toMatchObject({ method: 'corrected', offsetNs: -7_000_000, residualNs: 0 })
    expect(running(table)).toEqual(RUNS.map(r => [r.at + 100, r.dur]))
    // What is corrected is right: nothing is left to do.
    expect(calibrateHardware(table).clock).toMatchObject({ method: 'stored', offsetNs: 0 })
    // Host events keep their times, all rows are in order, attributes go with their rows.
    expect([...table.start]).toEqual([...table.start].sort((a, b) => a - b))
    const host = Array.from({ length: table.count }, (_, i) => i).find(i => eventName(table, i) === 'nrt_execute') as number
    expect(table.epochNs + BigInt(table.start[host] as number)).toBe(TEST_EPOCH + 50n)
  })

  it('tells the drift between sync points as the residual', () => {
    const { clock } = calibrateHardware(recorded(RUNS, 1_000_000, 20))
    // Core 4 has two sync points 899,000 ns apart: 20 ppm of that.
    expect(clock.method).toBe('corrected')
    expect(clock.residualNs).toBe(18)
  })

  it('uses the nearest sync point of the core where the execution has none, and counts that', () => {
    const t = systemTable([
      ...[0, 1].map((k): TestEvent => ({
        name: 'timestamp_sync_point',
        source: 'neuron_hw',
        at: 0,
        nc: k,
        exec: 9n,
        ncStart: 100n,
        attrs: { cpu_timestamp_ns: String(TEST_EPOCH + 1_000_000n) },
      })),
      { name: 'cc_running', source: 'neuron_hw', at: 3, dur: 2, nc: 0, exec: 10n, ncStart: 150n, ncStop: 160n },
      { name: 'cc_running', source: 'neuron_hw', at: 3, dur: 2, nc: 7, exec: 10n, ncStart: 150n, ncStop: 160n },
      { name: 'hw_notify', source: 'neuron_hw', at: 4, nc: 0, exec: 9n },
    ])
    const { clock, table } = calibrateHardware(t)
    expect(clock).toMatchObject({ method: 'corrected', events: 5, own: 2, nearest: 1, without: 2, residualNs: null })
    const at = Array.from({ length: table.count }, (_, i) => [
      eventName(table, i),
      table.places.nc[table.place[i] as number],
      Number(table.epochNs - TEST_EPOCH) + (table.start[i] as number),
    ])
    expect(at).toContainEqual(['cc_running', 0, 1_000_050])
    expect(at).toContainEqual(['cc_running', 7, 3])
  })

  it('is not moved by one damaged time: of an event or of a sync point, with times as stored and with times to correct', () => {
    const runs = Array.from({ length: 30 }, (_, i): Run => ({ exec: BigInt(i), core: 4 + (i % 2), at: 1000 + i * 10_000, dur: 500 }))
    for (const wrong of [0, 7_000_000])
      for (const damaged of [10, 11]) {
        const t = recorded(runs, wrong)
        t.ncStart[damaged] = (t.ncStart[damaged] as bigint) + 400_000_000_000n
        const { table, clock } = calibrateHardware(t)
        expect(clock.method).toBe(wrong === 0 ? 'stored' : 'corrected')
        expect(clock.outliers).toBeGreaterThan(0)
        expect(clock.outliers).toBeLessThanOrEqual(2)
        expect(clock.offsetNs).toBe(wrong === 0 ? 0 : -wrong)
        const true_ = new Set(runs.map(r => r.at + 100))
        expect(running(table).filter(([at]) => !true_.has(at))).toEqual([])
        expect(clockFindings('ntrace.pb', clock)).toMatchObject([{ code: 'system-clock-outliers', count: clock.outliers }])
      }
    expect(clockFindings('ntrace.pb', calibrateHardware(recorded(runs, 0)).clock)).toEqual([])
  })

  it('tells the first and last time of a core as they are after the correction', () => {
    const cores = [
      {
        device: -1,
        nc: 0,
        messages: 6,
        firstNs: 0,
        lastNs: 1,
        stopsWithoutStart: 0,
        startsWithoutStop: 0,
        headLost: false,
        droppedAtLeast: null,
      },
    ]
    const { table } = calibrateHardware({ ...recorded(RUNS, 7_000_000), cores })
    const zero = Number(table.epochNs - TEST_EPOCH)
    expect([(table.cores[0]?.firstNs ?? NaN) + zero, (table.cores[0]?.lastNs ?? NaN) + zero]).toEqual([50, 900_500])
  })

  it('says where there is nothing to compare with', () => {
    expect(calibrateHardware(systemTable([{ name: 'nrt_execute', at: 0, dur: 5 }])).clock).toMatchObject({ method: 'none', offsetNs: null })
    const t = systemTable([{ name: 'nc_exec_running', source: 'neuron_hw', at: 0, dur: 5, nc: 0, exec: 1n, ncStart: 5n, ncStop: 10n }])
    const { table, clock } = calibrateHardware(t)
    expect(table).toBe(t)
    expect(clock).toMatchObject({ method: 'unchecked', events: 1, without: 1, offsetNs: null, residualNs: null })
  })

  it('gives every execution its true time, whatever was stored', () => {
    const run = fc.record({ core: fc.nat(3), at: fc.nat(10_000_000), dur: fc.integer({ min: 1, max: 50_000 }) })
    fc.assert(
      fc.property(
        fc.array(run, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 2_000, max: 2 ** 40 }),
        fc.boolean(),
        (list, wrong, minus) => {
          const runs = list.map((r, i): Run => ({ ...r, exec: BigInt(i) }))
          const { table } = calibrateHardware(recorded(runs, minus ? -wrong : wrong))
          const sorted = (pairs: readonly (readonly [number, number])[]) => pairs.map(p => p.join(' ')).sort()
          expect(sorted(running(table))).toEqual(sorted(runs.map(r => [r.at + 100, r.dur])))
        },
      ),
    )
  })
})
