/** The table of `torch_neuronx.memory_summary()`, line for line as Neuron's memory guide prints it. */
import { GIB, KIB, MIB } from '../../../shared/units'
import type { MemoryStats } from './stats'

const WIDTH = 75
const CELL = 10
const COLUMNS = ['current', 'peak', 'allocated', 'freed'] as const
const ROWS = [
  ['Allocated Memory', 'allocated_bytes'],
  ['Reserved Memory', 'reserved_bytes'],
  ['Active Memory', 'active_bytes'],
] as const

/** Ends with a line break. A figure that the file does not tell is a dash; where block sizes are missing a row of requested bytes stands below. */
export function summaryTable({ device, allocations, frees, ooms, retries, stats }: MemoryStats): string {
  const cell = (name: string, column: string): string => bytesText(stats[`${name}.all.${column}`] ?? null).padStart(CELL)
  const row = ([label, name]: readonly [string, string]): string => `  ${label.padEnd(19)}| ${COLUMNS.map(c => cell(name, c)).join(' | ')}`
  // Bytes that were asked for may be known where block sizes are not.
  const blocks = COLUMNS.every(c => stats[`allocated_bytes.all.${c}`] !== null || stats[`requested_bytes.all.${c}`] === null)
  const count = (n: number | null): string => (n === null ? '—' : String(n))
  const double = '='.repeat(WIDTH)
  const lines = [
    double,
    `  Neuron Memory Summary, Device ${device}`,
    double,
    `  Allocations: ${count(allocations)}  |  Frees: ${count(frees)}`,
    `  OOMs: ${count(ooms)}  |  Alloc Retries: ${count(retries)}`,
    double,
    `  ${'Metric'.padEnd(20)}| ${['Current', 'Peak', 'Allocated', 'Freed']
      .map(h => h.padEnd(CELL))
      .join(' | ')
      .trimEnd()}`,
    '-'.repeat(WIDTH),
    ...ROWS.map(row),
    ...(blocks ? [] : [row(['Requested Memory', 'requested_bytes'])]),
    double,
  ]
  return lines.join('\n') + '\n'
}

/** `12 MiB`, `12.5 MiB`, `0 B`: the largest unit that fits, a digit after the point where it is not whole. */
export function bytesText(bytes: number | null): string {
  if (bytes === null) return '—'
  const [unit, name] = bytes >= GIB ? [GIB, 'GiB'] : bytes >= MIB ? [MIB, 'MiB'] : bytes >= KIB ? [KIB, 'KiB'] : [1, 'B']
  const v = bytes / unit
  return `${Number.isInteger(v) ? v : v.toFixed(1)} ${name}`
}
