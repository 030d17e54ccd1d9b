/**
 * `npm run package [-- electron-builder's arguments]`: builds, packages the desktop program for this system, and reads its fuses back. Needs the network once,
 * for electron-builder and the Electron binary of the target.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import config from '../electron-builder.config.mjs'
import { ensureBuilt } from './ensure-built.mjs'
import { packagedPrograms, wrongFuses } from './fuses.mjs'

/** Pinned like the dependencies. */
export const BUILDER = 'electron-builder@26.17.0'

const ROOT = resolve(import.meta.dirname, '..')

const run = (command, args) =>
  new Promise((done, fail) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' })
    child.once('error', fail)
    child.once('exit', (code, signal) => (code === 0 ? done() : fail(new Error(`${command} ended with ${signal ?? `exit code ${code}`}`))))
  })

async function main(args) {
  await ensureBuilt()
  await run('npx', ['--yes', BUILDER, '--config', 'electron-builder.config.mjs', '--publish', 'never', ...args])
  const dist = join(ROOT, config.directories.output)
  const programs = existsSync(dist)
    ? packagedPrograms(dist, { productName: config.productName, executableName: config.linux.executableName })
    : []
  if (programs.length === 0) throw new Error(`nothing unpacked below ${dist}: the fuses were not read back`)
  for (const program of programs) {
    const wrong = await wrongFuses(program, config.electronFuses)
    if (wrong.length > 0) throw new Error(`${program}: ${wrong.join('; ')}`)
    process.stdout.write(`${program}: fuses as configured\n`)
  }
}

if (process.argv[1] === import.meta.filename)
  main(process.argv.slice(2)).catch(e => {
    process.stderr.write(`neuron-workbench: ${e.message}\n`)
    process.exitCode = 1
  })
