/** Reads a snapshot and takes the device that was asked for. */
import { eventOf, type Moment } from '../../analysis/allocator/live/moments'
import type { AllocatorModel } from '../../analysis/allocator/model'
import { replayAll } from '../../analysis/allocator/replay'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import { fileSource } from '../../formats/source'
import type { Diagnostic } from '../../shared/diagnostics'
import type { ReadOptions } from '../../shared/reader'
import type { SnapshotTable } from '../../shared/tables'
import { UsageError } from '../args'
import type { MemoryCommand } from './options'

export interface Opened {
  readonly table: SnapshotTable
  readonly model: AllocatorModel
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * The model of `device`; of the first device with a history where it is null, and then a diagnostic names the others. Only diagnostics where nothing can be read. Throws
 * UsageError for a device that the file does not have; rejects with the system's error where the file cannot be opened.
 */
export async function openDevice(
  command: MemoryCommand,
  file: string,
  device: number | null,
  opts: ReadOptions,
): Promise<Opened | { readonly diagnostics: readonly Diagnostic[] }> {
  const source = await fileSource(file, file)
  try {
    const { table, diagnostics } = await readSnapshot(source, opts)
    if (!table) return { diagnostics }
    const models = replayAll(table)
    const told = (severity: Diagnostic['severity'], code: string, message: string, meaning: string, action: string): Diagnostic => ({
      ...{ severity, code, file, offset: null, message, meaning, action, count: 1 },
    })
    if (models.length === 0)
      return {
        diagnostics: [
          ...diagnostics,
          told(
            'error',
            'snapshot-empty',
            'The snapshot has neither events nor segments.',
            'There is nothing to tell.',
            'Record a history.',
          ),
        ],
      }
    const devices = models.map(m => m.device).join(', ')
    const model = device === null ? (models.find(m => m.events > 0) ?? models[0]) : models.find(m => m.device === device)
    if (!model) throw new UsageError(`the snapshot has no device ${device}; it has ${devices}`, command)
    const found = [...diagnostics]
    if (device === null && models.length > 1)
      found.push(
        told(
          'info',
          'other-devices',
          `The snapshot has devices ${devices}.`,
          `The figures are those of device ${model.device} alone.`,
          'Take another one with --device N.',
        ),
      )
    return { table, model, diagnostics: found }
  } finally {
    await source.close()
  }
}

/** Event of a moment. Throws UsageError where it is outside the history. */
export function momentOf(command: MemoryCommand, model: AllocatorModel, moment: Moment): number {
  try {
    return eventOf(model, moment)
  } catch (e) {
    throw e instanceof RangeError ? new UsageError(e.message, command) : e
  }
}
