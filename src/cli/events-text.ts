/** `search` and `gaps` for people. */
import type { Diagnostic } from '../shared/diagnostics'
import { duration, num } from '../shared/format'
import type { GapsDocument } from './gaps'
import { plain } from './output'
import type { SearchDocument } from './search'
import { table } from './table'
import { diagnosticsText } from './text'

export function eventsText(command: 'search' | 'gaps', document: object): string {
  const diagnostics = (document as { readonly diagnostics?: readonly Diagnostic[] }).diagnostics ?? []
  const found = diagnostics.length > 0 ? '\n' + diagnosticsText(diagnostics) : ''
  if (Object.keys(document).every(k => k === 'diagnostics')) return diagnosticsText(diagnostics)
  return (command === 'search' ? searchText(document as SearchDocument) : gapsText(document as GapsDocument)) + found
}

const short = (text: string, most: number): string => {
  const p = plain(text)
  return p.length > most ? `${p.slice(0, most - 1)}…` : p
}
/** Nothing for a single file. */
const where = (session: string): string => (session === '.' ? '' : `${plain(session)}: `)
const length = (ns: number | null): string => (ns === null ? '—' : duration(ns))

function searchText(d: SearchDocument): string {
  const head = `${num(d.total)} ${d.total === 1 ? 'hit' : 'hits'} for ${JSON.stringify(short(d.text, 60))} in ${d.in.join(', ')}\n`
  const by =
    d.tracks.length > 0
      ? '\n' + table([['track', 'hits', 'file'], ...d.tracks.map(t => [short(t.track, 60), num(t.hits), plain(t.file)])])
      : ''
  const list =
    d.hits.length > 0
      ? '\n' +
        table([
          ['start ns', 'duration', 'track', 'in', 'name', 'text'],
          ...d.hits.map(h => [
            h.startNs ?? '—',
            length(h.durNs),
            short(h.track, 32),
            h.where,
            short(h.name, 48),
            h.where === 'name' ? '' : short(h.text, 90),
          ]),
        ])
      : ''
  const cut = d.total > d.hits.length ? `\n${num(d.total - d.hits.length)} more are not listed (--limit N).\n` : ''
  const missing = d.incomplete.map(i => `\n${where(i.session)}Not everything was searched: ${plain(i.what)}.\n`).join('')
  return head + by + list + cut + missing
}

/** Gaps that people are shown. */
const SHOWN = 30

function gapsText(d: GapsDocument): string {
  const several = new Set(d.cores.map(c => c.session)).size > 1
  const session = (s: string): readonly string[] => (several ? [plain(s)] : [])
  const share = (part: number, whole: number): string => (whole > 0 ? `${((part / whole) * 100).toFixed(1)} %` : '—')
  const cores =
    d.cores.length > 0
      ? table([
          ['core', 'idle', 'of known', 'busy', 'known', 'gaps', '', ...(several ? ['session'] : [])],
          ...d.cores.map(c => [
            plain(c.core),
            duration(c.idleNs),
            share(c.idleNs, c.knownNs),
            duration(c.busyNs),
            duration(c.knownNs),
            num(c.gaps),
            c.headLost ? 'head lost' : '',
            ...session(c.session),
          ]),
        ])
      : ''
  const shown = d.gaps.slice(0, SHOWN)
  const gaps =
    shown.length > 0
      ? '\n' +
        table([
          ['length', 'core', 'start ns', 'after', 'before', 'host meanwhile'],
          ...shown.map(g => [
            duration(g.lengthNs),
            plain(g.core),
            g.startNs ?? '—',
            short(g.before?.name ?? '—', 28),
            short(g.after?.name ?? '—', 28),
            g.host.map(h => `${short(h.name, 36)} ${share(h.ns, g.lengthNs)}`).join(', '),
          ]),
        ])
      : ''
  const more =
    d.total > shown.length
      ? `\n${num(d.total - shown.length)} more gaps, shorter than those (--json lists up to 1,000 of each session).\n`
      : ''
  const silent =
    d.silent.length > 0 ? `\nWithout hardware events, not captured or idle: ${d.silent.map(s => plain(s.core)).join(', ')}.\n` : ''
  const reasons = d.reasons.map(r => `${where(r.session)}${plain(r.reason)}\n`).join('')
  const none = d.cores.length > 0 && d.total === 0 ? '\nNo gaps.\n' : ''
  return cores + gaps + none + more + silent + reasons
}
