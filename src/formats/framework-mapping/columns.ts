/** Whole entries of a framework mapping to columns, exact to 64 bits. */
import { ascii, BACKSLASH, equalBytes, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../json/bytes'
import { eachItem, eachMember } from '../json/members'
import type { MappingFindings } from './findings'

const SEQ_ID = ascii('nrta_seq_id')
const OPERATORS = ascii('framework_op_exec_ids')
const SEQ_NR = ascii('seq_nr')
const THREAD = ascii('th_id')
const STREAM = ascii('stream_id')

/** Bits of `present`. */
export const HAS_SEQ_NR = 1
export const HAS_THREAD = 2
export const HAS_STREAM = 4

const U64 = 2n ** 64n
const I64 = 2n ** 63n

export class MappingColumns {
  readonly #findings: MappingFindings
  count = 0
  operators = 0
  #nrtaSeqId = new BigUint64Array(64)
  #opStart = new Uint32Array(64)
  #seqNr = new BigInt64Array(64)
  #threadId = new BigUint64Array(64)
  #streamId = new BigInt64Array(64)
  #present = new Uint8Array(64)

  constructor(findings: MappingFindings) {
    this.#findings = findings
  }

  /** One entry, `b[s..e)`, whose grammar was checked; `b[i]` has the offset `base + i`. What is no entry, or has no readable sequence id, is told and left out. */
  add(b: Uint8Array, s: number, e: number, base: number): void {
    const findings = this.#findings
    if (b[s] !== OPEN_BRACE) return findings.notAnEntry(base + s)
    let id: bigint | null = null
    let operators = -1
    let operatorsEnd = -1
    eachMember(b, s, e, (ks, ke, vs, ve) => {
      // The last of two members with one name counts, as in every JSON reader.
      if (equalBytes(b, ks, ke, SEQ_ID)) id = integer(b, vs, ve, 0n, U64)
      else if (equalBytes(b, ks, ke, OPERATORS)) {
        operators = vs
        operatorsEnd = ve
      } else findings.unknownKey('data', b.subarray(ks, ke), base + ks - 1)
    })
    if (id === null) return findings.noSequenceId(base + s)
    if (operators < 0 || b[operators] !== OPEN_BRACKET) findings.noOperators(base + s)
    this.#nrtaSeqId = roomy(this.#nrtaSeqId, this.count, BigUint64Array)
    this.#opStart = roomy(this.#opStart, this.count, Uint32Array)
    this.#nrtaSeqId[this.count] = id
    this.#opStart[this.count++] = this.operators
    if (operators >= 0) eachItem(b, operators, operatorsEnd, (from, to) => this.#operator(b, from, to, base))
  }

  #operator(b: Uint8Array, s: number, e: number, base: number): void {
    const findings = this.#findings
    if (b[s] !== OPEN_BRACE) return findings.notAnOperator(base + s)
    const n = this.operators
    this.#seqNr = roomy(this.#seqNr, n, BigInt64Array)
    this.#threadId = roomy(this.#threadId, n, BigUint64Array)
    this.#streamId = roomy(this.#streamId, n, BigInt64Array)
    this.#present = roomy(this.#present, n, Uint8Array)
    let present = 0
    const take = (bit: number, column: BigInt64Array | BigUint64Array, value: bigint | null, offset: number): void => {
      present = value === null ? present & ~bit : present | bit
      column[n] = value ?? 0n
      if (value === null) findings.badNumber(offset)
    }
    eachMember(b, s, e, (ks, ke, vs, ve) => {
      if (equalBytes(b, ks, ke, SEQ_NR)) take(HAS_SEQ_NR, this.#seqNr, integer(b, vs, ve, -I64, I64), base + vs)
      else if (equalBytes(b, ks, ke, THREAD)) take(HAS_THREAD, this.#threadId, integer(b, vs, ve, 0n, U64), base + vs)
      else if (equalBytes(b, ks, ke, STREAM)) take(HAS_STREAM, this.#streamId, integer(b, vs, ve, -I64, I64), base + vs)
      else findings.unknownKey('framework_op_exec_ids', b.subarray(ks, ke), base + ks - 1)
    })
    if (present !== (HAS_SEQ_NR | HAS_THREAD | HAS_STREAM)) findings.incompleteOperator(base + s)
    this.#present[n] = present
    this.operators++
  }

  table(): {
    readonly count: number
    readonly nrtaSeqId: BigUint64Array
    readonly opStart: Uint32Array
    readonly operatorCount: number
    readonly seqNr: BigInt64Array
    readonly threadId: BigUint64Array
    readonly streamId: BigInt64Array
    readonly present: Uint8Array
  } {
    const { count, operators } = this
    const opStart = new Uint32Array(count + 1)
    opStart.set(this.#opStart.subarray(0, count))
    opStart[count] = operators
    return {
      count,
      nrtaSeqId: this.#nrtaSeqId.slice(0, count),
      opStart,
      operatorCount: operators,
      seqNr: this.#seqNr.slice(0, operators),
      threadId: this.#threadId.slice(0, operators),
      streamId: this.#streamId.slice(0, operators),
      present: this.#present.slice(0, operators),
    }
  }
}

type Column = BigUint64Array | BigInt64Array | Uint32Array | Uint8Array
/** The column, or a longer copy of it, with room for row `n`. */
function roomy<T extends Column>(column: T, n: number, make: new (length: number) => T): T {
  if (n < column.length) return column
  const longer = new make(2 * n)
  longer.set(column as never)
  return longer
}

/** A whole number `low <= n < high`, bare or in quotes; null for anything else. */
function integer(b: Uint8Array, s: number, e: number, low: bigint, high: bigint): bigint | null {
  if (b[s] === QUOTE) {
    s++
    e--
  }
  if (e - s > 40) return null
  let text = ''
  for (let i = s; i < e; i++) {
    if (b[i] === BACKSLASH) return null
    text += String.fromCharCode(b[i])
  }
  if (!/^-?\d+$/.test(text)) return null
  const value = BigInt(text)
  return value >= low && value < high ? value : null
}
