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
import type { Store } from '../pickle/store'
import { DICT, DICT_PLAIN, INT, I64, LIST, LIST_EMPTY, NONE, OBJ, STR, U64 } from '../pickle/tags'
import { BlockRows, EventPages, NoteRows, SegmentRows } from './columns'
import { Extras } from './extras'
import { Fields } from './fields'
import { FrameLists, NO_FRAMES } from './frame-lists'
import { BLOCK, EVENT, FRAME, FRAMES, HISTORY, NOTE, RUN, SEGMENT, STACK } from './kinds'
import { ACTION_ID, AWAITING_FREE_ID, EMPTY_ID, internKeys, key, keySet, KEY_COUNT, STATE_ID } from './keys'
import { renderRecord } from './render-record'
import { Texts } from './texts'

const ACTION = key('action')
const ADDR = key('addr')
const SIZE = key('size')
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

export class SnapshotShapes implements Shapes {
  readonly store: Store
  readonly events = new EventPages()
  readonly segments = new SegmentRows()
  readonly blocks = new BlockRows()
  readonly notes = new NoteRows()
  readonly historySize = new GrowF64(64)
  readonly historyStack = new GrowI32(64)
  readonly eventExtras = new Extras()
  readonly segmentExtras = new Extras()
  readonly blockExtras = new Extras()

  readonly texts: Texts
  readonly lists: FrameLists
  readonly fields: Fields

  readonly #machine: Builder
  readonly #sink: DiagnosticSink
  readonly #scratchTags = new Uint8Array(2 * LATE_PAIRS)
  readonly #scratchVals = new Float64Array(2 * LATE_PAIRS)

  constructor(machine: Builder, sink: DiagnosticSink) {
    this.#machine = machine
    this.store = machine.store
    this.#sink = sink
    internKeys(this.store.strings)
    this.texts = new Texts(machine, sink, (obj, to, depth) => renderRecord(this, obj, to, depth))
    this.lists = new FrameLists(machine, sink, this.texts, (tag, val) => this.itemKind(tag, val))
    this.fields = new Fields(machine, sink, this.texts)
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
      if (this.lists.fill(obj, kind, from, to)) return true
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
    return this.lists.takeRun(list, buf, view, pos, soft, memoTag, memoVal)
  }

  spent(list: number): boolean {
    const kind = this.store.objKind[list] as number
    return kind === FRAMES || kind === RUN + EVENT || kind === RUN + BLOCK
  }

  repeats(obj: number): boolean {
    // Texts of further keys count against a budget.
    return this.store.objKind[obj] === FRAME && (this.lists.frames.extra.a[this.store.objA[obj] as number] as number) < 0
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
    const seen = this.fields.seen
    const slot = this.fields.slot
    const g = ++this.fields.generation
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
      const row = this.historySize.push(this.fields.size(tags, vals, REAL_SIZE))
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
    const seen = this.fields.seen
    const slot = this.fields.slot
    const g = this.fields.generation
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
      } else this.fields.bad('addr', tags[i] as number, v)
    }
    page.size[at] = this.fields.size(tags, vals, SIZE)
    page.stream[at] = this.fields.stream(tags, vals)
    page.time[at] = seen[TIME_US] === g ? this.fields.number(tags, vals, TIME_US) : NaN
    page.stack[at] = this.#stack(tags, vals)
    page.context[at] = seen[CONTEXT] === g ? this.fields.text(tags, vals, CONTEXT) : -1
    page.metadata[at] = seen[METADATA] === g ? this.fields.text(tags, vals, METADATA) : -1
    if (seen[DEVICE_FREE] === g) events.setDeviceFree(this.fields.number(tags, vals, DEVICE_FREE))
    if (seen[POOL_ID] === g) events.setPool(this.fields.pool(tags, vals, POOL_ID))
    if (seen[CATEGORY] === g) events.setCategory(this.fields.category(tags, vals))
    this.#extras(this.eventExtras, EVENT_KEYS, row, tags, vals, from, to)
    this.#become(obj, EVENT, row)
  }

  #segment(tags: Uint8Array, vals: Float64Array, obj: number, from: number, to: number): void {
    const s = this.segments
    const row = s.device.n
    const type = this.fields.text(tags, vals, SEGMENT_TYPE)
    s.device.push(this.fields.device(tags, vals, 0))
    this.fields.address(s.address, tags, vals, ADDRESS)
    s.totalSize.push(this.fields.size(tags, vals, TOTAL_SIZE))
    s.allocatedSize.push(this.fields.maybeSize(tags, vals, ALLOCATED_SIZE))
    s.activeSize.push(this.fields.maybeSize(tags, vals, ACTIVE_SIZE))
    s.requestedSize.push(this.fields.maybeSize(tags, vals, REQUESTED_SIZE))
    s.stream.push(this.fields.stream(tags, vals))
    s.segmentType.push(type < 0 ? EMPTY_ID : type)
    s.pool.push(this.fields.has(SEGMENT_POOL_ID) ? this.fields.pool(tags, vals, SEGMENT_POOL_ID) : -1)
    s.expandable.push(this.fields.has(IS_EXPANDABLE) ? this.fields.flag(tags, vals, IS_EXPANDABLE) : 255)
    s.stack.push(this.#stack(tags, vals))
    const blocks = this.fields.has(BLOCKS) ? (this.fields.slot[BLOCKS] as number) : -1
    s.blocks.push(blocks >= 0 && tags[blocks] === OBJ ? (vals[blocks] as number) : -1)
    this.#extras(this.segmentExtras, SEGMENT_KEYS, row, tags, vals, from, to)
    this.#become(obj, SEGMENT, row)
  }

  #block(tags: Uint8Array, vals: Float64Array, obj: number, from: number, to: number): void {
    const b = this.blocks
    const row = b.size.n
    b.hasAddress.push(this.fields.has(ADDRESS) ? 1 : 0)
    this.fields.address(b.address, tags, vals, ADDRESS)
    b.size.push(this.fields.size(tags, vals, SIZE))
    let requested = this.fields.maybeSize(tags, vals, REQUESTED_SIZE)
    let stack = this.#stack(tags, vals)
    if (this.fields.has(HISTORY_KEY)) {
      const last = this.#lastHistory(
        tags[this.fields.slot[HISTORY_KEY] as number] as number,
        vals[this.fields.slot[HISTORY_KEY] as number] as number,
      )
      if (last >= 0) {
        if (Number.isNaN(requested)) requested = this.historySize.a[last] as number
        if (stack < 0) stack = this.historyStack.a[last] as number
      }
    }
    b.requestedSize.push(requested)
    const state = this.fields.slot[STATE] as number
    const id = tags[state] === STR ? (vals[state] as number) : -1
    if (id === AWAITING_FREE_ID) b.state.push(1)
    else b.state.push(id >= STATE_ID && id < STATE_ID + BLOCK_STATES.length ? id - STATE_ID : BLOCK_STATE_OTHER)
    if (b.state.a[row] === BLOCK_STATE_OTHER) this.fields.bad('state', tags[state] as number, vals[state] as number)
    b.stack.push(stack)
    b.category.push(this.fields.has(CATEGORY) ? this.fields.category(tags, vals) : -1)
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
    const name = this.fields.slot[NAME] as number
    const file = this.fields.slot[FILENAME] as number
    const hasLine = this.fields.has(LINE)
    const line = hasLine ? (this.fields.slot[LINE] as number) : -1
    if (tags[name] !== STR || tags[file] !== STR) return false
    if (hasLine && tags[line] !== INT && tags[line] !== NONE) return false
    const known = hasLine ? 6 : 4
    const extra = to - from === known ? -1 : this.texts.pairs(FRAME_KEYS, tags, vals, from, to)
    const lineNumber = hasLine && tags[line] === INT ? (vals[line] as number) | 0 : -1
    this.#become(obj, FRAME, this.lists.frames.intern(vals[name] as number, vals[file] as number, lineNumber, extra))
    return true
  }

  #note(tags: Uint8Array, vals: Float64Array, obj: number, from: number, to: number): boolean {
    if (!this.#onlyKeys(NOTE_KEYS, vals, from, to)) return false
    const n = this.notes
    const row = n.text.n
    n.text.push(this.fields.text(tags, vals, NAME))
    n.stage.push(this.fields.text(tags, vals, STAGE))
    n.device.push(this.fields.device(tags, vals, -1))
    n.timeUs.push(this.fields.has(TIME_US) ? this.fields.number(tags, vals, TIME_US) : NaN)
    this.#become(obj, NOTE, row)
    return true
  }

  /** Row of the stack under `frames`; -1 where it is missing, None, empty or no list. */
  #stack(tags: Uint8Array, vals: Float64Array): number {
    if (!this.fields.has(FRAMES_KEY)) return -1
    const i = this.fields.slot[FRAMES_KEY] as number
    const stack = this.lists.stackOf(tags[i] as number, vals[i] as number)
    if (stack !== NO_FRAMES) return stack
    this.fields.bad('frames', tags[i] as number, vals[i] as number)
    return -1
  }

  // ── unknown keys ──

  #extras(into: Extras, known: Uint8Array, row: number, tags: Uint8Array, vals: Float64Array, from: number, to: number): void {
    for (let i = from; i < to; i += 2) {
      const k = (vals[i] as number) | 0
      if (k < KEY_COUNT && known[k] === 1) continue
      const tag = tags[i + 1] as number
      into.add(k, row, tag === STR ? (vals[i + 1] as number) : this.texts.id(tag, vals[i + 1] as number), this.#machine.offset)
    }
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
      store.append(obj, OBJ, kind === FRAMES ? store.newObject(FRAME, this.lists.pending.a[i] as number) : store.newObject(kind - RUN, i))
  }
}
