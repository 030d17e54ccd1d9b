/** Looks into `args` of the two phases whose args are data: counters (C) and names of processes and threads (M). */
import { eachMember } from '../json/members'
import * as B from './bytes'
import type { Findings } from './findings'
import type { Counters, EventRows, MetadataNames, Threads } from './rows'
import { ESCAPES, NON_ASCII, type StringPool } from './strings'

const PHASE_COUNTER = 0x43
const LABELS = B.ascii('labels')
const SORT_INDEX = B.ascii('sort_index')
const latin1 = (b: Uint8Array, s: number, e: number): string => {
  let text = ''
  for (let i = s; i < e; i++) text += String.fromCharCode(b[i])
  return text
}

interface Target {
  readonly rows: EventRows
  readonly threads: Threads
  readonly counters: Counters
  readonly strings: StringPool
}

/** Bare words and hexadecimal numbers are none of JSON. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

/** Whether a number beyond 2^53 is what a double holds. With a point or an exponent it was a double when it was written. */
const isExact = (text: string, value: number): boolean => !/^[+-]?\d+$/.test(text) || BigInt(text) === BigInt(value)

/** Reads the members of `b[s..e)` (`b[0]` has the offset `base`), which the scanner has already found to be one whole value. `pid` is a string id. */
export function readArgs(
  t: Target,
  b: Uint8Array,
  base: number,
  s: number,
  e: number,
  row: number,
  pid: number,
  names: MetadataNames,
  findings: Findings,
): void {
  if (b[s] !== B.OPEN_BRACE) return
  const counter = t.rows.phase[row] === PHASE_COUNTER
  const name = t.rows.name[row]
  const thread = t.rows.thread[row]
  let values = 0
  eachMember(b, s, e, (ks, ke, vs, end) => {
    const quoted = b[vs] === B.QUOTE
    if (counter) {
      if (!quoted && B.SCALAR[b[vs]] === 1) {
        const text = latin1(b, vs, Math.min(end, vs + 400))
        const value = DECIMAL.test(text) ? Number(text) : NaN
        if (Number.isFinite(value)) {
          if (Math.abs(value) > Number.MAX_SAFE_INTEGER && !isExact(text, value)) findings.roundedCounter(base + vs)
          t.counters.add(row, intern(t.strings, b, ks, ke), value)
          values++
          return
        }
      }
      findings.oddCounter(base + vs)
    } else if (quoted && B.equalBytes(b, ks, ke, NAME)) {
      if (name === names.processName) t.threads.process(pid).name = intern(t.strings, b, vs + 1, end - 1)
      else if (name === names.threadName) t.threads.setName(thread, intern(t.strings, b, vs + 1, end - 1))
    } else if (quoted && name === names.processLabels && B.equalBytes(b, ks, ke, LABELS)) {
      t.threads.process(pid).labels = intern(t.strings, b, vs + 1, end - 1)
    } else if (B.equalBytes(b, ks, ke, SORT_INDEX)) {
      const sort = Number(latin1(b, quoted ? vs + 1 : vs, Math.min(quoted ? end - 1 : end, vs + 40)))
      if (!Number.isFinite(sort)) return
      if (name === names.processSort) t.threads.process(pid).sort = sort
      else if (name === names.threadSort) t.threads.setSort(thread, sort)
    }
  })
  if (counter && values === 0) findings.oddCounter(t.rows.argsOffset[row])
}

const NAME = B.ascii('name')

function intern(pool: StringPool, b: Uint8Array, s: number, e: number): number {
  let odd = 0
  for (let i = s; i < e; i++) odd |= b[i] === B.BACKSLASH ? ESCAPES : b[i] >= 0x80 ? NON_ASCII : 0
  return odd ? pool.internJson(b, s, e, 0, odd) : pool.internBytes(b, s, e)
}
