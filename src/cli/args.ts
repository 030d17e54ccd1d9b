/** The command line as typed: which command, with which arguments. Checks them, runs nothing. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import type { ChainOf } from './chain'
import { EXPORT_OPTIONS, exportOptions, type ExportOptions } from './export/options'
import { COMMANDS, type CommandName } from './help'
import { joinedMoments, MEMORY_COMMANDS, memoryConfig, memoryOptions, type MemoryCommand, type MemoryOptions } from './memory/options'
import { SCHEMA_ACTIONS, type SchemaAction } from './schema-actions'
import { SEARCH_OPTIONS, searchOptions, type SearchOptions } from './search-options'
import { STATS_OPTIONS, statsOptions, type StatsOptions } from './stats-options'
import { SYSTEM_SOURCES, type SystemSource } from '../shared/system-tables'

export type Parsed =
  | { readonly command: 'help'; readonly topic: CommandName | null }
  | { readonly command: 'version' }
  | { readonly command: 'inspect'; readonly path: string; readonly json: boolean; readonly neffDirs?: readonly string[] }
  | { readonly command: 'trace'; readonly path: string; readonly json: boolean }
  | { readonly command: 'snapshot'; readonly path: string; readonly json: boolean; readonly verify?: true }
  | { readonly command: 'at'; readonly path: string; readonly time: bigint; readonly json: boolean }
  | { readonly command: 'chain'; readonly path: string; readonly of: ChainOf; readonly json: boolean }
  | {
      readonly command: 'sample'
      readonly path: string
      readonly json: boolean
      readonly ranks?: number
      readonly steps?: number
      readonly seed?: number
    }
  | { readonly command: 'export'; readonly path: string; readonly json: boolean; readonly options: ExportOptions }
  | { readonly command: 'system'; readonly path: string; readonly json: boolean; readonly source?: SystemSource }
  /** `path`: the file of `import`, the id of `show` and `remove`, '' of `list`. */
  | { readonly command: 'schema'; readonly action: SchemaAction; readonly path: string; readonly json: boolean }
  | { readonly command: 'search'; readonly path: string; readonly json: boolean; readonly options: SearchOptions }
  | { readonly command: 'gaps'; readonly path: string; readonly json: boolean; readonly minNs: number }
  | { readonly command: 'stats'; readonly path: string; readonly json: boolean; readonly options: StatsOptions }
  | { readonly command: MemoryCommand; readonly path: string; readonly json: boolean; readonly options: MemoryOptions }
  | { readonly command: 'serve'; readonly argv: readonly string[] }

/** Wrong use of the command line: exit code 2. The text is for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly topic: CommandName | null
  /** False where the message says all: the help of the command is not printed after it. */
  readonly withHelp: boolean

  constructor(message: string, topic: CommandName | null = null, withHelp = true) {
    super(message)
    this.topic = topic
    this.withHelp = withHelp
  }
}

/** The command line is right, but what it names is not in the files: exit code 1. The text is for the user. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError'
}

const isMemory = (name: CommandName): name is MemoryCommand => (MEMORY_COMMANDS as readonly string[]).includes(name)
const isCommand = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name)

/** Parses the arguments after the program's name. Throws UsageError. */
export function parse(argv: readonly string[]): Parsed {
  const [first, ...rest] = argv
  if (first === undefined) throw new UsageError('a command is missing')
  if (first === '--help' || first === '-h') return { command: 'help', topic: null }
  if (first === '--version' || first === '-v') return { command: 'version' }
  if (first === 'help') {
    const [topic, ...more] = rest
    if (topic === undefined) return { command: 'help', topic: null }
    if (more.length > 0) throw new UsageError('help takes one command')
    if (!isCommand(topic)) throw new UsageError(`there is no command ${quoted(topic)}`)
    return { command: 'help', topic }
  }
  if (first.startsWith('-')) throw new UsageError(`unknown option ${quoted(first)}; a command comes first`)
  if (!isCommand(first)) throw new UsageError(`there is no command ${quoted(first)}`)
  if (rest.slice(0, rest.includes('--') ? rest.indexOf('--') : undefined).some(a => a === '--help' || a === '-h'))
    return { command: 'help', topic: first }
  // The browser host checks its own arguments.
  if (first === 'serve') return { command: 'serve', argv: rest }
  if (first === 'at') {
    const { path, values } = take(first, rest, { time: { type: 'string' } })
    const time = values['time']
    if (typeof time !== 'string') throw new UsageError('at needs --time NS', first)
    if (!/^\d{1,20}$/.test(time)) throw new UsageError(`--time takes Unix nanoseconds as a whole number, not ${quoted(time)}`, first)
    return { command: 'at', path, time: BigInt(time), json: values['json'] === true }
  }
  if (first === 'chain') {
    const { path, values } = take(first, rest, { event: { type: 'string' }, name: { type: 'string' }, nth: { type: 'string' } })
    const { event, name, nth } = values
    if ((typeof event === 'string') === (typeof name === 'string')) throw new UsageError('chain needs --event ID or --name NAME', first)
    if (nth !== undefined && (typeof name !== 'string' || !/^[1-9]\d{0,8}$/.test(String(nth))))
      throw new UsageError('--nth takes a whole number from 1, together with --name', first)
    const of = typeof event === 'string' ? { event } : { name: String(name), nth: nth === undefined ? 1 : Number(nth) }
    return { command: first, path, of, json: values['json'] === true }
  }
  if (first === 'inspect') {
    const { path, values } = take(first, rest, { 'neff-dir': { type: 'string', multiple: true } })
    const dirs = (values['neff-dir'] ?? []) as readonly string[]
    if (dirs.includes('')) throw new UsageError('--neff-dir takes a folder', first)
    return { command: first, path, json: values['json'] === true, ...(dirs.length > 0 ? { neffDirs: dirs } : {}) }
  }
  if (first === 'search') {
    const { path, more, values } = take(first, rest, SEARCH_OPTIONS, false, 2)
    return {
      command: first,
      path,
      json: values['json'] === true,
      options: searchOptions(more[0], values, message => new UsageError(message, first)),
    }
  }
  if (first === 'stats') {
    const { path, values } = take(first, rest, STATS_OPTIONS)
    const options = statsOptions(values, message => new UsageError(message, first))
    return { command: first, path, json: values['json'] === true, options }
  }
  if (isMemory(first)) {
    const { path, more, values } = take(first, joinedMoments(rest), memoryConfig(first), false, first === 'compare' ? 2 : 1)
    const options = memoryOptions(first, more, values, message => new UsageError(message, first))
    return { command: first, path, json: values['json'] === true, options }
  }
  if (first === 'gaps') {
    const { path, values } = take(first, rest, { min: { type: 'string' } })
    const min = values['min'] ?? '0'
    if (typeof min !== 'string' || !/^\d{1,15}$/.test(min))
      throw new UsageError(`--min takes nanoseconds as a whole number, not ${quoted(String(min))}`, first)
    return { command: first, path, json: values['json'] === true, minNs: Number(min) }
  }
  if (first === 'snapshot') {
    const { path, values } = take(first, rest, { verify: { type: 'boolean' } })
    return { command: first, path, json: values['json'] === true, ...(values['verify'] === true ? { verify: true } : {}) }
  }
  if (first === 'system') {
    const { path, values } = take(first, rest, { source: { type: 'string' } })
    const source = SYSTEM_SOURCES.find(s => s === values['source'])
    if (values['source'] !== undefined && !source)
      throw new UsageError(`--source takes one of ${SYSTEM_SOURCES.join(', ')}, not ${quoted(String(values['source']))}`, first)
    return { command: first, path, json: values['json'] === true, ...(source ? { source } : {}) }
  }
  if (first === 'schema') {
    const [word, ...more] = rest
    const action = SCHEMA_ACTIONS.find(a => a === word)
    if (!action)
      throw new UsageError(`schema takes one of ${SCHEMA_ACTIONS.join(', ')}${word === undefined ? '' : `, not ${quoted(word)}`}`, first)
    const { path, values } = action === 'list' ? take(first, ['', ...more], {}, true) : take(first, more, {})
    return { command: first, action, path, json: values['json'] === true }
  }
  if (first === 'export') {
    const { path, values } = take(first, rest, EXPORT_OPTIONS)
    const options = exportOptions(values, message => new UsageError(message, first))
    return { command: first, path, json: values['json'] === true, options }
  }
  if (first === 'sample') {
    const { path, values } = take(first, rest, { ranks: { type: 'string' }, steps: { type: 'string' }, seed: { type: 'string' } })
    const numbers: { ranks?: number; steps?: number; seed?: number } = {}
    for (const name of ['ranks', 'steps', 'seed'] as const) {
      const text = values[name]
      if (text === undefined) continue
      if (typeof text !== 'string' || !/^\d{1,15}$/.test(text))
        throw new UsageError(`--${name} takes a whole number, not ${quoted(String(text))}`, first)
      numbers[name] = Number(text)
    }
    return { command: 'sample', path, json: values['json'] === true, ...numbers }
  }
  const { path, values } = take(first, rest, {})
  return { command: first, path, json: values['json'] === true }
}

function take(
  command: CommandName,
  args: readonly string[],
  options: ParseArgsOptionsConfig,
  mayBeEmpty = false,
  operands = 1,
): { readonly path: string; readonly more: readonly string[]; readonly values: Readonly<Record<string, unknown>> } {
  let parsed: ReturnType<typeof parseArgs>
  try {
    parsed = parseArgs({ args: [...args], options: { json: { type: 'boolean' }, ...options }, allowPositionals: true, strict: true })
  } catch (e) {
    throw new UsageError(e instanceof Error ? (e.message.split('. ')[0] as string) : String(e), command)
  }
  const [path, ...more] = parsed.positionals
  if (path === undefined || (path === '' && !mayBeEmpty)) throw new UsageError(`${command} needs ${COMMANDS[command].operand}`, command)
  if (more.length >= operands)
    throw new UsageError(
      `${command} takes ${operands === 1 ? 'one ' : ''}${COMMANDS[command].operand}; ${quoted(more[operands - 1] as string)} is too much`,
      command,
    )
  return { path, more, values: parsed.values }
}

const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
