/** What is said about the clock of the hardware beyond the panel: damaged times. */
import type { Diagnostic } from '../../shared/diagnostics'
import { num } from '../../shared/format'
import type { HardwareClock } from './clocks'

export function clockFindings(file: string, c: HardwareClock): readonly Diagnostic[] {
  if (c.outliers === 0) return []
  return [
    {
      severity: 'warning',
      code: 'system-clock-outliers',
      file,
      offset: null,
      message: `${num(c.outliers)} of ${num(c.own)} hardware events have a device time, or a sync point, that is far from those of the others on their core.`,
      meaning: `Their times are ${c.method === 'corrected' ? 'moved by what the others of their core are' : 'shown as stored'}; the others are not affected.`,
      action: 'The file may be damaged: copy it again. If the run is sound, the runtime lost its clock for a moment.',
      count: c.outliers,
    },
  ]
}
