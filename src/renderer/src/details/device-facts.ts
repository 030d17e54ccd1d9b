/** Facts of NEFF and NTFF files as rows: names, text with units, exact figures for the tooltip. Pure. */
import { duration, exactBytes, memory, num } from '../../../shared/format'

export interface FactRow {
  readonly name: string
  readonly text: string
  /** Exact figure behind a rounded one. */
  readonly exact?: string
  /** Ids are set in the fixed-width face. */
  readonly mono?: boolean
  readonly tone?: 'ok' | 'warn'
}

type Facts = Readonly<Record<string, unknown>>
type Row = FactRow | null

const str = (name: string, v: unknown, mono = false): Row => (typeof v === 'string' && v !== '' ? { name, text: v, mono } : null)
const int = (name: string, v: unknown): Row => (typeof v === 'number' ? { name, text: num(v) } : null)
const bytes = (name: string, v: unknown): Row => (typeof v === 'number' ? { name, text: memory(v), exact: exactBytes(v) } : null)

/** `38.092 µs` of picoseconds, with the exact count. Text beyond 2^53, as the reader tells it. */
export function picoseconds(v: unknown): { readonly text: string; readonly exact: string } | null {
  const exact =
    typeof v === 'number' && Number.isSafeInteger(v) && v >= 0 ? String(v) : typeof v === 'string' && /^\d{1,20}$/.test(v) ? v : null
  if (exact === null) return null
  const grouped = exact.replace(/\B(?=(\d{3})+$)/g, ',')
  const ns = Number(exact) / 1000
  return { text: ns < 1 ? `${grouped}\u00a0ps` : duration(ns), exact: `${grouped}\u00a0ps` }
}

const HASH: Readonly<Record<string, Pick<FactRow, 'text' | 'tone'>>> = {
  true: { text: 'fits the payload', tone: 'ok' },
  false: { text: 'does not fit the payload', tone: 'warn' },
  null: { text: 'could not be checked' },
  undefined: { text: 'not checked yet' },
}

const ARCH: Readonly<Record<number, string>> = { 1: 'trn1', 2: 'trn2' }

function neffRows(f: Facts): readonly Row[] {
  return [
    str('UUID', f['uuid'], true),
    str('Hash', f['hash'], true),
    f['hash'] === undefined ? null : { name: 'Hash check', ...(HASH[String(f['hashValid'])] as Pick<FactRow, 'text' | 'tone'>) },
    str('Name', f['name']),
    str('Version', f['version']),
    int('Logical cores', f['lncSize']),
    bytes('Payload', f['payloadBytes']),
    bytes('Unpacked', f['uncompressedBytes']),
    int('Members', f['members']),
    int('Subgraphs', f['subgraphs']),
    int('Nodes', f['nodes']),
    str('Compiler', f['toolVersion']),
    str('Target', f['target']),
  ]
}

function ntffRows(f: Facts): readonly Row[] {
  const ps = picoseconds(f['executionDurationPs'])
  const engines = f['engines']
  const uuids = Array.isArray(f['neffUuids']) ? f['neffUuids'].filter((u): u is string => typeof u === 'string') : []
  const arch = f['archCode']
  return [
    ps && { name: 'Execution', ...ps },
    Array.isArray(engines) ? { name: 'Engines', text: engines.length > 0 ? engines.join(', ') : 'none' } : null,
    int('Executions', f['executions']),
    int('Subgraphs', f['subgraphs']),
    int('Records', f['traceRecords']),
    str('NEFF name', f['neffName']),
    ...(uuids.length > 1
      ? uuids.slice(0, 8).map((u, i): Row => ({ name: i === 0 ? 'NEFF UUIDs' : '', text: u, mono: true }))
      : [
          str('NEFF UUID', f['neffUuid'], true) ??
            (typeof f['neffUuidPrefix'] === 'string' ? { name: 'NEFF UUID', text: `${f['neffUuidPrefix']}…`, mono: true } : null),
        ]),
    uuids.length > 8 ? { name: '', text: `${num(uuids.length - 8)} more` } : null,
    str('Instance', f['instanceId'], true),
    str('Type', f['instanceType']),
    typeof arch === 'number' ? { name: 'Architecture', text: ARCH[arch] ?? `code ${arch}` } : null,
    typeof f['pid'] === 'number' ? { name: 'Process', text: String(f['pid']) } : null,
    int('NTFF version', f['version']),
    str('Runtime', f['runtimeVersion']),
  ]
}

/** Rows of what is known; what the file does not say has none. */
export const deviceFactRows = (kind: 'neff' | 'ntff', facts: Facts): readonly FactRow[] =>
  (kind === 'neff' ? neffRows(facts) : ntffRows(facts)).filter(r => r !== null)
