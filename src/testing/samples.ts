/** Where the real sample files lie, for tests. They are read in place and never copied into the project. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')
let told = false

/** Folder of the samples (`NEURON_WORKBENCH_SAMPLES`, default `../shared/samples`), or null, in which case one line says what is skipped. */
export function samplesDir(): string | null {
  const dir = resolve(ROOT, process.env['NEURON_WORKBENCH_SAMPLES'] ?? '../shared/samples')
  if (existsSync(join(dir, 'README.md'))) return dir
  if (!told) console.warn(`Tests on real samples are skipped: no folder ${dir} (set NEURON_WORKBENCH_SAMPLES).`)
  told = true
  return null
}
