/** Turns what the reader comes across into diagnostics: one for each kind, with its count and the offset of the first. Nothing is passed over in silence. */
import { DiagnosticSink, type Diagnostic } from '../../shared/diagnostics'
import { Tallies, type Words } from '../json/tallies'
import type { Finding } from '../sniffed'

const CHECK_WRITER = 'Check the program that wrote the file.'
const CHECK_COPY = 'Check how the file was written or copied; two processes writing one file look like this.'
const STRICT = 'None needed; strict JSON readers refuse this file.'

const WORDS = {
  'mapping-stray-comma': ['info', 'A comma stands where no value follows.', 'Nothing is lost.', STRICT],
  'mapping-missing-comma': ['warning', 'A comma is missing between two values.', 'Both are used.', STRICT],
  'mapping-control-character': ['info', 'A string contains a raw control character.', 'Nothing is lost.', STRICT],
  'mapping-debris': [
    'warning',
    'Between the entries stand bytes that belong to none.',
    'They are left out, up to the next whole entry.',
    CHECK_COPY,
  ],
  'mapping-not-an-entry': ['warning', 'An entry of `data` is not an object.', 'It is left out.', CHECK_WRITER],
  'mapping-no-sequence-id': [
    'warning',
    'An entry has no `nrta_seq_id` that is a whole number of 64 bits.',
    'It is left out, its operators too.',
    CHECK_WRITER,
  ],
  'mapping-no-operators': [
    'warning',
    'An entry has no list `framework_op_exec_ids`.',
    'Its sequence id is kept; no operator belongs to it.',
    CHECK_WRITER,
  ],
  'mapping-not-an-operator': ['warning', 'An entry of `framework_op_exec_ids` is not an object.', 'It is left out.', CHECK_WRITER],
  'mapping-bad-number': [
    'warning',
    'A `seq_nr`, `th_id` or `stream_id` is not a whole number of 64 bits.',
    'It counts as absent: the operator cannot be found by it.',
    CHECK_WRITER,
  ],
  'mapping-incomplete-operator': [
    'warning',
    'An operator lacks `seq_nr`, `th_id` or `stream_id`.',
    'It is kept with what it has.',
    CHECK_WRITER,
  ],
  'mapping-long-entry': ['warning', 'An entry is longer than 16 MiB.', 'It is left out.', CHECK_WRITER],
  'mapping-second-list': ['warning', 'The file has more than one list `data`.', 'The entries of all of them are used.', CHECK_COPY],
  'mapping-trailing-data': [
    'warning',
    'The file goes on after the end of its JSON document.',
    'Whole entries that follow are used too; anything else is left out.',
    CHECK_COPY,
  ],
} as const satisfies Readonly<Record<string, Words>>
type Code = keyof typeof WORDS

/** Different unknown keys that are named; all are counted. */
const MAX_NAMES = 5

export class MappingFindings {
  readonly #sink: DiagnosticSink
  readonly #tallies = new Tallies<Code>(WORDS)
  readonly #unknown = { count: 0, first: -1, names: new Set<string>() }

  constructor(file: string) {
    this.#sink = new DiagnosticSink(file)
  }

  /** An entry is being read; it is whole; it is left out (see Tallies). */
  begin = (): boolean => (this.#tallies.inRecord = true)
  keep = (): void => this.#tallies.keep()
  drop = (): void => this.#tallies.drop()

  strayComma = (offset: number): void => this.#tallies.add('mapping-stray-comma', offset)
  missingComma = (offset: number): void => this.#tallies.add('mapping-missing-comma', offset)
  control = (offset: number): void => this.#tallies.add('mapping-control-character', offset)
  debris = (offset: number): void => this.#tallies.add('mapping-debris', offset)
  notAnEntry = (offset: number): void => this.#tallies.add('mapping-not-an-entry', offset)
  noSequenceId = (offset: number): void => this.#tallies.add('mapping-no-sequence-id', offset)
  noOperators = (offset: number): void => this.#tallies.add('mapping-no-operators', offset)
  notAnOperator = (offset: number): void => this.#tallies.add('mapping-not-an-operator', offset)
  badNumber = (offset: number): void => this.#tallies.add('mapping-bad-number', offset)
  incompleteOperator = (offset: number): void => this.#tallies.add('mapping-incomplete-operator', offset)
  longEntry = (offset: number): void => this.#tallies.add('mapping-long-entry', offset)
  secondList = (offset: number): void => this.#tallies.add('mapping-second-list', offset)
  trailing = (offset: number): void => this.#tallies.add('mapping-trailing-data', offset)

  /** A key that the format does not define; `where` is the list it stands in, '' at the top. */
  unknownKey(where: string, key: Uint8Array, offset: number): void {
    const u = this.#unknown
    if (u.count++ === 0) u.first = offset
    if (u.names.size >= MAX_NAMES) return
    const name = new TextDecoder().decode(key.subarray(0, 60))
    u.names.add(where ? `${where}[].${name}` : name)
  }

  badEntry(start: number, at: number, problem: string): void {
    this.#sink.add({
      severity: 'warning',
      code: 'mapping-bad-entry',
      offset: at,
      message: `The entry that begins at byte ${start} is damaged at byte ${at}: ${problem}.`,
      meaning: 'It is left out, and so is what follows up to the next whole entry.',
      action: CHECK_COPY,
    })
  }

  notJson(offset: number, head: Uint8Array): void {
    const wide = head[0] === 0xff || head[0] === 0xfe || head[1] === 0
    this.#sink.add({
      severity: 'error',
      code: 'mapping-not-json',
      offset,
      message: wide ? 'The file is UTF-16 text, or none at all.' : 'The file does not begin like a JSON object.',
      meaning: 'Nothing could be read.',
      action: wide ? 'Convert it to UTF-8.' : 'Open a framework_mapping file as torch_neuronx wrote it.',
    })
  }

  add(f: Finding): void {
    this.#sink.add(f)
  }

  finish(): readonly Diagnostic[] {
    this.#tallies.finish(this.#sink)
    const { count, first, names } = this.#unknown
    if (count > 0)
      this.#sink.add({
        severity: 'info',
        code: 'mapping-unknown-key',
        offset: first,
        message: `${count} ${count === 1 ? 'member is' : 'members are'} not known to this reader: ${[...names].join(', ')}${names.size >= MAX_NAMES ? ' and perhaps others' : ''}.`,
        meaning: 'They are left out; what is known of each entry is used.',
        action: 'None needed.',
        count,
      })
    return this.#sink.list
  }
}
