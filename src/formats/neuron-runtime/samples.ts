/**
 * Readers of cpu_util.pb and host_mem.pb: small samples that the runtime takes once a second. Neither the numbers of their fields nor the framing are public, but the values
 * speak for themselves: a Unix time, a percentage as a float, a count of bytes. 0 bytes are normal: nothing was sampled.
 */
import type { ByteSource } from '../../shared/reader'
import type { CpuTable, HostMemoryTable, SchemaCheck, SchemaVerdict, SystemReadResult } from '../../shared/system-tables'
import { exact, walkFields } from '../protobuf/wire'
import { codingOf, named, WIRE_OF, type SchemaDescription } from './description'
import { Evidence, type Column } from './evidence'
import { Findings, framingText } from './findings'
import { Cutter, type CutEnd } from './framing'
import { readHead, type SystemReadOptions } from './ntrace'
import { RoleTests } from './assess'
import { tryFramings, type FieldSeen, type FramingTry, type Sample } from './sample'

const HEAD_BYTES = 512 * 1024
/** More samples than this are not kept: a week of one sample per second and core of the largest host is below. */
const MAX_SAMPLES = 50_000_000

interface Fields {
  readonly time: number
  readonly value: number
  /** Index of the core; 0 where there is none. */
  readonly index: number
}

interface Choice {
  readonly origin: 'imported' | 'inferred'
  readonly title: string | null
  readonly fields: Fields
  readonly checks: readonly SchemaCheck[]
  readonly unverified: readonly string[]
}

interface Kind {
  readonly message: string
  readonly what: string
  /** The value's and the index' fields by the schema's names. */
  readonly valueNames: readonly string[]
  readonly indexNames: readonly string[]
  readonly choose: (sample: Sample, fixed: Partial<Fields> | null) => Omit<Choice, 'origin' | 'title'> | string
}

const times = (n: number, c: Column): SchemaCheck => ({
  name: 'timestamp',
  ok: true,
  detail: `field ${c.field}: Unix ns in all of ${n} messages`,
})

/** The one field that holds the time; a reason where there is none or more than one. */
function timeOf(e: Evidence, columns: readonly Column[], fixed: number | undefined): Column | string {
  const tests = new RoleTests(e)
  const found = columns.filter(
    c => (fixed === undefined || c.field === fixed) && e.plausible(c) === e.count && tests.fault('timestamp', c, new Map()) === null,
  )
  if (found.length === 1) return found[0] as Column
  return found.length === 0
    ? 'no field holds Unix times that go forward'
    : `fields ${found.map(c => c.field).join(' and ')} hold Unix times`
}

const wireOnly = (f: FieldSeen, w: 0 | 1 | 2 | 5): boolean =>
  f.wires[w] > 0 && f.wires[0] + f.wires[1] + f.wires[2] + f.wires[5] === f.wires[w] && f.repeats === 0

const bits = new DataView(new ArrayBuffer(8))
function floatOf(v: bigint, wire: 1 | 5): number {
  if (wire === 5) {
    bits.setUint32(0, Number(v))
    return bits.getFloat32(0)
  }
  bits.setBigUint64(0, v)
  return bits.getFloat64(0)
}

function chooseCpu(sample: Sample, fixed: Partial<Fields> | null): Omit<Choice, 'origin' | 'title'> | string {
  const e = new Evidence(sample)
  const all = [...sample.fields.values()]
  const columns = all.filter(f => wireOnly(f, 0) || wireOnly(f, 1)).map(f => e.column(f.number))
  const time = timeOf(e, columns, fixed?.time)
  if (typeof time === 'string') return time
  const percents = all.filter(f => {
    if (f.number === time.field || (fixed?.value !== undefined && f.number !== fixed.value)) return false
    const wire = wireOnly(f, 5) ? 5 : wireOnly(f, 1) ? 1 : null
    return wire !== null && f.value.every((v, i) => f.has[i] === 0 || (floatOf(v, wire) >= 0 && floatOf(v, wire) <= 100.5))
  })
  if (percents.length !== 1)
    return percents.length === 0 ? 'no field holds percentages' : `fields ${percents.map(f => f.number).join(' and ')} hold percentages`
  const value = percents[0] as FieldSeen
  const indices = columns.filter(
    c =>
      c !== time &&
      c.field !== value.number &&
      c.max < 65536n &&
      (fixed?.index === undefined || c.field === fixed.index) &&
      distinctAtATime(e, time, c),
  )
  const index = indices.length === 1 ? (indices[0] as Column).field : 0
  return {
    fields: { time: time.field, value: value.number, index },
    checks: [
      times(e.count, time),
      { name: 'util', ok: true, detail: `field ${value.number}: percentages from 0 to 100` },
      { name: 'cpu', ok: true, detail: index > 0 ? `field ${index}: different in all samples of one time` : 'no field tells the core' },
    ],
    unverified: indices.length > 1 ? indices.map(c => `field ${c.field}`) : [],
  }
}

/** An index of cores takes each value once among the samples of one time, and more than one value where a time has several. */
function distinctAtATime(e: Evidence, time: Column, c: Column): boolean {
  const seen = new Set<string>()
  for (let i = 0; i < e.count; i++) {
    const k = `${time.code[i]}/${c.code[i]}`
    if (seen.has(k)) return false
    seen.add(k)
  }
  // A count that grows from sample to sample is none.
  return c.distinct * 2 <= e.count || c.distinct <= Math.max(1, e.count / time.distinct) + 1
}

function chooseHost(sample: Sample, fixed: Partial<Fields> | null): Omit<Choice, 'origin' | 'title'> | string {
  const e = new Evidence(sample)
  const columns = [...sample.fields.values()].filter(f => wireOnly(f, 0) || wireOnly(f, 1)).map(f => e.column(f.number))
  const time = timeOf(e, columns, fixed?.time)
  if (typeof time === 'string') return time
  const rest = columns.filter(c => c !== time && c.max < 2n ** 50n && (fixed?.value === undefined || c.field === fixed.value))
  // Resident bytes come in pages.
  const pages = rest.filter(c => c.max >= 4096n && c.value.every(v => v % 4096n === 0n))
  const found = pages.length > 0 ? pages : rest.filter(c => c.max >= 1024n * 1024n)
  if (found.length !== 1)
    return found.length === 0 ? 'no field holds bytes' : `fields ${found.map(c => c.field).join(' and ')} could be the bytes`
  const value = found[0] as Column
  return {
    fields: { time: time.field, value: value.field, index: 0 },
    checks: [
      times(e.count, time),
      { name: 'usage', ok: true, detail: `field ${value.field}: up to ${value.max} bytes${pages.length > 0 ? ', whole pages' : ''}` },
    ],
    unverified: [],
  }
}

const CPU: Kind = {
  message: 'cpu_util',
  what: 'CPU utilisation',
  valueNames: ['util', 'util_percent'],
  indexNames: ['cpu_id', 'cpu', 'cpu_idx', 'cpu_index', 'core'],
  choose: chooseCpu,
}
const HOST: Kind = {
  message: 'host_mem_usage',
  what: 'host memory',
  valueNames: ['usage', 'used_bytes'],
  indexNames: [],
  choose: chooseHost,
}

/** Field numbers by the names of an imported schema; null where it does not have them. */
function fixedBy(d: SchemaDescription, kind: Kind): Partial<Fields> | null {
  const m = named(d.messages, kind.message)
  const field = (names: readonly string[]) => m?.fields.find(f => names.includes(f.name))
  const time = field(['timestamp', 'timestamp_ns'])
  const value = field(kind.valueNames)
  if (!time || !value || WIRE_OF[codingOf(time, d)] === 2 || WIRE_OF[codingOf(value, d)] === 2) return null
  const index = field(kind.indexNames)
  return { time: time.number, value: value.number, ...(index ? { index: index.number } : {}) }
}

/** A sample as the walker hands it on: bits of the value, 0 where a field is absent. */
type OnSample = (time: bigint, value: bigint, valueWire: number, index: number) => void

interface SampleRun {
  readonly verdict: SchemaVerdict
  readonly findings: Findings
  /** null: nothing could be decoded. */
  readonly end: CutEnd | null
  readonly bytes: number
  readonly problem: boolean
}

async function readSamples(
  source: ByteSource,
  kind: Kind,
  opts: SystemReadOptions,
  onSample: OnSample,
  reset: () => void,
): Promise<SampleRun> {
  const findings = new Findings(source.name)
  const none = (framing: string | null, checks: readonly SchemaCheck[] = [], end: CutEnd | null = null): SampleRun => ({
    verdict: { origin: null, framing, schema: null, checks, unverified: [] },
    ...{ findings, end, bytes: 0, problem: false },
  })
  const { head, whole } = await readHead(source, HEAD_BYTES)
  if (head.length === 0) return findings.problem(source) ? none(null) : none(null, [], { end: 'whole', at: 0, messages: 0, tail: [0, 0] })
  const { fits, failed } = tryFramings(head, whole)
  if (fits.length === 0) {
    if (failed.some(t => t.end.end === 'cut' && t.framing.name !== 'message')) findings.tooShort(kind.what)
    else findings.noFraming(failed, kind.what)
    return none(null)
  }
  const reasons: string[] = []
  for (const schema of [...(opts.schemas ?? []), null])
    for (const fit of fits) {
      const fixed = schema && fixedBy(schema, kind)
      if (schema && !fixed) break
      const found = kind.choose(fit.sample, fixed)
      const title = schema ? schema.title : `by its values (${framingText(fit.framing.name)})`
      if (typeof found === 'string') {
        if (schema) findings.importedFailed(title, [{ name: kind.message, ok: false, detail: found }])
        reasons.push(`${title}: ${found}`)
        continue
      }
      const run = await decodeSamples(source, fit, found.fields, opts, onSample)
      if (run === 'cancelled') {
        findings.cancelled(0)
        return none(fit.framing.name)
      }
      if (run.end.end === 'bad') {
        reset()
        findings.damaged(run.end.at, run.end.messages, fit.framing.name)
        reasons.push(`${title}: byte ${run.end.at} begins no message`)
        continue
      }
      const problem = findings.problem(source)
      if (run.end.end === 'cut' && !problem) findings.cut(run.end.at, ...run.end.tail)
      findings.unverified(found.unverified)
      findings.untimed(run.untimed)
      const framing: SchemaCheck = { name: 'framing', ok: true, detail: `${framingText(fit.framing.name)}: ${run.end.messages} messages` }
      const verdict: SchemaVerdict = {
        ...{ origin: schema ? 'imported' : 'inferred', framing: fit.framing.name, schema: schema?.title ?? null },
        ...{ checks: [framing, ...found.checks], unverified: found.unverified },
      }
      return { verdict, findings, end: run.end, bytes: run.bytes, problem }
    }
  findings.refused(kind.what, reasons, fits[0] ?? null)
  return none(fits[0]?.framing.name ?? null)
}

async function decodeSamples(source: ByteSource, fit: FramingTry, f: Fields, opts: SystemReadOptions, onSample: OnSample) {
  let untimed = 0
  let samples = 0
  const cutter = new Cutter(fit.framing, (b, from, to) => {
    if (samples >= MAX_SAMPLES) return false
    let time = 0n
    let value = 0n
    let wire = 0
    let index = 0
    const view = new DataView(b.buffer, b.byteOffset, b.length)
    const walk = walkFields(b, from, to, x => {
      if (x.number !== f.time && x.number !== f.value && x.number !== f.index) return
      const v =
        x.wire === 0
          ? exact(b, x)
          : x.wire === 1
            ? view.getBigUint64(x.start, true)
            : x.wire === 5
              ? BigInt(view.getUint32(x.start, true))
              : 0n
      if (x.number === f.time) time = v
      else if (x.number === f.value) {
        value = v
        wire = x.wire
      } else index = Number(v)
    })
    if (walk.end !== 'whole') return false
    samples++
    if (time === 0n) untimed++
    else onSample(time, value, wire, index)
    return true
  })
  let bytes = 0
  for await (const chunk of source.chunks()) {
    if (opts.signal?.aborted) return 'cancelled' as const
    bytes += chunk.length
    if (!cutter.feed(chunk)) break
  }
  return { end: cutter.finish(), bytes, untimed }
}

/** Growing columns of samples; times relative to the first. */
class Samples {
  epoch = 0n
  n = 0
  time = new Float64Array(256)
  value = new Float64Array(256)
  index = new Int32Array(256)

  add(time: bigint, value: number, index: number): void {
    if (this.n === 0) this.epoch = time
    if (this.n === this.time.length) {
      const size = this.n + (this.n >>> 1)
      this.time = resized(this.time, size)
      this.value = resized(this.value, size)
      this.index = resized(this.index, size)
    }
    this.time[this.n] = Number(time - this.epoch)
    this.value[this.n] = value
    this.index[this.n++] = index
  }

  reset(): void {
    this.n = 0
  }

  /** Columns by time. */
  take(): {
    readonly time: Float64Array
    readonly value: Float64Array
    readonly index: Int32Array
    readonly range: readonly [number, number] | null
  } {
    const order = Uint32Array.from({ length: this.n }, (_, i) => i)
    const ordered = order.every((_, i) => i === 0 || (this.time[i] as number) >= (this.time[i - 1] as number))
    if (!ordered) order.sort((a, b) => (this.time[a] as number) - (this.time[b] as number) || a - b)
    const time = Float64Array.from(order, i => this.time[i] as number)
    return {
      time,
      value: Float64Array.from(order, i => this.value[i] as number),
      index: Int32Array.from(order, i => this.index[i] as number),
      range: this.n === 0 ? null : [time[0] as number, time[this.n - 1] as number],
    }
  }
}

/** How many samples, by time, have the time and the index of one before. */
function repeats(time: Float64Array, index: Int32Array): number {
  let n = 0
  const seen = new Set<number>()
  for (let i = 0; i < time.length; i++) {
    if (i > 0 && time[i] !== time[i - 1]) seen.clear()
    if (seen.has(index[i] as number)) n++
    else seen.add(index[i] as number)
  }
  return n
}

function resized<T extends Float64Array | Int32Array>(old: T, size: number): T {
  const out = new (old.constructor as new (n: number) => T)(size)
  out.set(old)
  return out
}

/** Reads cpu_util.pb. An empty file gives an empty table. Never throws on bad data. */
export async function readCpuUtil(source: ByteSource, opts: SystemReadOptions = {}): Promise<SystemReadResult<CpuTable>> {
  const samples = new Samples()
  let indexed = false
  const run = await readSamples(
    source,
    CPU,
    opts,
    (time, value, wire, index) => {
      if (index > 0) indexed = true
      samples.add(time, wire === 1 || wire === 5 ? floatOf(value, wire) : Number(value), index)
    },
    () => samples.reset(),
  )
  if (!run.end) return { table: null, verdict: run.verdict, diagnostics: run.findings.list }
  const { time, value, index, range } = samples.take()
  // Without a field that tells the core every sample is that of no core in particular.
  const cpu = indexed ? index : index.fill(-1)
  run.findings.repeated(repeats(time, cpu), !indexed)
  const table: CpuTable = {
    ...{ kind: 'cpu', verdict: run.verdict, epochNs: samples.epoch, count: samples.n, time, cpu, util: value },
    cores: Int32Array.from(new Set(cpu.filter(c => c >= 0))).sort(),
    ...{ range, complete: run.end.end === 'whole' && !run.problem, bytesRead: run.bytes },
  }
  return { table, verdict: run.verdict, diagnostics: run.findings.list }
}

/** Reads host_mem.pb. An empty file gives an empty table. Never throws on bad data. */
export async function readHostMemory(source: ByteSource, opts: SystemReadOptions = {}): Promise<SystemReadResult<HostMemoryTable>> {
  const samples = new Samples()
  const run = await readSamples(
    source,
    HOST,
    opts,
    (time, value) => samples.add(time, Number(value), 0),
    () => samples.reset(),
  )
  if (!run.end) return { table: null, verdict: run.verdict, diagnostics: run.findings.list }
  const { time, value, index, range } = samples.take()
  run.findings.repeated(repeats(time, index))
  const table: HostMemoryTable = {
    ...{ kind: 'host-memory', verdict: run.verdict, epochNs: samples.epoch, count: samples.n, time, usage: value, percent: null, range },
    ...{ complete: run.end.end === 'whole' && !run.problem, bytesRead: run.bytes },
  }
  return { table, verdict: run.verdict, diagnostics: run.findings.list }
}
