/**
 * `serve [PATH…] [--port N] [--host ADDRESS --allow-remote]`: the program without a display, used from a browser on this machine or through a tunnel. Stdout gets one line, the address;
 * everything else goes to stderr. Without PATH the sample profile is served.
 */
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { version } from '../../package.json'
import { systemReason } from '../formats/system-error'
import { isLoopback } from '../main/browser/listen'
import { serveBrowser } from '../main/browser/serve'
import { builtFolder, Bundle } from '../main/bundle'
import { createHost } from '../main/host/host'
import { ensureSample } from '../main/sample'
import { cacheDir, userDir } from '../main/user-dir'
import { spawnEngine, spawnParse, spawnVerify } from '../main/workers'
import { UsageError } from './args'
import { plain } from './output'

interface ServeArgs {
  readonly paths: readonly string[]
  readonly port: number
  /** Address that is listened on. */
  readonly host: string
  readonly notice: string | null
}

/** Checks the arguments. Throws UsageError. */
export function serveArgs(argv: readonly string[]): ServeArgs {
  let parsed
  try {
    parsed = parseArgs({
      args: [...argv],
      // `notice` is what `npm start` says about why there is no window; the page shows it.
      options: { port: { type: 'string' }, host: { type: 'string' }, 'allow-remote': { type: 'boolean' }, notice: { type: 'string' } },
      allowPositionals: true,
      strict: true,
    })
  } catch (e) {
    throw new UsageError(e instanceof Error ? (e.message.split('. ')[0] as string) : String(e), 'serve')
  }
  const { port = '0', host = '127.0.0.1', notice = null } = parsed.values
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535)
    throw new UsageError(`--port takes a number from 0 to 65535, not ${JSON.stringify(port.slice(0, 60))}`, 'serve')
  if (!/^[\w.:-]{1,255}$/.test(host))
    throw new UsageError(`--host takes an address of this machine, not ${JSON.stringify(host.slice(0, 60))}`, 'serve')
  if (!isLoopback(host) && parsed.values['allow-remote'] !== true)
    throw new UsageError(
      `--host ${host} lets others on the network reach the program, over plain HTTP; that wants --allow-remote. An SSH tunnel needs neither`,
      'serve',
    )
  return { paths: parsed.positionals, port: Number(port), host, notice }
}

/** Serves until SIGINT or SIGTERM. Answers the exit code: 0 after a signal, 1 where it could not start. */
export async function serveCommand(argv: readonly string[]): Promise<number> {
  const args = serveArgs(argv)
  const say = (line: string): void => void process.stderr.write(`${plain(line)}\n`)
  const failed = (line: string): number => {
    say(`neuron-workbench: ${line}`)
    return 1
  }
  const sample = (): Promise<string> => ensureSample(cacheDir(), version)
  const roots: string[] = []
  for (const p of args.paths)
    try {
      roots.push(await realpath(resolve(p)))
    } catch (e) {
      return failed(`${resolve(p)} cannot be opened: ${systemReason(e)}.`)
    }
  try {
    if (roots.length === 0) roots.push(await sample())
  } catch (e) {
    return failed(`the sample profile cannot be written: ${systemReason(e)}.`)
  }
  const host = createHost({
    version,
    shell: 'browser',
    notice: args.notice,
    spawnParse,
    spawnEngine,
    spawnVerify,
    roots,
    userDir: userDir(),
    makeSample: sample,
  })
  // Before the port is open, so that no signal finds the program without a handler.
  const stopped = signalled()
  try {
    const opened = await host.openPath(roots[0] as string)
    if (!opened.opened) return failed(opened.reason ?? 'it cannot be opened')
    const bundle = await Bundle.open(builtFolder('renderer'))
    const shell = await serveBrowser({ host, bundle, port: args.port, address: args.host, log: say })
    process.stdout.write(`${shell.url}\n`)
    const tunnel = `ssh -L ${shell.port}:127.0.0.1:${shell.port} USER@THIS-MACHINE`
    if (isLoopback(args.host)) {
      say(`Serving ${roots.join(', ')}. Open the address above in a browser on this machine; Ctrl-C ends.`)
      say(`From another machine: ${tunnel}, then open it there.`)
    } else {
      say(`Serving ${roots.join(', ')}. Open the address above in a browser; Ctrl-C ends.`)
      say(
        `Warning: others on the network can reach this program (${args.host}). It speaks plain HTTP: whoever is between reads all that is shown, and the token ` +
          `with which the served folders can be read. Safer: leave --host out and use a tunnel, ${tunnel}.`,
      )
    }
    await stopped.promise
    await shell.close()
    return 0
  } catch (e) {
    const code = e instanceof Error && 'code' in e ? e.code : null
    if (code === 'EADDRINUSE') return failed(`port ${args.port} is in use; choose another one or leave --port out`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return failed(`${args.host} is no address of this machine`)
    if (code === 'EACCES') return failed(`port ${args.port} may not be used by this user; choose one above 1023`)
    throw e
  } finally {
    stopped.forget()
    await host.close()
  }
}

/** Ends with the first SIGINT or SIGTERM (or SIGHUP: the terminal was closed). A second one ends the process at once, as it would without us. */
function signalled(): { readonly promise: Promise<void>; forget(): void } {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  let stop: () => void = () => undefined
  const forget = (): void => {
    for (const s of signals) process.off(s, stop)
  }
  const promise = new Promise<void>(ok => {
    stop = () => {
      forget()
      ok()
    }
    for (const s of signals) process.on(s, stop)
  })
  return { promise, forget }
}
