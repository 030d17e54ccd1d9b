/** The documents of the commands about a memory snapshot as text for people. */
import type { Diagnostic } from '../../shared/diagnostics'
import { memory, num } from '../../shared/format'
import { plain } from '../output'
import { table } from '../table'
import { diagnosticsText } from '../text'
import type { CompareDocument } from './compare'
import type { FragmentationDocument } from './fragmentation'
import type { GrowthDocument } from './growth'
import type { LiveDocument } from './live'
import type { MemoryCommand } from './options'
import type { SummaryDocument } from './summary'

/** Groups that people are shown where they say no number. */
const SHOWN = 20

export function memoryText(command: MemoryCommand, document: object, limit: number | null): string {
  const diagnostics = (document as { readonly diagnostics?: readonly Diagnostic[] }).diagnostics ?? []
  if (Object.keys(document).every(k => k === 'diagnostics')) return diagnosticsText(diagnostics)
  return bodyOf(command, document, limit ?? SHOWN) + (diagnostics.length > 0 ? '\n' + diagnosticsText(diagnostics) : '')
}

function bodyOf(command: MemoryCommand, document: object, limit: number): string {
  switch (command) {
    case 'live':
      return liveText(document as LiveDocument, limit)
    case 'growth':
      return growthText(document as GrowthDocument, limit)
    case 'compare':
      return compareText(document as CompareDocument, limit)
    case 'fragmentation':
      return fragmentationText(document as FragmentationDocument)
    case 'summary': {
      const d = document as SummaryDocument
      return d.table + d.notes.map(n => `${plain(n)}\n`).join('')
    }
  }
}

export const moment = (event: number): string => (event < 0 ? 'the start' : `event ${num(event)}`)
const size = (bytes: number | null): string => (bytes === null ? '—' : memory(bytes))

function liveText(d: LiveDocument, limit: number): string {
  const head = `device ${d.device}, ${moment(d.event)}: ${size(d.totalBytes)} active (requested) in ${num(d.count)} ${d.count === 1 ? 'allocation' : 'allocations'}\n`
  if (d.groups.length === 0) return head
  const share = (bytes: number | null): string => (bytes === null || !d.totalBytes ? '—' : `${num((100 * bytes) / d.totalBytes, 1)} %`)
  const rows = d.groups.slice(0, limit).map(g => [size(g.bytes), share(g.bytes), num(g.count), keyText(g.key)])
  return `${head}\n${table([['bytes', 'share', 'count', d.by], ...rows])}${more(d.groups.length - limit)}`
}

/** A stack on one line, the innermost frame first. */
const keyText = (key: string): string => key.split('\n').map(plain).join(' < ')
const more = (n: number): string => (n > 0 ? `\n${num(n)} more are not listed (--limit N).\n` : '')

function fragmentationText(d: FragmentationDocument): string {
  const head = `device ${d.device}, ${moment(d.event)}\n`
  const why = Object.entries(d.reasons)
  if (!('reservedBytes' in d)) return head + why.map(([, reason]) => `no figures: ${plain(reason)}\n`).join('')
  const pools = Object.entries(d.pools)
  const ratio = (v: number | null): string => (v === null ? '—' : num(v, 4))
  const row = (
    label: string,
    name: 'reservedBytes' | 'allocatedBytes' | 'pendingBytes' | 'cachedBytes' | 'internalBytes' | 'largestFreeChunk' | 'emptyCacheBytes',
  ) => [label, size(d[name]), ...pools.map(([, p]) => size(p[name]))]
  const whole = (label: string, value: string): string[] => [label, value, ...pools.map(() => '')]
  const rows = [
    ['', 'device', ...pools.map(([name]) => name)],
    row('reserved', 'reservedBytes'),
    row('allocated (blocks)', 'allocatedBytes'),
    row('free pending', 'pendingBytes'),
    row('cached, free', 'cachedBytes'),
    row('largest free chunk', 'largestFreeChunk'),
    row('empty_cache would return', 'emptyCacheBytes'),
    row('internal fragmentation', 'internalBytes'),
    ['density', ratio(d.density), ...pools.map(([, p]) => ratio(p.density))],
    whole('external fragmentation', size(d.externalBytes)),
    whole('total free', size(d.totalFreeBytes)),
    whole('fragmentation index', ratio(d.index)),
  ]
  const guessed = d.blockSizes.rounding
  const notes = [
    ...why.map(([name, reason]) => `${name}: not known, ${plain(reason)}`),
    ...(guessed > 0
      ? [
          `The ${guessed === 1 ? 'size of 1 block' : `sizes of ${num(guessed)} blocks`} from before the recording ${guessed === 1 ? 'is that' : 'are those'} of the rounding and may have been larger.`,
        ]
      : []),
    ...(d.request
      ? [
          `${num(d.request.requestBytes)} B: ${d.request.fits === null ? 'not known whether it fits' : d.request.fits ? 'fits' : 'does not fit'}. ${plain(d.request.why)}`,
        ]
      : []),
  ]
  return `${head}\n${table(rows)}${notes.map(n => `\n${n}`).join('')}${notes.length > 0 ? '\n' : ''}`
}

const allocations = (n: number): string => `${num(n)} ${n === 1 ? 'allocation' : 'allocations'}`

function growthText(d: GrowthDocument, limit: number): string {
  const head = `device ${d.device}, from ${moment(d.from)} (${size(d.fromBytes)} active, requested) to ${moment(d.to)} (${size(d.toBytes)})
allocated and still live: ${size(d.totalBytes)} in ${allocations(d.count)}; freed: ${size(d.freedBytes)} in ${allocations(d.freedCount)}
`
  if (d.groups.length === 0) return head
  const rows = d.groups.slice(0, limit).map(g => [size(g.bytes), num(g.count), keyText(g.key)])
  return `${head}\n${table([['bytes', 'count', d.by], ...rows])}${more(d.groups.length - limit)}`
}

const signed = (v: number | null, text: (v: number) => string): string =>
  v === null ? '—' : `${v > 0 ? '+' : v < 0 ? '−' : ''}${text(Math.abs(v))}`

function compareText(d: CompareDocument, limit: number): string {
  const side = (name: string, s: CompareDocument['a']): string =>
    `${name}  ${plain(s.file)}, device ${s.device}, ${moment(s.event)}: ${size(s.totalBytes)} active (requested) in ${allocations(s.count)}\n`
  const roots = d.roots
    .map(r => `…/ is ${plain(r.a || '/')} in A, ${plain(r.b || '/')} in B (${num(r.files)} ${r.files === 1 ? 'file' : 'files'})\n`)
    .join('')
  const head = `${side('A', d.a)}${side('B', d.b)}B − A: ${signed(d.diffBytes, memory)}, ${signed(d.diffCount, num)} allocations\n${roots}`
  const differ = d.groups.filter(g => g.diffBytes !== 0 || g.diffCount !== 0)
  if (differ.length === 0) return head
  const rows = differ
    .slice(0, limit)
    .map(g => [signed(g.diffBytes, memory), size(g.aBytes), size(g.bBytes), signed(g.diffCount, num), keyText(g.key)])
  return `${head}\n${table([['B − A', 'A', 'B', 'count', d.by], ...rows])}${more(differ.length - limit)}`
}
