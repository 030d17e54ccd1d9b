/** Snapshot tables for tests: of bytes made in code, and of the samples. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSnapshot } from '../formats/memory-snapshot/read'
import { bufferSource } from '../formats/source'
import type { SnapshotTable } from '../shared/tables'
import { samplesDir } from './samples'

export async function tableOf(data: Uint8Array, name = 'fixture.pickle'): Promise<SnapshotTable> {
  const { table, diagnostics } = await readSnapshot(bufferSource(name, data))
  if (!table) throw new Error(JSON.stringify(diagnostics))
  return table
}

/** Name, reader and path of every real and synthetic sample snapshot; empty without the samples. */
export function snapshotFiles(): readonly (readonly [name: string, read: () => Promise<SnapshotTable>, path: string])[] {
  const dir = samplesDir()
  if (dir === null) return []
  return ['snapshots', 'synthetic-snapshots'].flatMap(folder => {
    const names = Object.keys(JSON.parse(readFileSync(join(dir, folder, 'expected.json'), 'utf8')) as object)
    return names.map(name => {
      const path = join(dir, folder, name)
      return [name, () => tableOf(readFileSync(path), name), path] as const
    })
  })
}
