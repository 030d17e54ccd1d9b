/** Flow events of a framework's trace whose both ends are exported. */
import type { Turn } from '../lanes'
import type { TraceSource } from '../sources'

const S = 0x73
const T = 0x74
const F = 0x66

/** Rows of s, t and f events in [start, end) on one of `threads` (rows of the thread table) whose id has a begin and a further point among them. */
export async function flowRows(
  { table }: TraceSource,
  start: number,
  end: number,
  threads: ReadonlySet<number>,
  turn: Turn,
): Promise<readonly number[]> {
  const { phase, ts, id, thread } = table
  const found: number[] = []
  const ends = new Uint8Array(table.strings.offsets.length)
  for (let row = 0; row < table.count; row++) {
    if ((row & 0xffff) === 0xffff && turn.due) await turn.pause()
    const p = phase[row]
    if (p !== S && p !== T && p !== F) continue
    const t = ts[row] as number
    const of = id[row] as number
    if (!(t >= start && t < end) || of < 0 || !threads.has(thread[row] as number)) continue
    ends[of] = (ends[of] as number) | (p === S ? 1 : 2)
    found.push(row)
  }
  return found.filter(row => ends[id[row] as number] === 3)
}
