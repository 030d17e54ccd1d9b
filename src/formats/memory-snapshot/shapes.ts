/**
 * Recognises the dicts and lists of a snapshot while the interpreter builds them and writes them into columns: an event, a block, a segment, a frame or an annotation
 * never exists as an object of its own. Anything else stays a general value and is shown as text.
 *
 * A dict is recognised by its keys when its pairs arrive in one go (protocols 1 to 5), or, in protocol 0, when it is put into a list.
 */
import type { DiagnosticSink } from '../../shared/diagnostics'
import { ACTION_OTHER, ACTIONS, BLOCK_STATE_OTHER, BLOCK_STATES } from '../../shared/tables'
import { GrowF64, GrowI32 } from '../pickle/grow'
import type { Builder, Shapes } from '../pickle/builder'
import { JsonText } from '../pickle/render'
import type { Store } from '../pickle/store'
import { BYTES, DICT, DICT_PLAIN, FALSE, FLOAT, I64, INT, LIST, LIST_EMPTY, NONE, OBJ, STR, TRUE, TUPLE, U64 } from '../pickle/tags'
import { BlockRows, EventPages, NoteRows, SegmentRows } from './columns'
import { Extras } from './extras'
import { BLOCK, EVENT, FRAME, FRAMES, HISTORY, NOTE, RUN, SEGMENT, STACK } from './kinds'
import { ACTION_ID, AWAITING_FREE_ID, EMPTY_ID, internKeys, key, keySet, KEY_COUNT, STATE_ID } from './keys'
import { renderRecord } from './render-record'
import { FrameInterner, StackInterner } from './stacks'

const ACTION = key('action')
const ADDR = key('addr')
const SIZE = key('size')
const STREAM = key('stream')
const TIME_US = key('time_us')
const FRAMES_KEY = key('frames')
const CONTEXT = key('compile_context')
const METADATA = key('user_metadata')
const DEVICE_FREE = key('device_free')
const POOL_ID = key('pool_id')
const CATEGORY = key('category')
const NAME = key('name')
const FILENAME = key('filename')
const LINE = key('line')
const DEVICE = key('device')
const ADDRESS = key('address')
const TOTAL_SIZE = key('total_size')
const ALLOCATED_SIZE = key('allocated_size')
const ACTIVE_SIZE = key('active_size')
const REQUESTED_SIZE = key('requested_size')
const SEGMENT_TYPE = key('segment_type')
const SEGMENT_POOL_ID = key('segment_pool_id')
const IS_EXPANDABLE = key('is_expandable')
const BLOCKS = key('blocks')
const STATE = key('state')
const HISTORY_KEY = key('history')
const REAL_SIZE = key('real_size')
const STAGE = key('stage')

const EVENT_KEYS = keySet('action', 'addr', 'size', 'stream', 'time_us', 'frames', 'compile_context', 'user_metadata', 'device_free', 'pool_id', 'category') // prettier-ignore
const FRAME_KEYS = keySet('name', 'filename', 'line')
const SEGMENT_KEYS = keySet('device', 'address', 'total_size', 'allocated_size', 'active_size', 'requested_size', 'stream', 'segment_type', 'segment_pool_id', 'is_expandable', 'frames', 'blocks') // prettier-ignore
const BLOCK_KEYS = keySet('address', 'size', 'requested_size', 'state', 'frames', 'history', 'category')
const NOTE_KEYS = keySet('name', 'stage', 'device', 'time_us')
const HISTORY_KEYS = keySet('addr', 'real_size', 'frames')

/** Pairs that a dict may have to be recognised late (protocol 0). */
const LATE_PAIRS = 64
/** Text of one unknown value, and of all of them together. */
const EXTRA_TEXT = 4096
const EXTRA_BUDGET = 1 << 23

export class SnapshotShapes implements Shapes {
  readonly store: Store
  readonly events = new EventPages()
  readonly segments = new SegmentRows()
  readonly blocks = new BlockRows()
  readonly notes = new NoteRows()
  readonly historySize = new GrowF64(64)
  readonly historyStack = new GrowI32(64)
  readonly frames = new FrameInterner()
  readonly stacks = new StackInterner()
  readonly eventExtras = new Extras()
  readonly segmentExtras = new Extras()
  readonly blockExtras = new Extras()
  readonly streams: string[] = []
  readonly pools: string[] = []

  readonly #machine: Builder
  readonly #sink: DiagnosticSink
  readonly #streamIds = new Map<number | string, number>()
  #lastStream = NaN
  #lastStreamId = -1
  readonly #poolIds = new Map<string, number>()
  readonly #poolOf = new Map<number, number>()
  /** Frame ids of lists that are being built. */
  readonly pending = new GrowI32(4096)
  /** The list of frames that was filled last, and the hash of its frames. */
  #hashedList = -1
  #hash = 0
  /** Stack position of the value of each known key, valid where `#seen` is the present generation. */
  readonly #slot = new Int32Array(KEY_COUNT)
  readonly #seen = new Int32Array(KEY_COUNT)
  #generation = 0
  readonly #scratchTags = new Uint8Array(2 * LATE_PAIRS)
  readonly #scratchVals = new Float64Array(2 * LATE_PAIRS)
  readonly #rendered = new Map<number, number>()
  #budget = EXTRA_BUDGET

  constructor(machine: Builder, sink: DiagnosticSink) {
    this.#machine = machine
    this.store = machine.store
    this.#sink = sink
    internKeys(this.store.strings)
  }

  // ── what the machine calls ──

  dict(obj: number, from: number, to: number): boolean {
    return this.#recognise(this.#machine.tags, this.#machine.vals, obj, from, to)
  }

  list(obj: number, from: number, to: number): boolean {
    const { tags, vals } = this.#machine
    const store = this.store
    const kind = store.objKind[obj] as number
    const item = this.itemKind(tags[from] as number, vals[from] as number)
    if (item === FRAME) {
      if (kind === STACK) {
        // Events refer to the list already; a list that changes afterwards is none that PyTorch writes.
        this.late()
        return true
      }
      if (kind === LIST_EMPTY || (kind === FRAMES && store.objB[obj] === this.pending.n)) {
        const pending = this.pending
        const start = pending.n
        const objKind = store.objKind
        const objA = store.objA
        pending.reserve(start + to - from)
        const out = pending.a
        let h = kind === LIST_EMPTY ? this.stacks.seed : this.#hashedList === obj ? this.#hash : 0
        let n = start
        for (let i = from; i < to; i++) {
          const v = (vals[i] as number) | 0
          if (tags[i] !== OBJ || (objKind[v] !== FRAME && this.itemKind(OBJ, v) !== FRAME)) break
          const frame = objA[v] as number
          h = StackInterner.step(h, frame)
          out[n++] = frame
        }
        if (n - start === to - from) {
          pending.n = n
          if (kind === LIST_EMPTY) {
            objKind[obj] = FRAMES
            objA[obj] = start
          }
          store.objB[obj] = n
          // The hash goes on while this list is the one that is filled; otherwise it is made from the frames when it is needed.
          this.#hashedList = kind === LIST_EMPTY || this.#hashedList === obj ? obj : -1
          this.#hash = h
          return true
        }
      }
    } else if ((item === EVENT || item === BLOCK || item === SEGMENT) && (kind === LIST_EMPTY || kind === RUN + item)) {
      const first = kind === LIST_EMPTY ? (store.objA[vals[from] as number] as number) : (store.objB[obj] as number)
      let next = first
      for (let i = from; i < to; i++) {
        if (this.itemKind(tags[i] as number, vals[i] as number) !== item || store.objA[vals[i] as number] !== next) break
        next++
      }
      if (next - first === to - from) {
        if (kind === LIST_EMPTY) {
          store.objKind[obj] = RUN + item
          store.objA[obj] = first
        }
        store.objB[obj] = next
        return true
      }
    }
    if (kind === FRAMES || kind >= RUN) this.#demote(obj, kind)
    return false
  }

  takeRun(list: number, buf: Uint8Array, view: DataView, pos: number, soft: number, memoTag: Uint8Array, memoVal: Int32Array): number {
    const { objKind, objA } = this.store
    const pending = this.pending
    const start = pending.n
    let out = pending.a
    let n = start
    let h = this.stacks.seed
    let p = pos
    for (;;) {
      if (p >= soft) return -1
      const op = buf[p]
      let i: number
      if (op === 0x6a) {
        i = view.getUint32(p + 1, true)
        p += 5
      } else if (op === 0x68) {
        i = buf[p + 1] as number
        p += 2
      } else break
      if (i >= memoTag.length || memoTag[i] !== OBJ) return -1
      const v = memoVal[i] as number
      if (objKind[v] !== FRAME) return -1
      if (n === out.length) {
        pending.n = n
        pending.reserve(n + 1)
        pending.n = start
        out = pending.a
      }
      const frame = objA[v] as number
      h = StackInterner.step(h, frame)
      out[n++] = frame
    }
    if (buf[p] !== 0x65) return -1
    pending.n = n
    objKind[list] = FRAMES
    objA[list] = start
    this.store.objB[list] = n
    this.#hashedList = list
    this.#hash = h
    return p + 1
  }

  spent(list: number): boolean {
    const kind = this.store.objKind[list] as number
    return kind === FRAMES || kind === RUN + EVENT || kind === RUN + BLOCK
  }

  repeats(obj: number): boolean {
    // Texts of further keys count against a budget.
    return this.store.objKind[obj] === FRAME && (this.frames.extra.a[this.store.objA[obj] as number] as number) < 0
  }

  late(): void {
    this.#sink.add({
      severity: 'warning',
      code: 'snapshot-late-change',
      offset: this.#machine.offset,
      message: 'A record is changed after it was complete.',
      meaning: 'The change is left out; the record stands as it was.',
      action: 'PyTorch writes no such file. Check what wrote it.',
    })
  }

  // ── recognising ──

  /** Kind of an item; a dict that was built pair by pair is recognised now. */
  itemKind(tag: number, val: number): number {
    if (tag !== OBJ) return -1
    const kind = this.store.objKind[val] as number
    return kind === DICT ? this.#recogniseLate(val) : kind
  }

  #recogniseLate(obj: number): number {
    const store = this.store
    let n = 0
    for (let node = store.objA[obj] as number; node >= 0; node = store.nodeNext[node] as number) {
      if (n === 2 * LATE_PAIRS) {
        n = 0
        break
      }
      this.#scratchTags[n] = store.nodeTag[node] as number
      this.#scratchVals[n++] = store.nodeVal[node] as number
    }
    // Looked at once: a large dict that is put into a list a million times costs nothing more.
    store.objKind[obj] = DICT_PLAIN
    if (n === 0) return DICT_PLAIN
    const first = store.objA[obj] as number
    const last = store.objB[obj] as number
    const tags = this.#scratchTags.slice(0, n)
    const vals = this.#scratchVals.slice(0, n)
    if (this.#recognise(tags, vals, obj, 0, n)) {
      const row = store.objA[obj] as number
      store.objA[obj] = first
      store.objB[obj] = last
      store.release(obj)
      store.objA[obj] = row
    }
    return store.objKind[obj] as number
  }

  #recognise(tags: Uint8Array, vals: Float64Array, obj: number, from: number, to: number): boolean {
    const seen = this.#seen
    const slot = this.#slot
    const g = ++this.#generation
    for (let i = from; i < to; i += 2) {
      if (tags[i] !== STR) return false
      const k = (vals[i] as number) | 0
      if (k < KEY_COUNT) {
        slot[k] = i + 1
        seen[k] = g
      }
    }
    if (seen[ACTION] === g && tags[slot[ACTION] as number] === STR) this.#event(tags, vals, obj, from, to)
    else if (seen[FILENAME] === g && seen[NAME] === g) return this.#frame(tags, vals, obj, from, to)
    else if (seen[BLOCKS] === g || seen[TOTAL_SIZE] === g) this.#segment(tags, vals, obj, from, to)
    else if (seen[STATE] === g && seen[SIZE] === g) this.#block(tags, vals, obj, from, to)
    else if (seen[STAGE] === g && seen[NAME] === g) return this.#note(tags, vals, obj, from, to)
    else if (seen[REAL_SIZE] === g && this.#onlyKeys(HISTORY_KEYS, vals, from, to)) {
      const row = this.historySize.push(this.#size(tags, vals, REAL_SIZE))
      this.historyStack.push(this.#stack(tags, vals))
      this.#become(obj, HISTORY, row)
    } else return false
    return true
  }

  #become(obj: number, kind: number, row: number): void {
    this.store.objKind[obj] = kind
    this.store.objA[obj] = row
  }

  #onlyKeys(set: Uint8Array, vals: Float64Array, from: number, to: number): boolean {
    for (let i = from; i < to; i += 2) if ((vals[i] as number) >= KEY_COUNT || set[vals[i] as number] === 0) return false
    return true
  }

  #event(tags: Uint8Array, vals: Float64Array, obj: number, from: number, to: number): void {
    const seen = this.#seen
    const slot = this.#slot
    const g = this.#generation
    const events = this.events
    const row = events.add()
    const page = events.page
    const at = events.at
    const action = (vals[slot[ACTION] as number] as number) - ACTION_ID
    if (action >= 0 && action < ACTIONS.length) page.action[at] = action
    else {
      page.action[at] = ACTION_OTHER
      events.setOtherAction(vals[slot[ACTION] as number] as number)
    }
    if (seen[ADDR] === g) {
      const i = slot[ADDR] as number
      const v = vals[i] as number
      if (tags[i] === INT) {
        // Two's complement halves; a negative address is one beyond 2^63 that was written as a signed integer.
        page.address[2 * at] = v >>> 0
        page.address[2 * at + 1] = Math.floor(v / 0x100000000) >>> 0
      } else if (tags[i] === U64 || tags[i] === I64) {
        page.address[2 * at] = this.store.wide.a[2 * v] as number
        page.address[2 * at + 1] = this.store.wide.a[2 * v + 1] as number
      } else this.#bad('addr', tags[i] as number, v)
    }
    page.size[at] = this.#size(tags, vals, SIZE)
    page.stream[at] = this.#stream(tags, vals)
    page.time[at] = seen[TIME_US] === g ? this.#number(tags, vals, TIME_US) : NaN
    page.stack[at] = this.#stack(tags, vals)
    page.context[at] = seen[CONTEXT] === g ? this.#text(tags, vals, CONTEXT) : -1
    page.metadata[at] = seen[METADATA] === g ? this.#text(tags, vals, METADATA) : -1
    if (seen[DEVICE_FREE] === g) events.setDeviceFree(this.#number(tags, vals, DEVICE_FREE))
    if (seen[POOL_ID] === g) events.setPool(this.#pool(tags, vals, POOL_ID))
    if (seen[CATEGORY] === g) events.setCategory(this.#category(tags, vals))
    this.#extras(this.eventExtras, EVENT_KEYS, row, tags, vals, from, to)
    this.#become(obj, EVENT, row)
  }

  #segment(tags: Uint8Array, vals: Float64Array, obj: number, from: number, to: number): void {
    const s = this.segments
    const row = s.device.n
    const type = this.#text(tags, vals, SEGMENT_TYPE)
    s.device.push(this.#device(tags, vals, 0))
    this.#address(s.address, tags, vals, ADDRESS)
    s.totalSize.push(this.#size(tags, vals, TOTAL_SIZE))
    s.allocatedSize.push(this.#maybeSize(tags, vals, ALLOCATED_SIZE))
    s.activeSize.push(this.#maybeSize(tags, vals, ACTIVE_SIZE))
    s.requestedSize.push(this.#maybeSize(tags, vals, REQUESTED_SIZE))
    s.stream.push(this.#stream(tags, vals))
    s.segmentType.push(type < 0 ? EMPTY_ID : type)
    s.pool.push(this.#has(SEGMENT_POOL_ID) ? this.#pool(tags, vals, SEGMENT_POOL_ID) : -1)
    s.expandable.push(this.#has(IS_EXPANDABLE) ? this.#flag(tags, vals, IS_EXPANDABLE) : 255)
    s.stack.push(this.#stack(tags, vals))
    const blocks = this.#has(BLOCKS) ? (this.#slot[BLOCKS] as number) : -1
    s.blocks.push(blocks >= 0 && tags[blocks] === OBJ ? (vals[blocks] as number) : -1)
    this.#extras(this.segmentExtras, SEGMENT_KEYS, row, tags, vals, from, to)
    this.#become(obj, SEGMENT, row)
  }

  #block(tags: Uint8Array, vals: Float64Array, obj: number, from: number, to: number): void {
    const b = this.blocks
    const row = b.size.n
    b.hasAddress.push(this.#has(ADDRESS) ? 1 : 0)
    this.#address(b.address, tags, vals, ADDRESS)
    b.size.push(this.#size(tags, vals, SIZE))
    let requested = this.#maybeSize(tags, vals, REQUESTED_SIZE)
    let stack = this.#stack(tags, vals)
    if (this.#has(HISTORY_KEY)) {
      const last = this.#lastHistory(tags[this.#slot[HISTORY_KEY] as number] as number, vals[this.#slot[HISTORY_KEY] as number] as number)
      if (last >= 0) {
        if (Number.isNaN(requested)) requested = this.historySize.a[last] as number
        if (stack < 0) stack = this.historyStack.a[last] as number
      }
    }
    b.requestedSize.push(requested)
    const state = this.#slot[STATE] as number
    const id = tags[state] === STR ? (vals[state] as number) : -1
    if (id === AWAITING_FREE_ID) b.state.push(1)
    else b.state.push(id >= STATE_ID && id < STATE_ID + BLOCK_STATES.length ? id - STATE_ID : BLOCK_STATE_OTHER)
    if (b.state.a[row] === BLOCK_STATE_OTHER) this.#bad('state', tags[state] as number, vals[state] as number)
    b.stack.push(stack)
    b.category.push(this.#has(CATEGORY) ? this.#category(tags, vals) : -1)
    this.#extras(this.blockExtras, BLOCK_KEYS, row, tags, vals, from, to)
    this.#become(obj, BLOCK, row)
  }

  /** `history` lists what a block held, the present or last content first. */
  #lastHistory(tag: number, val: number): number {
    const store = this.store
    if (store.kind(tag, val) !== LIST) return -1
    const node = store.objA[val] as number
    if (store.nodeTag[node] !== OBJ) return -1
    const first = store.nodeVal[node] as number
    return this.itemKind(OBJ, first) === HISTORY ? (store.objA[first] as number) : -1
  }

  #frame(tags: Uint8Array, vals: Float64Array, obj: number, from: number, to: number): boolean {
    const name = this.#slot[NAME] as number
    const file = this.#slot[FILENAME] as number
    const hasLine = this.#has(LINE)
    const line = hasLine ? (this.#slot[LINE] as number) : -1
    if (tags[name] !== STR || tags[file] !== STR) return false
    if (hasLine && tags[line] !== INT && tags[line] !== NONE) return false
    const known = hasLine ? 6 : 4
    const extra = to - from === known ? -1 : this.#pairsText(FRAME_KEYS, tags, vals, from, to)
    const lineNumber = hasLine && tags[line] === INT ? (vals[line] as number) | 0 : -1
    this.#become(obj, FRAME, this.frames.intern(vals[name] as number, vals[file] as number, lineNumber, extra))
    return true
  }

  #note(tags: Uint8Array, vals: Float64Array, obj: number, from: number, to: number): boolean {
    if (!this.#onlyKeys(NOTE_KEYS, vals, from, to)) return false
    const n = this.notes
    const row = n.text.n
    n.text.push(this.#text(tags, vals, NAME))
    n.stage.push(this.#text(tags, vals, STAGE))
    n.device.push(this.#device(tags, vals, -1))
    n.timeUs.push(this.#has(TIME_US) ? this.#number(tags, vals, TIME_US) : NaN)
    this.#become(obj, NOTE, row)
    return true
  }

  // ── values ──

  #has(k: number): boolean {
    return this.#seen[k] === this.#generation
  }

  /** An exact finite number; NaN for None, NaN and a diagnostic for anything else. */
  #number(tags: Uint8Array, vals: Float64Array, k: number): number {
    const i = this.#slot[k] as number
    const v = vals[i] as number
    if (tags[i] === INT || (tags[i] === FLOAT && Number.isFinite(v) && Math.abs(v) <= Number.MAX_SAFE_INTEGER)) return v
    if (tags[i] !== NONE) this.#bad(this.#machine.text(k), tags[i] as number, v)
    return NaN
  }

  /** A size of zero or more; NaN and a diagnostic where it is missing or none. */
  #size(tags: Uint8Array, vals: Float64Array, k: number): number {
    if (!this.#has(k)) {
      this.#bad(this.#machine.text(k), -1, 0)
      return NaN
    }
    const v = this.#number(tags, vals, k)
    if (v < 0 || tags[this.#slot[k] as number] === NONE) {
      this.#bad(this.#machine.text(k), tags[this.#slot[k] as number] as number, v)
      return NaN
    }
    return v
  }

  /** A size that a version may lack; NaN where it does. */
  #maybeSize(tags: Uint8Array, vals: Float64Array, k: number): number {
    return this.#has(k) ? this.#size(tags, vals, k) : NaN
  }

  /** A device index; -1 where it is none, with a diagnostic unless that is what stands for a missing one. */
  #device(tags: Uint8Array, vals: Float64Array, absent: number): number {
    if (!this.#has(DEVICE)) return absent
    const v = this.#number(tags, vals, DEVICE)
    if (Number.isInteger(v) && v >= 0 && v < 0x7fffffff) return v
    const i = this.#slot[DEVICE] as number
    // What is no number at all has been told about; None and -1 are how an annotation says that it belongs to no device.
    if (tags[i] === NONE ? absent !== -1 : !Number.isNaN(v) && v !== absent) this.#bad('device', tags[i] as number, vals[i] as number)
    return -1
  }

  #flag(tags: Uint8Array, vals: Float64Array, k: number): number {
    const tag = tags[this.#slot[k] as number]
    if (tag === TRUE || tag === FALSE) return tag === TRUE ? 1 : 0
    const v = this.#number(tags, vals, k)
    return v === 0 ? 0 : v === 1 ? 1 : 255
  }

  #address(into: { push(low: number, high: number): number }, tags: Uint8Array, vals: Float64Array, k: number): void {
    const bits = this.#has(k) ? this.store.integer(tags[this.#slot[k] as number] as number, vals[this.#slot[k] as number] as number) : 0n
    if (bits === null) this.#bad(this.#machine.text(k), tags[this.#slot[k] as number] as number, vals[this.#slot[k] as number] as number)
    const u = BigInt.asUintN(64, bits ?? 0n)
    into.push(Number(u & 0xffffffffn), Number(u >> 32n))
  }

  #stream(tags: Uint8Array, vals: Float64Array): number {
    if (!this.#has(STREAM)) return -1
    const i = this.#slot[STREAM] as number
    const v = vals[i] as number
    if (tags[i] === INT) {
      if (v === this.#lastStream) return this.#lastStreamId
      this.#lastStream = v
      return (this.#lastStreamId = this.#streamId(v))
    }
    const big = this.store.integer(tags[i] as number, v)
    return this.#streamId(big === null ? this.valueText(tags[i] as number, v) : String(big))
  }
  #streamId(v: number | string): number {
    let id = this.#streamIds.get(v)
    if (id === undefined) {
      id = this.streams.push(String(v)) - 1
      this.#streamIds.set(v, id)
    }
    return id
  }

  #pool(tags: Uint8Array, vals: Float64Array, k: number): number {
    const i = this.#slot[k] as number
    const store = this.store
    const obj = vals[i] as number
    if (tags[i] === NONE) return -1
    const kind = store.kind(tags[i] as number, obj)
    const known = kind === TUPLE ? this.#poolOf.get(obj) : undefined
    if (known !== undefined) return known
    const parts: string[] = []
    if (kind === TUPLE || kind === LIST)
      for (let n = store.objA[obj] as number; n >= 0 && parts.length < 3; n = store.nodeNext[n] as number)
        parts.push(String(store.integer(store.nodeTag[n] as number, store.nodeVal[n] as number)))
    if (parts.length !== 2 || parts.includes('null')) {
      this.#bad(this.#machine.text(k), tags[i] as number, obj)
      return -1
    }
    const text = parts.join(',')
    let id = this.#poolIds.get(text)
    if (id === undefined) {
      id = this.pools.push(text) - 1
      this.#poolIds.set(text, id)
    }
    if (kind === TUPLE && this.#poolOf.size < 65536) this.#poolOf.set(obj, id)
    return id
  }

  /** A category is a text, or an index of the top-level `categories`, which may come later: -2 - index. */
  #category(tags: Uint8Array, vals: Float64Array): number {
    const i = this.#slot[CATEGORY] as number
    const v = vals[i] as number
    if (tags[i] === INT && v >= 0 && v < 0x40000000) return -2 - v
    return this.#text(tags, vals, CATEGORY)
  }

  /** String id of a text; other values as JSON text; -1 for None. */
  #text(tags: Uint8Array, vals: Float64Array, k: number): number {
    if (!this.#has(k)) return -1
    const i = this.#slot[k] as number
    if (tags[i] === STR) return (vals[i] as number) | 0
    return tags[i] === NONE ? -1 : this.#textId(tags[i] as number, vals[i] as number)
  }

  /** Row of the stack under `frames`; -1 where it is missing, None or empty. */
  #stack(tags: Uint8Array, vals: Float64Array): number {
    if (!this.#has(FRAMES_KEY)) return -1
    const i = this.#slot[FRAMES_KEY] as number
    const obj = (vals[i] as number) | 0
    if (tags[i] === NONE) return -1
    const store = this.store
    switch (store.kind(tags[i] as number, obj)) {
      case STACK:
        return store.objA[obj] as number
      case FRAMES: {
        const from = store.objA[obj] as number
        const to = store.objB[obj] as number
        const id = this.stacks.intern(this.pending.a, from, to, this.#hashedList === obj ? this.#hash : undefined)
        this.#become(obj, STACK, id)
        if (to === this.pending.n) this.pending.n = from
        return id
      }
      case LIST_EMPTY:
        return -1
      case TUPLE:
      case LIST:
        return this.#looseStack(obj)
      default:
        this.#bad('frames', tags[i] as number, obj)
        return -1
    }
  }

  /** A frame list with items that are no plain frames: each becomes a frame with what it tells. */
  #looseStack(obj: number): number {
    const store = this.store
    const ids = new GrowI32(64)
    let odd = 0
    for (let n = store.objA[obj] as number; n >= 0; n = store.nodeNext[n] as number) {
      const tag = store.nodeTag[n] as number
      const val = store.nodeVal[n] as number
      if (this.itemKind(tag, val) === FRAME) ids.push(store.objA[val] as number)
      else {
        odd++
        ids.push(this.frames.intern(tag === STR ? val : this.#textId(tag, val), EMPTY_ID, -1, -1))
      }
    }
    if (odd > 0)
      this.#sink.add({
        severity: 'warning',
        code: 'snapshot-odd-frames',
        offset: this.#machine.offset,
        message: 'A stack holds frames without name and file.',
        meaning: 'They are shown as text. Byte figures are not affected.',
        action: 'Nothing to do.',
        count: odd,
      })
    if (ids.n === 0) return -1
    const id = this.stacks.intern(ids.a, 0, ids.n)
    // Interned once, however many events refer to it.
    store.release(obj)
    this.#become(obj, STACK, id)
    return id
  }

  // ── unknown keys ──

  #extras(into: Extras, known: Uint8Array, row: number, tags: Uint8Array, vals: Float64Array, from: number, to: number): void {
    for (let i = from; i < to; i += 2) {
      const k = (vals[i] as number) | 0
      if (k < KEY_COUNT && known[k] === 1) continue
      const tag = tags[i + 1] as number
      into.add(k, row, tag === STR ? (vals[i + 1] as number) : this.#textId(tag, vals[i + 1] as number), this.#machine.offset)
    }
  }

  #pairsText(known: Uint8Array, tags: Uint8Array, vals: Float64Array, from: number, to: number): number {
    const parts: string[] = []
    for (let i = from; i < to && parts.length < 32; i += 2) {
      const k = vals[i] as number
      if (k < KEY_COUNT && known[k] === 1) continue
      parts.push(`${JSON.stringify(this.#machine.text(k))}: ${this.valueText(tags[i + 1] as number, vals[i + 1] as number, EXTRA_TEXT)}`)
    }
    return parts.length === 0 ? -1 : this.store.strings.internText(`{${parts.join(', ')}}`)
  }

  #textId(tag: number, val: number): number {
    if (tag === STR) return val
    if (tag !== OBJ && tag !== BYTES) return this.store.strings.internText(this.valueText(tag, val))
    // In JSON every value is met once, and its object may be another one's later.
    const shared = tag === OBJ && this.#machine.family === 'pickle'
    const known = shared ? this.#rendered.get(val) : undefined
    if (known !== undefined) return known
    const id = this.store.strings.internText(this.valueText(tag, val, EXTRA_TEXT))
    if (shared && this.#rendered.size < 1 << 20) this.#rendered.set(val, id)
    return id
  }

  /** JSON text of any value, at most `limit` characters; all of them together stay within a budget, since values may share parts. */
  valueText(tag: number, val: number, limit = EXTRA_TEXT): string {
    if (tag === OBJ && this.#budget <= 0) {
      this.#sink.add({
        severity: 'warning',
        code: 'snapshot-text-budget',
        offset: this.#machine.offset,
        message: 'The values of unknown keys are more text than is kept.',
        meaning: 'Further ones are shown as an ellipsis. Byte figures are not affected.',
        action: 'Nothing to do.',
      })
      return '…'
    }
    const out = new JsonText(this.store, limit, (obj, to, depth) => renderRecord(this, obj, to, depth))
    out.value(tag, val)
    if (tag === OBJ) this.#budget -= out.text.length + 16
    return out.text
  }

  // ── lists that are no runs after all ──

  /** Turns a run or a list of frames into a general list. Happens at most once per list. */
  #demote(obj: number, kind: number): void {
    const store = this.store
    const a = store.objA[obj] as number
    const b = store.objB[obj] as number
    store.objKind[obj] = LIST
    store.objA[obj] = -1
    store.objB[obj] = -1
    for (let i = a; i < b; i++)
      store.append(obj, OBJ, kind === FRAMES ? store.newObject(FRAME, this.pending.a[i] as number) : store.newObject(kind - RUN, i))
  }

  #bad(name: string, tag: number, val: number): void {
    this.#sink.add({
      severity: 'warning',
      code: 'snapshot-bad-value',
      offset: this.#machine.offset,
      message: tag < 0 ? `A record has no ${name}.` : `The value of ${name} is ${this.valueText(tag, val, 80)}, which does not fit.`,
      meaning: 'The value counts as unknown; totals that need it leave the record out.',
      action: 'Check what wrote the file; PyTorch writes no such value.',
    })
  }
}
