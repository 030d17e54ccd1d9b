import fc from 'fast-check'
import protobuf from 'protobufjs'
import { describe, expect, it } from 'vitest'
import { bufferSource } from '../source'
import { parseProto } from './description'
import { frame } from './fixture'
import { readTraceInfo, type InfoReadOptions } from './info'

const TEXT = `syntax = "proto3"; package ntff;
message version { uint32 major = 1; uint32 minor = 2; uint32 patch = 3; string hash = 5; }
message interned_data_db { string what = 1; map<uint64, string> id_map = 2; }
message ntrace_data_file { uint32 kind = 1; string path = 2; }
message ntrace_info {
  repeated ntrace_data_file collected_profiles = 3; repeated interned_data_db interned_data = 4; version runtime_version = 5;
  string instance_id = 6; string instance_type = 7; uint32 arch = 8; uint32 pid = 9; uint32 data_version = 11;
  uint64 start_time = 12; uint32 logical_nc_size = 15; uint64 dropped_events = 16;
}`
const T0 = 1_790_000_000_000_000_000n
const long = (v: bigint): object => ({ low: Number(v & 0xffffffffn) | 0, high: Number(v >> 32n) | 0, unsigned: true })
const INFO = {
  collected_profiles: [
    { kind: 1, path: 'profile_nc_0_session_0.ntff' },
    { kind: 2, path: 'neff_998636308723560_vnc_0.neff' },
  ],
  interned_data: [{ what: 'models', id_map: { '998636308723560': 'mlp', '14382885777943380728': 'embedding' } }],
  runtime_version: { major: 2, minor: 31, patch: 24, hash: 'a1b2c3d4e' },
  ...{ instance_id: 'i-0abc123456789def0', instance_type: 'trn2.48xlarge', arch: 2, pid: 4242, data_version: 2 },
  ...{ start_time: long(T0), logical_nc_size: 2, dropped_events: 17 },
}
const type = protobuf.parse(TEXT, { keepCase: true }).root.lookupType('ntff.ntrace_info')
const BYTES = type.encode(type.fromObject(INFO)).finish()
const read = (bytes: Uint8Array, o: InfoReadOptions = {}) => readTraceInfo(bufferSource('trace_info.pb', bytes), o)
const NAMES = new Map([
  [998636308723560n, 'mlp'],
  [14382885777943380728n, 'embedding'],
])

describe('trace_info.pb', () => {
  it('by shape: what looks like itself; the rest stays unknown', async () => {
    const r = await read(BYTES)
    expect(r.verdict).toMatchObject({ origin: 'inferred', framing: 'message' })
    expect(r.table).toMatchObject({
      sessionNs: { value: T0, how: 'shape' },
      instanceId: { value: 'i-0abc123456789def0', how: 'shape' },
      instanceType: { value: 'trn2.48xlarge', how: 'shape' },
      versions: [{ of: '', text: '2.31.24', how: 'shape' }],
      namesFrom: 'shape',
      // Nothing in their values tells these.
      ...{ pid: null, logicalNcSize: null, dataVersion: null, dropped: null },
    })
    expect(r.table?.names).toEqual(NAMES)
    expect(r.table?.profiles.map(p => p.path)).toEqual(['profile_nc_0_session_0.ntff', 'neff_998636308723560_vnc_0.neff'])
    expect(r.table?.fields.map(f => f.number)).toEqual([3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16])
  })

  it("by the folder's name: the value that is the same", async () => {
    expect((await read(BYTES, { expect: { pid: 4242, sessionNs: T0 } })).table).toMatchObject({
      pid: { value: 4242, how: 'name' },
      sessionNs: { value: T0, how: 'name' },
    })
    expect((await read(BYTES, { expect: { pid: 4243, sessionNs: null } })).table?.pid).toBe(null)
  })

  it('by an imported schema', async () => {
    const schema = { origin: 'imported' as const, title: 'mine', ...parseProto(TEXT) }
    const r = await read(BYTES, { schemas: [schema] })
    expect(r.verdict.origin).toBe('imported')
    expect(r.table).toMatchObject({
      pid: { value: 4242, how: 'schema' },
      logicalNcSize: { value: 2, how: 'schema' },
      dataVersion: { value: 2, how: 'schema' },
      versions: [{ of: 'runtime_version', text: '2.31.24', how: 'schema' }],
      ...{ namesFrom: 'schema', dropped: 17 },
    })
    expect(r.table?.names).toEqual(NAMES)
    const other = parseProto('syntax = "proto3"; message ntrace_info { string pid = 9; }')
    const bad = await read(BYTES, { schemas: [{ origin: 'imported', title: 'other', ...other }] })
    expect([bad.verdict.origin, bad.table?.pid, bad.diagnostics.map(d => d.code)]).toEqual(['inferred', null, ['system-schema-failed']])
  })

  it('framed, empty, cut at every byte, random', async () => {
    for (const f of ['varint', 'u32', 'u64'] as const) {
      const r = await read(frame([BYTES], f))
      expect([r.verdict.framing, r.table?.names.size]).toEqual([f, 2])
    }
    expect((await read(new Uint8Array(0))).table).toBe(null)
    for (let n = 1; n < BYTES.length; n++) {
      const { table } = await read(BYTES.subarray(0, n))
      for (const [id, name] of table?.names ?? []) expect(NAMES.get(id)).toBe(name)
    }
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async b => void (await read(b))),
      { numRuns: 300 },
    )
  })
})
