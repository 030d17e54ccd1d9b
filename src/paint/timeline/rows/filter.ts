/** Which tracks a filter leaves: by words (all of them must be there) or by a regular expression, in full names, labels and notes. Case never matters. */
import { RE2JS } from 're2js'
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

/** Tracks that the last filter of a grouping left: rows are laid out more often than a filter is typed. */
const last = new WeakMap<Grouped, { readonly id: string; readonly left: ReadonlySet<Placed> }>()

export function filterOf(text: string, regex: boolean, grouped: Grouped): Filter {
  if (text.trim() === '') return { matches: null, error: null }
  const id = `${regex ? '/' : ' '}${text}`
  let known = last.get(grouped)
  if (known?.id !== id) {
    const test = regex ? expression(text) : words(text)
    if (typeof test === 'string') return { matches: null, error: test }
    const all = grouped.instances.flatMap(i => i.sections.flatMap(s => s.tracks))
    last.set(grouped, (known = { id, left: new Set(all.filter(p => test(textOf(p, grouped)))) }))
  }
  const { left } = known
  return { matches: p => left.has(p), error: null }
}

function words(text: string): (of: string) => boolean {
  const all = text.toLowerCase().split(/\s+/).filter(Boolean)
  return of => {
    const lower = of.toLowerCase()
    return all.every(w => lower.includes(w))
  }
}

/** On RE2, whose time is linear: no expression can hang the window. Words of what is wrong where it is none. */
function expression(text: string): ((of: string) => boolean) | string {
  try {
    const re = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE)
    return of => re.test(of)
  } catch (e) {
    return (e instanceof Error ? e.message : String(e)).replace(/^error parsing regexp:\s*/, '')
  }
}
