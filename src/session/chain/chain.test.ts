import { describe, expect, it } from 'vitest'
import type { FixtureEvent } from '../../formats/chrome-trace/fixture'
import type { TestEvent } from '../../testing/system'
import { chainOf, mapping, systemSource, traceSource, words } from '../../testing/chain'

const op = (name: string, ts: number, dur: number, more: FixtureEvent = {}): FixtureEvent => ({
  ...{ ph: 'X', cat: 'cpu_op', name, pid: 7, tid: 70, ts, dur },
  ...more,
})
const work = (name: string, ts: number, dur: number, more: FixtureEvent = {}): FixtureEvent => ({
  ...{ ph: 'X', cat: 'privateuse1_driver', name, pid: 0, tid: 3, ts, dur },
  ...more,
})
const flow = (ph: 's' | 't' | 'f', id: number, ts: number, more: FixtureEvent = {}): FixtureEvent => ({
  ...{ ph, id, cat: 'ac2g', name: 'ac2g', ts },
  ...(ph === 'f' ? { pid: 0, tid: 3, bp: 'e' } : { pid: 7, tid: 70 }),
  ...more,
})
const rt = (name: string, at: number, dur: number, more: Partial<TestEvent> = {}): TestEvent => ({ name, at, dur, nc: 0, ...more })
const hw = (name: string, at: number, dur: number, more: Partial<TestEvent> = {}): TestEvent => ({
  ...{ name, at, dur, nc: 0, core: 4, source: 'neuron_hw' },
  ...more,
})

describe('flows', () => {
  it('lead from the call around the start to the work around the end, and up through the calls around it', async () => {
    const g = await chainOf([
      await traceSource([
        op('step', 0, 1000),
        op('aten::mm', 100, 200),
        op('launch', 120, 30),
        op('other', 400, 50),
        work('mm', 500, 100),
        work('idle', 700, 100),
        flow('s', 1, 120),
        flow('f', 1, 500),
        // Another kind of flow with the same id, one that carries no work, and an id that leads nowhere.
        flow('s', 1, 400, { cat: 'custom', name: 'x' }),
        flow('s', 2, 400, { cat: 'fwdbwd', name: 'fwdbwd' }),
        flow('f', 2, 100, { cat: 'fwdbwd', name: 'fwdbwd', pid: 7, tid: 70 }),
        flow('s', 3, 400),
      ]),
    ])
    expect(words(g)).toEqual(['aten::mm > launch parent', 'launch > mm flow 1', 'step > aten::mm parent'])
  })

  it('end in the slice around them with bp e, and in the next one without', async () => {
    const events = (bp: FixtureEvent): readonly FixtureEvent[] => [
      op('launch', 0, 10),
      work('first', 100, 50),
      work('second', 200, 50),
      flow('s', 5, 0),
      flow('f', 5, 120, bp),
    ]
    expect(words(await chainOf([await traceSource(events({}))]))).toEqual(['launch > first flow 5'])
    expect(words(await chainOf([await traceSource(events({ bp: undefined }))]))).toEqual(['launch > second flow 5'])
    expect(words(await chainOf([await traceSource(events({ bp: 'x' }))]))).toEqual(['launch > second flow 5'])
  })

  it('belong to the slice that begins last of those around them, and to the one before them in the file where several begin together', async () => {
    // Two calls that overlap, then two without length at one time.
    const g = await chainOf([
      await traceSource([
        op('early', 0, 100),
        op('late', 50, 100),
        work('of late', 300, 10),
        flow('s', 1, 50),
        flow('f', 1, 300),
        op('first', 200, 0),
        flow('s', 2, 200),
        op('second', 200, 0),
        flow('s', 3, 200),
        work('of first', 400, 10),
        flow('f', 2, 400),
        work('of second', 500, 10),
        flow('f', 3, 500),
      ]),
    ])
    expect(words(g)).toEqual(['first > of first flow 2', 'late > of late flow 1', 'second > of second flow 3'])
  })

  it('go through their steps, and to every end of one start, also where clocks put an end before it', async () => {
    const g = await chainOf([
      await traceSource([
        op('launch', 100, 10),
        op('queue', 150, 10, { tid: 71 }),
        work('a', 200, 10),
        work('b', 50, 10),
        flow('s', 9, 100),
        flow('t', 9, 150, { tid: 71 }),
        flow('f', 9, 200),
        flow('f', 9, 50),
      ]),
    ])
    expect(words(g)).toEqual(['launch > queue flow 9', 'queue > a flow 9', 'queue > b flow 9'])
  })

  it('of two processes with one id in flight at once link nothing; an id that was used again one after the other does', async () => {
    const two = (second: number): readonly FixtureEvent[] => [
      op('launch a', 0, 10),
      op('launch b', second, 10, { pid: 8, tid: 80 }),
      work('a', 100, 10),
      work('b', 400, 10, { pid: 1 }),
      flow('s', 1, 0),
      flow('s', 1, second, { pid: 8, tid: 80 }),
      flow('f', 1, 100),
      flow('f', 1, 400, { pid: 1 }),
    ]
    expect(words(await chainOf([await traceSource(two(20))]))).toEqual([])
    expect(words(await chainOf([await traceSource(two(200))]))).toEqual(['launch a > a flow 1', 'launch b > b flow 1'])
  })
})

describe('correlation and external ids', () => {
  it('lead to work that no flow leads to, from the innermost call that alone carries the id', async () => {
    const g = await chainOf([
      await traceSource([
        op('aten::mm', 0, 100, { args: { 'External id': 4 } }),
        op('launch', 10, 20, { args: { 'External id': 4, correlation: 40 } }),
        op('aten::add', 200, 100, { args: { 'External id': 5 } }),
        // Two calls beside each other with one id tell nothing.
        op('twice', 400, 10, { args: { 'External id': 6 } }),
        op('twice again', 420, 10, { args: { 'External id': 6 } }),
        work('by correlation', 50, 10, { args: { correlation: 40, 'External id': 5 } }),
        work('by external id', 250, 10, { args: { 'External id': 5 } }),
        work('of two', 450, 10, { args: { 'External id': 6 } }),
        work('of none', 470, 10, { args: { 'External id': 0, correlation: 99 } }),
      ]),
    ])
    expect(words(g)).toEqual([
      'aten::add > by external id correlation 5',
      'aten::mm > launch parent',
      'launch > by correlation correlation 40',
    ])
  })

  it('say nothing where a flow does', async () => {
    const g = await chainOf([
      await traceSource([
        op('launch', 0, 10, { args: { correlation: 1 } }),
        op('other', 20, 10, { args: { correlation: 2 } }),
        work('w', 100, 10, { args: { correlation: 2 } }),
        flow('s', 1, 0),
        flow('f', 1, 100),
      ]),
    ])
    expect(words(g)).toEqual(['launch > w flow 1'])
  })
})

describe('sequence ids', () => {
  const S = 281_474_976_710_700n
  const stream = (name: string, seq: bigint | number, ts = 500): FixtureEvent =>
    work(name, ts, 100, { args: { nrt_sequence_id: String(seq) } })
  const launched = (w: FixtureEvent): readonly FixtureEvent[] => [op('launch', 0, 10), w, flow('s', 1, 0), flow('f', 1, 500)]

  it('lead from the stream over the outermost call of the runtime to its innermost parts and the hardware', async () => {
    const runtime = systemSource(
      [
        rt('nrt_execute', 510, 40, { sequence: S, thread: 1 }),
        rt('kbl_exec_pre', 515, 10, { sequence: S, thread: 1, exec: 3n }),
        // Within the call in time, but of another thread.
        rt('kbl_exec_wait', 520, 10, { sequence: S, thread: 2, exec: 3n }),
        hw('nc_exec_running', 530, 60, { sequence: S, exec: 3n }),
        hw('nc_exec_running 5', 530, 60, { sequence: S, exec: 3n, core: 5 }),
        hw('cc_running', 540, 20, { sequence: S, exec: 3n }),
        // Decoys: the next id, a reading of the clocks, an event without id.
        rt('nrt_execute next', 600, 40, { sequence: S + 1n, thread: 1 }),
        hw('timestamp_sync_point', 530, 0, { sequence: S, exec: 3n, state: 'instant' }),
        rt('nrt_load', 0, 400, { thread: 1 }),
      ],
      '7',
    )
    const g = await chainOf([await traceSource(launched(stream('mm', S))), runtime])
    expect(words(g)).toEqual([
      'kbl_exec_pre > nc_exec_running 5 sequence 281474976710700',
      'kbl_exec_pre > nc_exec_running sequence 281474976710700',
      'kbl_exec_wait > nc_exec_running 5 sequence 281474976710700',
      'kbl_exec_wait > nc_exec_running sequence 281474976710700',
      'launch > mm flow 1',
      'mm > kbl_exec_wait sequence 281474976710700',
      'mm > nrt_execute sequence 281474976710700',
      'nc_exec_running > cc_running parent',
      'nrt_execute > kbl_exec_pre parent',
    ])
  })

  it('lead from the hardware to what the host began after it: a wait did not cause what it waits for', async () => {
    const after = systemSource(
      [
        rt('nrt_execute', 510, 100, { sequence: S, thread: 1 }),
        rt('kbl_exec_pre', 515, 10, { sequence: S, thread: 1 }),
        hw('nc_exec_running', 530, 60, { sequence: S }),
        // Within the call that began before, and beside it; one that begins with the hardware may have caused it.
        rt('wait within', 570, 30, { sequence: S, thread: 1 }),
        rt('kbl_exec_wait', 560, 60, { sequence: S, thread: 2 }),
        rt('within the wait', 565, 10, { sequence: S, thread: 2 }),
        rt('at once', 530, 5, { sequence: S, thread: 3 }),
      ],
      '7',
    )
    const g = await chainOf([await traceSource(launched(stream('mm', S))), after])
    expect(words(g)).toEqual([
      'at once > nc_exec_running sequence 281474976710700',
      'kbl_exec_pre > nc_exec_running sequence 281474976710700',
      'kbl_exec_wait > within the wait parent',
      'launch > mm flow 1',
      'mm > at once sequence 281474976710700',
      'mm > kbl_exec_wait sequence 281474976710700',
      'mm > nrt_execute sequence 281474976710700',
      'nc_exec_running > kbl_exec_wait sequence 281474976710700',
      'nc_exec_running > wait within sequence 281474976710700',
      'nrt_execute > kbl_exec_pre parent',
      'nrt_execute > wait within parent',
    ])
  })

  it('lead from the stream to the hardware where all that the host recorded began after it', async () => {
    const late = systemSource([hw('run', 530, 60, { sequence: S }), rt('kbl_exec_wait', 560, 60, { sequence: S, thread: 2 })], '7')
    const g = await chainOf([await traceSource(launched(stream('mm', S))), late])
    expect(words(g)).toEqual([
      'launch > mm flow 1',
      `mm > kbl_exec_wait sequence ${S}`,
      `mm > run sequence ${S}`,
      `run > kbl_exec_wait sequence ${S}`,
    ])
  })

  it('skip a layer that is not there', async () => {
    const g = await chainOf([await traceSource(launched(stream('mm', S))), systemSource([hw('run', 530, 60, { sequence: S })], '7')])
    expect(words(g)).toEqual(['launch > mm flow 1', 'mm > run sequence 281474976710700'])
  })

  it('of another process never meet, whichever side tells it', async () => {
    const trace = await traceSource(launched(stream('mm', S)))
    const of = async (pid: string, process?: number): Promise<number> =>
      words(
        await chainOf([
          trace,
          systemSource([rt('nrt_execute', 510, 40, { sequence: S, ...(process === undefined ? {} : { process }) })], pid),
        ]),
      ).filter(w => w.includes('sequence')).length
    expect([await of('7'), await of('8'), await of('7', 8), await of('8', 7), await of('')]).toEqual([1, 0, 0, 1, 1])
  })

  it('of two ranks with the same numbers stay apart', async () => {
    const rank = async (pid: number): Promise<readonly Awaited<ReturnType<typeof traceSource>>[]> => [
      await traceSource([
        op(`launch ${pid}`, 0, 10, { pid }),
        work(`mm ${pid}`, 500, 100, { args: { nrt_sequence_id: 5 } }),
        flow('s', 1, 0, { pid }),
        flow('f', 1, 500),
      ]),
      systemSource([rt(`nrt_execute ${pid}`, 510, 40, { sequence: 5n }), hw(`run ${pid}`, 520, 10, { sequence: 5n })], String(pid)),
    ]
    const g = await chainOf([...(await rank(7)), ...(await rank(8))])
    const sequence = words(g).filter(w => w.includes('sequence'))
    expect(sequence).toEqual(
      [7, 8].flatMap(p => [`mm ${p} > nrt_execute ${p} sequence 5`, `nrt_execute ${p} > run ${p} sequence 5`]).sort(),
    )
  })

  it('are exact to the last of 64 bits, and zero and all ones are none', async () => {
    const events = [2n ** 63n + 1n, 2n ** 63n, 0n, 2n ** 64n - 1n].map((s, i) => rt(`r${i}`, 510 + i, 1, { sequence: s }))
    const streams = [2n ** 63n, 0n, 2n ** 64n - 1n].map((s, i) => stream(`w${i}`, s, 500 + 200 * i))
    const g = await chainOf([await traceSource([op('x', 0, 1), ...streams]), systemSource(events, '7')])
    expect(words(g)).toEqual([`w0 > r1 sequence ${2n ** 63n}`])
  })

  it('that no check confirmed are not used', async () => {
    const g = await chainOf([
      await traceSource(launched(stream('mm', S))),
      systemSource([rt('nrt_execute', 510, 40, { sequence: S }), hw('run', 520, 10, { sequence: S })], '7', ['nrta_seq_id']),
    ])
    expect(words(g)).toEqual(['launch > mm flow 1'])
  })

  it('of exports stand as flow ids of all layers in one file', async () => {
    const attrs = { flow_id: String(S) }
    const g = await chainOf([
      systemSource([
        { name: 'aten::mm', at: 0, dur: 100, source: 'framework', thread: 0, attrs },
        { name: 'mm', at: 200, dur: 100, source: 'framework', stream: '0', sequence: S, attrs },
        rt('nrt_execute', 210, 10, { attrs }),
        hw('run', 230, 50, { attrs }),
        hw('other', 300, 50, { attrs: { flow_id: String(S + 2n) } }),
        hw('no number', 300, 50, { attrs: { flow_id: 'none' } }),
      ]),
    ])
    expect(words(g)).toEqual([`aten::mm > mm flow ${S}`, `mm > nrt_execute flow ${S}`, `nrt_execute > run flow ${S}`])
  })
})

describe("ids of the runtime's trace", () => {
  it('link host and hardware where they do not both carry a sequence id', async () => {
    const g = await chainOf([
      systemSource(
        [
          rt('pre', 0, 10, { exec: 1n, thread: 1 }),
          hw('run', 20, 50, { exec: 1n }),
          // Another core, another model, a clock reading, another execution.
          hw('elsewhere', 20, 50, { exec: 1n, nc: 1 }),
          rt('pre of model', 0, 10, { exec: 2n, thread: 2, model: 5n }),
          hw('other model', 20, 50, { exec: 2n, model: 6n }),
          hw('timestamp_sync_point', 20, 0, { exec: 1n, state: 'instant' }),
          hw('next', 90, 50, { exec: 3n }),
          rt('tracked', 200, 10, { tracking: 77n }),
          hw('tracked run', 220, 10, { tracking: 77n }),
        ],
        '7',
      ),
    ])
    expect(words(g)).toEqual(['pre > run exec 1', 'tracked > tracked run tracking 77'])
  })

  it('lead from the hardware to what the host began after it', async () => {
    const g = await chainOf([
      systemSource(
        [rt('pre', 0, 10, { exec: 1n, thread: 1 }), hw('run', 20, 50, { exec: 1n }), rt('wait', 40, 40, { exec: 1n, thread: 2 })],
        '7',
      ),
    ])
    expect(words(g)).toEqual(['pre > run exec 1', 'run > wait exec 1'])
  })

  it('yield to sequence ids that say otherwise', async () => {
    const g = await chainOf([
      systemSource(
        [rt('a', 0, 10, { exec: 1n, sequence: 5n }), hw('b', 20, 50, { exec: 1n, sequence: 6n }), hw('c', 20, 50, { exec: 1n, core: 5 })],
        '7',
      ),
    ])
    expect(words(g)).toEqual(['a > c exec 1'])
  })

  it('tell nothing where a counter began again', async () => {
    const again = [rt('pre', 0, 10, { exec: 1n }), rt('pre', 100, 10, { exec: 1n }), hw('run', 20, 50, { exec: 1n })]
    const g = await chainOf([systemSource(again, '7')])
    expect([words(g), g.crowded]).toEqual([[], 1])
  })

  it('are not used where no check confirmed them', async () => {
    const events = [rt('a', 0, 10, { tracking: 3n }), hw('b', 20, 50, { tracking: 3n })]
    expect(words(await chainOf([systemSource(events, '7')]))).toEqual(['a > b tracking 3'])
    expect(words(await chainOf([systemSource(events, '7', ['tracking_id'])]))).toEqual([])
  })

  it('name parents that one event alone is', async () => {
    const source = systemSource([rt('a', 0, 10), rt('b', 20, 5), rt('c', 40, 5), hw('d', 60, 5), rt('e', 80, 5), rt('f', 90, 5)], '7')
    const ids = { id: [10n, 11n, 12n, 13n, 12n, 0n], parentId: [0n, 10n, 13n, 11n, 0n, 12n] }
    const table = { ...source.table, id: BigUint64Array.from(ids.id), parentId: BigUint64Array.from(ids.parentId) } as typeof source.table
    // c names an event of the hardware, which does not stand above it; f names an id that two have.
    expect(words(await chainOf([{ ...source, table }]))).toEqual(['a > b parent 10', 'b > d parent 11'])
    const doubtful = { ...table, verdict: { unverified: ['parent_id'] } } as unknown as typeof source.table
    expect(words(await chainOf([{ ...source, table: doubtful }]))).toEqual([])
  })
})

describe('a framework mapping', () => {
  const operators = (more: FixtureEvent = {}): readonly FixtureEvent[] => [
    op('aten::linear', 0, 100, { args: { 'Sequence number': 12 }, ...more }),
    op('aten::addmm', 10, 50, { args: { 'Sequence number': 12 }, ...more }),
    op('backward', 0, 100, { tid: 71, args: { 'Sequence number': 12 } }),
    op('aten::relu', 200, 100, { args: { 'Sequence number': 13 } }),
  ]
  const runtime = systemSource([rt('nrt_execute', 20, 10, { sequence: 90n, thread: 1 }), hw('run', 30, 10, { sequence: 90n })], '7')

  it('leads from the outermost operator of the number and thread to the runtime', async () => {
    const g = await chainOf(
      [await traceSource(operators()), runtime],
      [
        mapping([
          [90n, [[12, 70]]],
          [91n, [[13, 70]]],
        ]),
      ],
    )
    expect([words(g), g.mapped, g.unmapped]).toEqual([
      ['aten::linear > nrt_execute framework-mapping 90', 'nrt_execute > run sequence 90'],
      1,
      0,
    ])
  })

  it('is inferred where it counts threads in another way, and says nothing where several operators fit', async () => {
    const only = await traceSource(operators().filter(e => e.name !== 'backward'))
    expect(words(await chainOf([only, runtime], [mapping([[90n, [[12, 1]]]])]))).toContain(
      'aten::linear > nrt_execute framework-mapping 90 inferred',
    )
    const g = await chainOf([await traceSource(operators()), runtime], [mapping([[90n, [[12, 1]]]])])
    expect([words(g), g.unmapped]).toEqual([['nrt_execute > run sequence 90'], 1])
  })

  it('yields to the trace, and never leads into another process', async () => {
    const named = await traceSource([...operators(), work('linear', 300, 10, { args: { nrt_sequence_id: 90 } })])
    expect(words(await chainOf([named, runtime], [mapping([[90n, [[13, 70]]]])]))).toEqual([
      'linear > nrt_execute sequence 90',
      'nrt_execute > run sequence 90',
    ])
    const elsewhere = systemSource([rt('nrt_execute', 20, 10, { sequence: 90n })], '8')
    expect(words(await chainOf([await traceSource(operators()), elsewhere], [mapping([[90n, [[12, 70]]]])]))).toEqual([])
  })
})
