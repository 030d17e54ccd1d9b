/** The documents of `system` and `schema` as text for people. */
import type { Diagnostic } from '../shared/diagnostics'
import { duration, fileSize, memory, num } from '../shared/format'
import { plain } from './output'
import type { SchemaDocument, SchemaSummary } from './schema'
import type { SystemDocument } from './system'
import { table } from './table'
import { diagnosticsText } from './text'

const bytes = (v: number | null): string => (v === null ? '—' : memory(v))
const orDash = (v: string | number | null): string => (v === null ? '—' : typeof v === 'number' ? num(v) : plain(v))

export function toText(command: 'system' | 'schema', document: object): string {
  const diagnostics = (document as { readonly diagnostics?: readonly Diagnostic[] }).diagnostics ?? []
  if (Object.keys(document).every(k => k === 'diagnostics')) return diagnosticsText(diagnostics)
  const body = command === 'system' ? systemText(document as SystemDocument) : schemaText(document as SchemaDocument)
  return body + (diagnostics.length > 0 ? '\n' + diagnosticsText(diagnostics) : '')
}

function pairs(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('')
}

function systemText(d: SystemDocument): string {
  const decoded = d.schema.origin === null ? 'not decoded' : `${d.schema.origin}${d.schema.framing === null ? '' : `, ${d.schema.framing}`}`
  const out = [
    pairs([
      ['source', orDash(d.source)],
      ['schema', decoded],
      ['events', num(d.events)],
      ['slices', num(d.slices)],
      ['unmatched', num(d.unmatched)],
      ['lost (at least)', orDash(d.dropped)],
      ['start (Unix ns)', orDash(d.startNs)],
      ['span', d.spanNs === null ? '—' : duration(d.spanNs)],
      ['host CPU', d.cpu === null ? '—' : `${num(d.cpu.samples)} samples, ${num(d.cpu.cores)} cores`],
      ['host memory', d.hostMemory === null ? '—' : `${num(d.hostMemory.samples)} samples, peak ${bytes(d.hostMemory.peakBytes)}`],
      [
        'join with PyTorch',
        d.join === null
          ? '—'
          : `${num(d.join.matched)} linked by ${orDash(d.join.key)}, ${num(d.join.pytorchOnly)} only in PyTorch, ${num(d.join.runtimeOnly)} only in the runtime`,
      ],
    ]),
  ]
  if (d.schema.checks.length > 0)
    out.push(table([['check', '', 'found'], ...d.schema.checks.map(c => [plain(c.name), c.ok ? 'ok' : 'NOT OK', plain(c.detail)])]))
  if (d.schema.unverified.length > 0) out.push(`Unverified, not used: ${plain(d.schema.unverified.join(', '))}\n`)
  if (d.events > 0) out.push(table([['event', 'messages'], ...Object.entries(d.byName).map(([k, n]) => [plain(k), num(n)])]))
  if (d.cores.length > 0)
    out.push(
      table([
        ['core', 'messages', 'first (Unix ns)', 'last (Unix ns)', 'stops alone', 'starts alone', 'beginning'],
        ...d.cores.map(c => [
          `${c.device === null ? '' : `ND:${c.device} `}NC:${orDash(c.nc)}`,
          num(c.events),
          c.firstNs,
          c.lastNs,
          num(c.stopsWithoutStart),
          num(c.startsWithoutStop),
          c.headLost ? 'lost' : 'there',
        ]),
      ]),
    )
  for (const h of d.hbm) {
    out.push(
      `${h.device === null ? '' : `ND:${h.device} `}HBM:${h.hbm}  peak ${memory(h.peakBytes)} at ${orDash(h.peakNs)}, ${num(h.allocations)} allocations, ${num(h.frees)} frees, ${num(h.liveAtEnd)} live at the end\n`,
    )
    out.push(table([['category', 'its own peak'], ...Object.entries(h.categories).map(([k, v]) => [plain(k), memory(v)])], '  '))
  }
  if (d.clocks.length > 0)
    out.push(
      table([
        ['clock of', 'method', 'confidence', 'offset', 'residual'],
        ...d.clocks.map(c => [
          plain(c.source),
          c.method,
          c.confidence,
          c.offsetNs === null ? '—' : duration(Number(c.offsetNs)),
          c.residualNs === null ? '—' : duration(c.residualNs),
        ]),
      ]),
    )
  return out.join('\n')
}

const row = (s: SchemaSummary): readonly string[] => [
  s.id,
  plain(s.file),
  s.from,
  orDash(s.version),
  num(s.messages),
  num(s.fields),
  fileSize(s.bytes),
  s.imported,
]

function schemaText(d: SchemaDocument): string {
  if (d.removed !== undefined) return `Removed ${d.removed}.\n`
  const list = d.schemas ?? (d.schema ? [d.schema] : [])
  if (list.length === 0) return `No schema was imported. (${plain(d.folder)})\n`
  const head = table([['id', 'file', 'from', 'version', 'messages', 'fields', 'size', 'imported'], ...list.map(row)])
  const content = (d.schema?.content ?? [])
    .map(m => `\nmessage ${plain(m.name)}\n${m.fields.map(f => `  ${plain(f)}\n`).join('')}`)
    .join('')
  return head + content
}
