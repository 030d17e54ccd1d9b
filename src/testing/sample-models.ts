/** The allocators of every sample snapshot beside an independent reading of the same file, one test per file. */
import { describe, test } from 'vitest'
import type { AllocatorModel } from '../analysis/allocator/model'
import { replayAll } from '../analysis/allocator/replay'
import type { SnapshotTable } from '../shared/tables'
import { plainAllocations, plainOf, type PlainAllocation, type PlainSnapshot } from './naive-memory'
import { snapshotFiles } from './snapshots'

export interface SampleModel {
  readonly table: SnapshotTable
  readonly model: AllocatorModel
  readonly plain: PlainSnapshot
  /** Allocations of the device by the independent reading. */
  readonly all: readonly PlainAllocation[]
}

export function eachSampleModel(check: (sample: SampleModel) => void): void {
  describe('samples', () => {
    for (const [name, read, path] of snapshotFiles())
      test(name, async () => {
        const table = await read()
        const plain = plainOf(name, path, table)
        for (const model of replayAll(table)) check({ table, model, plain, all: plainAllocations(plain, model.device) })
      })
  })
}
