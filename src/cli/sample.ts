/** `sample DIR`: writes the sample profile. */
import { resolve } from 'node:path'
import { SAMPLE_DEFAULTS, SAMPLE_LIMITS, writeSample } from '../session/sample/write'

export interface SampleArgs {
  readonly ranks?: number
  readonly steps?: number
  readonly seed?: number
}

/**
 * Writes the sample below `dir` and answers what was written (bytes per file). Throws a RangeError on arguments out of range (usage)
 * and the file system's error where the folder cannot be written.
 */
export async function sampleCommand(dir: string, args: SampleArgs = {}): Promise<{ readonly document: object; readonly read: boolean }> {
  const o = { ...SAMPLE_DEFAULTS, ...Object.fromEntries(Object.entries(args).filter(([, v]) => v !== undefined)) }
  const whole = (name: string, v: number, lo: number, hi: number): void => {
    if (!Number.isInteger(v) || v < lo || v > hi) throw new RangeError(`--${name} takes a whole number from ${lo} to ${hi}`)
  }
  whole('ranks', o.ranks, 1, SAMPLE_LIMITS.ranks)
  whole('steps', o.steps, 1, SAMPLE_LIMITS.steps)
  whole('seed', o.seed, 0, 2 ** 31 - 1)
  const files = await writeSample(dir, o)
  return { document: { root: resolve(dir), ranks: o.ranks, steps: o.steps, seed: o.seed, files, diagnostics: [] }, read: true }
}
