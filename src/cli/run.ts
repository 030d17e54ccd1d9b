/** Runs one command: parses the arguments, calls it, prints its result, answers the exit code. */
import { resolve } from 'node:path'
import { version } from '../../package.json'
import { systemCode, systemReason } from '../formats/system-error'
import { NotFoundError, parse, UsageError, type Parsed } from './args'
import { help, type CommandName } from './help'
import { MEMORY_COMMANDS, type MemoryCommand } from './memory/options'
import { endProgress, failed, plain, progressLine, toJson, type Io, type Outcome } from './output'

export const EXIT_READ = 0
export const EXIT_NOTHING = 1
export const EXIT_USAGE = 2

/** `argv` are the arguments after the program's name. Never throws. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let parsed: Parsed
  try {
    parsed = parse(argv)
  } catch (e) {
    return usage(e, io)
  }
  if (parsed.command === 'help') {
    io.out(help(parsed.topic))
    return EXIT_READ
  }
  if (parsed.command === 'version') {
    io.out(`${version}\n`)
    return EXIT_READ
  }
  try {
    if (parsed.command === 'serve') return await (await import('./serve')).serveCommand([...parsed.argv])
    const outcome = await outcomeOf(parsed, io)
    endProgress(io)
    if (parsed.json) io.out(toJson(outcome.document))
    else if (parsed.command === 'system' || parsed.command === 'schema')
      io.out((await import('./system-text')).toText(parsed.command, outcome.document))
    else if (parsed.command === 'search' || parsed.command === 'gaps')
      io.out((await import('./events-text')).eventsText(parsed.command, outcome.document))
    else if (isMemory(parsed)) io.out((await import('./memory/text')).memoryText(parsed.command, outcome.document, parsed.options.limit))
    else if (parsed.command === 'stats') {
      const { statsCsv, statsText } = await import('./stats-text')
      io.out(parsed.options.csv ? statsCsv(outcome.document, io.err) : statsText(outcome.document, parsed.options.limit))
    } else if (parsed.command === 'chain') io.out((await import('./chain-text')).chainText(outcome.document))
    else io.out((await import('./text')).toText(parsed.command, outcome.document))
    return outcome.read && outcome.failed !== true ? EXIT_READ : EXIT_NOTHING
  } catch (e) {
    endProgress(io)
    if (e instanceof UsageError || (parsed.command === 'sample' && e instanceof RangeError)) return usage(e, io, parsed.command)
    if (e instanceof NotFoundError) {
      io.err(`neuron-workbench: ${plain(e.message)}\n`)
      if (parsed.command !== 'serve' && parsed.json)
        io.out(toJson(failed(parsed.path, 'not-found', e.message, 'Check the name or the id.').document))
      return EXIT_NOTHING
    }
    // Line by line: the stack keeps its lines, names within it cannot steer the terminal.
    const lines = (e instanceof Error ? (e.stack ?? e.message) : String(e)).split('\n')
    io.err(`neuron-workbench: ${lines.map(plain).join('\n')}\n`)
    if (parsed.command !== 'serve' && parsed.json)
      io.out(
        toJson(
          failed(
            parsed.path,
            'internal-error',
            e instanceof Error ? e.message : String(e),
            'This is a bug: please report it with the file.',
          ).document,
        ),
      )
    return EXIT_NOTHING
  }
}

const isMemory = (p: Parsed): p is Extract<Parsed, { command: MemoryCommand }> => (MEMORY_COMMANDS as readonly string[]).includes(p.command)

async function outcomeOf(p: Exclude<Parsed, { command: 'help' | 'version' | 'serve' }>, io: Io): Promise<Outcome> {
  const path = resolve(io.cwd, p.path)
  try {
    switch (p.command) {
      case 'inspect': {
        const neffDirs = p.neffDirs?.map(d => resolve(io.cwd, d))
        return await (await import('./inspect')).inspectCommand(path, io, neffDirs)
      }
      case 'at':
        return await (await import('./at')).atCommand(path, p.time, io)
      case 'chain':
        return await (await import('./chain')).chainCommand(path, p.of, io)
      case 'export':
        return await (await import('./export/command')).exportCommand(path, p.options, io)
      case 'search':
        return await (await import('./search')).searchCommand(path, p.options, io)
      case 'stats':
        return await (await import('./stats')).statsCommand(path, p.options, io)
      case 'gaps':
        return await (await import('./gaps')).gapsCommand(path, p.minNs, io)
      case 'snapshot':
        return await (await import('./snapshot')).snapshotCommand(path, { onProgress: progressLine(io, p.path) }, p.verify)
      case 'live':
        return await (await import('./memory/live')).liveCommand(path, p.options, { onProgress: progressLine(io, p.path) })
      case 'summary':
        return await (await import('./memory/summary')).summaryCommand(path, p.options, { onProgress: progressLine(io, p.path) })
      case 'fragmentation':
        return await (
          await import('./memory/fragmentation')
        ).fragmentationCommand(path, p.options, { onProgress: progressLine(io, p.path) })
      case 'growth':
        return await (await import('./memory/growth')).growthCommand(path, p.options, { onProgress: progressLine(io, p.path) })
      case 'compare': {
        const other = resolve(io.cwd, p.options.other ?? '')
        return await (await import('./memory/compare')).compareCommand(path, other, p.options, { onProgress: progressLine(io, p.path) })
      }
      case 'trace':
        return await (await import('./trace')).traceCommand(path, { onProgress: progressLine(io, p.path) })
      case 'system':
        return await (await import('./system')).systemCommand(path, io, p.source)
      case 'schema': {
        const progress = progressLine(io, p.path)
        const operand = p.action === 'import' ? path : p.path
        return await (await import('./schema')).schemaCommand(p.action, operand, (done, total) => progress(done, total, ''))
      }
      case 'sample':
        return await (await import('./sample')).sampleCommand(path, { ranks: p.ranks, steps: p.steps, seed: p.seed })
    }
  } catch (e) {
    // Errors of the file system are about the user's path; everything else is ours.
    if (systemCode(e) === '') throw e
    const message = `${p.command === 'sample' ? 'The folder cannot be written' : 'The file cannot be opened'}: ${systemReason(e)}.`
    return failed(p.path, p.command === 'sample' ? 'folder-unwritable' : 'file-unreadable', message, 'Check the path and its permissions.')
  }
}

function usage(e: unknown, io: Io, command: CommandName | null = null): number {
  const topic = (e instanceof UsageError ? e.topic : null) ?? command
  const more = e instanceof UsageError && !e.withHelp ? '' : `\n${help(topic)}`
  io.err(`neuron-workbench: ${plain(e instanceof Error ? e.message : String(e))}\n${more}`)
  return EXIT_USAGE
}
