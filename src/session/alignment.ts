/** What is said about the clock of each source, and which sources overlap. Nothing is shifted here: shifts by hand come as an argument and are only told. */
import type { ClockConfidence, ClockInfo, ClockMethod } from '../shared/clock-api'
import type { ClockDomain } from '../shared/tables'

/** What comparing hardware times with sync points told (see analysis/system/clocks). */
export interface HardwareFacts {
  readonly method: 'stored' | 'corrected' | 'unchecked' | 'none'
  readonly events: number
  readonly syncPoints: number
  readonly offsetNs: number | null
  readonly residualNs: number | null
  readonly own: number
  readonly nearest: number
  readonly without: number
  readonly outliers: number
}

export interface AlignedSource {
  readonly file: string
  readonly path: string
  readonly source: number
  readonly clock: ClockDomain
  /** First and last time, Unix ns (or ns of its own clock), shift included; null without times. */
  readonly spanNs: readonly [bigint, bigint] | null
  readonly shiftNs: bigint
  /** Set for sources with hardware events. */
  readonly hardware: HardwareFacts | null
}

const METHODS: Readonly<Record<AlignedSource['clock'], readonly [ClockMethod, ClockConfidence, string]>> = {
  'unix-nanoseconds': ['host-clock', 'stated', 'Unix nanoseconds of the host clock, as stored.'],
  'kineto-base-time': ['kineto-base-time', 'stated', 'Base time of the trace plus the time of each event.'],
  'unix-microseconds': ['unix-microseconds', 'stated', 'Unix microseconds, as stored: times are exact to 1 µs.'],
  unknown: ['own', 'unknown', 'Relative to an unknown zero: drawn in a range of its own until it is shifted by hand.'],
  none: ['none', 'unknown', 'No times in the file.'],
}

/** Microseconds are whole: what lies between two of them is not known. */
const RESIDUALS: Readonly<Partial<Record<AlignedSource['clock'], number>>> = { 'unix-microseconds': 1000 }

/** One entry per source, and one more for the hardware events of a runtime trace. */
export function alignmentOf(sources: readonly AlignedSource[]): readonly ClockInfo[] {
  return sources.flatMap((s): ClockInfo[] => {
    const [method, confidence, text] = METHODS[s.clock]
    const known = s.clock !== 'unknown' && s.clock !== 'none'
    const overlaps = known || s.shiftNs !== 0n ? sources.filter(o => o !== s && overlap(s, o)).map(o => o.path) : []
    const others = sources.filter(o => o !== s && o.spanNs !== null && o.clock !== 'unknown' && o.clock !== 'none')
    const lonely = known && s.spanNs !== null && others.length > 0 && overlaps.length === 0
    const base = {
      file: s.file,
      path: s.path,
      source: s.source,
      shiftNs: String(s.shiftNs),
      startNs: s.spanNs ? String(s.spanNs[0]) : null,
      endNs: s.spanNs ? String(s.spanNs[1]) : null,
      overlaps,
    }
    const whole: ClockInfo = {
      ...base,
      part: '',
      method,
      confidence: lonely ? 'doubtful' : confidence,
      text:
        text +
        (lonely ? ` It overlaps with no other source: ${apart(s, others)}. Each is drawn in its own range.` : '') +
        (s.shiftNs !== 0n ? ' Shifted by hand.' : ''),
      offsetNs: null,
      residualNs: RESIDUALS[s.clock] ?? null,
    }
    return s.hardware && s.hardware.method !== 'none' ? [whole, { ...base, ...hardware(s.hardware) }] : [whole]
  })
}

function overlap(a: AlignedSource, b: AlignedSource): boolean {
  if (!a.spanNs || !b.spanNs || b.clock === 'none' || (b.clock === 'unknown' && b.shiftNs === 0n)) return false
  return a.spanNs[0] <= b.spanNs[1] && b.spanNs[0] <= a.spanNs[1]
}

/** How far the nearest other source is, in words. */
function apart(s: AlignedSource, others: readonly AlignedSource[]): string {
  let nearest: { readonly gap: bigint; readonly path: string } | null = null
  for (const o of others) {
    if (!s.spanNs || !o.spanNs) continue
    const gap = o.spanNs[0] > s.spanNs[1] ? o.spanNs[0] - s.spanNs[1] : s.spanNs[0] - o.spanNs[1]
    if (nearest === null || gap < nearest.gap) nearest = { gap, path: o.path }
  }
  return nearest ? `${seconds(nearest.gap)} from ${nearest.path.slice(nearest.path.lastIndexOf('/') + 1)}` : 'no other source has times'
}

function seconds(ns: bigint): string {
  const s = Number(ns) / 1e9
  if (s < 1) return `${(s * 1000).toFixed(1)}\u00a0ms`
  if (s < 600) return `${s.toFixed(1)}\u00a0s`
  return s < 172_800 ? `${(s / 3600).toFixed(1)}\u00a0h` : `${(s / 86_400).toFixed(1)}\u00a0days`
}

const ns = (v: number): string =>
  Math.abs(v) < 10_000
    ? `${v.toLocaleString('en-US')}\u00a0ns`
    : `${(v / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })}\u00a0µs`

function hardware(h: HardwareFacts): Pick<ClockInfo, 'part' | 'method' | 'confidence' | 'text' | 'offsetNs' | 'residualNs'> {
  const residual =
    h.residualNs === null
      ? ' No core has two sync points, so that nothing tells how precise they are.'
      : ` Sync points of one core disagree by at most ${ns(h.residualNs)}.`
  const rest = [
    h.nearest > 0 ? `${h.nearest.toLocaleString('en-US')} use another sync point of their core` : '',
    h.outliers > 0 ? `${h.outliers.toLocaleString('en-US')} are far from the others of their core` : '',
    h.without > 0 ? `${h.without.toLocaleString('en-US')} have none and stand as stored` : '',
  ].filter(Boolean)
  const left = rest.length > 0 ? ` Of ${h.events.toLocaleString('en-US')} hardware events ${rest.join(', ')}.` : ''
  if (h.method === 'unchecked')
    return {
      part: 'neuron_hw',
      method: 'host-clock',
      confidence: 'doubtful',
      text: `Hardware events stand as stored: no event has a sync point of its execution and core to compare with.`,
      offsetNs: null,
      residualNs: null,
    }
  const offset = h.offsetNs ?? 0
  return {
    part: 'neuron_hw',
    method: 'sync-points',
    confidence: rest.length > 0 ? 'doubtful' : 'checked',
    text:
      (h.method === 'stored'
        ? `The stored times agree with the sync points of ${h.own.toLocaleString('en-US')} events: nothing was changed.`
        : `The stored times differ from those of the sync points by ${ns(-offset)} (median) and were replaced by them.`) +
      residual +
      left,
    offsetNs: h.method === 'corrected' ? String(Math.round(offset)) : '0',
    residualNs: h.residualNs,
  }
}
