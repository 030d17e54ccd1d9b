/** A real trace and a real snapshot, both shifted to known times, against a plain computation over the same files. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Parser } from 'pickleparser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pickleDumps, type PickleValue } from '../formats/pickle/write'
import { samplesDir } from '../testing/samples'
import { openAt, type AtDocument } from './at'
import type { InspectDocument } from './inspect'
import { run } from './run'

interface Entry {
  readonly action: string
  readonly addr: number
  readonly size: number
  time_us: number
}
interface Block {
  readonly state: string
  readonly address: number
  readonly requested_size: number
}
interface Snapshot {
  readonly device_traces: readonly Entry[][]
  readonly segments: readonly { readonly blocks: readonly Block[] }[]
}
interface Slice {
  readonly pid: string
  readonly tid: string
  readonly name: string
  readonly start: bigint
  readonly dur: number
}

/** Times that the files are shifted to: 1 January 2030. The trace begins 7 ms before the snapshot's first entry. */
const FIRST_US = 1_893_456_000_000_000
const LEAD_NS = 7_000_000n

/** Active requested bytes after each entry, and at the start, with nothing but a map. */
function plainReplay(s: Snapshot): { readonly start: number; readonly after: readonly number[] } {
  const live = new Map<number, number>()
  let active = 0
  let before = 0 // freed in the recording but never allocated in it
  const change: number[] = []
  for (const e of s.device_traces[0] as Entry[]) {
    if (e.action === 'alloc') {
      active -= live.get(e.addr) ?? 0
      live.set(e.addr, e.size)
      active += e.size
    } else if (e.action === 'free_completed') {
      const size = live.get(e.addr)
      if (size === undefined) before += e.size
      active -= size ?? e.size
      live.delete(e.addr)
    }
    change.push(active)
  }
  const old = s.segments
    .flatMap(g => g.blocks)
    .filter(b => b.state.startsWith('active') && !live.has(b.address))
    .reduce((n, b) => n + b.requested_size, 0)
  const start = before + old
  return { start, after: change.map(c => c + start) }
}

const samples = samplesDir()
describe.skipIf(samples === null)('at, on real files', () => {
  let dir = ''
  let snapshot: Snapshot
  let slices: readonly Slice[]
  let traceStart = 0n

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'nw-at-'))
    const folder = join(dir, 'i-0abc_pid_77', String(FIRST_US * 1000))
    await mkdir(folder, { recursive: true })

    const pickled = await readFile(join(samples as string, 'snapshots/late-start-222-unknown-frees.pickle'))
    snapshot = new Parser().parse(pickled)
    const entries = snapshot.device_traces[0] as Entry[]
    const shift = FIRST_US - Math.min(...entries.map(e => e.time_us))
    for (const e of entries) e.time_us += shift
    await writeFile(join(folder, 'memory_snapshot_rank3.pickle'), pickleDumps(snapshot as unknown as PickleValue))

    // The text of the trace stays as it is but for its base time.
    const text = gunzipSync(await readFile(join(samples as string, 'traces/h100-memory-events.json.gz'))).toString('utf8')
    const events = (
      JSON.parse(text) as { traceEvents: { ph: string; pid: unknown; tid: unknown; name: string; ts: number; dur?: number }[] }
    ).traceEvents
    // 1.4e12 µs with three decimals: a double is off by less than half a ns here.
    const ns = (us: number): bigint => BigInt(Math.round(us * 1000))
    const first = events.filter(e => e.ph !== 'M').reduce((m, e) => (ns(e.ts) < m ? ns(e.ts) : m), 2n ** 62n)
    traceStart = BigInt(FIRST_US) * 1000n - LEAD_NS
    const base = traceStart - first
    const shifted = text.replace(/"baseTimeNanoseconds": \d+/, `"baseTimeNanoseconds": ${base}`)
    expect(shifted).not.toBe(text)
    await writeFile(join(folder, 'trace.json'), shifted)
    slices = events
      .filter(e => e.ph === 'X')
      .map(e => ({ pid: String(e.pid), tid: String(e.tid), name: e.name, start: base + ns(e.ts), dur: Number(ns(e.dur ?? 0)) }))
    expect(new Set(events.map(e => e.ph))).not.toContain('B')
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  const call = async <T>(...argv: readonly string[]): Promise<T> => {
    let out = ''
    const code = await run([...argv, '--json'], { cwd: dir, out: t => (out += t), err: () => undefined, progress: false })
    expect(code).toBe(0)
    return JSON.parse(out) as T
  }

  it('answers at twenty times what a plain computation answers', async () => {
    const entries = snapshot.device_traces[0] as Entry[]
    const { start, after } = plainReplay(snapshot)
    expect(start).toBeGreaterThan(0)
    const first = BigInt(FIRST_US) * 1000n
    const last = BigInt((entries.at(-1) as Entry).time_us) * 1000n
    const longest = slices.reduce((a, b) => (b.dur > a.dur ? b : a))
    const times = [
      traceStart - 1n,
      traceStart,
      first - 1n,
      first,
      first + 1n,
      last - 1n,
      last,
      last + 1n,
      last + 10n ** 12n,
      longest.start,
      longest.start - 1n,
      longest.start + BigInt(longest.dur) - 1n,
      longest.start + BigInt(longest.dur),
      ...Array.from({ length: 7 }, (_, i) => first + ((last - first) * BigInt(2 * i + 1)) / 14n),
    ]
    expect(times).toHaveLength(20)
    let covered = 0
    const seen = new Set<number>()
    const opened = await openAt(dir, { cwd: dir, out: () => undefined, err: () => undefined, progress: false })
    for (const time of times) {
      const answer = opened.at(time)
      const event = entries.findLastIndex(e => BigInt(e.time_us) * 1000n <= time)
      expect([time, answer.memory]).toEqual([time, [{ rank: 3, device: 0, activeBytes: event < 0 ? start : after[event], event }]])
      const expected = slices
        .filter(s => s.start <= time && time < s.start + BigInt(s.dur))
        .map(s => `PID:${s.pid}/${s.tid} ${s.name} ${s.start} ${s.dur}`)
        .sort()
      const got = answer.slices.map(s => `${s.track.replace(/(TID|Stream):/, '')} ${s.name} ${s.startNs} ${s.durNs}`).sort()
      expect([time, got]).toEqual([time, expected])
      expect(answer.diagnostics.filter(d => d.severity === 'error')).toEqual([])
      covered += expected.length
      seen.add(event)
    }
    // The command is the same answer as a document.
    const middle = times.at(-4) as bigint
    expect(await call<AtDocument>('at', dir, '--time', String(middle))).toEqual(opened.at(middle))
    // The times are telling: many slices, many states.
    expect(covered).toBeGreaterThan(20)
    expect(seen.size).toBeGreaterThan(8)
  })

  it('inspect shows the same files with their figures', async () => {
    const doc = await call<InspectDocument>('inspect', dir)
    expect(doc.sessions).toHaveLength(1)
    expect(doc.sessions[0]).toMatchObject({ instanceId: 'i-0abc', pid: 77, modes: ['framework', 'snapshot'], ranks: [3] })
    const { start, after } = plainReplay(snapshot)
    const [pickle, trace] = doc.sessions[0]?.files ?? []
    expect(pickle).toMatchObject({
      kind: 'memory-snapshot',
      state: 'complete',
      facts: {
        format: 'pickle',
        timeUs: [String(FIRST_US), expect.stringMatching(/^\d{16}$/)],
        devices: [{ device: 0, events: after.length, peakActiveBytes: Math.max(start, ...after) }],
      },
    })
    expect(trace).toMatchObject({ kind: 'chrome-trace', state: 'complete', facts: { startNs: String(traceStart) } })
  })
})
