/**
 * Reader of `system_profile.json` (`view --output-format json`) in both its spellings, and of the answer of the runtime's fetch call (`{"events": […], "data_version": n}`).
 * Types are mixed in these files: numbers stand as text here and there. Layout, sources and how sure: README.md beside this.
 */
import { DiagnosticSink } from '../../shared/diagnostics'
import type { ByteSource, ReadOptions } from '../../shared/reader'
import type { CollectedProfile, SchemaVerdict, SystemReadResult, SystemTable, TraceInfoTable } from '../../shared/system-tables'
import { MAX_ROWS, NO_TIME, SystemBuilder } from './build'
import { addAttributes, settle, sourceNamed, sourceOfName } from './events'
import { cancelled, droppedOf, NO_VERDICT, Origin, sourceProblem, tellBuilt, tellClock, tellWarning, timeCheck } from './findings'
import { JsonLists } from './json-lists'
import { FetchedEvents } from './json-fetch'
import { NOWHERE } from './places'
import { CpuSamples, HbmSamples, HostMemorySamples } from './samples'
import { idOf, indexOf, isRecord, numberOf, parseExact, textOf, timeOf } from './values'

type Item = Readonly<Record<string, unknown>>

/** Members of an event that have a column or a place of their own; all others are its attributes. */
const OWN = new Set([
  'timestamp',
  'duration',
  'timestamp_unit',
  'name',
  'id',
  'parent_id',
  'type',
  'trace_event_source',
  'instance_id',
  'process_id',
])
for (const k of ['thread_id', 'lnc_idx', 'nc_idx', 'worker_gid', 'framework_stream_id', 'flow_id', 'extra_attributes_json']) OWN.add(k)

/** `type` of events of the framework, as the documentation shows it. */
const FRAMEWORK_TYPE = 99999

/**
 * Reads the file as a stream into a SystemTable. Never throws on bad data: what could be read up to a damage is there, with `complete: false`; the table is null where the
 * file is no such export. A set signal ends the read with a `cancelled` diagnostic and without a table.
 */
export async function readSystemProfileJson(source: ByteSource, options: ReadOptions = {}): Promise<SystemReadResult<SystemTable>> {
  const sink = new DiagnosticSink(source.name)
  const rows = new JsonRows(sink)
  const lists = new JsonLists({
    item: (member, text, offset) => rows.item(member, text, offset),
    value: (member, text) => rows.value(member, text),
  })
  let bytes = 0
  let told = performance.now()
  for await (const chunk of source.chunks()) {
    if (options.signal?.aborted) {
      cancelled(sink)
      return { table: null, verdict: NO_VERDICT, diagnostics: sink.list }
    }
    bytes += chunk.length
    lists.feed(chunk)
    const now = performance.now()
    if (now - told >= 100) {
      told = now
      options.onProgress?.(source.consumed, source.size, `${rows.builder.rows.toLocaleString('en-US')} events`)
    }
    if (lists.done) break
  }
  lists.finish()
  const damaged = sourceProblem(source, sink)
  tellEnd(lists, bytes, damaged, rows.used, sink)
  if (!rows.used) return { table: null, verdict: NO_VERDICT, diagnostics: sink.list }
  const table = rows.table(lists.whole && !damaged && lists.bad === null, lists.bad?.offset ?? (lists.whole ? lists.offset : bytes), sink)
  return { table, verdict: table.verdict, diagnostics: sink.list }
}

function tellEnd(lists: JsonLists, bytes: number, damaged: boolean, used: boolean, sink: DiagnosticSink): void {
  if (lists.bad)
    sink.add({
      severity: used ? 'warning' : 'error',
      code: 'explorer-json-damaged',
      offset: lists.bad.offset,
      message: `The JSON text is damaged: ${lists.bad.problem}.`,
      meaning: 'What stands before that place is shown.',
      action: 'Copy the file again.',
    })
  else if (!lists.whole && !damaged)
    sink.add({
      severity: used ? 'warning' : 'error',
      code: bytes === 0 ? 'explorer-json-empty' : 'explorer-json-truncated',
      offset: lists.offset,
      message:
        bytes === 0 ? 'The file is empty.' : `The file ends inside the JSON text; the last whole item ends before byte ${lists.offset}.`,
      meaning: used ? 'What stands before that place is shown.' : 'There is nothing to show.',
      action: 'Wait until the export is written, or copy the file again.',
    })
  else if (!used && !damaged)
    sink.add({
      severity: 'error',
      code: 'explorer-no-table',
      message: 'The file has none of the lists of a system profile.',
      meaning: 'There is nothing to show.',
      action: 'Open a system_profile.json as Neuron Explorer writes it.',
    })
  if (lists.tooLong > 0)
    sink.add({
      severity: 'warning',
      code: 'explorer-json-long',
      message: `${lists.tooLong} items are longer than 1 MiB.`,
      meaning: 'They are left out.',
      action: 'None needed.',
      count: lists.tooLong,
    })
  if (lists.mended > 0)
    sink.add({
      severity: 'info',
      code: 'explorer-json-mended',
      message: `${lists.mended} commas or control characters stand where JSON allows none.`,
      meaning: 'Items that are no JSON because of them are left out and counted.',
      action: 'None needed.',
      count: lists.mended,
    })
}

/** Takes the items of the lists as they come. */
class JsonRows {
  readonly builder = new SystemBuilder('explorer-json')
  /** A list of a system profile was there. */
  used = false
  readonly #sink: DiagnosticSink
  readonly #fetched = new FetchedEvents(this.builder)
  readonly #cpu = new CpuSamples()
  readonly #memory = new HostMemorySamples()
  readonly #hbm = new HbmSamples()
  readonly #origin = new Origin()
  readonly #profiles: CollectedProfile[] = []
  #capacity: number | null = null
  #ntffVersion: string | null = null
  #dataVersion: number | null = null
  #dropped: number | null = null
  #badItems = 0
  #badUnits = 0
  #overflow = 0
  #spelling: string | null = null
  #fetchForm = false
  readonly #unread = new Map<string, number>()

  constructor(sink: DiagnosticSink) {
    this.#sink = sink
  }

  value(member: string, text: string): void {
    if (member === 'data_version') this.#dataVersion = finite(numberOf(parseExact(text)))
  }

  item(member: string, text: string, offset: number): void {
    if (member === 'warnings') {
      this.#warning(parseExact(text))
      return
    }
    const read = this.#readers[member]
    if (!read) {
      if (this.#unread.size < 100 || this.#unread.has(member)) this.#unread.set(member, (this.#unread.get(member) ?? 0) + 1)
      return
    }
    const item = parseExact(text)
    if (!isRecord(item)) {
      if (this.#badItems++ === 0)
        this.#sink.add({
          severity: 'warning',
          code: 'explorer-json-item',
          offset,
          message: `An item of ${member} is no JSON object.`,
          meaning: 'It is left out.',
          action: 'None needed.',
        })
      return
    }
    read(item)
  }

  readonly #readers: Readonly<Record<string, (item: Item) => void>> = {
    trace_event: item => this.#event(item, 'trace_event'),
    trace_events: item => this.#event(item, 'trace_events'),
    events: item => {
      if (!('event_type' in item)) return
      this.used = true
      this.#fetchForm = true
      if (this.builder.full) this.#overflow++
      else this.#fetched.add(item)
    },
    mem_usage: item => {
      this.used = true
      this.#origin.instance(textOf(item['instance_id']))
      this.#memory.add(
        timeOf(item['timestamp']),
        numberOf(item['usage'] ?? item['used_bytes']),
        numberOf(item['percent_usage'] ?? item['used_percent']),
      )
    },
    cpu_util: item => {
      this.used = true
      this.#cpu.add(timeOf(item['timestamp']), indexOf(item['cpu_id']), numberOf(item['util'] ?? item['util_percent']))
    },
    device_mem_usage: item => {
      this.used = true
      const device = indexOf(item['device_idx'] ?? item['nd_idx'])
      const row = this.#hbm.add(timeOf(item['timestamp']), device, indexOf(item['hbm_idx']), numberOf(item['total_bytes']))
      for (const [key, v] of Object.entries(item))
        if (key.endsWith('_bytes') && key !== 'total_bytes') this.#hbm.category(row, key.slice(0, -'_bytes'.length), numberOf(v))
    },
    system_profile_metadata: item => {
      this.used = true
      this.#ntffVersion = textOf(item['ntff_version']) ?? this.#ntffVersion
      const capacity = numberOf(item['hbm_capacity_bytes'])
      if (capacity > 0) this.#capacity = capacity
    },
    device_profile_list: item => {
      this.used = true
      const path = textOf(item['device_profile_name'])
      if (path !== null && this.#profiles.length < 10_000) this.#profiles.push({ path, how: 'schema' })
    },
  }

  #warning(v: unknown): void {
    const message = textOf(isRecord(v) ? (v['message'] ?? v) : v)
    if (message === null) return
    tellWarning(message, this.#sink)
    const dropped = droppedOf(message)
    if (dropped !== null) this.#dropped = (this.#dropped ?? 0) + dropped
  }

  #event(item: Item, spelling: string): void {
    this.used = true
    this.#spelling = spelling
    const b = this.builder
    if (b.full) {
      this.#overflow++
      return
    }
    const unit = textOf(item['timestamp_unit'])
    if (unit !== null && unit !== 'ns') {
      // Seen is "ns" alone; another unit would put the event somewhere else.
      this.#badUnits++
      return
    }
    const row = b.add()
    const start = timeOf(item['timestamp'])
    const duration = timeOf(item['duration'])
    if (start !== null) {
      b.start.a[row] = start
      b.stop.a[row] = duration === null ? NO_TIME : start + duration
      settle(b, row)
    }
    const name = textOf(item['name']) ?? ''
    const type = indexOf(item['type'])
    b.type.a[row] = b.typeOf(name, sourceOf(item, name, type), type)
    b.id.a[row] = idOf(item['id']) ?? 0n
    b.parentId.a[row] = idOf(item['parent_id']) ?? 0n
    const flow = item['flow_id']
    for (const id of Array.isArray(flow) ? flow : [flow]) b.attribute(row, 'flow_id', id)
    for (const [key, value] of Object.entries(item)) if (!OWN.has(key)) b.attribute(row, key, value)
    const more =
      typeof item['extra_attributes_json'] === 'string' ? parseExact(item['extra_attributes_json']) : item['extra_attributes_json']
    if (isRecord(more)) addAttributes(b, row, more)
    const instance = textOf(item['instance_id'])
    this.#origin.instance(instance)
    const process = numberOf(item['process_id'])
    this.#origin.process(process)
    const stream = textOf(item['framework_stream_id'])
    b.place.a[row] = b.places.id({
      ...NOWHERE,
      instance: instance === null ? -1 : b.text(instance),
      stream: stream === null ? -1 : b.text(stream),
      process,
      thread: numberOf(item['thread_id']),
      worker: indexOf(item['worker_gid']),
      device: indexOf(item['nd_idx'] ?? item['device_idx']),
      nc: indexOf(item['nc_idx'] ?? item['lnc_idx']),
      core: indexOf(item['pcore_idx'] ?? item['device_core_idx']),
    })
  }

  table(complete: boolean, bytes: number, sink: DiagnosticSink): SystemTable {
    const whole = complete && this.#overflow === 0
    const form = this.#fetchForm
      ? `events of the runtime's fetch call, data version ${this.#dataVersion ?? 'not told'}`
      : `system profile, list ${this.#spelling ?? 'of events absent'}`
    const verdict: SchemaVerdict = { origin: 'explorer-json', framing: null, schema: `JSON: ${form}`, checks: [], unverified: [] }
    const pairs = this.#fetched.finish(sink)
    const built = this.builder.finish({
      verdict,
      dropped: this.#dropped,
      cpu: this.#cpu.table(verdict, whole, bytes),
      hostMemory: this.#memory.table(verdict, whole, bytes),
      hbmUsage: this.#hbm.table(this.#capacity),
      info: this.#info(verdict, whole, bytes),
      complete: whole,
      bytesRead: bytes,
      ...(this.#fetchForm ? { messages: pairs.messages } : {}),
    })
    tellBuilt(built, sink)
    tellClock(built.table, sink)
    this.#tell(sink)
    const checks = [timeCheck(built.table)]
    if (this.#fetchForm)
      checks.push({
        name: 'pairs',
        ok: pairs.unmatched === 0,
        detail: `${pairs.pairs} starts have their stop, ${pairs.unmatched} starts or stops have none`,
      })
    return { ...built.table, verdict: { ...verdict, checks } }
  }

  #info(verdict: SchemaVerdict, complete: boolean, bytesRead: number): TraceInfoTable | null {
    const any = this.#ntffVersion !== null || this.#profiles.length > 0 || this.#origin.instances.size > 0 || this.#dataVersion !== null
    if (!any) return null
    return {
      kind: 'trace-info',
      verdict,
      pid: this.#origin.one(this.#origin.processes),
      sessionNs: null,
      instanceId: this.#origin.one(this.#origin.instances),
      instanceType: null,
      logicalNcSize: null,
      dataVersion: this.#dataVersion === null ? null : { value: this.#dataVersion, how: 'schema' },
      versions: this.#ntffVersion === null ? [] : [{ of: 'ntff_version', text: this.#ntffVersion, how: 'schema' }],
      profiles: this.#profiles,
      names: new Map(),
      namesFrom: null,
      dropped: this.#dropped,
      fields: [],
      complete,
      bytesRead,
    }
  }

  #tell(sink: DiagnosticSink): void {
    const add = (n: number, code: string, message: string, meaning: string): void => {
      if (n > 0) sink.add({ severity: 'warning', code, message, meaning, action: 'Compare with Neuron Explorer.', count: n })
    }
    add(
      Math.max(0, this.#badItems - 1),
      'explorer-json-item',
      `${this.#badItems - 1} more items are no JSON objects.`,
      'They are left out.',
    )
    add(this.#badUnits, 'explorer-json-unit', `${this.#badUnits} events have another timestamp_unit than ns.`, 'They are left out.')
    add(
      this.#overflow,
      'system-rows-limit',
      `The export has ${this.#overflow} events more than the ${MAX_ROWS} that are read.`,
      `The first ${MAX_ROWS} are shown.`,
    )
    const left = this.#cpu.left + this.#memory.left + this.#hbm.left
    add(left, 'explorer-samples-left', `${left} samples have no readable time or value, or are beyond what is kept.`, 'They are left out.')
    if (this.#unread.size > 0)
      sink.add({
        severity: 'info',
        code: 'explorer-json-lists',
        message: `Lists that are not read: ${[...this.#unread].map(([k, n]) => `${k.slice(0, 60)} (${n})`).join(', ')}.`,
        meaning: 'What they say is absent.',
        action: 'None needed.',
      })
  }
}

/** Source of an event: its own word, or the framework's type or group, or by its name. */
function sourceOf(item: Item, name: string, type: number): number {
  const told = textOf(item['trace_event_source'])
  if (told !== null) return sourceNamed(told)
  if (type === FRAMEWORK_TYPE || textOf(item['group'])?.startsWith('framework')) return sourceNamed('framework')
  return sourceOfName(name)
}

const finite = (v: number): number | null => (Number.isFinite(v) ? v : null)
