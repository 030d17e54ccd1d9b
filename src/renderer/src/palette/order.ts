/** Which commands the palette shows, in which order. Pure but for what fuzzysort remembers. */
import * as fuzzysort from 'fuzzysort'
import type { Command } from '../commands/command'

/** A part of a title; `hit`: it was typed. */
export interface Piece {
  readonly text: string
  readonly hit: boolean
}

export interface Entry {
  readonly command: Command
  readonly title: readonly Piece[]
}

/** Commands that ran last, newest first. */
const RECENT = 5

const plain = (command: Command): Entry => ({ command, title: [{ text: command.title, hit: false }] })

/** Recent commands with the newest in front. */
export const remember = (recent: readonly string[], id: string): readonly string[] => [id, ...recent.filter(r => r !== id)].slice(0, RECENT)

/** Words that the title does not have but people type. */
const ALSO: Readonly<Record<string, string>> = {
  'show-keys': 'help shortcuts keyboard',
  'toggle-theme': 'dark light mode colours colors',
  'go-back': 'undo zoom previous window history',
  'go-forward': 'redo zoom next window history',
  'export-png': 'save picture image screenshot',
  'export-svg': 'save picture vector paper figure',
  'export-json': 'save perfetto download',
  'export-csv': 'save table spreadsheet download',
  'go-to-time': 'jump timestamp',
  note: 'annotation bookmark comment',
  mark: 'bookmark flag',
  'table-search': 'find',
}

/** The commands that the palette names: those that can run, and those of which it can say what is missing. */
export function offered(commands: readonly Command[]): {
  readonly shown: readonly Command[]
  /** What is missing, by id. */
  readonly missing: ReadonlyMap<string, string>
} {
  const missing = new Map(commands.flatMap(c => (c.needs !== undefined && c.when && !c.when() ? [[c.id, c.needs] as const] : [])))
  return { shown: commands.filter(c => !c.when || missing.has(c.id) || c.when()), missing }
}

/**
 * The commands for what was typed. Without anything: the recent ones, then all others as the registry has them. Else those that match, best first; a recent one is
 * ahead of its equals.
 */
export function entries(query: string, commands: readonly Command[], recent: readonly string[]): readonly Entry[] {
  const q = query.trim()
  if (q === '') {
    const first = recent.flatMap(id => commands.find(c => c.id === id) ?? [])
    return [...first, ...commands.filter(c => !first.includes(c))].map(plain)
  }
  const found = fuzzysort.go(q, commands, {
    keys: [c => c.title, c => `${c.group} ${ALSO[c.id] ?? ''}`],
    limit: 0,
    threshold: 0.3,
    // A word of the title tells more than one that only stands for it.
    scoreFn: r => Math.max(r[0]?.score ?? 0, (r[1]?.score ?? 0) * 0.7) + (recent.includes(r.obj.id) ? 0.02 : 0) + begins(r.obj.title, q),
  })
  return found.map(r => {
    const title = r[0]
    if (!title || !(title.score > 0)) return plain(r.obj)
    return { command: r.obj, title: pieces(r.obj.title, title.indexes) }
  })
}

/** A title that begins with what was typed is meant before one that only holds it, and of equals the shorter one. */
const begins = (title: string, q: string): number => (title.toLowerCase().startsWith(q.toLowerCase()) ? 1 : 0) - title.length * 1e-4

/** A title cut where typed letters begin and end. */
export function pieces(text: string, indexes: readonly number[]): readonly Piece[] {
  const hits = new Set(indexes)
  const out: Piece[] = []
  for (let i = 0; i < text.length; i++) {
    const last = out[out.length - 1]
    const hit = hits.has(i)
    if (last?.hit === hit) out[out.length - 1] = { text: last.text + text[i], hit }
    else out.push({ text: text[i], hit })
  }
  return out
}
