/** Which tracks a filter leaves: by words (all of them must be there) or by a regular expression, in full names, labels and notes. Case never matters. */
import { RE2JS } from 're2js'
import { tooLarge } from '../../../shared/expression'
import type { Grouped, Placed } from './model'
import { fullName } from './names'

export interface Filter {
  readonly matches: ((p: Placed) => boolean) | null
  /** Why it is no regular expression; nothing is left out then. */
  readonly error: string | null
}

const texts = new WeakMap<Placed, string>()

/** What of a track is searched: each on a line of its own. */
function textOf(p: Placed, { grouping, names }: Grouped): string {
  let text = texts.get(p)
  if (text === undefined) {
    const t = p.track
    const lines = [
      fullName(t, grouping, names),
      fullName(t, 'default', names),
      p.words.label,
      p.words.prefix,
      p.words.note,
      t.note,
      t.processName,
      t.processLabels,
    ]
    texts.set(p, (text = [...new Set(lines.filter(Boolean))].join('\n')))
  }
  return text
}

/** What the last filter of a grouping left: rows are laid out more often than a filter is typed. */
const last = new WeakMap<Grouped, { readonly id: string; readonly left: ReadonlySet<Placed>; readonly error: string | null }>()

/** Time that an expression may take for all tracks, ms: the window waits meanwhile. */
const MOST_MS = 250

/** `now` (ms) is for tests. */
export function filterOf(text: string, regex: boolean, grouped: Grouped, now: () => number = () => performance.now()): Filter {
  if (text.trim() === '') return { matches: null, error: null }
  const id = `${regex ? '/' : ' '}${text}`
  let known = last.get(grouped)
  if (known?.id !== id) last.set(grouped, (known = { id, ...filtered(text, regex, grouped, now) }))
  const { left, error } = known
  return error === null ? { matches: p => left.has(p), error } : { matches: null, error }
}

function filtered(text: string, regex: boolean, grouped: Grouped, now: () => number): { left: ReadonlySet<Placed>; error: string | null } {
  const left = new Set<Placed>()
  const test = regex ? expression(text) : words(text)
  if (typeof test === 'string') return { left, error: test }
  const until = now() + MOST_MS
  for (const i of grouped.instances)
    for (const s of i.sections)
      for (const p of s.tracks) {
        if (test(textOf(p, grouped))) left.add(p)
        if (regex && now() > until) return { left, error: 'it takes too long over so many tracks, and nothing is left out' }
      }
  return { left, error: null }
}

function words(text: string): (of: string) => boolean {
  const all = text.toLowerCase().split(/\s+/).filter(Boolean)
  return of => {
    const lower = of.toLowerCase()
    return all.every(w => lower.includes(w))
  }
}

/** Characters of a line, and of all lines of a track, that an expression is tried on. */
const LONGEST_LINE = 512
const LONGEST = 4096

/** Long texts end early, with a mark so that their end is not taken for the end of a line. */
const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)
const shortened = (text: string): string =>
  text.length <= LONGEST_LINE
    ? text
    : cut(
        text
          .split('\n')
          .map(line => cut(line, LONGEST_LINE))
          .join('\n'),
        LONGEST,
      )

/** On RE2, which takes text times instructions and cannot be stopped within a text: both are bounded, and so is the time for all. Words of what is wrong where it is none. */
function expression(text: string): ((of: string) => boolean) | string {
  try {
    const re = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE)
    return tooLarge(re.programSize()) ?? (of => re.test(shortened(of)))
  } catch (e) {
    return (e instanceof Error ? e.message : String(e)).replace(/^error parsing regexp:\s*/, '')
  }
}
