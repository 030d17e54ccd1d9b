/** `npm run -s cli -- COMMAND`: builds when needed, then runs the terminal program in this process. */
import { pathToFileURL } from 'node:url'
import { join, resolve } from 'node:path'
import { ensureBuilt } from './ensure-built.mjs'

const ROOT = resolve(import.meta.dirname, '..')

try {
  await ensureBuilt()
} catch (e) {
  process.stderr.write(`neuron-workbench: ${e.message}\n`)
  process.exit(1)
}
// npm runs scripts in the folder of the package and tells in INIT_CWD where it was called: relative paths are meant from there.
if (process.env.INIT_CWD) {
  try {
    process.chdir(process.env.INIT_CWD)
  } catch {
    // the folder is gone: paths are those of the package folder
  }
}
await import(pathToFileURL(join(ROOT, 'out/main/cli.js')).href)
