/** Measuring on a machine that others use, too. */
import { openSync, readFileSync, readSync } from 'node:fs'

/**
 * What something took, ms: on the clock, and without the time in which this thread was ready to run while other programs had the cores (Linux tells;
 * elsewhere both are the same). Work that the thread itself waits for is part of both.
 */
export interface Took {
  readonly clock: number
  readonly work: number
}

const schedstat = ((): number | null => {
  try {
    return openSync('/proc/thread-self/schedstat', 'r')
  } catch {
    return null
  }
})()
const buffer = Buffer.alloc(96)

/** Time that this thread has waited for a core so far, ms. The kernel counts it exactly, unlike the time that it ran, which it counts in ticks. */
function waitedMs(): number {
  if (schedstat === null) return 0
  const n = readSync(schedstat, buffer, 0, buffer.length, 0)
  return Number(buffer.toString('latin1', 0, n).split(' ')[1]) / 1e6
}

export function took(f: () => void): Took {
  const waited = waitedMs()
  const begun = performance.now()
  f()
  const clock = performance.now() - begun
  return { clock, work: Math.max(0, clock - (waitedMs() - waited)) }
}

/** The value below which a share `q` of the values lies (nearest rank); NaN without values. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) return NaN
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))]
}

/** Median and 99th percentile of the work, and the latter on the clock. */
export const spread = (
  all: readonly Took[],
): { readonly p50: number; readonly p99: number; readonly max: number; readonly p99Clock: number } => ({
  p50: quantile(
    all.map(t => t.work),
    0.5,
  ),
  p99: quantile(
    all.map(t => t.work),
    0.99,
  ),
  max: Math.max(...all.map(t => t.work)),
  p99Clock: quantile(
    all.map(t => t.clock),
    0.99,
  ),
})

/**
 * Peak memory of this process so far (RSS), MB. From /proc where there is one: what getrusage tells of a process that was started by a larger one
 * is at least the peak of that one.
 */
export function peakMb(): number {
  try {
    const kb = /^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))
    if (kb) return Number(kb[1]) / 1024
  } catch {
    // not Linux
  }
  return process.resourceUsage().maxRSS / 1024
}
