/** The words of the chart of an HBM. Every figure says which bytes it counts. */
import type { HbmCapacity, HbmInfo } from '../../shared/hbm-api'
import { memory, num, timeMs } from '../../shared/format'
import { GIB } from '../../shared/units'

const NBSP = '\u00a0'

/** Without decimals where there are none: `24 GiB`. */
export const rounded = (bytes: number): string => (bytes % GIB === 0 ? num(bytes / GIB) + NBSP + 'GiB' : memory(bytes))

/** Where the file tells no totals, only bytes since the beginning of the recording are counted: that is not the total of the device. */
export const totalName = (info: Pick<HbmInfo, 'totals'>): string => (info.totals === 'runtime' ? 'total' : 'since the recording began')
export const peakName = (info: Pick<HbmInfo, 'totals'>): string => `peak ${totalName(info)}`

export const RESERVED = 'PyTorch reserved'

/** The dashed lines, highest first. */
export function capacityLines(c: HbmCapacity): readonly { readonly bytes: number; readonly label: string }[] {
  const out: { bytes: number; label: string }[] = []
  if (c.bytes !== null) out.push({ bytes: c.bytes, label: `capacity ${rounded(c.bytes)}` })
  if (c.perCoreBytes !== null) out.push({ bytes: c.perCoreBytes, label: `one core ${rounded(c.perCoreBytes)}, LNC 1` })
  return out
}

export const oomWords = (bytes: number | null): string =>
  bytes === null ? 'out of memory, size not told' : `out of memory: ${memory(bytes)} requested`

/** Words on the hatched stretches where nothing is known. */
export const beforeWords = (at: number): string => `not recorded before ${timeMs(at, 1)}`
export const afterWords = (at: number): string => `no data after ${timeMs(at, 1)}`
/** Where the reason of a lost stretch has no room. */
export const LOST = 'events lost'
