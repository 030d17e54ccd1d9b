/** The fuses of a packaged binary, read back: what electron-builder was told is not what counts, what stands in the binary does. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'

/** Name of electron-builder's option for a fuse: `RunAsNode` is `runAsNode`. */
export const optionOf = fuse => fuse[0].toLowerCase() + fuse.slice(1)

/** Fuses of the first wire by their number; those that electron-builder has no option for are left as Electron ships them. */
export const FUSES = Object.entries(FuseV1Options)
  .filter(([name, value]) => typeof value === 'number' && name !== 'WasmTrapHandlers')
  .map(([name, value]) => ({ name, value, option: optionOf(name) }))

/**
 * Compares the fuses of the binary (or .app) at `path` with the wanted ones. Answers a line for each that differs; none when all is well. Rejects where
 * the file is no Electron binary.
 */
export async function wrongFuses(path, wanted) {
  const wire = await getCurrentFuseWire(path)
  return FUSES.flatMap(({ name, value, option }) => {
    const is = wire[value]
    const should = wanted[option] ? FuseState.ENABLE : FuseState.DISABLE
    return is === should ? [] : [`${name} should be ${wanted[option] ? 'on' : 'off'} and is ${nameOf(is)}`]
  })
}

const nameOf = state =>
  state === FuseState.ENABLE ? 'on' : state === FuseState.DISABLE ? 'off' : state === FuseState.REMOVED ? 'removed' : `unknown (${state})`

/** The unpacked programs below the output folder of electron-builder: `linux-unpacked`, `win-unpacked`, `mac*`, also for other architectures. */
export function packagedPrograms(dist, { productName, executableName }) {
  return readdirSync(dist, { withFileTypes: true })
    .filter(d => d.isDirectory())
    .flatMap(({ name }) => {
      if (/^linux-.*unpacked$/.test(name)) return [join(dist, name, executableName)]
      if (/^win-.*unpacked$/.test(name)) return [join(dist, name, `${productName}.exe`)]
      return /^mac(-|$)/.test(name) ? [join(dist, name, `${productName}.app`)] : []
    })
}
