/** Goes through the `args` of many events of a trace: they stand in the file and are read once more, in order, piece by piece. */
import { realpath } from 'node:fs/promises'
import { MAX_ARGS_TEXT } from '../../../analysis/trace/search'
import type { CheckedFile } from '../../../shared/reader'
import { KIB } from '../../../shared/units'
import { stampOf } from '../stamp'
import type { Turn } from './lanes'
import type { TraceSource } from './sources'

/** Bytes of ranges (ascending, disjoint) of the uncompressed stream of a file, which must be `at`; a piece is valid until the next is asked for. */
export type ReadBytes = (
  path: string,
  ranges: readonly (readonly [from: number, to: number])[],
  at?: CheckedFile,
) => AsyncIterable<{ readonly offset: number; readonly bytes: Uint8Array }>

/** Ranges that lie nearer are read as one. */
const NEAR = 64 * KIB
/** Events between two looks at the clock where little is done with each. */
const LONG_STRIDE = 1 << 16

export type Scanned =
  { readonly over: boolean; readonly problem: null; readonly cut: number } | { readonly over: false; readonly problem: string }

/**
 * Calls `visit` with the text of the args of each of `rows` (all have args), by place in the file. Never rejects: why they cannot be read is the problem, half a sentence.
 * `over`: given up because of a newer question. `cut`: args longer than MAX_ARGS_TEXT bytes, whose beginning was looked at.
 */
export async function scanArgs(
  { table, file }: TraceSource,
  rows: Uint32Array,
  read: ReadBytes | undefined,
  turn: Turn,
  visit: (row: number, text: string) => void,
): Promise<Scanned> {
  if (rows.length === 0) return { over: false, problem: null, cut: 0 }
  if (!read) return { over: false, problem: 'the file is not at hand' }
  const { argsOffset, argsLength } = table
  for (let k = 1; k < rows.length; k++)
    if (argsOffset[rows[k]] < argsOffset[rows[k - 1]]) {
      rows = rows.slice().sort((a, b) => argsOffset[a] - argsOffset[b])
      break
    }
  let cut = 0
  let k = 0
  try {
    if (!(await isSame(file))) return { over: false, problem: CHANGED }
    /** The beginning of the args of row k, where a piece ended within them. */
    let begun = new Uint8Array(0)
    const ranges = await rangesOf(table, rows, turn)
    if (!ranges) return { over: true, problem: null, cut }
    for await (const { offset, bytes } of read(file.abs, ranges, file.at)) {
      const end = offset + bytes.length
      for (; k < rows.length; k++) {
        const from = argsOffset[rows[k]]
        const to = from + Math.min(argsLength[rows[k]], MAX_ARGS_TEXT)
        if (from >= end) break
        if (to > end) {
          begun = joined(begun, bytes.subarray(Math.max(0, from - offset)))
          break
        }
        const text =
          from >= offset ? textOf(bytes.subarray(from - offset, to - offset)) : textOf(joined(begun, bytes.subarray(0, to - offset)))
        begun = begun.length > 0 ? new Uint8Array(0) : begun
        if (argsLength[rows[k]] > MAX_ARGS_TEXT) cut++
        visit(rows[k], text)
        // Each may have taken long.
        if (turn.due && (await turn.pause())) return { over: true, problem: null, cut }
      }
      if (turn.due && (await turn.pause())) return { over: true, problem: null, cut }
    }
    if (k < rows.length || !(await isSame(file))) return { over: false, problem: CHANGED }
    return { over: false, problem: null, cut }
  } catch (e) {
    return { over: false, problem: `it cannot be read: ${e instanceof Error ? e.message : String(e)}` }
  }
}

const CHANGED = 'it has changed since it was read'

/** Whether the file is still what the table was made of: offsets lead elsewhere in another one. */
async function isSame(file: TraceSource['file']): Promise<boolean> {
  if ((await realpath(file.abs)) !== file.abs) return false
  const stamp = await stampOf(file.abs)
  return stamp.bytes === file.stamp.bytes && stamp.mtimeMs === file.stamp.mtimeMs
}

/** null: given up. */
async function rangesOf(
  { argsOffset, argsLength }: TraceSource['table'],
  rows: Uint32Array,
  turn: Turn,
): Promise<readonly (readonly [number, number])[] | null> {
  const out: [number, number][] = []
  for (let k = 0; k < rows.length; k++) {
    const from = argsOffset[rows[k]]
    const to = from + Math.min(argsLength[rows[k]], MAX_ARGS_TEXT)
    const last = out[out.length - 1]
    if (last && from <= last[1] + NEAR) last[1] = Math.max(last[1], to)
    else out.push([from, to])
    if (k % LONG_STRIDE === LONG_STRIDE - 1 && turn.due && (await turn.pause())) return null
  }
  return out
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(a.length + b.length)
  out.set(a)
  out.set(b, a.length)
  return out
}

/** Invalid UTF-8 becomes U+FFFD. */
const textOf = (b: Uint8Array): string => Buffer.from(b.buffer, b.byteOffset, b.byteLength).toString('utf8')
