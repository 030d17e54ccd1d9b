/** The HBM part of the document that `system PATH --json` prints. */
import type { HbmModel } from './model'
import { knownState } from './at'

export interface HbmReport {
  readonly device: number | null
  readonly hbm: number
  readonly peakBytes: number
  /** Unix ns of the stop of the event after which the total is highest, decimal; null without events. */
  readonly peakNs: string | null
  /** Each category's own peak. */
  readonly categories: Readonly<Record<string, number>>
  readonly allocations: number
  readonly frees: number
  /** Allocations with a known address that nothing freed. */
  readonly liveAtEnd: number
}

export function hbmReport(models: readonly HbmModel[], epochNs: bigint): readonly HbmReport[] {
  return models.map(m => ({
    device: m.device < 0 ? null : m.device,
    hbm: m.hbm,
    peakBytes: m.peakBytes,
    peakNs: m.peakEvent < 0 ? null : String(epochNs + BigInt(Math.round(m.time[m.peakEvent]))),
    categories: Object.fromEntries(m.categories.filter(c => !Number.isNaN(c.peakBytes)).map(c => [c.name, c.peakBytes])),
    allocations: m.allocs,
    frees: m.frees,
    liveAtEnd: m.liveAtEnd,
  }))
}

/** `at`: the total of each HBM at a Unix time; null where nothing is known then. */
export function hbmTotalsAt(
  models: readonly HbmModel[],
  epochNs: bigint,
  unixNs: bigint,
): readonly { readonly device: number | null; readonly hbm: number; readonly totalBytes: number | null }[] {
  return models.map(m => {
    const state = knownState(m, Number(unixNs - epochNs))
    return { device: m.device < 0 ? null : m.device, hbm: m.hbm, totalBytes: state < 0 ? null : m.total[state] }
  })
}
