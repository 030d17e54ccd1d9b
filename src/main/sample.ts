/** The bundled sample profile: written once into the user's cache by the same code as `neuron-workbench sample`. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SAMPLE_DEFAULTS, writeSample } from '../session/sample/write'

/**
 * The folder of the sample, written where it is not there yet. It is made in a folder beside and renamed, so that a program that was ended in between
 * leaves no half sample; the version is in the name, so that a new program shows its own.
 */
export async function ensureSample(cache: string, version: string): Promise<string> {
  const folder = join(cache, `sample-profile-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const made = await mkdtemp(join(cache, 'making-'))
  try {
    await writeSample(made, SAMPLE_DEFAULTS)
    await rename(made, folder)
  } catch (e) {
    await rm(made, { recursive: true, force: true })
    // Another instance may have been faster.
    if (!existsSync(folder)) throw e
  }
  return folder
}
