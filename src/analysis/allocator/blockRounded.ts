/**
 * Whether the block-rounded curve may be shown: the rules of the CUDA allocator are checked on the file's own data. The segment table tells the true size of every block that
 * is live at the end, a `snapshot` entry the allocated bytes at its instant. The curve is shown only where all of them are met; otherwise just the end is told, which the
 * segment table has by itself.
 */
import { num } from '../../shared/format'
import type { DeviceTrace, SnapshotTable } from '../../shared/tables'
import type { BlockRounded } from './model'
import { allocatedAtStart, roundedCurve, type Replayed } from './rounded'
import { roundingSettings } from './rounding'

const ACTIVE_ALLOCATED = 0
const MAX_ACTION_WITH_SIZE = 3
/** From here on Neuron's allocator does not round requests (its memory guide says 16 MB). */
const NEURON_EXACT = 16 * 1024 * 1024
const NEURON_MIN = 256

/**
 * @param segmentRows rows of the segment table of the device
 * @param entries events of the `snapshot` entries
 * @param anchored whether segment table and history are whole
 * @returns the verdict, and the curve after each event; null where it is not shown
 */
export function blockRounded(
  table: SnapshotTable,
  segmentRows: readonly number[],
  model: Replayed,
  entries: readonly number[],
  anchored: boolean,
): { readonly verdict: BlockRounded; readonly after: Float64Array | null } {
  const trace = table.devices[model.traceIndex] ?? null
  const none = (status: 'refuted' | 'unknown', reason: string, endBytes: number, checkedBlocks = 0, matched = 0) => ({
    verdict: { status, reason, checkedBlocks, checkpoints: [matched, entries.length], startBytes: NaN, peakBytes: NaN, endBytes } as const,
    after: null,
  })
  if (!anchored) return none('unknown', 'the file ends early: the segment table cannot be tied to the history', NaN)
  const inTable = tableBytes(table, segmentRows)
  if (Number.isNaN(inTable)) return none('unknown', 'the segment table has blocks without a size', NaN)
  if (trace && !sizesKnown(trace)) return none('unknown', 'an alloc or a free of the history has a size that does not fit', inTable)
  const missing = liveRows(model, i => (model.block[i] as number) < 0).length
  if (missing > 0)
    return none(
      'unknown',
      `${count(missing, 'block')} that the recording allocated and did not free ${missing === 1 ? 'is' : 'are'} not in the segment table: blocks are missing from the file`,
      NaN,
    )
  const settings = roundingSettings(table.settings)
  if (settings === null)
    return none('unknown', 'the allocator settings in the file are of a form whose effect on block sizes is not known', inTable)

  const curve = roundedCurve(table, segmentRows, model, settings)
  const live = liveRows(model, () => true)
  const wrong = live.filter(i => curve.block[i] !== table.blocks.size[model.block[i] as number])
  const matched = trace ? entries.filter(e => curve.after[e] === trace.size[e]).length : 0
  const end = curve.after.at(-1) ?? curve.start
  if (wrong.length > 0) {
    const first = wrong[0] as number
    const size = table.blocks.size[model.block[first] as number] as number
    const why = neuronLike(table, model, live)
      ? 'This looks like the Neuron allocator (from 16 MB a block is as large as the request, below it is rounded to a size class of at least 256 B), whose size classes are not public'
      : `${bytes(model.size[first] as number)} requested would take ${bytes(curve.block[first] as number)}, the segment table says ${bytes(size)}`
    return none(
      'refuted',
      `the rounding of the CUDA allocator does not give the size of ${num(wrong.length)} of the ${count(live.length, 'block')} that can be checked. ${why}`,
      inTable,
      live.length,
      matched,
    )
  }
  if (matched < entries.length)
    return none(
      'refuted',
      `${num(entries.length - matched)} of the ${count(entries.length, 'checkpoint')} in the history ${entries.length - matched === 1 ? 'does' : 'do'} not agree with the rounding of the CUDA allocator`,
      inTable,
      live.length,
      matched,
    )
  if (end !== inTable)
    return none('refuted', `the curve ends at ${bytes(end)}, the segment table says ${bytes(inTable)}`, inTable, live.length, matched)

  const peakBytes = curve.after.reduce((m, v) => (v > m ? v : m), curve.start)
  const guessed = guessedRows(model)
  const reason = [
    live.length > 0
      ? `checked on ${count(live.length, 'block')}`
      : 'not confirmed: no block that the recording allocated is live at its end',
    entries.length > 0 ? `${count(entries.length, 'checkpoint')} ${entries.length === 1 ? 'agrees' : 'agree'}` : '',
    guessed > 0
      ? `${count(guessed, 'block')} from before the recording, freed in it, ${guessed === 1 ? 'is' : 'are'} counted by the rounding alone`
      : '',
  ]
  return {
    verdict: {
      status: live.length > 0 ? 'confirmed' : 'not-confirmed',
      reason: reason.filter(Boolean).join('; '),
      checkedBlocks: live.length,
      checkpoints: [matched, entries.length],
      startBytes: curve.start,
      peakBytes,
      endBytes: end,
    },
    after: curve.after,
  }
}

const count = (n: number, one: string): string => `${num(n)} ${one}${n === 1 ? '' : 's'}`
const bytes = (n: number): string => `${num(n)} B`

/** Block bytes of the table's allocated blocks of a device; NaN where one has no size. */
function tableBytes({ segments, blocks }: SnapshotTable, segmentRows: readonly number[]): number {
  let sum = 0
  for (const s of segmentRows)
    for (let k = segments.blockStart[s] as number; k < (segments.blockStart[s + 1] as number); k++)
      if (blocks.state[k] === ACTIVE_ALLOCATED) sum += blocks.size[k] as number
  return sum
}

/** Whether every alloc and free has a size; the replay counts one without as 0. */
export function sizesKnown(trace: DeviceTrace): boolean {
  for (let i = 0; i < trace.count; i++)
    if ((trace.action[i] as number) <= MAX_ACTION_WITH_SIZE && Number.isNaN(trace.size[i] as number)) return false
  return true
}

/** Allocations of the recording that are active at its end. */
function liveRows(model: Replayed, which: (i: number) => boolean): readonly number[] {
  const rows: number[] = []
  for (let i = model.startCount; i < model.count; i++) if ((model.freeEvent[i] as number) < 0 && which(i)) rows.push(i)
  return rows
}

/** Blocks of the start state that count into the curve and are not in the table: whether they were split is not known. */
function guessedRows(model: Replayed): number {
  let n = 0
  for (let i = 0; i < model.startCount; i++) if ((model.block[i] as number) < 0 && allocatedAtStart(model, i)) n++
  return n
}

/**
 * Whether the live blocks fit what is documented of Neuron's allocator and only that: as large as the request from 16 MB on, multiples of 256 B below, and at least one that
 * is no multiple of the 512 B of CUDA.
 */
function neuronLike({ blocks }: SnapshotTable, model: Replayed, live: readonly number[]): boolean {
  let telling = false
  for (const i of live) {
    const size = blocks.size[model.block[i] as number] as number
    const requested = model.size[i] as number
    if (requested >= NEURON_EXACT ? size !== requested : size < requested || size % NEURON_MIN !== 0) return false
    if (size % 512 !== 0) telling = true
  }
  return telling
}
