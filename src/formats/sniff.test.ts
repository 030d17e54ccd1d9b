import { mkdtemp, readFile, rm, writeFile, mkdir, chmod } from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { samplesDir } from '../testing/samples'
import { kindOfName } from './names'
import { probeBytes } from './probe'
import { sniffFile, sniffProbe } from './sniff'

const text = (s: string): Uint8Array => new TextEncoder().encode(s)
const look = (name: string, data: Uint8Array | string) => {
  const { kind, state } = sniffProbe(probeBytes(typeof data === 'string' ? text(data) : data, name))
  return `${kind} ${state}`
}
/** A message of protobuf with varint fields and strings. */
const message = (...fields: readonly (readonly [number, number | string | Uint8Array])[]): Uint8Array => {
  const out: number[] = []
  const varint = (v: number): void => {
    for (; v >= 128; v = Math.floor(v / 128)) out.push((v % 128) | 128)
    out.push(v)
  }
  for (const [number, value] of fields) {
    if (typeof value === 'number') {
      varint(number * 8)
      varint(value)
    } else {
      const bytes = typeof value === 'string' ? text(value) : value
      varint(number * 8 + 2)
      varint(bytes.length)
      out.push(...bytes)
    }
  }
  return Uint8Array.from(out)
}
const bytes = (...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map(p => Buffer.from(p as Uint8Array)))
const ntff = (version: number, info: Uint8Array, blob: number): Uint8Array => {
  const header = Buffer.alloc(128, 0xa7) // beyond the size stands whatever was in memory
  header[0] = version
  header.writeBigUInt64LE(BigInt(info.length), 1)
  return bytes(header, info, new Uint8Array(blob))
}
const neff = (payload: Uint8Array, declared = payload.length): Uint8Array => {
  const header = Buffer.alloc(1024)
  header.writeBigUInt64LE(2n, 0)
  header.writeBigUInt64LE(1024n, 8)
  header.writeBigUInt64LE(BigInt(declared), 0x10)
  header.writeBigUInt64LE(2n, 0x18)
  header.write('model.neff', 0xdc)
  return bytes(header, payload)
}
const pickle = text('\u0000\u0000}q\u0000X\u0008\u0000\u0000\u0000segmentsq\u0001]q\u0002s.')
pickle.set([0x80, 2])

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-sniff-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))
const put = async (name: string, data: Uint8Array | string): Promise<string> => {
  const path = join(dir, name)
  await writeFile(path, data)
  return path
}

describe('kinds by content', () => {
  it('knows damaged traces, so that their whole events are read', () => {
    const event = '{"ph":"X","name":"a","ts":1}'
    for (const damaged of [
      `{"a":1 "traceEvents":[${event}]}`,
      `{,"traceEvents":[${event}]}`,
      `/* x */{"traceEvents":[${event}]}`,
      `${'\0'.repeat(512)}{"traceEvents":[${event}]}`,
      `log: 1\n{"schemaVersion":1,"traceEvents":[${event}]}`,
      `[INFO] log\n{"schemaVersion":1,"traceEvents":[${event}]}`,
      `${event},\n${event}]`,
      `{"schemaVersion":1,"trace\u0001vents":[${event}]}`,
      `[1,${event}]`,
    ]) {
      const found = sniffProbe(probeBytes(text(damaged), 'trace.json'))
      expect(`${found.kind} ${found.state} ${found.findings.map(f => f.code).join()}`).toBe('chrome-trace complete json-damaged')
    }
    expect(look('x', `{"a":1 "traceEvents": [${event}]}`)).toBe('chrome-trace complete')
    expect(look('x', `{"a":1 "traceEvents": [${event},`)).toBe('chrome-trace truncated')
    // Another name, or no JSON at all.
    expect(look('notes.txt', `the list "traceEvents": [ of a trace`)).toBe('unknown complete')
    expect(look('trace.json', 'hello')).toBe('chrome-trace unreadable')
    expect(look('memory_snapshot.json', `{"a":1 "traceEvents":[${event}]}`)).toBe('memory-snapshot unreadable')
  })
  it('says of UTF-16 text what it is', () => {
    for (const data of [Buffer.from('\ufeff{"traceEvents":[]}', 'utf16le'), Buffer.from('{"traceEvents":[]}', 'utf16le').swap16()]) {
      const found = sniffProbe(probeBytes(data, 'trace.json'))
      expect(`${found.kind} ${found.state} ${found.findings.map(f => f.code).join()}`).toBe('chrome-trace unreadable text-utf16')
    }
    expect(look('x', Buffer.from('\ufeff{}', 'utf16le'))).toBe('unknown complete')
  })
  it('tells traces, snapshots and exports in JSON apart', () => {
    expect(look('x', '{"schemaVersion": 1, "traceEvents": [{"ph":"X"}]}')).toBe('chrome-trace complete')
    expect(look('x', '[{"name":"a","ph":"X","ts":1}]')).toBe('chrome-trace complete')
    expect(look('x', '\ufeff {"traceEvents":[]}\n')).toBe('chrome-trace complete')
    expect(look('x', '{"segments":[{"device":0,"total_size":4,"blocks":[]}]}')).toBe('memory-snapshot complete')
    expect(look('x', '{"device_traces":[[]],"segments":[]}')).toBe('memory-snapshot complete')
    expect(look('x', '[{"device":0,"address":1,"total_size":4,"blocks":[]}]')).toBe('memory-snapshot complete')
    expect(look('x', '{"version":1,"data":[{"nrta_seq_id":1,"framework_op_exec_ids":[]}]}')).toBe('framework-mapping complete')
    expect(look('x', '{"trace_event":[],"mem_usage":[]}')).toBe('explorer-json complete')
    expect(look('x', '{"events":[{"event_type":"nrt_execute","phase":"start","tracking_id":1}],"data_version":2}')).toBe(
      'explorer-json complete',
    )
    expect(look('x', '{"events":[{"name":"a"}]}')).toBe('unknown complete')
    expect(look('x', '{"segments":[{"words":1}]}')).toBe('unknown complete')
    expect(look('config.json', '{"a":{"traceEvents":[]}}')).toBe('unknown complete')
    expect(look('x', '"traceEvents"')).toBe('unknown complete')
  })

  it('knows NTFF, NEFF, Parquet, Perfetto, pickles and pages by their bytes', () => {
    const info = message([1, 'a.neff'], [3, 10001], [16, message([5, 0], [6, 64])], [18, 7])
    expect(look('trace.json', ntff(6, info, 64))).toBe('ntff complete')
    expect(look('x', ntff(7, info, 64))).toBe('unknown complete')
    expect(look('trace.json', neff(Uint8Array.from([0x1f, 0x8b, 1, 2])))).toBe('neff complete')
    expect(look('a.ntff', neff(Uint8Array.from([0x1f, 0x8b, 1, 2])))).toBe('neff complete')
    expect(look('x', neff(text('not gzip')))).toBe('unknown complete')
    expect(look('x', bytes(text('PAR1'), [1, 2, 3, 4], [4, 0, 0, 0], text('PAR1')))).toBe('explorer-parquet complete')
    expect(look('x', message([1, message([8, 5], [60, message([1, 1])])]))).toBe('perfetto-trace complete')
    expect(look('x', message([1, message([8, 5])]))).toBe('unknown complete')
    expect(look('x', pickle)).toBe('memory-snapshot complete')
    expect(look('x', '<!DOCTYPE html>\n<script>\nconst local_files = []\nadd_local_files(local_files, "x")\n</script>')).toBe(
      'memory-snapshot complete',
    )
    expect(look('x', '(dp0\nVsegments\np1\n(lp2\ns.')).toBe('memory-snapshot complete')
  })

  it('takes the runtime files by name as long as the content can be protobuf', () => {
    const one = message([1, 3], [2, 5], [6, 'x'])
    expect(look('ntrace.pb', bytes([one.length], one, [one.length], one))).toBe('ntrace complete')
    expect(look('trace_info.pb', one)).toBe('trace-info complete')
    expect(look('cpu_util.pb', bytes([one.length, 0, 0, 0], one))).toBe('cpu-util complete')
    expect(look('host_mem.pb', bytes([one.length], one, [one.length], one.subarray(0, 3)))).toBe('host-memory truncated')
    expect(look('other.pb', one)).toBe('unknown complete')
    expect(look('ntrace.pb', '{"traceEvents":[]}')).toBe('chrome-trace complete')
    expect(look('ntrace.pb', 'this is a text')).toBe('ntrace unreadable')
    expect(look('ntrace.pb', new Uint8Array(64).fill(0xff))).toBe('ntrace unreadable')
  })

  it('keeps the kind of the name where the content is nothing known, and says so', () => {
    const found = sniffProbe(probeBytes(text('hello'), 'trace.json'))
    expect(found).toMatchObject({ kind: 'chrome-trace', state: 'unreadable', findings: [{ code: 'not-what-it-claims' }] })
    expect(look('notes.txt', 'hello')).toBe('unknown complete')
    expect(look('trace.json', '{"foo":1}')).toBe('chrome-trace unreadable')
    // Whatever is named like a pickle and is one goes to the reader, which never runs anything and says what it found.
    expect(look('hostile.pickle', bytes([0x80, 4], text('cos\nsystem\n(S"x"\ntR.')))).toBe('memory-snapshot complete')
    expect(look('hostile', bytes([0x80, 4], text('cos\nsystem\n(S"x"\ntR.')))).toBe('unknown complete')
  })

  it('finds events behind long metadata', async () => {
    const long = JSON.stringify({ foo: 'x'.repeat(200_000), traceEvents: [{ ph: 'X' }] })
    expect(await sniffFile(await put('long', long))).toMatchObject({ kind: 'chrome-trace', state: 'complete', bytes: long.length })
  })
})

describe('names', () => {
  it('hints', () => {
    const hints: Record<string, string | null> = {
      'trace.json': 'chrome-trace',
      'a/b/rank0_trace.json.gz': 'chrome-trace',
      'neuron_framework_trace_rank_3.json': 'chrome-trace',
      'host_1.pt.trace.json': 'chrome-trace',
      'trace_info.json': 'chrome-trace',
      'retrace.json': null,
      'memory_snapshot_rank0.pickle': 'memory-snapshot',
      'ntrace.pb': 'ntrace',
      'trace_info.pb': 'trace-info',
      'cpu_util.pb': 'cpu-util',
      'host_mem.pb': 'host-memory',
      'neff_12_vnc_0.neff': 'neff',
      'profile_nc_0_session_0.ntff': 'ntff',
      'framework_mapping_20261026_101500_123.json': 'framework-mapping',
      'SystemProfileEvents_0.parquet': 'explorer-parquet',
      'system_profile.json': 'explorer-json',
      'system_profile.pftrace': 'perfetto-trace',
      'model.onnx': null,
    }
    for (const [name, kind] of Object.entries(hints)) expect([name, kindOfName(name)]).toEqual([name, kind])
  })
})

describe('states', () => {
  it('empty files keep the kind of their name', () => {
    expect(look('cpu_util.pb', '')).toBe('cpu-util empty')
    expect(look('a.ntff', '')).toBe('ntff empty')
    expect(look('x', '')).toBe('unknown empty')
  })

  it('every cut of a JSON trace is truncated, the whole is not', () => {
    const whole = '{"a": {"b": ["}", "\\"]"]}, "traceEvents": [\n{"ph":"X","args":{"k":[1,2]}}, {"ph":"X","name":"}]}"}\n],"z":{}}'
    for (let n = 1; n < whole.length; n++) expect([n, look('trace.json', whole.slice(0, n))]).toEqual([n, 'chrome-trace truncated'])
    expect(look('trace.json', whole)).toBe('chrome-trace complete')
    expect(look('trace.json', `${whole}\n\n`)).toBe('chrome-trace complete')
  })

  it('a cut behind a bracket far from the start is seen from the tail alone', async () => {
    const event = `{"ph":"X","name":"a \\" } ] b","args":{"x":[{}]}}`
    const whole = `{"traceEvents":[${Array.from({ length: 6000 }, () => event).join(',')}]}`
    expect(whole.length).toBeGreaterThan(200_000)
    const cut = whole.slice(0, 100_000)
    const at = cut.lastIndexOf(event) + event.length
    expect(await sniffFile(await put('far1', cut.slice(0, at)))).toMatchObject({ kind: 'chrome-trace', state: 'truncated' })
    expect(await sniffFile(await put('far2', whole))).toMatchObject({ kind: 'chrome-trace', state: 'complete' })
    expect(await sniffFile(await put('far3.gz', gzipSync(whole)))).toMatchObject({ kind: 'chrome-trace', state: 'complete' })
    expect(await sniffFile(await put('far4.gz', gzipSync(cut.slice(0, at))))).toMatchObject({ kind: 'chrome-trace', state: 'truncated' })
    const gz = gzipSync(whole)
    const half = await sniffFile(await put('trace.json.gz', gz.subarray(0, gz.length >> 1)))
    expect(half).toMatchObject({ kind: 'chrome-trace', state: 'truncated', diagnostics: [{ code: 'file-truncated' }] })
  })

  it('NTFF and NEFF shorter than they declare are truncated', () => {
    const info = message([1, 'a.neff'], [16, message([5, 32], [6, 64])])
    expect(look('a.ntff', ntff(6, info, 96))).toBe('ntff complete')
    expect(look('a.ntff', ntff(6, info, 95))).toBe('ntff truncated')
    expect(look('a.ntff', ntff(6, info, 0).subarray(0, 140))).toBe('ntff truncated')
    expect(look('a.ntff', ntff(6, info, 0).subarray(0, 60))).toBe('ntff truncated')
    const graph = message([1, 'sg00'], [4, message([1, 0], [7, 100], [8, 28])], [6, message([5, 0], [6, 32])])
    const nodes = message([1, 'a.neff'], [4, message([4, message([1, graph])])])
    expect(look('a.ntff', ntff(6, nodes, 128))).toBe('ntff complete')
    expect(look('a.ntff', ntff(6, nodes, 127))).toBe('ntff truncated')
    expect(look('a.ntff', ntff(5, nodes, 32))).toBe('ntff complete')
    expect(look('a.neff', neff(Uint8Array.from([0x1f, 0x8b, 1, 2]), 5))).toBe('neff truncated')
    expect(look('a.neff', neff(Uint8Array.from([0x1f, 0x8b])).subarray(0, 100))).toBe('neff truncated')
  })

  it('pickles end with STOP, Parquet with its magic, Perfetto with a whole packet', () => {
    for (let n = 1; n < pickle.length; n++) expect([n, look('a.pickle', pickle.subarray(0, n))]).toEqual([n, 'memory-snapshot truncated'])
    expect(look('a.parquet', bytes(text('PAR1'), [1, 2, 3, 4], [200, 0, 0, 0], text('PAR1')))).toBe('explorer-parquet truncated')
    expect(look('a.parquet', bytes(text('PAR1'), [1, 2, 3, 4]))).toBe('explorer-parquet truncated')
    const packet = message([1, message([8, 5], [60, message([1, 1])])])
    expect(look('x', bytes(packet, packet.subarray(0, 4)))).toBe('perfetto-trace truncated')
  })

  it('says why a file cannot be opened', async () => {
    expect(await sniffFile(join(dir, 'absent', 'trace.json'), 'trace.json')).toMatchObject({
      kind: 'chrome-trace',
      state: 'unreadable',
      diagnostics: [{ code: 'file-unreadable', file: 'trace.json', severity: 'error' }],
    })
    await mkdir(join(dir, 'folder.neff'), { recursive: true })
    expect(await sniffFile(join(dir, 'folder.neff'))).toMatchObject({ kind: 'neff', state: 'unreadable' })
    if (process.platform === 'win32') return
    // A pipe without a writer would block for ever.
    execFileSync('mkfifo', [join(dir, 'pipe.json')])
    expect(await sniffFile(join(dir, 'pipe.json'))).toMatchObject({ kind: 'unknown', state: 'unreadable' })
    if (process.getuid?.() === 0) return
    const locked = await put('locked.neff', 'x')
    await chmod(locked, 0)
    expect(await sniffFile(locked)).toMatchObject({ kind: 'neff', state: 'unreadable', diagnostics: [{ code: 'file-unreadable' }] })
  })
})

describe('robustness', () => {
  const prefixes: readonly Uint8Array[] = [
    new Uint8Array(0),
    text('{"traceEvents":['),
    text('['),
    text('{"segments":'),
    Uint8Array.from([0x80, 4]),
    Uint8Array.from([0x1f, 0x8b, 8, 0]),
    text('PAR1'),
    Uint8Array.from([0x0a]),
    ntff(6, message([1, 'a']), 3),
    neff(Uint8Array.from([0x1f, 0x8b])),
    text('<html><script>const local_files = '),
  ]
  const names = [
    'x',
    'trace.json',
    'a.pickle',
    'ntrace.pb',
    'a.ntff',
    'a.neff',
    'a.parquet',
    'a.pftrace',
    'cpu_util.pb',
    'system_profile.json',
  ]

  it('random bytes behind any beginning never throw', () => {
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), fc.uint8Array({ maxLength: 400 }), fc.constantFrom(...names), (prefix, rest, name) => {
        const found = sniffProbe(probeBytes(bytes(prefix, rest), name, 256))
        expect(found.kind).toBeTypeOf('string')
        if (found.state === 'unreadable') expect(found.findings.length).toBeGreaterThan(0)
      }),
      { numRuns: 3000 },
    )
  })

  it('random files on disk never reject, gzip or not', async () => {
    const path = join(dir, 'fuzz')
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...prefixes), fc.uint8Array({ maxLength: 300 }), fc.boolean(), async (prefix, rest, zip) => {
        const data = bytes(prefix, rest)
        await writeFile(path, zip ? gzipSync(data) : data)
        expect((await sniffFile(path, 'trace.json')).bytes).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 150 },
    )
  })
})

const samples = samplesDir()
describe.skipIf(samples === null)('real files under wrong names', () => {
  const at = samples as string
  const cases: readonly (readonly [string, string, string])[] = [
    ['neff-ntff/baseline_bf16_s512/baseline.neff', 'neff', 'memory_snapshot.pickle'],
    ['neff-ntff/fused_bf16_s1024/fused_exec_2.ntff', 'ntff', 'ntrace.pb'],
    ['neff-ntff/fused_fp32_s512/fused_exec_2.ntff', 'ntff', 'x'],
    ['neff-ntff/fused_fp32_s512/fused_exec_2_profile_full.json', 'explorer-json', 'trace.json'],
    ['snapshots/train-step.pickle', 'memory-snapshot', 'trace.json'],
    ['snapshots/torch20-history-a.pickle', 'memory-snapshot', 'a.neff'],
    ['snapshots/trimmed-by-author.pickle', 'memory-snapshot', 'trace_info.pb'],
    ['traces/h100-memory-events.json.gz', 'chrome-trace', 'memory_snapshot.pickle'],
    ['traces/mtia-inference-rank0.json.gz', 'chrome-trace', 'system_profile.json'],
    ['traces/two-ranks-rank-1.json.gz', 'chrome-trace', 'profile.ntff'],
  ]
  it.each(cases)('%s is %s as %s', async (file, kind, name) => {
    expect(await sniffFile(join(at, file), name)).toMatchObject({ kind, state: 'complete', diagnostics: [] })
    // And cut in the middle, whatever the name says.
    const data = await readFile(join(at, file))
    const half = await put('half', data.subarray(0, data.length >> 1))
    expect(await sniffFile(half, name)).toMatchObject({ kind, state: 'truncated' })
  })

  it('tells the JSON of a device profile from that of a system profile', async () => {
    const device = await sniffFile(join(at, 'neff-ntff/fused_fp32_s512/fused_exec_2_profile_full.json'))
    expect(device).toMatchObject({ kind: 'explorer-json', state: 'complete', facts: { profile: 'device' } })
    const system = await put('system_profile.json', Buffer.from('{"trace_events":[],"neff_header":[]}'))
    expect(await sniffFile(system)).toMatchObject({ kind: 'explorer-json', facts: {} })
    const bare = await put('x.json', Buffer.from('{"neff_header":[{"uuid":"1"}],"instruction":[],"dma":[]}'))
    expect((await sniffFile(bare)).facts).toEqual({ profile: 'device' })
  })

  it('tells what NEFF and NTFF headers say', async () => {
    const expected = JSON.parse(await readFile(join(at, 'neff-ntff/expected.json'), 'utf8')) as Record<
      string,
      { neff: Record<string, unknown>; ntff: Record<string, unknown> }
    >
    for (const [folder, { neff: n, ntff: t }] of Object.entries(expected)) {
      const neffFacts = await sniffFile(join(at, 'neff-ntff', folder, n['file'] as string))
      expect(neffFacts.facts).toMatchObject({
        uuid: n['uuid'],
        name: n['name'],
        lncSize: n['lncSize'],
        hash: n['hash'],
        payloadBytes: n['payloadBytes'],
      })
      const ntffFacts = await sniffFile(join(at, 'neff-ntff', folder, t['file'] as string))
      expect(ntffFacts.facts).toMatchObject({
        version: t['version'],
        neffUuid: t['neffUuid'],
        neffName: t['neffName'],
        instanceType: t['instanceType'],
        instanceId: t['instanceId'],
        pid: t['pid'],
      })
    }
  })
})
