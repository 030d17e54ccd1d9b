#!/usr/bin/env node
// The installed command. Relative paths are those of the current folder.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const cli = new URL('../out/main/cli.js', import.meta.url)
if (existsSync(fileURLToPath(cli))) await import(cli.href)
else {
  process.stderr.write('neuron-workbench: the program is not built; in a checkout, run it with `npm run -s cli -- COMMAND`.\n')
  process.exitCode = 1
}
