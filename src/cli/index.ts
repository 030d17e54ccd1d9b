/**
 * Entry of the terminal program: `bin/neuron-workbench.mjs` when installed, `scripts/cli.mjs` in the repository (which first goes to the folder that npm was called in).
 * The exit code is set rather than forced, so that everything that was printed leaves the process.
 */
import { run } from './run'

for (const stream of [process.stdout, process.stderr])
  stream.on('error', (e: NodeJS.ErrnoException) => {
    // The reader of a pipe (`| head`) has seen enough.
    if (e.code === 'EPIPE') process.exit(0)
    throw e
  })

process.exitCode = await run(process.argv.slice(2), {
  cwd: process.cwd(),
  out: text => void process.stdout.write(text),
  err: text => void process.stderr.write(text),
  progress: process.stderr.isTTY === true,
})
