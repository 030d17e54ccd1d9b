/** What the replay of device memory found that a user should know. */
import type { DiagnosticSink } from '../../shared/diagnostics'
import { duration, exactBytes, memory, num } from '../../shared/format'
import type { SystemTable } from '../../shared/system-tables'
import type { Step } from './build'
import { MAX_HBMS, type Collected, type Seen } from './collect'
import type { Lives } from './lives'
import type { HbmModel } from './model'

/** Where the runtime's figures and the running sum part. */
export interface Steps {
  readonly total: Step
  readonly category: Step
  /** While events are known to be lost. */
  readonly lost: Step
  /** Categories that add up to more than the total. */
  readonly exceed: Step
}

const plural = (n: number, one: string, many = `${one}s`): string => `${num(n)} ${n === 1 ? one : many}`

/** `ND:0 HBM:1`; a device that the file does not tell is left out. */
export const hbmName = (m: Pick<HbmModel, 'device' | 'hbm'>): string => (m.device < 0 ? `HBM:${m.hbm}` : `ND:${m.device} HBM:${m.hbm}`)

export function reportCollected(sink: DiagnosticSink, c: Collected, table: SystemTable): void {
  const add = (seen: Seen, severity: 'info' | 'warning', code: string, what: string, meaning: string, action: string): void => {
    if (seen.count > 0) {
      const at = duration(table.start[seen.row] - (table.range?.[0] ?? 0))
      sink.add({
        severity,
        code,
        count: seen.count,
        message: `${what}; the first one is row ${seen.row}, ${at} after the first event.`,
        meaning,
        action,
      })
    }
  }
  add(
    c.open,
    'info',
    'hbm-open-allocations',
    `${plural(c.open.count, 'allocation or free')} of device memory without an end`,
    'Whether and how much they changed is not known; they are left out of the curve unless later totals show it.',
    'Nothing, if the recording was stopped while they ran.',
  )
  add(
    c.unplaced,
    'warning',
    'hbm-unplaced',
    `${plural(c.unplaced.count, 'allocation or free', 'allocations or frees')} of device memory without hbm_idx`,
    'They belong to no HBM and are left out: live allocations may be missing or shown too long. The start of such an event, which names the HBM, was overwritten.',
    'Record with a larger max_events_per_nc.',
  )
  add(
    c.sizeless,
    'warning',
    'hbm-no-size',
    `${plural(c.sizeless.count, 'allocation or free', 'allocations or frees')} of device memory without a size`,
    'Totals stand where the runtime tells them; the sizes of these allocations are shown as 0 bytes and are missing from sums of live allocations.',
    'Check the file with the schema of the runtime that wrote it.',
  )
  add(
    c.unreadable,
    'warning',
    'hbm-unreadable-numbers',
    `${plural(c.unreadable.count, 'allocation event')} whose total or address is no whole number`,
    'Such totals are not used: the curve goes on by the sizes. Without their address allocations and frees do not find each other, and live allocations may be shown too long.',
    'Check the file with the schema of the runtime that wrote it.',
  )
  add(
    c.surplus,
    'warning',
    'hbm-too-many',
    `${plural(c.surplus.count, 'allocation event')} of more than ${num(MAX_HBMS)} HBMs`,
    `Only the first ${num(MAX_HBMS)} HBMs are shown. No host has as many: the numbers of the file are damaged, or are not what they seem.`,
    'Check the file with the schema of the runtime that wrote it.',
  )
  add(
    c.otherDevice,
    'info',
    'hbm-other-device',
    `${plural(c.otherDevice.count, 'allocation event')} recorded for another Neuron device than the one that holds the memory`,
    'The device named by mla_idx is taken.',
    'Nothing.',
  )
}

/** Findings of one HBM. */
export function reportHbm(sink: DiagnosticSink, m: HbmModel, s: Steps, lives: Lives): void {
  const name = hbmName(m)
  const at = (step: Step): string =>
    `the first time at row ${step.row}, ${duration(step.time - m.time[0])} after the first allocation event`
  if (s.total.count > 0)
    sink.add({
      severity: 'warning',
      code: 'hbm-totals-disagree',
      count: s.total.count,
      message: `${name}: the runtime's total_bytes is ${plural(s.total.count, 'time')} not the total before plus the change, ${at(s.total)}; the largest step differs by ${exactBytes(s.total.most)}.`,
      meaning:
        "Totals are the runtime's own. Allocations or frees are missing from the file, or were counted by another thread in between; the table of live allocations may lack some.",
      action: 'Look for dropped events in the checks of the session.',
    })
  if (s.category.count > 0)
    sink.add({
      severity: 'warning',
      code: 'hbm-category-totals-disagree',
      count: s.category.count,
      message: `${name}: usage_type_total_bytes is ${plural(s.category.count, 'time')} not the category's total before plus the change, ${at(s.category)}; the largest step differs by ${exactBytes(s.category.most)}.`,
      meaning:
        "Categories are the runtime's own figures. Bytes of before the recording are inferred from them and may be wrong for a category concerned.",
      action: 'Look for dropped events in the checks of the session.',
    })
  if (s.lost.count > 0)
    sink.add({
      severity: 'info',
      code: 'hbm-events-lost',
      count: s.lost.count,
      message: `${name}: while events were being overwritten, totals change ${plural(s.lost.count, 'time')} by more than the events that are left, ${at(s.lost)}.`,
      meaning:
        'In that stretch totals stand at the events; what happened between them is not known, and the table of live allocations lacks some.',
      action: 'Record with a larger max_events_per_nc.',
    })
  if (s.exceed.count > 0)
    sink.add({
      severity: 'warning',
      code: 'hbm-categories-exceed-total',
      count: s.exceed.count,
      message: `${name}: the categories add up to more than the total after ${plural(s.exceed.count, 'event')}, ${at(s.exceed)}, by ${exactBytes(s.exceed.most)} at most.`,
      meaning: "The stacked areas then end above the runtime's total.",
      action: 'Trust the total; report the file if no events are missing.',
    })
  if (m.count > 0 && m.totals === 'running-sum')
    sink.add({
      severity: 'warning',
      code: 'hbm-no-totals',
      message: `${name}: the allocation events have no total_bytes.`,
      meaning:
        'Only bytes since the beginning of the recording are counted; what was there before is known as far as it was freed. The peak is a lower bound.',
      action: 'Nothing, if the run was recorded from its beginning.',
    })
  if (lives.lostFrees > 0)
    sink.add({
      severity: 'info',
      code: 'hbm-address-reused',
      count: lives.lostFrees,
      message: `${name}: ${plural(lives.lostFrees, 'address was', 'addresses were')} given out again without a free in between, first at row ${lives.lostFreeRow}.`,
      meaning: 'The earlier allocation is shown to end there; its free is not in the file.',
      action: 'Look for dropped events in the checks of the session.',
    })
  if (lives.otherSize > 0)
    sink.add({
      severity: 'info',
      code: 'hbm-free-size',
      count: lives.otherSize,
      message: `${name}: ${plural(lives.otherSize, 'free')} of another size than was allocated at the address, first at row ${lives.otherSizeRow}.`,
      meaning: 'The allocation is shown with the size it was made with.',
      action: 'Nothing.',
    })
  if (m.failureCount > 0) {
    const f = m.failures[0]
    sink.add({
      severity: 'warning',
      code: 'hbm-out-of-memory',
      count: m.failureCount,
      message: `${name}: ${plural(m.failureCount, 'allocation')} failed, first at row ${f.row} with return code ${f.returnCode}${Number.isNaN(f.bytes) ? '' : `, ${memory(f.bytes)} asked for`}.`,
      meaning: 'Failed allocations change no total; they are marked on the chart.',
      action: 'See what is live at that time.',
    })
  }
}
