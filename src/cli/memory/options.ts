/** Options of the commands about a memory snapshot: live, summary, fragmentation, growth and compare. */
import type { ParseArgsOptionsConfig } from 'node:util'
import { GROUP_BY, type GroupBy } from '../../analysis/allocator/live/keys'
import { MOMENT_WORDS, type Moment } from '../../analysis/allocator/live/moments'

export const MEMORY_COMMANDS = ['live', 'summary', 'fragmentation', 'growth', 'compare'] as const
export type MemoryCommand = (typeof MEMORY_COMMANDS)[number]

export interface MemoryOptions {
  /** null: the first device with a history. */
  readonly device: number | null
  readonly at: Moment
  readonly from: Moment
  readonly to: Moment
  readonly by: GroupBy
  readonly capacity: number | null
  readonly request: number | null
  /** Rows that people are shown; null: the first ones. Programs get all. */
  readonly limit: number | null
  /** Second file of `compare`. */
  readonly other: string | null
}

const OF: Readonly<Record<MemoryCommand, readonly string[]>> = {
  live: ['device', 'at', 'by', 'limit'],
  summary: ['device', 'from', 'to'],
  fragmentation: ['device', 'at', 'capacity', 'request'],
  growth: ['device', 'from', 'to', 'by', 'limit'],
  compare: ['device', 'at', 'by', 'limit'],
}

export const memoryConfig = (command: MemoryCommand): ParseArgsOptionsConfig =>
  Object.fromEntries(OF[command].map(name => [name, { type: 'string' as const }]))

/** `--at -1` as `--at=-1`: the parser takes a word that begins with a dash for an option. */
export function joinedMoments(args: readonly string[]): readonly string[] {
  const out: string[] = []
  for (const a of args)
    if (/^-\d+$/.test(a) && /^--(at|from|to)$/.test(out.at(-1) ?? '')) out.push(`${String(out.pop())}=${a}`)
    else out.push(a)
  return out
}

/** Checks what was typed. `more` are the operands after the first. Throws what `refuse` makes. */
export function memoryOptions(
  command: MemoryCommand,
  more: readonly string[],
  values: Readonly<Record<string, unknown>>,
  refuse: (message: string) => Error,
): MemoryOptions {
  const quoted = (v: unknown): string => JSON.stringify(String(v).slice(0, 60))
  const whole = (name: string, least: number): number | null => {
    const text = values[name]
    if (text === undefined) return null
    if (typeof text !== 'string' || !/^\d{1,15}$/.test(text) || Number(text) < least)
      throw refuse(`--${name} takes a whole number${least > 0 ? ` from ${least}` : ''}, not ${quoted(text)}`)
    return Number(text)
  }
  const moment = (name: string, otherwise: Moment): Moment => {
    const text = values[name]
    if (text === undefined) return otherwise
    const word = MOMENT_WORDS.find(w => w === text)
    if (word) return word
    if (typeof text !== 'string' || !/^(-1|\d{1,10})$/.test(text))
      throw refuse(`--${name} takes the index of an event (-1 is the start) or one of ${MOMENT_WORDS.join(', ')}, not ${quoted(text)}`)
    return Number(text)
  }
  const by = GROUP_BY.find(b => b === (values['by'] ?? 'stack'))
  if (!by) throw refuse(`--by takes one of ${GROUP_BY.join(', ')}, not ${quoted(values['by'])}`)
  if (command === 'growth' && (values['from'] === undefined || values['to'] === undefined))
    throw refuse('growth needs --from EVENT and --to EVENT')
  if (command === 'compare' && more.length === 0) throw refuse('compare needs two files')
  return {
    device: whole('device', 0),
    at: moment('at', command === 'fragmentation' ? 'end' : 'peak'),
    from: moment('from', 'start'),
    to: moment('to', 'end'),
    by,
    capacity: whole('capacity', 1),
    request: whole('request', 1),
    limit: whole('limit', 1),
    other: more[0] ?? null,
  }
}
