/** The program's figures of a snapshot beside those of the second reading. */
import type { SnapshotTable } from '../../shared/tables'
import type { SecondReading, Verification, VerifyRow } from '../../shared/verify'
import type { AllocatorModel } from '../allocator/model'
import { snapshotReport } from '../allocator/report'
import type { NaiveSnapshot } from './naive'

/** Figures of a device in the order of the screen; the actions follow after `events`. */
const BYTES = [
  'startActiveBytes',
  'peakActiveBytes',
  'endActiveBytes',
  'startAllocatedBytes',
  'peakAllocatedBytes',
  'endAllocatedBytes',
  'startReservedBytes',
  'peakReservedBytes',
  'endReservedBytes',
  'unknownFrees',
  'unknownFreeBytes',
] as const

/** One of our figures: null is "not told". `exact`: nothing that the second reader may misread goes into it. */
interface Ours {
  readonly device: number | null
  readonly figure: string
  readonly value: number | null
  readonly exact: boolean
}

/** Our figures. */
export function oursOf(table: SnapshotTable, models: readonly AllocatorModel[]): readonly Ours[] {
  const segments = new Map<number, number>()
  const blocks = new Map<number, number>()
  for (let s = 0; s < table.segments.count; s++) {
    const device = table.segments.device[s] as number
    const own = (table.segments.blockStart[s + 1] as number) - (table.segments.blockStart[s] as number)
    segments.set(device, (segments.get(device) ?? 0) + 1)
    blocks.set(device, (blocks.get(device) ?? 0) + own)
  }
  const { devices } = snapshotReport(table, models, 0, [])
  const whole = (figure: string, value: number): Ours => ({ device: null, figure, value, exact: true })
  return [
    whole('segments', table.segments.count),
    whole('blocks', table.blocks.count),
    ...devices.flatMap((d, i): readonly Ours[] => {
      const start = models[i]?.figures.startAllocatedBytes ?? NaN
      // Where our report tells no totals, it tells no total at the start either.
      const told = { ...d, startAllocatedBytes: d.startActiveBytes === null || Number.isNaN(start) ? null : start }
      const one = (figure: string, value: number | null, exact: boolean): Ours => ({ device: d.device, figure, value, exact })
      return [
        one('events', d.events, true),
        ...Object.entries(d.eventsByAction).map(([action, n]) => one(`events.${action}`, n, true)),
        one('segments', segments.get(d.device) ?? 0, true),
        one('blocks', blocks.get(d.device) ?? 0, true),
        ...BYTES.map(figure => one(figure, told[figure], false)),
      ]
    }),
  ]
}

/** Rows without a second figure, all for one reason. */
export const untold = (ours: readonly Ours[], reason: string): readonly VerifyRow[] =>
  ours.map(({ device, figure, value }) => ({ device, figure, ours: value, second: null, verdict: 'cannot-tell', reason }))

/** Every figure that one of both tells. */
export function compare(
  ours: readonly Ours[],
  naive: NaiveSnapshot,
  { reader, misread }: Extract<SecondReading, { readonly ok: true }>,
): readonly VerifyRow[] {
  const negative = misread.negative > 0 ? `${reader} takes negative integers of this file for large ones` : null
  const rows: VerifyRow[] = []
  const told = new Set<string>()
  for (const { device, figure, value, exact } of ours) {
    told.add(`${device}/${figure}`)
    const of = device === null ? null : naive.devices.get(device)
    const second =
      device === null ? (figure === 'segments' ? naive.segments : naive.blocks) : (of?.figures.get(figure) ?? (of && exact ? 0 : null))
    const doubt = exact ? null : (of?.doubt ?? negative)
    if (value === null || second === undefined || second === null) {
      const reason = value === null ? 'our reader does not tell this figure' : 'the second reader has no such device'
      // A device that only we have is a difference, not a gap.
      const verdict = value !== null && of === undefined && device !== null ? 'differs' : 'cannot-tell'
      rows.push({ device, figure, ours: value, second: second ?? null, verdict, reason: verdict === 'differs' ? null : reason })
    } else if (value === second) rows.push({ device, figure, ours: value, second, verdict: 'equal', reason: null })
    else if (doubt !== null) rows.push({ device, figure, ours: value, second, verdict: 'cannot-tell', reason: doubt })
    else rows.push({ device, figure, ours: value, second, verdict: 'differs', reason: null })
  }
  for (const [device, { figures }] of naive.devices)
    for (const [figure, second] of figures)
      if (!told.has(`${device}/${figure}`)) rows.push({ device, figure, ours: null, second, verdict: 'differs', reason: null })
  return rows
}

export function verdictOf(rows: readonly VerifyRow[]): Verification['verdict'] {
  if (rows.some(r => r.verdict === 'differs')) return 'differs'
  return rows.some(r => r.verdict === 'equal') ? 'equal' : 'cannot-tell'
}
