/**
 * Reader of a folder of Neuron Explorer's Parquet tables: all of them together are one source. Layout, sources and limits: README.md beside this.
 */
import type { Diagnostic } from '../../shared/diagnostics'
import { DiagnosticSink } from '../../shared/diagnostics'
import type { ByteSource, ReadOptions } from '../../shared/reader'
import type {
  CollectedProfile,
  SchemaCheck,
  SchemaVerdict,
  SystemReadResult,
  SystemTable,
  TraceInfoTable,
} from '../../shared/system-tables'
import { MAX_ROWS, SystemBuilder } from './build'
import { cancelled, droppedOf, NO_VERDICT, Origin, tellBuilt, tellClock, tellWarning, timeCheck } from './findings'
import { readEventGroup, type Column, type EventCounts } from './parquet-events'
import { isFault, openParquet, readColumn, type ParquetFile } from './parquet/file'
import { CpuSamples, HbmSamples, HostMemorySamples } from './samples'
import * as T from './tables'
import { indexOf, numberOf, textOf, timeOf } from './values'

export interface ExplorerFile {
  /** Name or path; the table and the part are told by it. */
  readonly name: string
  readonly source: ByteSource
}

/** What one file of the folder holds. */
export interface ExplorerFileFacts {
  readonly name: string
  readonly table: string
  /** Whether the table is one that is read. */
  readonly used: boolean
  readonly rows: number
  readonly rowGroups: number
  readonly columns: readonly string[]
  readonly createdBy: string | null
}

export interface ExplorerReadResult extends SystemReadResult<SystemTable> {
  readonly files: readonly ExplorerFileFacts[]
}

interface Opened {
  readonly file: ParquetFile
  readonly table: string
  readonly part: number | null
  readonly sink: DiagnosticSink
}

/**
 * Reads the tables of a folder into one SystemTable. Tables that are not there are absent in it (null), a folder without events has no rows. Never throws on bad data; the
 * table is null where no table could be read at all. A set signal ends the read with a `cancelled` diagnostic and without a table.
 */
export async function readExplorerFolder(files: readonly ExplorerFile[], options: ReadOptions = {}): Promise<ExplorerReadResult> {
  const read = new FolderRead(options)
  return read.run(files)
}

/** Reads one file as a folder of its own. */
export const readExplorerParquet = (source: ByteSource, options: ReadOptions = {}): Promise<ExplorerReadResult> =>
  readExplorerFolder([{ name: source.name, source }], options)

class FolderRead {
  readonly #options: ReadOptions
  readonly #sinks: DiagnosticSink[] = []
  readonly #facts: ExplorerFileFacts[] = []
  readonly #builder = new SystemBuilder('explorer-parquet')
  readonly #cpu = new CpuSamples()
  readonly #memory = new HostMemorySamples()
  readonly #hbm = new HbmSamples()
  readonly #origin = new Origin()
  readonly #counts: EventCounts = { durations: 0, badJson: 0 }
  readonly #profiles: CollectedProfile[] = []
  #profilesLeft = 0
  #ntffVersion: string | null = null
  #capacity: number | null = null
  #metadata = false
  #dropped: number | null = null
  /** Columns of the documentation that files of events lack. */
  readonly #missing = new Set<string>()
  #eventFiles = 0
  #complete = true
  #told = performance.now()
  #bytes = 0
  #size = 0

  constructor(options: ReadOptions) {
    this.#options = options
  }

  async run(files: readonly ExplorerFile[]): Promise<ExplorerReadResult> {
    const folder = new DiagnosticSink(files[0]?.name ?? '')
    const opened: Opened[] = []
    for (const f of files) {
      const o = await this.#open(f)
      if (o) opened.push(o)
    }
    this.#sinks.push(folder)
    this.#checkParts(opened, folder)
    opened.sort((a, b) => a.table.localeCompare(b.table) || (a.part ?? -1) - (b.part ?? -1))
    this.#size = opened.reduce((n, o) => n + o.file.source.size, 0)
    for (const o of opened) {
      if (this.#options.signal?.aborted) break
      await this.#readFile(o)
      this.#bytes += o.file.source.size
    }
    if (this.#options.signal?.aborted) {
      cancelled(folder)
      return { table: null, verdict: NO_VERDICT, files: this.#facts, diagnostics: this.#diagnostics() }
    }
    if (!opened.some(o => Object.hasOwn(T.TABLES, o.table))) {
      // Where none could be opened that was told of each.
      if (opened.length > 0 || files.length === 0)
        folder.add({
          severity: 'info',
          code: 'explorer-no-table',
          message: 'None of the files holds a table of a system profile.',
          meaning: 'There is nothing to show.',
          action: 'Open the folder that holds SystemProfileEvents.parquet.',
        })
      return { table: null, verdict: NO_VERDICT, files: this.#facts, diagnostics: this.#diagnostics() }
    }
    const table = this.#table(opened, folder)
    return { table, verdict: table.verdict, files: this.#facts, diagnostics: this.#diagnostics() }
  }

  #diagnostics(): readonly Diagnostic[] {
    return this.#sinks.flatMap(s => s.list)
  }

  async #open({ name, source }: ExplorerFile): Promise<Opened | null> {
    const sink = new DiagnosticSink(source.name)
    this.#sinks.push(sink)
    const file = await openParquet(source)
    if (isFault(file)) {
      this.#complete = false
      sink.add({
        severity: 'error',
        code: file.code,
        offset: file.offset,
        message: file.message,
        meaning: 'Nothing of this table is shown.',
        action: file.code === 'parquet-no-range' ? 'Unpack the file.' : 'Wait until the export is written, or copy the file again.',
      })
      return null
    }
    const columns = new Set(file.leaves.keys())
    const named = T.tableOfName(name)
    const table = named && Object.hasOwn(T.TABLES, named.table) ? named.table : (T.tableByColumns(columns) ?? named?.table ?? '')
    const used = Object.hasOwn(T.TABLES, table)
    if (used && table !== named?.table)
      sink.add({
        severity: 'info',
        code: 'explorer-table-by-columns',
        message: `The name tells no known table; the columns are those of ${table}.`,
        meaning: 'It is read as that table.',
        action: 'None needed.',
      })
    this.#facts.push({
      name,
      table,
      used,
      rows: file.rows,
      rowGroups: file.groups.length,
      columns: [...columns].slice(0, 500),
      createdBy: file.meta.created_by ?? null,
    })
    return { file, table, part: named?.part ?? null, sink }
  }

  /** `<Table>_0`, `<Table>_1`, …: a number that is not there is a part that is missing. */
  #checkParts(opened: readonly Opened[], folder: DiagnosticSink): void {
    for (const table of new Set(opened.filter(o => o.part !== null && Object.hasOwn(T.TABLES, o.table)).map(o => o.table))) {
      const parts = new Set(opened.filter(o => o.table === table).map(o => o.part ?? -1))
      const last = Math.max(...parts)
      let missing = 0
      for (let i = 0; i <= last && missing < 1000; i++) if (!parts.has(i)) missing++
      if (missing === 0) continue
      this.#complete = false
      folder.add({
        severity: 'warning',
        code: 'explorer-part-missing',
        message: `Of ${table} the parts up to ${last} should be there; ${missing} of them are not.`,
        meaning: 'Their rows are missing.',
        action: 'Copy the whole folder, or wait until the export is written.',
      })
    }
  }

  async #readFile(o: Opened): Promise<void> {
    if (!Object.hasOwn(T.TABLES, o.table)) return
    const spec = T.TABLES[o.table]
    const { leaves, nested } = o.file
    const lacking = spec.needed.filter(c => !leaves.has(c))
    const missing = spec.more.filter(c => !leaves.has(c))
    if (o.table === T.EVENTS) {
      this.#eventFiles++
      for (const c of [...lacking, ...missing]) this.#missing.add(c)
    }
    if (lacking.length + missing.length > 0) {
      const known = new Set([...spec.needed, ...spec.more])
      const others = [...leaves.keys()].filter(c => !known.has(c)).slice(0, 30)
      o.sink.add({
        severity: lacking.length > 0 ? 'error' : 'info',
        code: 'explorer-columns',
        message: `${o.table} has no column ${[...lacking, ...missing].join(', ')}${others.length > 0 ? `; it has ${others.join(', ')}` : ''}.`,
        meaning:
          lacking.length > 0
            ? 'The table cannot be read.'
            : 'What these columns say is absent; other columns are kept as attributes of events.',
        action: 'The schema of Neuron Explorer may have moved: please report the column names.',
      })
    }
    if (nested.length > 0 && o.table === T.EVENTS)
      o.sink.add({
        severity: 'info',
        code: 'explorer-nested',
        message: `Columns of nested values are not read: ${nested.slice(0, 30).join(', ')}.`,
        meaning: 'What they say is absent.',
        action: 'None needed.',
      })
    if (lacking.length > 0) {
      this.#complete = false
      return
    }
    for (let g = 0; g < o.file.groups.length; g++) {
      if (this.#options.signal?.aborted) return
      const n = o.file.groups[g]
      if (n === 0) continue
      if (this.#builder.rows + n > MAX_ROWS && o.table === T.EVENTS) {
        this.#complete = false
        o.sink.add({
          severity: 'warning',
          code: 'system-rows-limit',
          message: `The export has more than ${MAX_ROWS} events.`,
          meaning: `The first ${this.#builder.rows} are shown.`,
          action: 'Export a shorter time.',
        })
        return
      }
      const column: Column = async (name, visit) => {
        const leaf = leaves.get(name)
        if (!leaf || this.#options.signal?.aborted) return false
        const fault = await readColumn(o.file, g, leaf, visit)
        this.#progress(o.file.source)
        if (!fault) return true
        this.#complete = false
        o.sink.add({
          severity: 'warning',
          code: 'parquet-damaged',
          offset: fault.offset,
          message: `Row group ${g + 1} of ${o.file.groups.length} is damaged: ${fault.message}.`,
          meaning: 'The values of this column from there to the end of the row group are absent.',
          action: 'Copy the file again.',
        })
        return false
      }
      await this.#readGroup(o, n, column)
    }
  }

  #progress(source: ByteSource): void {
    const now = performance.now()
    if (now - this.#told < 100) return
    this.#told = now
    this.#options.onProgress?.(this.#bytes + source.consumed, this.#size, `${this.#builder.rows.toLocaleString('en-US')} events`)
  }

  async #readGroup(o: Opened, n: number, column: Column): Promise<void> {
    switch (o.table) {
      case T.EVENTS:
        await readEventGroup(this.#builder, n, [...o.file.leaves.keys()], column, this.#origin, this.#counts)
        return
      case T.CPU: {
        const time = new Array<bigint | null>(n).fill(null)
        const util = new Float64Array(n).fill(NaN)
        const cpu = new Int32Array(n).fill(-1)
        await column('timestamp', (i, v) => (time[i] = timeOf(v)))
        await column('util_percent', (i, v) => (util[i] = numberOf(v)))
        await column('cpu_id', (i, v) => (cpu[i] = indexOf(v)))
        for (let i = 0; i < n; i++) this.#cpu.add(time[i], cpu[i], util[i])
        return
      }
      case T.HOST_MEMORY: {
        const time = new Array<bigint | null>(n).fill(null)
        const used = new Float64Array(n).fill(NaN)
        const percent = new Float64Array(n).fill(NaN)
        await column('timestamp', (i, v) => (time[i] = timeOf(v)))
        await column('used_bytes', (i, v) => (used[i] = numberOf(v)))
        await column('used_percent', (i, v) => (percent[i] = numberOf(v)))
        for (let i = 0; i < n; i++) this.#memory.add(time[i], used[i], percent[i])
        return
      }
      case T.HBM:
        return this.#readHbm(o, n, column)
      case T.METADATA:
        this.#metadata = true
        await column('ntff_version', (_, v) => (this.#ntffVersion = textOf(v) ?? this.#ntffVersion))
        await column('hbm_capacity_bytes', (_, v) => {
          const bytes = numberOf(v)
          // 0: not told.
          if (bytes > 0) this.#capacity = bytes
        })
        return
      case T.DEVICE_PROFILES:
        await column('device_profile_name', (_, v) => {
          const path = textOf(v)
          if (path === null) return
          if (this.#profiles.length < 10_000) this.#profiles.push({ path, how: 'schema' })
          else this.#profilesLeft++
        })
        return
      case T.WARNINGS:
        await column('message', (_, v) => {
          const message = textOf(v)
          if (message === null) return
          tellWarning(message, o.sink)
          const dropped = droppedOf(message)
          if (dropped !== null) this.#dropped = (this.#dropped ?? 0) + dropped
        })
        return
    }
  }

  async #readHbm(o: Opened, n: number, column: Column): Promise<void> {
    const time = new Array<bigint | null>(n).fill(null)
    const total = new Float64Array(n).fill(NaN)
    const device = new Int32Array(n).fill(-1)
    const hbm = new Int32Array(n).fill(-1)
    await column('timestamp', (i, v) => (time[i] = timeOf(v)))
    await column('total_bytes', (i, v) => (total[i] = numberOf(v)))
    await column('device_idx', (i, v) => (device[i] = indexOf(v)))
    await column('hbm_idx', (i, v) => (hbm[i] = indexOf(v)))
    const rows = Int32Array.from(time, (t, i) => this.#hbm.add(t, device[i], hbm[i], total[i]))
    for (const name of o.file.leaves.keys())
      if (name.endsWith('_bytes') && name !== 'total_bytes')
        await column(name, (i, v) => this.#hbm.category(rows[i], name.slice(0, -'_bytes'.length), numberOf(v)))
  }

  #table(opened: readonly Opened[], folder: DiagnosticSink): SystemTable {
    const by = opened.find(o => o.file.meta.created_by !== undefined)?.file.meta.created_by
    const checks: SchemaCheck[] = []
    const missing = [...this.#missing]
    if (this.#eventFiles > 0)
      checks.push({
        name: 'columns',
        ok: missing.length === 0,
        detail: missing.length === 0 ? 'all documented columns of SystemProfileEvents' : `no column ${missing.join(', ')}`,
      })
    const verdict = (extra: readonly SchemaCheck[]): SchemaVerdict => ({
      origin: 'explorer-parquet',
      framing: null,
      schema: by ? `Parquet tables, written by ${by.slice(0, 200)}` : 'Parquet tables',
      checks: [...checks, ...extra],
      unverified: [],
    })
    const complete = this.#complete
    const samples = verdict([])
    const info = this.#info(verdict([]))
    const built = this.#builder.finish({
      verdict: verdict([]),
      dropped: this.#dropped,
      cpu: this.#cpu.table(samples, complete, this.#bytes),
      hostMemory: this.#memory.table(samples, complete, this.#bytes),
      hbmUsage: this.#hbm.table(this.#capacity),
      info,
      complete,
      bytesRead: this.#bytes,
    })
    tellBuilt(built, folder)
    tellClock(built.table, folder)
    this.#tellRest(folder)
    const extra = [timeCheck(built.table)]
    if (this.#eventFiles > 0)
      extra.push({
        name: 'durations',
        ok: this.#counts.durations === 0,
        detail:
          this.#counts.durations === 0
            ? 'duration_ns is end_ts - start_ts'
            : `${this.#counts.durations} events have another duration_ns than end_ts - start_ts`,
      })
    return { ...built.table, verdict: verdict(extra) }
  }

  #info(verdict: SchemaVerdict): TraceInfoTable | null {
    if (!this.#metadata && this.#profiles.length === 0 && this.#origin.instances.size === 0) return null
    return {
      kind: 'trace-info',
      verdict,
      pid: this.#origin.one(this.#origin.processes),
      sessionNs: null,
      instanceId: this.#origin.one(this.#origin.instances),
      instanceType: null,
      logicalNcSize: null,
      dataVersion: null,
      versions: this.#ntffVersion === null ? [] : [{ of: 'ntff_version', text: this.#ntffVersion, how: 'schema' }],
      profiles: this.#profiles,
      names: new Map(),
      namesFrom: null,
      dropped: this.#dropped,
      fields: [],
      complete: this.#complete,
      bytesRead: this.#bytes,
    }
  }

  #tellRest(folder: DiagnosticSink): void {
    const { durations, badJson } = this.#counts
    if (durations > 0)
      folder.add({
        severity: 'info',
        code: 'explorer-duration',
        message: `${durations} events have another duration_ns than end_ts - start_ts.`,
        meaning: 'They are drawn from start_ts to end_ts.',
        action: 'None needed.',
        count: durations,
      })
    if (badJson > 0)
      folder.add({
        severity: 'info',
        code: 'explorer-attributes',
        message: `${badJson} events have extra_attributes_json that is no JSON object.`,
        meaning: 'It is kept as one text.',
        action: 'None needed.',
        count: badJson,
      })
    const left = this.#cpu.left + this.#memory.left + this.#hbm.left + this.#profilesLeft
    if (left > 0)
      folder.add({
        severity: 'warning',
        code: 'explorer-samples-left',
        message: `${left} rows of samples or device profiles have no readable time or value, or are beyond what is kept.`,
        meaning: 'They are left out.',
        action: 'None needed.',
        count: left,
      })
  }
}
