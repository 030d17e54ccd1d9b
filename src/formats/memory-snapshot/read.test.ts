import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { Parser } from 'pickleparser'
import { describe, expect, test } from 'vitest'
import { buffersOf, stringAt } from '../../shared/columns'
import type { Diagnostic } from '../../shared/diagnostics'
import type { ReadOptions, ReadResult } from '../../shared/reader'
import { ACTION_OTHER, ACTIONS, BLOCK_STATES, type SnapshotTable } from '../../shared/tables'
import { samplesDir } from '../../testing/samples'
import { Float, pickleDumps, Tuple, type PickleValue, type WriteProtocol } from '../pickle/write'
import { bufferSource } from '../source'
import { EXAMPLE, exampleSnapshot, frame, snapshotBytes, type FixtureEvent, type FixtureSnapshot } from './fixture'
import { readSnapshot } from './read'

const read = (data: Uint8Array, chunk?: number, opts?: ReadOptions): Promise<ReadResult<SnapshotTable>> =>
  readSnapshot(bufferSource('f.pickle', data, chunk), opts)
async function tableOf(data: Uint8Array): Promise<SnapshotTable> {
  const { table, diagnostics } = await read(data)
  if (!table) throw new Error(JSON.stringify(diagnostics))
  return table
}
const codes = (d: readonly Diagnostic[]): string[] => d.map(x => x.code)
const strings = (t: SnapshotTable, ids: Int32Array): string[] => [...ids].map(i => stringAt(t.strings, i))

/** Everything in a table as one hash: columns byte by byte, the rest as JSON. */
function fingerprint(r: ReadResult<SnapshotTable>): string {
  const h = createHash('sha1')
  for (const b of buffersOf(r.table)) h.update(new Uint8Array(b))
  h.update(JSON.stringify(r, (_, v: unknown) => (ArrayBuffer.isView(v) ? v.byteLength : typeof v === 'bigint' ? String(v) : v)))
  return h.digest('hex')
}

// Written by Python: the same small snapshot in protocols 0 and 1.
const TEXT = [
  // prettier-ignore
  'KGRwMApWc2VnbWVudHMKcDEKKGxwMgooZHAzClZkZXZpY2UKcDQKSTAKc1ZhZGRyZXNzCnA1CkwxNDAwMDAwMDAwMDAwMDBMCnNWdG90YWxfc2l6ZQpwNgpJMjA5NzE1MgpzVmFsbG9jYXRlZF9zaXplCnA3Ckk1MTIKc1ZhY3RpdmVfc2l6ZQpwOApJNTEyCnNWcmVxdWVzdGVkX3NpemUKcDkKSTEwMApzVnN0cmVhbQpwMTAKSTAKc1ZzZWdtZW50X3R5cGUKcDExClZzbWFsbApwMTIKc1ZzZWdtZW50X3Bvb2xfaWQKcDEzCihJMApJMAp0cDE0CnNWaXNfZXhwYW5kYWJsZQpwMTUKSTAwCnNWZnJhbWVzCnAxNgoobHAxNwooZHAxOApWbmFtZQpwMTkKVmYKcDIwCnNWZmlsZW5hbWUKcDIxClYvYS94LnB5CnAyMgpzVmxpbmUKcDIzCkkzCnNhKGRwMjQKZzE5ClZnCnAyNQpzZzIxClYvYS95LnB5CnAyNgpzZzIzCkk0CnNhc1ZibG9ja3MKcDI3CihscDI4CihkcDI5Cmc1CkwxNDAwMDAwMDAwMDAwMDBMCnNWc2l6ZQpwMzAKSTUxMgpzZzkKSTEwMApzVnN0YXRlCnAzMQpWYWN0aXZlX2FsbG9jYXRlZApwMzIKc2cxNgpnMTcKc2EoZHAzMwpnNQpMMTQwMDAwMDAwMDAwNTEyTApzZzMwCkkyMDk2NjQwCnNnOQpJMApzZzMxClZpbmFjdGl2ZQpwMzQKc2cxNgoobHAzNQpzYXNhc1ZkZXZpY2VfdHJhY2VzCnAzNgoobHAzNwoobHAzOAooZHAzOQpWYWN0aW9uCnA0MApWYWxsb2MKcDQxCnNWYWRkcgpwNDIKTDE0MDAwMDAwMDAwMDAwMEwKc2czMApJMTAwCnNnMTAKSTAKc1Z0aW1lX3VzCnA0MwpMMTcwMDAwMDAwMDAwMDAwMUwKc2cxNgpnMTcKc1Z0cmFjZV9pZApwNDQKVnQtMQpwNDUKc2EoZHA0NgpnNDAKZzQxCnNnNDIKTDE0MDAwMDAwMDAwMDUxMkwKc2czMApJNDAKc2cxMApJMwpzZzQzCkwxNzAwMDAwMDAwMDAwMDAyTApzZzE2CihscDQ3CmcxOAphZzI0CmFzYShkcDQ4Cmc0MApWZnJlZV9jb21wbGV0ZWQKcDQ5CnNnNDIKTDE0MDAwMDAwMDAwMDUxMkwKc2czMApJNDAKc2cxMApJMwpzZzQzCkwxNzAwMDAwMDAwMDAwMDAzTApzZzE2CihscDUwCnNhYShscDUxCmFzVmFsbG9jYXRvcl9zZXR0aW5ncwpwNTIKKGRwNTMKVmV4cGFuZGFibGVfc2VnbWVudHMKcDU0CkkwMApzcy4=',
  // prettier-ignore
  'fXEAKFgIAAAAc2VnbWVudHNxAV1xAn1xAyhYBgAAAGRldmljZXEESwBYBwAAAGFkZHJlc3NxBUwxNDAwMDAwMDAwMDAwMDBMClgKAAAAdG90YWxfc2l6ZXEGSgAAIABYDgAAAGFsbG9jYXRlZF9zaXplcQdNAAJYCwAAAGFjdGl2ZV9zaXplcQhNAAJYDgAAAHJlcXVlc3RlZF9zaXplcQlLZFgGAAAAc3RyZWFtcQpLAFgMAAAAc2VnbWVudF90eXBlcQtYBQAAAHNtYWxscQxYDwAAAHNlZ21lbnRfcG9vbF9pZHENKEsASwB0cQ5YDQAAAGlzX2V4cGFuZGFibGVxD0kwMApYBgAAAGZyYW1lc3EQXXERKH1xEihYBAAAAG5hbWVxE1gBAAAAZnEUWAgAAABmaWxlbmFtZXEVWAcAAAAvYS94LnB5cRZYBAAAAGxpbmVxF0sDdX1xGChoE1gBAAAAZ3EZaBVYBwAAAC9hL3kucHlxGmgXSwR1ZVgGAAAAYmxvY2tzcRtdcRwofXEdKGgFTDE0MDAwMDAwMDAwMDAwMEwKWAQAAABzaXplcR5NAAJoCUtkWAUAAABzdGF0ZXEfWBAAAABhY3RpdmVfYWxsb2NhdGVkcSBoEGgRdX1xIShoBUwxNDAwMDAwMDAwMDA1MTJMCmgeSgD+HwBoCUsAaB9YCAAAAGluYWN0aXZlcSJoEF1xI3VldWFYDQAAAGRldmljZV90cmFjZXNxJF1xJShdcSYofXEnKFgGAAAAYWN0aW9ucShYBQAAAGFsbG9jcSlYBAAAAGFkZHJxKkwxNDAwMDAwMDAwMDAwMDBMCmgeS2RoCksAWAcAAAB0aW1lX3VzcStMMTcwMDAwMDAwMDAwMDAwMUwKaBBoEVgIAAAAdHJhY2VfaWRxLFgDAAAAdC0xcS11fXEuKGgoaCloKkwxNDAwMDAwMDAwMDA1MTJMCmgeSyhoCksDaCtMMTcwMDAwMDAwMDAwMDAwMkwKaBBdcS8oaBJoGGV1fXEwKGgoWA4AAABmcmVlX2NvbXBsZXRlZHExaCpMMTQwMDAwMDAwMDAwNTEyTApoHksoaApLA2grTDE3MDAwMDAwMDAwMDAwMDNMCmgQXXEydWVdcTNlWBIAAABhbGxvY2F0b3Jfc2V0dGluZ3NxNH1xNVgTAAAAZXhwYW5kYWJsZV9zZWdtZW50c3E2STAwCnN1Lg==',
] as const

const dir = samplesDir()
const samples =
  dir === null
    ? []
    : [
        'snapshots/forward-fp32',
        'snapshots/torch20-history-a',
        'snapshots/trimmed-by-author',
        'synthetic-snapshots/xpu_u64_addresses',
        'synthetic-snapshots/annotate_host_2026',
      ]
const sample = (name: string): Uint8Array => readFileSync(join(dir ?? '', `${name}.pickle`))

describe('how the input is cut makes no difference', () => {
  for (const protocol of [2, 4, 5] as const)
    test(`protocol ${protocol}`, async () => {
      const data = snapshotBytes(exampleSnapshot(), protocol)
      const whole = fingerprint(await read(data))
      for (const chunk of [1, 7, 100, 64 << 10]) expect(fingerprint(await read(data, chunk))).toBe(whole)
      expect(fingerprint(await read(gzipSync(data), 11))).not.toBe(fingerprint(await read(data.subarray(0, 100))))
    })
  for (const name of samples)
    test(name, async () => {
      const data = sample(name)
      const whole = fingerprint(await read(data))
      for (const chunk of [1, 7, 64 << 10]) expect(fingerprint(await read(data, chunk))).toBe(whole)
    })
  test('long strings and lists over many windows', async () => {
    const s = exampleSnapshot()
    for (let i = 0; i < 3000; i++)
      s.device_traces[0]?.push({
        action: 'alloc',
        addr: i * 512,
        size: i,
        frames: [frame(`f${i % 50}`, 'x'.repeat(3000), i % 50)],
        note: 'y'.repeat(i),
      })
    const data = snapshotBytes(s)
    const whole = fingerprint(await read(data))
    for (const chunk of [997, 64 << 10]) expect(fingerprint(await read(data, chunk))).toBe(whole)
  })
})

describe('an independent reader agrees', () => {
  type Entry = Readonly<Record<string, unknown>> & { readonly frames?: readonly { name: string; filename: string; line: number }[] }
  interface Plain {
    readonly segments: readonly (Entry & { readonly blocks: readonly Entry[] })[]
    readonly device_traces: readonly (readonly Entry[])[]
  }
  async function compare(data: Uint8Array): Promise<void> {
    const plain = new Parser().parse<Plain>(data)
    const t = await tableOf(data)
    const stack = (id: number): unknown => {
      const out = []
      for (let i = t.stacks.start[id] ?? 0; id >= 0 && i < (t.stacks.start[id + 1] as number); i++) {
        const f = t.stacks.frames[i] as number
        out.push([stringAt(t.strings, t.frames.name[f] as number), stringAt(t.strings, t.frames.file[f] as number), t.frames.line[f]])
      }
      return out
    }
    const frames = (e: Entry): unknown => (e.frames ?? []).map(f => [f.name ?? '', f.filename ?? '', f.line ?? -1])
    expect(t.devices.map(d => d.count)).toEqual(plain.device_traces.map(l => l.length))
    plain.device_traces.forEach((list, d) => {
      const c = t.devices[d] as SnapshotTable['devices'][number]
      list.forEach((e, i) => {
        const code = c.action[i] as number
        expect(code === ACTION_OTHER ? stringAt(t.strings, c.otherAction[i] as number) : ACTIONS[code]).toBe(e['action'])
        expect(Number(c.address[i])).toBe(e['addr'] ?? 0)
        expect(c.size[i]).toBe(e['size'])
        expect(t.streams[c.stream[i] as number]).toBe(String(e['stream']))
        if (e['time_us'] === undefined) expect(c.time[i]).toBeNaN()
        else expect(Number(t.epochNs / 1000n) + (c.time[i] as number) / 1000).toBe(e['time_us'])
        if (!(e.frames ?? []).some(f => f.name === undefined)) expect(stack(c.stack[i] as number)).toEqual(frames(e))
        if (e['compile_context'] !== undefined) expect(stringAt(t.strings, c.compileContext[i] as number)).toBe(e['compile_context'])
      })
    })
    expect(t.segments.count).toBe(plain.segments.length)
    let k = 0
    plain.segments.forEach((g, s) => {
      expect([Number(t.segments.address[s]), t.segments.totalSize[s], t.segments.device[s]]).toEqual([
        g['address'],
        g['total_size'],
        g['device'] ?? 0,
      ])
      expect(t.segments.blockStart[s]).toBe(k)
      for (const b of g.blocks) {
        expect(t.blocks.size[k]).toBe(b['size'])
        expect(BLOCK_STATES[t.blocks.state[k] as number]).toBe(b['state'])
        if (b['address'] !== undefined) expect(Number(t.blocks.address[k])).toBe(b['address'])
        if (b['requested_size'] !== undefined) expect(t.blocks.requestedSize[k]).toBe(b['requested_size'])
        expect(t.blocks.segment[k]).toBe(s)
        k++
      }
    })
    expect(t.blocks.count).toBe(k)
  }
  for (const protocol of [2, 4, 5] as const)
    test(`on a snapshot of our own, protocol ${protocol}`, () => compare(snapshotBytes(exampleSnapshot(), protocol)))
  // pickleparser refuses integers of nine bytes (addresses from 2^63 on, a max_split_size of 2^64 - 1).
  for (const name of samples.filter(n => !n.includes('xpu') && !n.includes('trimmed'))) test(name, () => compare(sample(name)))
})

test('stacks are distinct by content, frames and strings are interned', async () => {
  const s = exampleSnapshot()
  const list = s.device_traces[1] as FixtureEvent[]
  list[0] = {
    ...list[0],
    frames: [frame('Block.forward', '/home/u/model/block.py', 74), frame('train_step', '/home/u/train.py', 12)],
  } as FixtureEvent
  const t = await tableOf(snapshotBytes(s))
  const c = t.devices[1] as SnapshotTable['devices'][number]
  expect(c.stack[0]).toBe(c.stack[3])
  expect(c.stack[1]).not.toBe(c.stack[3])
  expect(c.stack[2]).toBe(-1)
  expect(c.stack[10]).toBe(-1)
  expect(t.frames.count).toBe(3)
  expect(
    new Set(
      strings(
        t,
        Int32Array.from({ length: t.strings.offsets.length - 1 }, (_, i) => i),
      ),
    ).size,
  ).toBe(t.strings.offsets.length - 1)
})

test('a list of more than a thousand frames arrives in batches and is one stack', async () => {
  const deep = Array.from({ length: 2500 }, (_, i) => frame(`f${i}`, 'deep.py', i))
  const t = await tableOf(
    snapshotBytes({
      segments: [],
      device_traces: [
        [
          { action: 'alloc', addr: 1, size: 2, frames: deep },
          { action: 'alloc', addr: 2, size: 2, frames: deep },
        ],
      ],
    }),
  )
  expect([...t.stacks.start]).toEqual([0, 2500])
  expect([...(t.devices[0] as SnapshotTable['devices'][number]).stack]).toEqual([0, 0])
})

describe('versions', () => {
  TEXT.forEach((base64, protocol) =>
    test(`protocol ${protocol}`, async () => {
      const data = Buffer.from(base64, 'base64')
      for (const chunk of [1, 7, 4096]) {
        const { table: t, diagnostics } = await read(data, chunk)
        expect(codes(diagnostics)).toEqual(['snapshot-unknown-key'])
        expect(t).toMatchObject({
          format: 'pickle',
          pickleProtocol: protocol,
          complete: true,
          timeUs: [1700000000000001, 1700000000000003],
          streams: ['0', '3'],
          pools: ['0,0'],
        })
        const d = t?.devices[0] as SnapshotTable['devices'][number]
        expect(t?.devices.map(x => x.count)).toEqual([3, 0])
        expect([...d.address]).toEqual([140000000000000n, 140000000000512n, 140000000000512n])
        expect([...d.stack]).toEqual([0, 0, -1])
        expect(t?.stacks.count).toBe(1)
        expect(d.extras.map(e => [e.key, strings(t as SnapshotTable, e.value)])).toEqual([['trace_id', ['t-1', '', '']]])
        expect([...(t as SnapshotTable).blocks.size]).toEqual([512, 2096640])
        expect(t?.settings).toBe('{"expandable_segments": false}')
      }
    }),
  )

  test('torch 1.12: a list of segments; blocks without address and requested size, with history', async () => {
    const history = [
      { addr: 4096, real_size: 700, frames: [frame('now', 'a.py', 1)] },
      { addr: 4096, real_size: 300, frames: [frame('before', 'a.py', 2)] },
    ]
    const segments = [
      {
        device: 0,
        address: 4096,
        total_size: 4096,
        allocated_size: 1024,
        active_size: 1024,
        stream: 0,
        segment_type: 'small',
        blocks: [
          { size: 1024, state: 'active_allocated', history },
          { size: 3072, state: 'inactive' },
        ],
      },
    ]
    const t = await tableOf(pickleDumps(segments as PickleValue, 2))
    expect(t).toMatchObject({ format: 'pickle-list', devices: [], clock: 'none', timeRange: null, timeUs: null })
    expect([...t.blocks.address]).toEqual([4096n, 5120n])
    expect(t.blocks.requestedSize[0]).toBe(700)
    expect(t.blocks.requestedSize[1]).toBeNaN()
    expect(t.stacks.start[1]).toBe(1)
    expect(stringAt(t.strings, t.frames.name[t.stacks.frames[t.blocks.stack[0] as number] as number] as number)).toBe('now')
    expect(t.segments.expandable[0]).toBe(255)
    expect(t.segments.requestedSize[0]).toBeNaN()
    expect(t.segments.pool[0]).toBe(-1)
  })

  test('active_awaiting_free is active_pending_free', async () => {
    const s = exampleSnapshot()
    const block = s.segments[0]?.blocks[2] as { state: string }
    block.state = 'active_awaiting_free'
    expect((await tableOf(snapshotBytes(s))).blocks.state[2]).toBe(1)
  })

  test('2.11: pool ids on entries, overflow of the ring per device', async () => {
    const s = exampleSnapshot()
    for (const e of s.device_traces[1] as FixtureEvent[]) e['pool_id'] = new Tuple([1, 0])
    s['allocator_settings'] = { trace_alloc_max_entries: 100, trace_alloc_overflowed: [false, true] }
    const { table, diagnostics } = await read(snapshotBytes(s))
    expect(table?.pools[(table.devices[1] as SnapshotTable['devices'][number]).pool[3] as number]).toBe('1,0')
    expect(codes(diagnostics)).toEqual(['snapshot-history-overflowed'])
    s['allocator_settings'] = { trace_alloc_max_entries: 100, trace_alloc_overflowed: [false, false] }
    expect((await read(snapshotBytes(s))).diagnostics).toEqual([])
  })

  test('mid 2026: host memory has tables of its own and is in no figure of a device', async () => {
    const s = exampleSnapshot()
    const event = { action: 'alloc', addr: 18446720620317114368n, size: 5, time_us: EXAMPLE.timeUs, frames: [frame('f', 'x.py', 1)] }
    s['host_segments'] = [
      {
        address: 4096,
        total_size: 8192,
        blocks: [
          { address: 4096, size: 4096, requested_size: 3000, state: 'active_allocated' },
          { address: 8192, size: 3072, state: 'active_pending_free' },
          { address: 11264, size: 1024, state: 'inactive' },
        ],
      },
    ]
    const plain = await tableOf(snapshotBytes(exampleSnapshot()))
    for (const traces of [[event], [[event]]] as PickleValue[]) {
      s['host_traces'] = traces
      const { table, diagnostics } = await read(snapshotBytes(s))
      const host = table?.host
      expect(host?.segments?.count).toBe(1)
      expect([...(host?.segments?.device ?? [])]).toEqual([-1])
      expect([...(host?.segments?.totalSize ?? [])]).toEqual([8192])
      expect([...(host?.blocks.address ?? [])]).toEqual([4096n, 8192n, 11264n])
      expect([...(host?.blocks.size ?? [])]).toEqual([4096, 3072, 1024])
      expect(host?.traces?.map(t => [t.device, t.count])).toEqual([[-1, 1]])
      expect(host?.traces?.[0]?.address[0]).toBe(18446720620317114368n)
      expect(host?.traces?.[0]?.time[0]).toBe(-10_000)
      expect(table?.devices.map(d => d.count)).toEqual([0, 12])
      expect(table?.segments.totalSize).toEqual(plain.segments.totalSize)
      expect(Object.keys(table?.unknown ?? {})).toEqual([])
      expect(codes(diagnostics)).toEqual(['snapshot-no-requested-size', 'snapshot-host-memory'])
      expect(diagnostics[1]?.message).toMatch(
        /1 segments \(blocks: 4,096 bytes active_allocated, 3,072 .*pending_free, 1,024 .*inactive\) and 1 events/,
      )
    }
    s['host_traces'] = []
    delete s['host_segments']
    expect((await tableOf(snapshotBytes(s))).host).toMatchObject({ segments: null, traces: [{ count: 0 }] })
    expect(plain.host).toBeUndefined()
  })

  test('categories: texts, and indices of a list that comes later', async () => {
    const s = exampleSnapshot()
    const list = s.device_traces[1] as FixtureEvent[]
    ;(list[1] as FixtureEvent)['category'] = 1
    ;(list[5] as FixtureEvent)['category'] = 'gradient'
    s['categories'] = ['parameter', 'activation']
    const t = await tableOf(snapshotBytes(s))
    expect(strings(t, (t.devices[1] as SnapshotTable['devices'][number]).category).filter(Boolean)).toEqual(['activation', 'gradient'])
    expect(Object.keys(t.unknown)).toEqual([])
  })

  test('actions of the future, user_defined entries and annotations', async () => {
    const { table, diagnostics } = await read(
      snapshotBytes({
        segments: [],
        device_traces: [
          [
            { action: 'defrag', addr: 1, size: 2, time_us: 30 },
            { action: 'user_defined', addr: 0, size: 0, time_us: 40, frames: [frame('START', 'Step#1', 0)] },
            { action: 'workspace_snapshot', addr: 0, size: 0 },
          ],
        ],
        external_annotations: [{ name: 'a', stage: 'START', device: 0, time_us: 20 }, { name: 'b', stage: 'END', time_us: 25 }, 'odd'],
      }),
    )
    const t = table as SnapshotTable
    const d = t.devices[0] as SnapshotTable['devices'][number]
    expect([...d.action]).toEqual([ACTION_OTHER, ACTIONS.indexOf('user_defined'), ACTIONS.indexOf('workspace_snapshot')])
    expect(strings(t, d.otherAction)).toEqual(['defrag', '', ''])
    expect(strings(t, t.annotations.text)).toEqual(['a', 'b', '"odd"', 'Step#1'])
    expect(strings(t, t.annotations.stage)).toEqual(['START', 'END', '', 'START'])
    expect([...t.annotations.device]).toEqual([0, -1, -1, 0])
    // Relative to the first entry, so annotations may come before it.
    expect([...t.annotations.time]).toEqual([-10_000, -5_000, NaN, 10_000])
    expect(t.timeUs).toEqual([30, 40])
    expect(diagnostics).toEqual([])
  })
})

describe('exact values', () => {
  test('64-bit addresses, also written as negative numbers', async () => {
    const addresses = [2n ** 64n - 1n, 2n ** 63n, 2n ** 53n + 1n, 18446720620317114368n, 18446720620317114880n, 0n, 4294967296n]
    const device_traces = [[...addresses, -512n, -(2n ** 63n)].map(addr => ({ action: 'alloc', addr, size: 1 }))]
    const t = await tableOf(pickleDumps({ segments: [], device_traces } as PickleValue))
    expect([...(t.devices[0] as SnapshotTable['devices'][number]).address]).toEqual([...addresses, 2n ** 64n - 512n, 2n ** 63n])
  })
  test('streams that are pointers', async () => {
    const t = await tableOf(
      pickleDumps({
        segments: [],
        device_traces: [
          [
            { action: 'alloc', addr: 1, size: 1, stream: 2n ** 60n + 1n },
            { action: 'alloc', addr: 1, size: 1, stream: 7 },
          ],
        ],
      }),
    )
    expect(t.streams).toEqual(['1152921504606846977', '7'])
  })
  test('settings keep their numbers', async () => {
    const s = exampleSnapshot()
    s['allocator_settings'] = {
      max_split_size: 2n ** 64n - 1n,
      threshold: new Float(0),
      half: 0.5,
      t: new Tuple([1, 2]),
      none: null,
      text: 'é"',
    }
    expect((await tableOf(snapshotBytes(s))).settings).toBe(
      '{"max_split_size": 18446744073709551615, "threshold": 0, "half": 0.5, "t": [1, 2], "none": null, "text": "é\\""}',
    )
  })
})

describe('unknown keys', () => {
  test('of entries, segments, blocks and frames, and at the top', async () => {
    const s = exampleSnapshot()
    ;(s.device_traces[1]?.[1] as FixtureEvent)['trace_id'] = 'abc'
    ;(s.device_traces[1]?.[5] as FixtureEvent)['trace_id'] = 77
    ;(s.segments[1] as Record<string, PickleValue>)['zone'] = [1, { a: null }]
    ;(s.segments[0]?.blocks[1] as Record<string, PickleValue>)['owner'] = 'me'
    ;((s.device_traces[1]?.[1] as FixtureEvent)['frames'] as Record<string, PickleValue>[])[0] = {
      name: 'f',
      filename: 'x.py',
      line: 1,
      fx_node_name: 'add_1',
    }
    s['__proto__x'] = 1
    s['neuron'] = { version: 2 }
    const { table, diagnostics } = await read(snapshotBytes(s))
    const t = table as SnapshotTable
    const d = t.devices[1] as SnapshotTable['devices'][number]
    expect(d.extras.map(e => e.key)).toEqual(['trace_id'])
    expect(strings(t, d.extras[0]?.value as Int32Array)).toEqual(['', 'abc', '', '', '', '77', '', '', '', '', '', ''])
    expect(t.devices[0]?.extras).toEqual([])
    expect(t.segments.extras.map(e => [e.key, strings(t, e.value)])).toEqual([['zone', ['', '[1, {"a": null}]']]])
    expect(t.blocks.extras.map(e => [e.key, strings(t, e.value)])).toEqual([['owner', ['', 'me', '', '', '']]])
    expect(strings(t, t.frames.extra as Int32Array).filter(Boolean)).toEqual(['{"fx_node_name": "add_1"}'])
    expect(t.unknown).toEqual({ __proto__x: '1', neuron: '{"version": 2}' })
    expect(codes(diagnostics)).toEqual(['snapshot-unknown-key', 'snapshot-unknown-key', 'snapshot-unknown-key'])
    expect(diagnostics[0]).toMatchObject({ message: expect.stringContaining("'trace_id' of trace entries (2 times)") as string })
  })
  test('a key __proto__ is a key like any other', async () => {
    const entries = new Map<PickleValue, PickleValue>([['segments', []], ['device_traces', [[{ action: 'alloc', addr: 1, size: 1 }]]], ['__proto__', { polluted: 1 }]]) // prettier-ignore
    const t = await tableOf(pickleDumps(entries))
    expect(Object.hasOwn(t.unknown, '__proto__')).toBe(true)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
  test('more of them than are kept', async () => {
    const device_traces = [Array.from({ length: 100 }, (_, i) => ({ action: 'alloc', addr: i, size: 1, [`key${i}`]: i }))]
    const { table, diagnostics } = await read(pickleDumps({ segments: [], device_traces }))
    expect(table?.devices[0]?.extras).toHaveLength(64)
    expect(diagnostics.find(d => d.code === 'snapshot-unknown-keys-left-out')?.count).toBe(36)
  })
})

describe('values that do not fit are told', () => {
  test('types', async () => {
    const { table, diagnostics } = await read(
      pickleDumps({
        segments: [{ device: 0, address: 'x', total_size: 8, blocks: [{ size: 1, state: 'gone' }] }],
        device_traces: [
          [
            { action: 'alloc', addr: null, size: 'big', frames: 7 },
            { action: 'alloc', addr: 1 },
          ],
          'no list',
        ],
      }),
    )
    expect(table?.devices[0]?.size[0]).toBeNaN()
    expect(diagnostics.filter(d => d.code === 'snapshot-bad-value').map(d => d.message)).toEqual([
      'The value of state is "gone", which does not fit.',
      'The value of address is "x", which does not fit.',
      'The value of addr is null, which does not fit.',
      'The value of size is "big", which does not fit.',
      'The value of frames is 7, which does not fit.',
      'A record has no size.',
    ])
    expect(diagnostics.find(d => d.code === 'snapshot-odd-item')?.message).toContain('device_traces[1]')
    expect(diagnostics.every(d => d.offset === null || d.offset > 0)).toBe(true)
  })
  test('items of other kinds among the records', async () => {
    const { table, diagnostics } = await read(
      pickleDumps({ segments: [5], device_traces: [[{ action: 'alloc', addr: 1, size: 1 }, 'x', { action: 'alloc', addr: 2, size: 1 }]] }),
    )
    expect([...(table?.devices[0]?.address ?? [])]).toEqual([1n, 2n])
    expect(codes(diagnostics)).toEqual(['snapshot-odd-item', 'snapshot-odd-item'])
  })
  test('the same entry twice in a list', async () => {
    const e = { action: 'alloc', addr: 1, size: 1, tag: 'a' }
    const f = { action: 'alloc', addr: 2, size: 1 }
    const t = await tableOf(pickleDumps({ segments: [], device_traces: [[e, f, e]] }))
    expect([...(t.devices[0]?.address ?? [])]).toEqual([1n, 2n, 1n])
    expect(strings(t, t.devices[0]?.extras[0]?.value as Int32Array)).toEqual(['a', '', 'a'])
  })
})

describe('opaque values', () => {
  const op = (...parts: (string | number[])[]): Uint8Array =>
    Buffer.concat(parts.map(p => (typeof p === 'string' ? Buffer.from(p, 'latin1') : Buffer.from(p))))
  test('a call inside user_metadata spoils nothing and is told with its offset', async () => {
    const data = op(
      [0x80, 2],
      '}(X',
      [8, 0, 0, 0],
      'segments]X',
      [13, 0, 0, 0],
      'device_traces](](',
      '}(X',
      [6, 0, 0, 0],
      'actionX',
      [5, 0, 0, 0],
      'allocX',
      [4, 0, 0, 0],
      'addrK',
      [1],
      'X',
      [4, 0, 0, 0],
      'sizeK',
      [9],
      'X',
      [13, 0, 0, 0],
      'user_metadatacposix\nsystem\n(X',
      [4, 0, 0, 0],
      'echotRu',
      'eeu.',
    )
    const { table, diagnostics } = await read(data)
    expect(table?.devices[0]?.size[0]).toBe(9)
    expect(stringAt((table as SnapshotTable).strings, table?.devices[0]?.userMetadata[0] as number)).toBe(
      '{"opaque": "posix.system", "args": ["echo"]}',
    )
    const at = Buffer.from(data).indexOf('cposix')
    expect(diagnostics.map(d => [d.code, d.offset])).toEqual([
      ['pickle-global', at],
      ['pickle-call', Buffer.from(data).indexOf('tRu') + 1],
    ])
    expect(diagnostics[0]?.message).toContain('posix.system')
  })
  test('as the top-level value it is no snapshot', async () => {
    const { table, diagnostics } = await read(op('cposix\nsystem\n(S', "'echo'\ntR."))
    expect(table).toBeNull()
    expect(codes(diagnostics)).toEqual(['pickle-global', 'pickle-call', 'not-a-snapshot'])
  })
})

describe('files that end early', () => {
  for (const protocol of [2, 4] as const)
    test(`cut at every byte, protocol ${protocol}: the whole entries before the cut`, async () => {
      const data = snapshotBytes(exampleSnapshot(), protocol)
      const whole = await tableOf(data)
      const all = whole.devices[1] as SnapshotTable['devices'][number]
      let last = 0
      for (let n = 0; n < data.length; n++) {
        const { table, diagnostics } = await read(data.subarray(0, n))
        expect(diagnostics.filter(d => d.code === 'pickle-truncated')).toHaveLength(1)
        const fault = diagnostics.find(d => d.code === 'pickle-truncated') as Diagnostic
        expect(fault.offset).toBeLessThanOrEqual(n)
        expect(fault.offset).toBeGreaterThanOrEqual(Math.max(0, n - 300))
        const events = table?.devices[1]
        expect(events?.count ?? 0).toBeGreaterThanOrEqual(last)
        last = events?.count ?? 0
        if (!table) continue
        expect(table.complete).toBe(false)
        expect([...(events?.address ?? [])]).toEqual([...all.address.subarray(0, last)])
        expect([...(events?.size ?? [])]).toEqual([...all.size.subarray(0, last)])
        if (events && last < all.count) expect(events.complete).toBe(false)
        if (table.devices.length > 0) expect([table.segments.complete, table.segments.count, table.blocks.count]).toEqual([true, 2, 5])
        else if (table.segments.count < 2) expect(table.segments.complete).toBe(false)
        if (table.segments.complete === false) expect(fault.meaning).toMatch(/reserved bytes are not known/)
      }
      expect(last).toBe(all.count)
    })
  test('traces before segments', async () => {
    const { segments, device_traces } = exampleSnapshot()
    const data = snapshotBytes({ device_traces, segments } as FixtureSnapshot)
    const { table, diagnostics } = await read(data.subarray(0, data.length - 200))
    expect(table?.devices.map(d => [d.count, d.complete])).toEqual([
      [0, true],
      [12, true],
    ])
    expect(table?.segments).toMatchObject({ count: 0, complete: false })
    expect(diagnostics[0]?.meaning).toContain('There is no segment table')
  })
  test('a list of segments', async () => {
    const data = snapshotBytes(exampleSnapshot().segments)
    const { table } = await read(data.subarray(0, data.length - 60))
    expect(table).toMatchObject({ format: 'pickle-list', complete: false, segments: { count: 1, complete: false } })
  })
  test('more than a batch of entries', async () => {
    const device_traces = [Array.from({ length: 2600 }, (_, i) => ({ action: 'alloc', addr: i, size: 1 })), []]
    const data = pickleDumps({ segments: [], device_traces })
    for (const share of [0.2, 0.5, 0.9]) {
      const { table } = await read(data.subarray(0, Math.floor(data.length * share)))
      const count = table?.devices[0]?.count as number
      expect(Math.abs(count / 2600 - share)).toBeLessThan(0.1)
      expect([...(table?.devices[0]?.address ?? [])]).toEqual(Array.from({ length: count }, (_, i) => BigInt(i)))
    }
  })
  test('protocol 0', async () => {
    const data = Buffer.from(TEXT[0], 'base64')
    const { table } = await read(data.subarray(0, data.indexOf('free_completed')))
    expect(table?.devices[0]).toMatchObject({ count: 2, complete: false })
    expect(table?.segments).toMatchObject({ count: 1, complete: true })
  })
  test('a cut gzip stream', async () => {
    const s = exampleSnapshot()
    for (let i = 0; i < 4000; i++) s.device_traces[1]?.push({ action: 'alloc', addr: i * 7919, size: (i * 7907) % 100_003 })
    const data = gzipSync(snapshotBytes(s))
    const { table, diagnostics } = await read(data.subarray(0, data.length >> 1), 1000)
    expect(table?.devices[1]?.count).toBeGreaterThan(100)
    expect(codes(diagnostics).sort()).toEqual(['gzip-truncated', 'pickle-truncated'])
    expect((await read(data, 1000)).diagnostics).toEqual([])
  })
  test('damage in the middle', async () => {
    const data = snapshotBytes(exampleSnapshot(), 2)
    const at = Buffer.from(data).indexOf('free_completed')
    data[at - 5] = 0xff
    const { table, diagnostics } = await read(data)
    expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'pickle-bad-opcode', offset: at - 5 })
    expect(table?.devices[1]?.count).toBe(2)
    expect(table?.complete).toBe(false)
  })
})

describe('files that are no snapshot', () => {
  const cases: readonly (readonly [string, Uint8Array, string, RegExp])[] = [
    ['another dict', pickleDumps({ model: 1, optimizer: [] }), 'not-a-snapshot', /a dict with the keys 'model', 'optimizer'/],
    ['a list', pickleDumps([1, 2]), 'not-a-snapshot', /a list whose items are no segments/],
    ['an empty list', pickleDumps([]), 'not-a-snapshot', /an empty list/],
    ['a number', pickleDumps(5), 'not-a-snapshot', /a plain value/],
    ['entries without segments', pickleDumps([{ action: 'alloc', addr: 1, size: 1 }]), 'not-a-snapshot', /trace entries without/],
    ['segments that is no list', pickleDumps({ segments: 5 }), 'not-a-snapshot', /a dict with the keys 'segments'/],
    ['other JSON', Buffer.from(' {"model": [], "segments": 5}'), 'not-a-snapshot', /JSON.*an object with the keys 'model', 'segments'/],
    ['another page', Buffer.from('<!doctype html>'), 'html-no-snapshot', /local_files/],
    ['a zip', Buffer.from('PK\u0003\u0004\u0000\u0000data.pkl'), 'not-a-pickle', /zip archive/],
    ['nothing', new Uint8Array(0), 'pickle-truncated', /the file is empty/],
    ['noise', Buffer.from([1, 2, 3, 4]), 'pickle-bad-opcode', /byte 0x01/],
    ['protocol 9', Buffer.from([0x80, 9, 0x4e, 0x2e]), 'pickle-protocol', /protocol 9/],
    ['an out-of-band buffer', Buffer.from([0x80, 5, 0x97, 0x2e]), 'pickle-buffer', /out-of-band/],
  ]
  for (const [name, data, code, message] of cases)
    test(name, async () => {
      const { table, diagnostics } = await read(data)
      expect(table).toBeNull()
      expect(codes(diagnostics)).toContain(code)
      expect(diagnostics.find(d => d.code === code)?.message).toMatch(message)
    })
  test('stacks with frames that are only text ask for nothing', async () => {
    const entry = { action: 'alloc', addr: 1, size: 1, frames: ['f'] }
    const { diagnostics } = await read(pickleDumps({ segments: [], device_traces: [[entry]] }))
    expect(diagnostics).toMatchObject([{ code: 'snapshot-odd-frames', count: 1, action: 'Nothing to do.' }])
  })
  test('bytes after the end are told', async () => {
    const { table, diagnostics } = await read(Buffer.concat([snapshotBytes(exampleSnapshot()), Buffer.alloc(10)]))
    expect(table?.complete).toBe(true)
    expect(diagnostics).toMatchObject([{ code: 'pickle-trailing-bytes', severity: 'info' }])
  })
})

describe('progress and cancel', () => {
  test('the last report is the whole file', async () => {
    const data = snapshotBytes(exampleSnapshot())
    const seen: (readonly [number, number, string])[] = []
    await read(data, 100, { onProgress: (...p) => seen.push(p) })
    expect(seen.at(-1)).toEqual([data.length, data.length, '12 events'])
  })
  test('before and while reading', async () => {
    const data = snapshotBytes(exampleSnapshot())
    const before = await read(data, 100, { signal: AbortSignal.abort() })
    expect(before).toMatchObject({ table: null, diagnostics: [{ code: 'cancelled' }] })
    const abort = new AbortController()
    const source = bufferSource('f', data, 100)
    let chunks = 0
    const during = await readSnapshot(
      {
        name: 'f',
        size: data.length,
        get consumed() {
          return source.consumed
        },
        async *chunks() {
          for await (const c of source.chunks()) {
            if (++chunks === 3) abort.abort()
            yield c
          }
        },
      },
      { signal: abort.signal },
    )
    expect(during.table).toBeNull()
    expect(chunks).toBe(3)
  })
})

describe('random snapshots and mutations', () => {
  const text = fc.string({ maxLength: 8 })
  const frames = fc.array(fc.record({ name: text, filename: text, line: fc.nat(99) }), { maxLength: 5 })
  const entry = fc.record(
    {
      action: fc.constantFrom('alloc', 'free_completed', 'oom', 'x'),
      addr: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      size: fc.maxSafeNat(),
      stream: fc.nat(3),
      time_us: fc.nat(),
      frames,
      odd: text,
    },
    { requiredKeys: ['action', 'addr', 'size'] },
  )
  test('columns hold what was written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(entry, { maxLength: 20 }), { maxLength: 3 }),
        fc.constantFrom<WriteProtocol>(2, 4, 5),
        fc.integer({ min: 1, max: 50 }),
        async (device_traces, protocol, chunk) => {
          const { table } = await read(pickleDumps({ segments: [], device_traces } as PickleValue, protocol), chunk)
          const t = table as SnapshotTable
          device_traces.forEach((list, d) => {
            const c = t.devices[d] as SnapshotTable['devices'][number]
            expect([...c.address]).toEqual(list.map(e => e.addr))
            expect([...c.size]).toEqual(list.map(e => e.size))
            expect([...c.stack].map(s => (s < 0 ? 0 : (t.stacks.start[s + 1] as number) - (t.stacks.start[s] as number)))).toEqual(
              list.map(e => e.frames?.length ?? 0),
            )
            const odd = c.extras.find(x => x.key === 'odd')
            expect(odd ? [...odd.value].map(i => (i < 0 ? undefined : stringAt(t.strings, i))) : list.map(() => undefined)).toEqual(
              list.map(e => e.odd),
            )
          })
        },
      ),
      { numRuns: 150 },
    )
  })
  test('a changed byte never throws, and what is not whole is told', async () => {
    const data = snapshotBytes(exampleSnapshot())
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(data.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 4000 }),
        async (changes, chunk) => {
          const bad = data.slice()
          for (const [at, v] of changes) bad[at] = v
          const { table, diagnostics } = await read(bad, chunk)
          if (!table || !table.complete) expect(diagnostics.length).toBeGreaterThan(0)
          for (const d of diagnostics) expect(d.offset ?? 0).toBeLessThanOrEqual(bad.length)
          for (const c of table?.devices ?? []) expect(c.action.length).toBe(c.count)
        },
      ),
      { numRuns: 1500 },
    )
  })
  test('any bytes never throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async bytes => void (await read(bytes, 13))),
      { numRuns: 2000 },
    )
    // Opcodes that do something are rare among random bytes; these are nothing else.
    const ops = fc.array(
      fc
        .constantFrom(...'(.012NK]}ael)tdusbRo\u0085\u0086\u0088\u008f\u0090\u0091\u0093\u0094\u0081\u0092Q')
        .map(c => [c.charCodeAt(0), ...(c === 'K' ? [7] : [])]),
      { maxLength: 60 },
    )
    await fc.assert(
      fc.asyncProperty(ops, async list => void (await read(Uint8Array.from(list.flat()), 5))),
      { numRuns: 3000 },
    )
  })
})

test('an event knows its place in the example', async () => {
  const t = await tableOf(snapshotBytes(exampleSnapshot()))
  expect(t.epochNs).toBe(BigInt(EXAMPLE.timeUs + 10) * 1000n)
  expect(t.timeRange).toEqual([0, 110_000])
  expect(t.devices[1]?.deviceFree[7]).toBe(12_345)
  expect(t.devices[1]?.deviceFree[6]).toBeNaN()
})
