/** Columns of the statistics. */
import type { StatsBy, StatsColumn, StatsRow } from '../../../shared/trace-api'
import { duration, num } from '../../../shared/format'
import type { Column } from '../table/types'
import { percent } from './words'

const KEY: Readonly<Record<StatsBy, string>> = { name: 'Name', track: 'Track', category: 'Category' }

const HELP: Readonly<Partial<Record<StatsColumn, string>>> = {
  totalNs: 'Sum of the durations; what runs at the same time counts each time',
  selfNs: 'Without what the direct children on the same track take',
  wallNs: 'Time in which at least one of them ran, over all tracks',
  overlapNs: 'Time in which two or more of them ran at once',
  medianNs: 'Median, by nearest rank',
  p95Ns: '95th percentile, by nearest rank: 95 of 100 are not longer',
}

const ns = (id: StatsColumn & keyof StatsRow, title: string, csv: string): Column<StatsRow> => ({
  id,
  title,
  help: HELP[id],
  align: 'right',
  width: '76px',
  value: r => r[id] as number,
  csv,
  cell: r => duration(r[id] as number),
  hover: r => `${num(r[id] as number)} ns`,
})

/** The id of each is the column that the host sorts by, but for `share`, which is the order of `wallNs`. */
export const statsColumns = (by: StatsBy, lengthNs: number): readonly Column<StatsRow>[] => [
  {
    id: 'key',
    title: KEY[by],
    align: 'left',
    value: r => r.key,
    csv: by,
    cell: r => r.key || (by === 'category' ? 'no category' : '(no name)'),
    hover: r => r.key,
  },
  { id: 'count', title: 'Count', align: 'right', width: '56px', value: r => r.count, csv: 'count' },
  ns('totalNs', 'Total', 'total_ns'),
  ns('selfNs', 'Self', 'self_ns'),
  ns('wallNs', 'Wall', 'wall_ns'),
  {
    id: 'share',
    title: 'Share',
    help: 'Wall time as a share of the length of what is counted',
    align: 'right',
    width: '50px',
    value: r => (lengthNs > 0 ? r.wallNs / lengthNs : null),
    csv: 'share',
    cell: r => percent(r.wallNs, lengthNs),
  },
  ns('meanNs', 'Mean', 'mean_ns'),
  ns('medianNs', 'Median', 'median_ns'),
  ns('p95Ns', 'p95', 'p95_ns'),
  ns('minNs', 'Min', 'min_ns'),
  ns('maxNs', 'Max', 'max_ns'),
  ns('overlapNs', 'Overlap', 'overlap_ns'),
]

/** Column by which the host sorts where it holds more rows than are shown. */
export const hostColumn = (id: string): StatsColumn => (id === 'share' ? 'wallNs' : (id as StatsColumn))
