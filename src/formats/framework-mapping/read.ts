/** Reader of `framework_mapping_<time>.json`. See the README beside it for the layout and how sure it is. */
import type { ByteSource, ReadOptions, ReadResult } from '../../shared/reader'
import type { FrameworkMappingTable } from '../../shared/tables'
import { sourceProblem } from '../source-problem'
import { MappingColumns } from './columns'
import { MappingFindings } from './findings'
import { MappingScanner } from './scanner'

/** The version that is documented. */
const KNOWN_VERSION = 1
const AGAIN = 'If the run is still writing, it is read again when the file changes; otherwise copy the file again.'

/**
 * Reads a framework mapping into columns: one row per entry of `data` in file order, its operators behind `opStart`. Streams, whatever the size; never throws on bad data.
 * The table is null when there is no list `data`. A file that is cut gives its whole entries and `complete: false`. A set signal ends the read with a
 * `cancelled` diagnostic and without a table.
 */
export async function readFrameworkMapping(source: ByteSource, options: ReadOptions = {}): Promise<ReadResult<FrameworkMappingTable>> {
  const findings = new MappingFindings(source.name)
  const columns = new MappingColumns(findings)
  const scanner = new MappingScanner(columns, findings)
  let bytes = 0
  let told = performance.now()
  for await (const chunk of source.chunks()) {
    if (options.signal?.aborted) {
      findings.add({
        severity: 'info',
        code: 'cancelled',
        offset: bytes,
        message: 'Reading was cancelled.',
        meaning: 'Nothing of this file is shown.',
        action: 'Read it again.',
      })
      return { table: null, diagnostics: findings.finish() }
    }
    bytes += chunk.length
    scanner.feed(chunk)
    const now = performance.now()
    if (now - told >= 100) {
      told = now
      options.onProgress?.(source.consumed, source.size, `${columns.count.toLocaleString('en-US')} entries`)
    }
    if (scanner.refused) break
  }
  scanner.finish()
  findings.drop()
  const problem = sourceProblem(source)
  if (problem) findings.add(problem)
  addEnd(scanner, findings, bytes, problem !== null)
  if (!scanner.found) return { table: null, diagnostics: findings.finish() }
  const version = versionOf(scanner, findings)
  const { count, operatorCount, ...rows } = columns.table()
  const facts = { version, entries: count, operators: operatorCount, createdFromName: createdFromName(source.name) }
  const complete = scanner.closed && problem === null
  return {
    table: { kind: 'framework-mapping', facts, complete, bytesRead: bytes, version, count, operatorCount, ...rows },
    diagnostics: findings.finish(),
  }
}

function addEnd(s: MappingScanner, findings: MappingFindings, bytes: number, damaged: boolean): void {
  const error = (code: string, message: string, action: string): void =>
    findings.add({
      severity: 'error',
      code,
      offset: code === 'mapping-truncated' ? s.offset : null,
      message,
      meaning: 'There is nothing to show.',
      action,
    })
  if (s.refused) return
  if (bytes === 0) {
    if (!damaged) error('mapping-empty', 'The file is empty.', 'Wait until the profiler has written it.')
  } else if (!s.found) {
    if (s.whole || s.lost)
      error('mapping-not-a-mapping', 'The file has no list `data`.', 'Open a framework_mapping file as torch_neuronx wrote it.')
    else error('mapping-truncated', 'The file ends before its list `data` begins.', AGAIN)
  } else if (!s.closed)
    findings.add({
      severity: 'warning',
      code: 'mapping-truncated',
      offset: s.cutAt,
      message: s.lost
        ? 'The file is damaged or cut inside its list `data`, and the end of the list was not found.'
        : `The file ends inside its list \`data\`; the last whole entry ends before byte ${s.cutAt}.`,
      meaning: 'The whole entries before it are used; later ones are missing.',
      action: AGAIN,
    })
}

/** `version` as a number; null where it is absent or no whole number. Anything but 1 is told. */
function versionOf(s: MappingScanner, findings: MappingFindings): number | null {
  const text = s.version
  const value = text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
  if (value !== KNOWN_VERSION)
    findings.add({
      severity: 'warning',
      code: 'mapping-version',
      offset: null,
      message: text === null ? 'The file names no `version`.' : `The version is ${text}; known is ${KNOWN_VERSION}.`,
      meaning: `It is read like version ${KNOWN_VERSION}; what the ids mean may have changed.`,
      action: 'Check with the release notes of the torch_neuronx that wrote it.',
    })
  return value
}

/** The local time that a name `framework_mapping_<YYYYMMDD>_<HHMMSS>_<mmm>.json` tells, as `YYYY-MM-DDTHH:MM:SS.mmm` without a zone; null where it tells none. */
export function createdFromName(name: string): string | null {
  const m = /(?:^|[\\/])framework_mapping_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_(\d{3})\.json(?:\.gz)?$/i.exec(name)
  if (!m) return null
  const [, y, mo, d, h, mi, s, ms] = m
  const iso = `${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}`
  // A date that is none (month 13, 30 February) does not come back as it was.
  const date = new Date(`${iso}Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString() === `${iso}Z` ? iso : null
}
