/**
 * Reader of NEFF, the compiled graph: the header, the hash of the payload, and the list of the archive in it, in one pass. Layout and sources: README.md beside this.
 */
import { createHash } from 'node:crypto'
import { DiagnosticSink } from '../../shared/diagnostics'
import { stringAt } from '../../shared/columns'
import type { ByteSource, ReadOptions, ReadResult } from '../../shared/reader'
import type { NeffTable } from '../../shared/tables'
import { gunzipSource, type CheckedSource, type SourceProblem } from '../source'
import { ArchiveList } from './archive'
import { graphOf } from './graph'
import { HEADER_BYTES, headerFacts, headerSizes, parseHeader, type NeffHeader } from './header'
import { NeffStream } from './stream'

export interface NeffLimits {
  /** Members that are listed. */
  readonly members: number
  /** Bytes that are uncompressed for the list. */
  readonly uncompressedBytes: number
  /** Uncompressed to compressed bytes, once more than `ratioFrom` were uncompressed. Real archives reach 10, weights that are all zero stay below `ratioFrom`. */
  readonly ratio: number
  readonly ratioFrom: number
}

export const NEFF_LIMITS: NeffLimits = {
  members: 50_000,
  uncompressedBytes: 8 * 1024 ** 3,
  ratio: 200,
  ratioFrom: 64 * 1024 ** 2,
}

/**
 * Reads a NEFF. Never throws on bad data, writes nothing, keeps no content of the archive but four small JSON members.
 * - `complete: false`: the payload is shorter than declared (then `hashValid` is null), or gzip or tar end early;
 * - a limit that is met ends the list (`members.complete` is false) with a diagnostic; the hash is still checked;
 * - something else, or nothing: a null table and a diagnostic.
 */
export async function readNeff(
  source: ByteSource,
  opts: ReadOptions & { readonly limits?: Partial<NeffLimits> } = {},
): Promise<ReadResult<NeffTable>> {
  const limits = { ...NEFF_LIMITS, ...opts.limits }
  const sink = new DiagnosticSink(source.name)
  const stream = new NeffStream(source, opts)
  const head = await stream.head(HEADER_BYTES)
  const cancelled = (): ReadResult<NeffTable> => {
    sink.add({
      severity: 'info',
      code: 'cancelled',
      message: 'Reading was cancelled.',
      meaning: 'Nothing of this file is shown.',
      action: 'Read it again.',
    })
    return { table: null, diagnostics: sink.list }
  }
  if (stream.cancelled) return cancelled()
  const header = parseHeader(head)
  if (!header) {
    if (headerSizes(head))
      sink.add({
        severity: 'warning',
        code: 'file-truncated',
        offset: head.length,
        message: `The file ends after ${head.length} of the 1024 bytes of a NEFF header.`,
        meaning: 'Nothing of it can be shown.',
        action: 'Wait until the compiler has finished writing, or copy the file again.',
      })
    else
      sink.add({
        severity: 'error',
        code: 'not-a-neff',
        offset: 0,
        message: 'The file is no NEFF: package version, header size and payload size are not those of one.',
        meaning: 'Nothing of it is shown.',
        action: 'Check whether the file was overwritten or misnamed.',
      })
    return { table: null, diagnostics: sink.list }
  }

  const hash = createHash(header.packageVersion === 1 ? 'sha256' : 'md5')
  const payload = stream.payload(header.payloadBytes, part => hash.update(part))
  const list = new ArchiveList(sink, limits.members)
  const { bytes: uncompressedBytes, from, problem, limit } = await listArchive(header, stream, payload, list, limits)
  // What the list did not need still counts for the hash.
  while (!(await payload.next()).done) continue
  await stream.close()
  if (stream.cancelled) return cancelled()

  const whole = stream.payloadRead === header.payloadBytes
  tellStream(sink, source, stream, header, whole)
  if (problem && whole) tellGzip(sink, problem)
  if (limit) tellLimit(sink, limit, limits, uncompressedBytes, from)
  if (list.ended === 'members') tellLimit(sink, 'members', limits, uncompressedBytes, from)
  const { members, texts, strings } = list.finish(whole && problem === null && limit === null)
  const checked = whole ? checkHash(sink, header, hash.digest()) : { computedHash: null, hashValid: null }
  const folders = new Set<string>()
  for (let i = 0; i < members.count; i++) {
    const folder = /^(?:\.\/)?(sg\d+)\//.exec(stringAt(strings, members.name[i]))?.[1]
    if (folder !== undefined) folders.add(folder)
  }
  const graph = graphOf(texts, members.complete ? folders.size : null)
  const { uuid, hash: stored, ...rest } = headerFacts(header)
  const known = Object.fromEntries(
    Object.entries({ toolVersion: graph.toolVersion, target: graph.target, subgraphs: graph.subgraphs, nodes: graph.nodes }).filter(
      ([, v]) => v !== null,
    ),
  )
  const table: NeffTable = {
    kind: 'neff',
    facts: {
      uuid,
      hash: stored,
      hashValid: checked.hashValid,
      ...rest,
      ...(members.complete ? { members: members.count, uncompressedBytes } : {}),
      ...known,
    },
    complete: whole && problem === null && (members.complete || limit !== null || list.ended === 'members'),
    bytesRead: HEADER_BYTES + stream.payloadRead,
    ...header,
    ...checked,
    payloadBytesRead: stream.payloadRead,
    uncompressedBytes,
    members,
    graph,
    strings,
  }
  return { table, diagnostics: sink.list }
}

type Limit = 'members' | 'size' | 'ratio'

interface Listed {
  /** Bytes of the archive that were looked at. */
  readonly bytes: number
  /** Bytes of the payload that they came from. */
  readonly from: number
  readonly problem: SourceProblem | null
  readonly limit: Limit | null
}

/** Feeds the payload, uncompressed, to the list until its end, a limit or a fault. */
async function listArchive(
  header: NeffHeader,
  stream: NeffStream,
  payload: AsyncGenerator<Uint8Array, void, void>,
  list: ArchiveList,
  limits: NeffLimits,
): Promise<Listed> {
  let bytes = 0
  if (header.packageVersion === 1) {
    for (let next = await payload.next(); !next.done; next = await payload.next()) {
      bytes += next.value.length
      list.push(next.value.slice()) // the source reuses its buffer
      if (list.ended) break
    }
    return { bytes, from: stream.payloadRead, problem: null, limit: null }
  }
  const inner: CheckedSource = {
    name: 'payload',
    size: header.payloadBytes,
    compressed: false,
    problem: null,
    get consumed() {
      return stream.payloadRead
    },
    // Without `return`: stopping to uncompress leaves the payload to be read on for its hash.
    chunks: () => ({ [Symbol.asyncIterator]: () => ({ next: () => payload.next() }) }),
  }
  const archive = gunzipSource(inner)
  let limit: Limit | null = null
  for await (const part of archive.chunks()) {
    bytes += part.length
    list.push(part)
    // Where the tar is broken, gzip may tell why.
    if (list.ended === 'members') break
    if (bytes > limits.uncompressedBytes) limit = 'size'
    else if (bytes > limits.ratioFrom && bytes > limits.ratio * stream.payloadRead) limit = 'ratio'
    if (limit) break
  }
  return { bytes, from: stream.payloadRead, problem: limit || list.ended === 'members' ? null : archive.problem, limit }
}

/**
 * The stored hash against the payload's. MD5 stands as it is in files of major version 1, with the bytes of every 4-byte word reversed in those of 2 (42 and 2 real files); of other major versions either order
 * proves the payload, and neither says nothing.
 */
function checkHash(
  sink: DiagnosticSink,
  header: NeffHeader,
  digest: Buffer,
): { readonly computedHash: string; readonly hashValid: boolean | null } {
  const plain = digest.toString('hex')
  const swapped = Buffer.from(digest).swap32().toString('hex')
  const known = header.packageVersion === 1 || header.versionMajor === 1n || header.versionMajor === 2n
  const expected = header.packageVersion === 1 || header.versionMajor === 1n ? plain : swapped
  if (!known) {
    if (header.hash === plain || header.hash === swapped) return { computedHash: header.hash, hashValid: true }
    sink.add({
      severity: 'info',
      code: 'neff-hash-unchecked',
      offset: 0xac,
      message: `How files of major version ${header.versionMajor} store their hash is not known.`,
      meaning: 'Whether the payload is intact cannot be said.',
      action: 'None needed.',
    })
    return { computedHash: expected, hashValid: null }
  }
  if (header.hash === expected) return { computedHash: expected, hashValid: true }
  const other = header.packageVersion === 2 && (header.hash === plain || header.hash === swapped)
  sink.add({
    severity: 'warning',
    code: 'neff-hash-mismatch',
    offset: 0xac,
    message: other
      ? `The stored hash is the MD5 of the payload in the byte order of another major version than ${header.versionMajor}.`
      : `The stored hash ${header.hash} is not that of the payload, ${expected}.`,
    meaning: other ? 'The payload is intact, the header is not as a compiler writes it.' : 'Header or payload were changed or damaged.',
    action: 'Copy the file again from where it was compiled.',
  })
  return { computedHash: expected, hashValid: false }
}

function tellStream(sink: DiagnosticSink, source: ByteSource, stream: NeffStream, header: NeffHeader, whole: boolean): void {
  const problem = 'problem' in source ? (source as CheckedSource).problem : null
  if (problem)
    sink.add({
      severity: 'warning',
      code: problem.code,
      offset: problem.offset,
      message: `The file could not be read to its end (${problem.message}).`,
      meaning: 'What was read before that place is used; the hash cannot be checked.',
      action: 'Copy the file again.',
    })
  else if (!whole) {
    const end = HEADER_BYTES + stream.payloadRead
    sink.add({
      severity: 'warning',
      code: 'file-truncated',
      offset: end,
      message: `The file has ${end} bytes, its header declares ${HEADER_BYTES + header.payloadBytes}.`,
      meaning: 'The list of its members ends early, and the hash cannot be checked.',
      action: 'Wait until the compiler has finished writing, or copy the file again.',
    })
  } else if (stream.trailing() > 0)
    sink.add({
      severity: 'info',
      code: 'neff-trailing-bytes',
      offset: HEADER_BYTES + header.payloadBytes,
      message: `${stream.trailing().toLocaleString('en-US')} bytes follow the declared payload.`,
      meaning: 'They are not read and do not count for the hash.',
      action: 'None needed.',
    })
}

function tellGzip(sink: DiagnosticSink, problem: SourceProblem): void {
  sink.add({
    severity: 'warning',
    code: problem.code,
    offset: HEADER_BYTES + problem.offset,
    message:
      problem.code === 'gzip-truncated'
        ? 'The gzip stream in the payload ends too early.'
        : `The gzip stream is damaged (${problem.message}).`,
    meaning: 'Members before that place are listed; the rest is missing.',
    action: 'Copy the file again from where it was compiled.',
  })
}

function tellLimit(sink: DiagnosticSink, limit: Limit, limits: NeffLimits, uncompressed: number, compressed: number): void {
  const n = (v: number): string => v.toLocaleString('en-US')
  const message = {
    members: `The archive has more than ${n(limits.members)} members.`,
    size: `The archive has more than ${n(limits.uncompressedBytes)} bytes.`,
    ratio: `The archive grows more than ${limits.ratio}-fold: ${n(uncompressed)} bytes from ${n(compressed)}, as a gzip bomb does.`,
  }[limit]
  sink.add({
    severity: 'warning',
    code: `neff-${limit}-limit`,
    offset: HEADER_BYTES + compressed,
    message,
    meaning: 'The list of its members ends there; header and hash are not affected.',
    action: limit === 'ratio' ? 'Do not extract the file; check where it comes from.' : 'None needed.',
  })
}
