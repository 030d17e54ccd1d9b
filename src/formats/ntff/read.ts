/**
 * Reader of NTFF, the device profile of one execution: header, message and the index of its records. The records themselves (16 bytes each, in the blob behind the message) are not read; where they
 * lie is told. Layout and sources: README.md beside this.
 */
import { DiagnosticSink } from '../../shared/diagnostics'
import type { ByteSource, ReadOptions, ReadResult } from '../../shared/reader'
import type { NtffTable } from '../../shared/tables'
import type { CheckedSource } from '../source'
import { ntffFacts } from './facts'
import { decodeMessage, MAX_ROWS, type MessageFaults } from './message'
import { HEADER_BYTES, MAX_VERSION, RECORD_BYTES } from './schema'

/** Bytes of a message that are read; versions 4 and 5 carry the instructions in it. */
export const MESSAGE_LIMIT = 256 * 1024 * 1024

/**
 * Reads an NTFF. Never throws on bad data.
 * - a whole file: the table with `complete: true`;
 * - a file that ends early, a message that is damaged, or one larger than `messageLimit`: what is whole, `complete: false` and a diagnostic;
 * - something else, or nothing: a null table and a diagnostic. 0 bytes are normal for the runtime and only noted.
 */
export async function readNtff(
  source: ByteSource,
  opts: ReadOptions & { readonly messageLimit?: number } = {},
): Promise<ReadResult<NtffTable>> {
  const sink = new DiagnosticSink(source.name)
  const none = (): ReadResult<NtffTable> => ({ table: null, diagnostics: sink.list })
  const compressed = 'compressed' in source && (source as CheckedSource).compressed
  const head = await readHead(source, opts, compressed)
  if (head === 'cancelled') {
    sink.add({
      severity: 'info',
      code: 'cancelled',
      message: 'Reading was cancelled.',
      meaning: 'Nothing of this file is shown.',
      action: 'Read it again.',
    })
    return none()
  }
  const { bytes, declared, total } = head
  if (total === 0) {
    sink.add({
      severity: 'info',
      code: 'ntff-empty',
      offset: 0,
      message: 'The file is empty.',
      meaning: 'The runtime made it, nothing was captured on this core.',
      action: 'None needed.',
    })
    return none()
  }
  const version = bytes[0] ?? 0
  if (version < 1 || version > MAX_VERSION || (bytes.length >= 9 && (declared < 2n || declared >= 2n ** 31n))) {
    sink.add({
      severity: 'error',
      code: 'not-an-ntff',
      offset: 0,
      message: `The file is no NTFF of a known version: it begins with version ${version} and a message of ${declared} bytes.`,
      meaning: 'Nothing of it is shown.',
      action: 'Check whether the file was overwritten or misnamed.',
    })
    return none()
  }
  if (bytes.length < HEADER_BYTES) {
    sink.add(cut(`The file ends after ${total} of the 128 bytes of its header.`, total))
    return none()
  }
  if (version < 4)
    sink.add({
      severity: 'info',
      code: 'ntff-version-unseen',
      offset: 0,
      message: `The file is of version ${version}; the layout was checked on versions 4 to 6.`,
      meaning: 'What it says is read by the same layout and may be incomplete.',
      action: 'Compare with Neuron Explorer.',
    })

  const messageBytes = Number(declared)
  const end = HEADER_BYTES + messageBytes
  const limit = opts.messageLimit ?? MESSAGE_LIMIT
  const blobBytes = Math.max(0, total - end)
  const { content, whole, faults } = decodeMessage(bytes, version, HEADER_BYTES, end, blobBytes)
  const ended = bytes.length < end
  if (ended && messageBytes > limit && bytes.length - HEADER_BYTES >= limit)
    sink.add({
      severity: 'warning',
      code: 'ntff-message-limit',
      offset: bytes.length,
      message: `The message of ${messageBytes.toLocaleString('en-US')} bytes is read up to ${limit.toLocaleString('en-US')} bytes.`,
      meaning: 'What it says beyond that place is missing.',
      action: 'None; please report the file.',
    })
  else if (ended) sink.add(cut(`The file ends after ${total} bytes, its message at ${end}.`, total))
  tellFaults(sink, faults)
  // Of a file that ends inside its message the blob is missing as a whole, and that was told.
  const lost = total < end ? 0 : tellRanges(sink, content, end, total)
  const problem = 'problem' in source ? (source as CheckedSource).problem : null
  if (problem)
    sink.add({
      severity: 'warning',
      code: problem.code,
      offset: problem.offset,
      message: `The file could not be read to its end (${problem.message}).`,
      meaning: 'What was read before that place is used.',
      action: 'Copy the file again.',
    })
  const told = { version, ...content }
  const table: NtffTable = {
    kind: 'ntff',
    facts: ntffFacts(told, whole),
    complete: whole && lost === 0 && problem === null,
    bytesRead: bytes.length,
    messageBytes,
    blobBytes,
    ...told,
  }
  return { table, diagnostics: sink.list }
}

interface Head {
  /** Header and message, as far as they are there. */
  readonly bytes: Uint8Array
  readonly declared: bigint
  /** Bytes of the (uncompressed) file. */
  readonly total: number
}

/** Reads up to the end of the message. The buffer grows with what is there, never with what the header claims. */
async function readHead(
  source: ByteSource,
  opts: ReadOptions & { readonly messageLimit?: number },
  compressed: boolean,
): Promise<Head | 'cancelled'> {
  let buffer = new Uint8Array(64 * 1024)
  let length = 0
  let total = 0
  let declared = 0n
  let want = HEADER_BYTES
  let last = 0
  for await (const chunk of source.chunks()) {
    if (opts.signal?.aborted) return 'cancelled'
    total += chunk.length
    for (let at = 0; at < chunk.length && length < want;) {
      const n = Math.min(want - length, chunk.length - at)
      if (length + n > buffer.length) {
        const larger = new Uint8Array(Math.max(length + n, Math.min(want, buffer.length * 2)))
        larger.set(buffer.subarray(0, length))
        buffer = larger
      }
      buffer.set(chunk.subarray(at, at + n), length)
      length += n
      at += n
      if (want !== HEADER_BYTES || length < HEADER_BYTES) continue
      declared = new DataView(buffer.buffer).getBigUint64(1, true)
      const limit = opts.messageLimit ?? MESSAGE_LIMIT
      want = HEADER_BYTES + (declared > BigInt(limit) ? limit : Number(declared))
    }
    const now = performance.now()
    if (now - last >= 100) {
      last = now
      opts.onProgress?.(source.consumed, source.size, 'reading the message')
    }
    // The size of a plain file is known; of a compressed one it is only known at the end.
    if (length >= want && length >= HEADER_BYTES && !compressed) return { bytes: buffer.subarray(0, length), declared, total: source.size }
  }
  if (opts.signal?.aborted) return 'cancelled'
  if (length >= 9) declared = new DataView(buffer.buffer).getBigUint64(1, true)
  return { bytes: buffer.subarray(0, length), declared, total }
}

const cut = (message: string, offset: number) =>
  ({
    severity: 'warning',
    code: 'file-truncated',
    offset,
    message,
    meaning: 'What comes before the cut is used; what comes after it is missing.',
    action: 'Wait until the run has finished writing, or copy the file again.',
  }) as const

function tellFaults(sink: DiagnosticSink, f: MessageFaults): void {
  if (f.damaged > 0)
    sink.add({
      severity: 'warning',
      code: 'ntff-message-damaged',
      offset: f.firstAt,
      count: f.damaged,
      message: 'Parts of the message are no protobuf.',
      meaning: 'They are left out; the rest is used.',
      action: 'Copy the file again from where it was written.',
    })
  if (f.misfits > 0)
    sink.add({
      severity: 'warning',
      code: 'ntff-field-misfit',
      offset: f.firstAt,
      count: f.misfits,
      message: 'Fields of the message do not have the type or the range that is known of them.',
      meaning: 'They are left out, with the row that they belong to.',
      action: 'If the file is whole, the format has changed: please report it.',
    })
  if (f.dropped > 0)
    sink.add({
      severity: 'warning',
      code: 'ntff-row-limit',
      count: f.dropped,
      message: `A list of the message has more than ${MAX_ROWS.toLocaleString('en-US')} entries.`,
      meaning: 'Those beyond are left out.',
      action: 'None; please report the file.',
    })
}

/** Ranges of records and instructions that do not lie in the file, or do not hold whole records. Answers how many are not whole. */
function tellRanges(sink: DiagnosticSink, c: Pick<NtffTable, 'sections' | 'engines'>, blobAt: number, total: number): number {
  const { sections: s, engines: e } = c
  const blob = BigInt(Math.max(0, total - blobAt))
  let outside = 0
  let odd = 0
  let last = 0n
  const range = (offset: bigint, size: bigint): void => {
    const end = offset + size
    if (end <= blob) return
    outside++
    if (end > last) last = end
  }
  for (let i = 0; i < s.count; i++) {
    range(s.offset[i], s.size[i])
    if (s.size[i] % BigInt(RECORD_BYTES) !== 0n) odd++
  }
  for (let i = 0; i < e.count; i++) if (e.inBlob[i] === 1) range(e.offset[i], e.size[i])
  if (outside > 0)
    sink.add(
      cut(
        `${outside} of ${s.count + e.count} ranges of records and instructions reach to byte ${last + BigInt(blobAt)}, the file has ${total} bytes.`,
        total,
      ),
    )
  if (odd > 0)
    sink.add({
      severity: 'warning',
      code: 'ntff-odd-section',
      count: odd,
      message: 'Trace sections do not hold a whole number of records of 16 bytes.',
      meaning: 'Only their whole records are counted.',
      action: 'Copy the file again, or report it if it is whole.',
    })
  return outside
}
