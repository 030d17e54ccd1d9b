/**
 * ntff_info, the message of an NTFF, into columns. Works on bytes that end anywhere: rows whose own message is whole are kept, containers (nodes, subgraphs) are opened as far as they go.
 * Pure and bounded: at most MAX_ROWS rows of each kind.
 */
import { stringTable } from '../../shared/columns'
import type { NtffContent } from '../../shared/device-tables'
import { exact } from '../protobuf/wire'
import { eachField, hexOf, textOf, uuidOf, type Field } from './fields'
import {
  BUFFER,
  ENGINE,
  EXECUTION,
  INFO,
  MEMORY,
  NODE,
  QUEUE,
  RECORD_BYTES,
  SECTION,
  SUBGRAPH,
  VERSION,
  WIRE_OF,
  type Value,
} from './schema'

export const MAX_ROWS = 1_000_000

/** What does not fit the schema, counted. */
export interface MessageFaults {
  /** Known fields of another wire type, and values larger than what they count. */
  readonly misfits: number
  /** Parts that are no protobuf. */
  readonly damaged: number
  /** Offset in the file of the first of either; null without. */
  readonly firstAt: number | null
  /** Rows beyond MAX_ROWS. */
  readonly dropped: number
}

/** The columns that the message alone tells. */
export type NtffMessage = Omit<NtffContent, 'version' | 'messageBytes' | 'blobBytes'>

export interface DecodedMessage {
  readonly content: NtffMessage
  /** False where the bytes end inside the message, or it is damaged. */
  readonly whole: boolean
  readonly faults: MessageFaults
}

/** Rows as lists of values; made into columns at the end. */
class Rows<K extends string> {
  readonly columns: Readonly<Record<K, (number | bigint)[]>>
  count = 0
  dropped = 0

  constructor(...names: readonly K[]) {
    this.columns = Object.fromEntries(names.map(n => [n, []])) as unknown as Record<K, (number | bigint)[]>
  }

  /** The row's number, -1 when there are too many. */
  add(row: Readonly<Record<K, number | bigint>>): number {
    if (this.count >= MAX_ROWS) {
      this.dropped++
      return -1
    }
    for (const name in this.columns) this.columns[name].push(row[name])
    return this.count++
  }

  u8 = (k: K): Uint8Array => Uint8Array.from(this.columns[k] as number[])
  u32 = (k: K): Uint32Array => Uint32Array.from(this.columns[k] as number[])
  i32 = (k: K): Int32Array => Int32Array.from(this.columns[k] as number[])
  u64 = (k: K): BigUint64Array => BigUint64Array.from(this.columns[k] as bigint[])
  i64 = (k: K): BigInt64Array => BigInt64Array.from(this.columns[k] as bigint[])
}

/** Decodes `bytes[start, end)` of a file whose message should end at `end`; `bytes` may be shorter. `version`: of the header. `blobBytes`: bytes after the message, null where not known. */
export function decodeMessage(bytes: Uint8Array, version: number, start: number, end: number, blobBytes: number | null): DecodedMessage {
  return new Decoder(bytes, version, blobBytes).run(start, end)
}

class Decoder {
  readonly #b: Uint8Array
  readonly #version: number
  readonly #blob: bigint | null
  #misfits = 0
  #damaged = 0
  #firstAt: number | null = null
  readonly #strings: string[] = []
  readonly #ids = new Map<string, number>()

  #neffName: string | null = null
  #prefix = ''
  #modelId: bigint | null = null
  #arch: number | null = null
  #startSeconds: bigint | null = null
  readonly #versions: { runtime: string | null; driver: string | null; collectives: string | null } = {
    runtime: null,
    driver: null,
    collectives: null,
  }
  #instanceType: string | null = null
  #instanceId: string | null = null
  #pid: number | null = null

  readonly #nodes = new Rows('kind')
  readonly #nodeUuids: string[] = []
  readonly #subgraphs = new Rows('node', 'name', 'device', 'core', 'durationPs', 'hasDuration')
  readonly #engines = new Rows('subgraph', 'code', 'address', 'offset', 'size', 'inBlob')
  readonly #queues = new Rows('subgraph', 'engine', 'queue', 'type', 'name', 'traceEvent', 'axiPort')
  readonly #memory = new Rows('subgraph', 'usage', 'bytes')
  readonly #executions = new Rows('startPs', 'endPs')
  readonly #executionUuids: string[] = []
  readonly #sections = new Rows('subgraph', 'traceType', 'blockType', 'block', 'core', 'offset', 'size', 'records', 'whole')
  readonly #buffers = new Rows('blockType', 'traceType', 'bytes')

  constructor(bytes: Uint8Array, version: number, blobBytes: number | null) {
    this.#b = bytes
    this.#version = version
    this.#blob = blobBytes === null ? null : BigInt(blobBytes)
  }

  run(start: number, end: number): DecodedMessage {
    const limit = Math.min(end, this.#b.length)
    const { whole, bad } = eachField(this.#b, start, limit, f => this.#info(f))
    // A message that is cut because the bytes end is no fault of the message; one that is all there and does not end with its last field is.
    if (bad || (!whole && limit === end)) this.#fault(start, 'damaged')
    const content = this.#content()
    const tables = [
      this.#nodes,
      this.#subgraphs,
      this.#engines,
      this.#queues,
      this.#memory,
      this.#executions,
      this.#sections,
      this.#buffers,
    ]
    const dropped = tables.reduce((n, t) => n + t.dropped, 0)
    const faults = { misfits: this.#misfits, damaged: this.#damaged, firstAt: this.#firstAt, dropped }
    return { content, whole: whole && limit === end, faults }
  }

  // ───────────────────────────── the levels ─────────────────────────────

  #info(f: Field): void {
    const b = this.#b
    switch (f.number) {
      case INFO.neffName[0]:
        if (this.#fits(f, 'text')) this.#neffName = textOf(b, f)
        break
      case INFO.neffUuid[0]:
        if (this.#fits(f, 'bytes')) this.#prefix = hexOf(b, f.start, Math.min(f.end, f.start + 16))
        break
      case INFO.modelId[0]:
        if (this.#fits(f, 'u64')) this.#modelId = exact(b, f)
        break
      case INFO.node[0]:
        if (this.#fits(f, 'msg', true)) this.#node(f)
        break
      case INFO.arch[0]:
        if (this.#fits(f, 'u32')) this.#arch = f.value
        break
      case INFO.startSeconds[0]:
        if (this.#fits(f, 'u64')) this.#startSeconds = exact(b, f)
        break
      case INFO.runtimeVersion[0]:
        if (this.#fits(f, 'msg')) this.#versions.runtime = this.#versionText(f)
        break
      case INFO.driverVersion[0]:
        if (this.#fits(f, 'msg')) this.#versions.driver = this.#versionText(f)
        break
      case INFO.collectivesVersion[0]:
        if (this.#fits(f, 'msg')) this.#versions.collectives = this.#versionText(f)
        break
      case INFO.instanceType[0]:
        if (this.#fits(f, 'text')) this.#instanceType = textOf(b, f)
        break
      case INFO.instanceId[0]:
        if (this.#fits(f, 'text')) this.#instanceId = textOf(b, f)
        break
      case INFO.pid[0]:
        if (this.#fits(f, 'u64')) {
          if (Number.isSafeInteger(f.value)) this.#pid = f.value
          else this.#fault(f.start, 'misfit')
        }
        break
      case INFO.buffer[0]:
        this.#row(f, { blockType: [BUFFER.blockType, 'u32'], traceType: [BUFFER.traceType, 'u32'], bytes: [BUFFER.bytes, 'u64'] }, v =>
          this.#buffers.add({ blockType: v.num('blockType'), traceType: v.num('traceType'), bytes: v.big('bytes') }),
        )
        break
      case INFO.execution[0]:
        this.#row(f, { uuid: [EXECUTION.uuid, 'bytes'], start: [EXECUTION.start, 'u64'], end: [EXECUTION.end, 'u64'] }, v => {
          if (this.#executions.add({ startPs: v.big('start'), endPs: v.big('end') }) >= 0) this.#executionUuids.push(v.uuid('uuid'))
        })
        break
      case INFO.section[0]:
        this.#section(f, -1)
        break
    }
  }

  #node(f: Field): void {
    if (this.#nodes.count >= MAX_ROWS) return void this.#nodes.dropped++
    // The row comes before those of its subgraphs; kind and uuid are known when the node was walked.
    const row = this.#nodes.add({ kind: 0 })
    this.#nodeUuids.push('')
    const { bad, whole } = eachField(this.#b, f.start, f.end, part => {
      const kind = part.number === NODE.cpu ? 1 : part.number === NODE.device ? 2 : part.number === NODE.outside ? 3 : 0
      if (kind > 0) this.#nodes.columns.kind[row] = kind
      if (part.number === NODE.uuid && this.#fits(part, 'bytes')) this.#nodeUuids[row] = uuidOf(this.#b, part)
      if (part.number !== NODE.device || !this.#fits(part, 'msg', true)) return
      const graphs = eachField(this.#b, part.start, part.end, g => {
        if (g.number === 1 && this.#fits(g, 'msg', true)) this.#subgraph(g, row)
      })
      if (graphs.bad || (!graphs.whole && !part.cut)) this.#fault(part.start, 'damaged')
    })
    if (bad || (!whole && !f.cut)) this.#fault(f.start, 'damaged')
  }

  #subgraph(f: Field, node: number): void {
    const row = this.#subgraphs.add({ node, name: -1, device: 0, core: 0, durationPs: 0n, hasDuration: 0 })
    if (row < 0) return
    const c = this.#subgraphs.columns
    const { bad, whole } = eachField(this.#b, f.start, f.end, part => {
      switch (part.number) {
        case SUBGRAPH.name:
          if (this.#fits(part, 'text')) c.name[row] = this.#intern(textOf(this.#b, part))
          break
        case SUBGRAPH.device:
          if (this.#fits(part, 'u32')) c.device[row] = part.value
          break
        case SUBGRAPH.core:
          if (this.#fits(part, 'u32')) c.core[row] = part.value
          break
        case SUBGRAPH.duration:
          if (!this.#fits(part, 'u64')) break
          c.durationPs[row] = exact(this.#b, part)
          c.hasDuration[row] = 1
          break
        case SUBGRAPH.engine:
          this.#engine(part, row)
          break
        case SUBGRAPH.section:
          this.#section(part, row)
          break
        case SUBGRAPH.queue:
          this.#queue(part, row)
          break
        case SUBGRAPH.memory:
          this.#row(part, { bytes: [MEMORY.bytes, 'u64'], usage: [MEMORY.usage, 'text'] }, v =>
            this.#memory.add({ subgraph: row, usage: v.text('usage'), bytes: v.big('bytes') }),
          )
          break
      }
    })
    if (bad || (!whole && !f.cut)) this.#fault(f.start, 'damaged')
  }

  #engine(f: Field, subgraph: number): void {
    this.#row(
      f,
      {
        code: [ENGINE.code, 'u32'],
        address: [ENGINE.address, 'u64'],
        bytes: [ENGINE.bytes, 'bytes'],
        offset: [ENGINE.offset, 'u64'],
        size: [ENGINE.size, 'u64'],
      },
      v => {
        const inside = v.field('bytes')
        const inBlob = !inside && this.#version >= 6
        this.#engines.add({
          subgraph,
          code: v.num('code'),
          address: v.big('address'),
          offset: inside ? BigInt(inside.start) : inBlob ? v.big('offset') : 0n,
          size: inside ? BigInt(inside.end - inside.start) : inBlob ? v.big('size') : 0n,
          inBlob: inBlob ? 1 : 0,
        })
      },
    )
  }

  #queue(f: Field, subgraph: number): void {
    this.#row(
      f,
      {
        engine: [QUEUE.engine, 'u32'],
        queue: [QUEUE.queue, 'u32'],
        type: [QUEUE.type, 'u32'],
        name: [QUEUE.name, 'text'],
        traceEvent: [QUEUE.traceEvent, 'u64'],
        axiPort: [QUEUE.axiPort, 'u32'],
      },
      v =>
        this.#queues.add({
          subgraph,
          engine: v.num('engine'),
          queue: v.num('queue'),
          type: v.num('type'),
          name: v.text('name'),
          traceEvent: v.field('traceEvent') ? BigInt.asIntN(64, v.big('traceEvent')) : -1n,
          axiPort: v.num('axiPort'),
        }),
    )
  }

  #section(f: Field, subgraph: number): void {
    this.#row(
      f,
      {
        traceType: [SECTION.traceType, 'u32'],
        blockType: [SECTION.blockType, 'u32'],
        block: [SECTION.block, 'u32'],
        offset: [SECTION.offset, 'u64'],
        size: [SECTION.size, 'u64'],
        core: [SECTION.core, 'u32'],
      },
      v => {
        const [offset, size] = [v.big('offset'), v.big('size')]
        const core = v.field('core')
        if (core && core.value > 0x7fffffff) return void this.#fault(core.start, 'misfit')
        this.#sections.add({
          subgraph,
          traceType: v.num('traceType'),
          blockType: v.num('blockType'),
          block: v.num('block'),
          core: core ? core.value : -1,
          offset,
          size,
          records: size / BigInt(RECORD_BYTES),
          whole: this.#blob !== null && offset + size <= this.#blob ? 1 : 0,
        })
      },
    )
  }

  #versionText(f: Field): string | null {
    let out: string | null = null
    this.#row(
      f,
      { major: [VERSION.major, 'u32'], minor: [VERSION.minor, 'u32'], patch: [VERSION.patch, 'u32'], hash: [VERSION.hash, 'text'] },
      v => {
        const hash = v.field('hash')
        out = `${v.num('major')}.${v.num('minor')}.${v.num('patch')}${hash && hash.end > hash.start ? ` (${textOf(this.#b, hash)})` : ''}`
      },
    )
    return out
  }

  // ───────────────────────────── a row's message ─────────────────────────────

  /** Reads the fields of one row and gives it to `add`; a row that is cut, damaged or does not fit is not added, and the latter two are counted. */
  #row<K extends string>(f: Field, known: Readonly<Record<K, readonly [number, Value]>>, add: (v: RowValues<K>) => void): void {
    if (!this.#fits(f, 'msg')) return
    const found = new Map<string, Field>()
    let fits = true
    const { whole } = eachField(this.#b, f.start, f.end, part => {
      for (const name in known)
        if (known[name][0] === part.number) {
          if (this.#fits(part, known[name][1])) found.set(name, part)
          else fits = false
        }
    })
    if (!whole) return this.#fault(f.start, 'damaged')
    if (fits) add(new RowValues(this.#b, found, s => this.#intern(s)))
  }

  /** Whether a field is whole and of the type that its number stands for. `open`: a container that is cut may be opened all the same. */
  #fits(f: Field, value: Value, open = false): boolean {
    if (f.wire !== WIRE_OF[value] || (value === 'u32' && f.value > 0xffffffff)) {
      this.#fault(f.start, 'misfit')
      return false
    }
    return open || !f.cut
  }

  #fault(at: number, what: 'misfit' | 'damaged'): void {
    if (what === 'misfit') this.#misfits++
    else this.#damaged++
    this.#firstAt ??= at
  }

  #intern(s: string): number {
    let id = this.#ids.get(s)
    if (id === undefined) {
      id = this.#strings.push(s) - 1
      this.#ids.set(s, id)
    }
    return id
  }

  #content(): NtffMessage {
    const [n, s, e, q, m, x, t, u] = [
      this.#nodes,
      this.#subgraphs,
      this.#engines,
      this.#queues,
      this.#memory,
      this.#executions,
      this.#sections,
      this.#buffers,
    ]
    const full = (list: readonly string[]): readonly string[] => [...new Set(list.filter(id => id !== ''))]
    const ofNodes = full(this.#nodeUuids)
    return {
      neffName: this.#neffName,
      neffUuidPrefix: this.#prefix,
      neffUuids: ofNodes.length > 0 ? ofNodes : full(this.#executionUuids),
      modelId: this.#modelId,
      arch: this.#arch,
      startSeconds: this.#startSeconds,
      runtimeVersion: this.#versions.runtime,
      driverVersion: this.#versions.driver,
      collectivesVersion: this.#versions.collectives,
      instanceType: this.#instanceType,
      instanceId: this.#instanceId,
      pid: this.#pid,
      nodes: { count: n.count, kind: n.u8('kind'), uuid: this.#nodeUuids },
      subgraphs: {
        count: s.count,
        node: s.u32('node'),
        name: s.i32('name'),
        device: s.u32('device'),
        core: s.u32('core'),
        durationPs: s.u64('durationPs'),
        hasDuration: s.u8('hasDuration'),
      },
      engines: {
        count: e.count,
        subgraph: e.u32('subgraph'),
        code: e.u32('code'),
        address: e.u64('address'),
        offset: e.u64('offset'),
        size: e.u64('size'),
        inBlob: e.u8('inBlob'),
      },
      queues: {
        count: q.count,
        subgraph: q.u32('subgraph'),
        engine: q.u32('engine'),
        queue: q.u32('queue'),
        type: q.u32('type'),
        name: q.i32('name'),
        traceEvent: q.i64('traceEvent'),
        axiPort: q.u32('axiPort'),
      },
      memory: { count: m.count, subgraph: m.u32('subgraph'), usage: m.i32('usage'), bytes: m.u64('bytes') },
      executions: { count: x.count, uuid: this.#executionUuids, startPs: x.u64('startPs'), endPs: x.u64('endPs') },
      sections: {
        count: t.count,
        subgraph: t.i32('subgraph'),
        traceType: t.u32('traceType'),
        blockType: t.u32('blockType'),
        block: t.u32('block'),
        core: t.i32('core'),
        offset: t.u64('offset'),
        size: t.u64('size'),
        records: t.u64('records'),
        whole: t.u8('whole'),
      },
      buffers: { count: u.count, blockType: u.u32('blockType'), traceType: u.u32('traceType'), bytes: u.u64('bytes') },
      strings: stringTable(this.#strings),
    }
  }
}

/** The fields of one row; a field that is not there is 0, as protobuf leaves such values out. */
class RowValues<K extends string> {
  readonly #b: Uint8Array
  readonly #found: ReadonlyMap<string, Field>
  readonly #intern: (s: string) => number

  constructor(bytes: Uint8Array, found: ReadonlyMap<string, Field>, intern: (s: string) => number) {
    this.#b = bytes
    this.#found = found
    this.#intern = intern
  }

  field(k: K): Field | undefined {
    return this.#found.get(k)
  }
  num(k: K): number {
    return this.#found.get(k)?.value ?? 0
  }
  big(k: K): bigint {
    const f = this.#found.get(k)
    return f ? exact(this.#b, f) : 0n
  }
  text(k: K): number {
    const f = this.#found.get(k)
    return f ? this.#intern(textOf(this.#b, f)) : -1
  }
  uuid(k: K): string {
    const f = this.#found.get(k)
    return f ? uuidOf(this.#b, f) : ''
  }
}
