/** Turns what the scanner comes across into diagnostics: the first few with their offsets, the rest as counts. Nothing is passed over in silence. */
import { DiagnosticSink, type Diagnostic, type Severity } from '../../shared/diagnostics'
import { Tallies, type Words } from '../json/tallies'

const CHECK_WRITER = 'Check the program that wrote the file.'
const STRICT = 'None needed; strict JSON readers refuse this file.'
const CHECK_COPY = 'Check how the file was written or copied; two processes writing one file look like this.'

const WORDS = {
  'trace-stray-comma': ['info', 'A comma stands where no value follows.', 'Nothing is lost.', STRICT],
  'trace-missing-comma': ['warning', 'A comma is missing between two events or members.', 'Both are used.', STRICT],
  'trace-stray-bracket': [
    'warning',
    'A bracket stands inside the list of events.',
    'The events on both sides of it are used.',
    'Check whether two processes wrote to one path; strict JSON readers refuse this file.',
  ],
  'trace-comment': ['info', 'A comment stands between values.', 'Nothing is lost.', STRICT],
  'trace-control-character': ['info', 'A string contains a raw control character.', 'The string is kept as it is.', STRICT],
  'trace-lone-surrogate': [
    'info',
    'A string has an escape that is half of a character.',
    'It is shown as U+FFFD; two texts that differ only there count as one.',
    CHECK_WRITER,
  ],
  'trace-bad-escape': ['info', 'A string has an escape that JSON does not define.', 'It is shown as it stands.', STRICT],
  'trace-not-an-event': ['warning', 'An entry of traceEvents is not an object.', 'It is left out of all counts.', CHECK_WRITER],
  'trace-debris': [
    'warning',
    'Between the events stand bytes that belong to none.',
    'They are left out, up to the next whole event.',
    CHECK_COPY,
  ],
  'trace-odd-phase': [
    'warning',
    'An event has a `ph` that is not one ASCII letter.',
    'Its first letter is taken; an event without one is on no track.',
    CHECK_WRITER,
  ],
  'trace-bad-time': [
    'warning',
    'A `ts` or `dur` is not a number.',
    'An event without `ts` is on no track; without `dur` it has length 0.',
    CHECK_WRITER,
  ],
  'trace-time-range': [
    'warning',
    'A `ts` is beyond what 64-bit nanoseconds can hold, or a `dur` is longer than 104 days.',
    'That time is left out; an event without `ts` is on no track, without `dur` it has length 0.',
    'Check that times are in microseconds.',
  ],
  'trace-long-value': [
    'warning',
    'A name, id or number of an event is longer than is read (1 MiB for text).',
    'That member is left out.',
    CHECK_WRITER,
  ],
  'trace-long-args': ['warning', 'A counter or metadata event is longer than 1 MiB.', 'Its values or names are not shown.', CHECK_WRITER],
  'trace-counter-value': [
    'warning',
    'A counter has a value that is not a number.',
    'That value is left out of the counter.',
    'None needed.',
  ],
  'trace-counter-rounded': [
    'info',
    'A counter has a whole number beyond 2^53.',
    'It is rounded to the nearest number that 64-bit floating point holds; the exact one is in the args.',
    'None needed.',
  ],
  'trace-second-list': [
    'warning',
    'The file has more than one traceEvents.',
    'The events of all of them are shown; other readers show the last one only.',
    CHECK_WRITER,
  ],
  'trace-second-document': [
    'warning',
    'Another document begins inside of the list of events.',
    'The events of both are shown on one clock. Those that one cuts in the other are left out, unless two halves happen to fit together.',
    'Check whether two processes wrote to one path.',
  ],
  'trace-trailing-data': [
    'warning',
    'The file goes on after the end of its JSON document.',
    'Whole events that follow are shown too; anything else is left out.',
    'Check whether two processes wrote to one path.',
  ],
  'trace-two-base-times': [
    'warning',
    'The file has two different baseTimeNanoseconds.',
    'Which events belong to which is not known, so the trace is drawn in a time range of its own; times of the two do not line up.',
    'Check whether two processes wrote to one path.',
  ],
  'trace-two-ranks': [
    'warning',
    'The file names two different ranks.',
    'It is taken for a trace without a rank.',
    'Check whether two processes wrote to one path.',
  ],
  'trace-many-members': [
    'warning',
    'The file has more than 1000 top-level members, or more than 4 MiB of them.',
    'The others are not kept among the facts of the file.',
    CHECK_WRITER,
  ],
} as const satisfies Readonly<Record<string, Words>>
type Code = keyof typeof WORDS

/** Findings of an event that is being read count once it is whole (see Tallies). */
export class Findings {
  readonly #sink: DiagnosticSink
  readonly #tallies = new Tallies<Code>(WORDS)

  constructor(file: string) {
    this.#sink = new DiagnosticSink(file)
  }

  /** Any other diagnostic, at once. */
  add(severity: Severity, code: string, offset: number | null, message: string, meaning: string, action: string, count = 1): void {
    this.#sink.add({ severity, code, offset, message, meaning, action, count })
  }

  /** An event is being read. */
  begin(): void {
    this.#tallies.inRecord = true
  }
  /** It is whole. */
  keep(): void {
    this.#tallies.keep()
  }
  /** It is left out. */
  drop(): void {
    this.#tallies.drop()
  }

  count(code: Code): number {
    return this.#tallies.count(code)
  }

  strayComma = (offset: number): void => this.#tallies.add('trace-stray-comma', offset)
  missingComma = (offset: number): void => this.#tallies.add('trace-missing-comma', offset)
  strayBracket = (offset: number): void => this.#tallies.add('trace-stray-bracket', offset)
  comment = (offset: number): void => this.#tallies.add('trace-comment', offset)
  control = (offset: number): void => this.#tallies.add('trace-control-character', offset)
  loneSurrogate = (offset: number): void => this.#tallies.add('trace-lone-surrogate', offset)
  badEscape = (offset: number): void => this.#tallies.add('trace-bad-escape', offset)
  notAnEvent = (offset: number): void => this.#tallies.add('trace-not-an-event', offset)
  debris = (offset: number): void => this.#tallies.add('trace-debris', offset)
  oddPhase = (offset: number): void => this.#tallies.add('trace-odd-phase', offset)
  badTime = (offset: number, notANumber: boolean): void => this.#tallies.add(notANumber ? 'trace-bad-time' : 'trace-time-range', offset)
  longValue = (offset: number): void => this.#tallies.add('trace-long-value', offset)
  longArgs = (offset: number): void => this.#tallies.add('trace-long-args', offset)
  oddCounter = (offset: number): void => this.#tallies.add('trace-counter-value', offset)
  roundedCounter = (offset: number): void => this.#tallies.add('trace-counter-rounded', offset)
  secondList = (offset: number): void => this.#tallies.add('trace-second-list', offset)
  secondDocument = (offset: number): void => this.#tallies.add('trace-second-document', offset)
  trailing = (offset: number): void => this.#tallies.add('trace-trailing-data', offset)
  secondBase = (offset: number): void => this.#tallies.add('trace-two-base-times', offset)
  secondRank = (offset: number): void => this.#tallies.add('trace-two-ranks', offset)
  tooManyMembers = (offset: number): void => this.#tallies.add('trace-many-members', offset)

  badEvent(start: number, at: number, problem: string): void {
    this.add(
      'warning',
      'trace-bad-event',
      at,
      `The event that begins at byte ${start} is damaged at byte ${at}: ${problem}.`,
      'It is left out, and so is what follows up to the next whole event.',
      CHECK_COPY,
    )
  }

  invalidUtf8(offset: number, count: number): void {
    this.add(
      'warning',
      'trace-invalid-utf8',
      offset,
      `The file has bytes that are not UTF-8${count > 1 ? ` (${count} places, first at byte ${offset})` : ''}.`,
      'Each place is shown as U+FFFD; two texts that differ only there count as one.',
      'None needed, unless the names of events look wrong.',
      count,
    )
  }

  notJson(offset: number, head: Uint8Array): void {
    this.add(
      'error',
      'trace-not-json',
      offset,
      `The file does not begin like JSON (${hex(head)}).`,
      'Nothing could be read.',
      'Open a trace.json as the profiler wrote it.',
    )
  }

  utf16(): void {
    this.add(
      'error',
      'trace-utf16',
      0,
      'The file is UTF-16 text; a trace is UTF-8.',
      'Nothing could be read.',
      'Convert it, for example with `iconv -f UTF-16 -t UTF-8`.',
    )
  }

  leading(from: number, to: number, head: Uint8Array): void {
    this.add(
      'warning',
      'trace-leading-data',
      from,
      `The file does not begin like JSON (${hex(head)}); its document or its events begin at byte ${to}.`,
      'What stands before is left out.',
      'Check how the file was written or copied.',
    )
  }

  otherKey(key: string, offset: number): void {
    this.add(
      'warning',
      'trace-events-key',
      offset,
      `The list of events stands under ${JSON.stringify(key.slice(0, 80))}, not under "traceEvents".`,
      'Its events are used.',
      CHECK_WRITER,
    )
  }

  bareEvents(offset: number): void {
    this.add(
      'warning',
      'trace-no-list',
      offset,
      'The file begins with an event, without the bracket that opens a list.',
      'The events are used.',
      'Check how the file was written or copied.',
    )
  }

  notAList(offset: number): void {
    this.add(
      'error',
      'trace-events-not-a-list',
      offset,
      '`traceEvents` is not a list.',
      'It holds no events that could be read.',
      CHECK_WRITER,
    )
  }

  longMember(key: string, offset: number, length: number): void {
    this.add(
      'info',
      'trace-long-member',
      offset,
      `The member ${JSON.stringify(key.slice(0, 80))} is ${length} bytes long.`,
      'It is not kept among the facts of the file.',
      'None needed.',
    )
  }

  badMetadata(offset: number, afterEvents: boolean): void {
    this.add(
      'warning',
      'trace-damaged-metadata',
      offset,
      `The file is not valid JSON ${afterEvents ? 'after' : 'before'} its events.`,
      afterEvents
        ? 'Members behind this place may be missing, for example the base time; whole events that follow are used.'
        : 'Members behind this place and in front of the events may be missing.',
      'Check how the file was written or copied.',
    )
  }

  finish(): readonly Diagnostic[] {
    this.#tallies.finish(this.#sink)
    return this.#sink.list
  }
}

const hex = (head: Uint8Array): string => `bytes ${[...head].map(c => c.toString(16).padStart(2, '0')).join(' ')}`
