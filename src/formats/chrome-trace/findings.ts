/** Turns what the scanner comes across into diagnostics: the first few with their offsets, the rest as counts. Nothing is passed over in silence. */
import { DiagnosticSink, type Diagnostic, type Severity } from '../../shared/diagnostics'

interface Tally {
  count: number
  readonly offset: number
}

/** What a merged finding says: severity, message, meaning, action. */
type Words = readonly [Severity, string, string, string]

const WORDS: Readonly<Record<string, Words>> = {
  'trace-stray-comma': [
    'info',
    'A comma stands where no value follows.',
    'Nothing is lost.',
    'None needed; strict JSON readers refuse this file.',
  ],
  'trace-missing-comma': [
    'warning',
    'A comma is missing between two events.',
    'Both events are used.',
    'None needed; strict JSON readers refuse this file.',
  ],
  'trace-control-character': [
    'info',
    'A string contains a raw control character.',
    'The string is kept as it is.',
    'None needed; strict JSON readers refuse this file.',
  ],
  'trace-not-an-event': [
    'warning',
    'An entry of traceEvents is not an object.',
    'It is left out of all counts.',
    'Check the program that wrote the file.',
  ],
  'trace-odd-phase': [
    'warning',
    'An event has a `ph` that is not one ASCII letter.',
    'Its first letter is taken; an event without one is on no track.',
    'Check the program that wrote the file.',
  ],
  'trace-bad-time': [
    'warning',
    'A `ts` or `dur` is not a number.',
    'An event without `ts` is on no track; without `dur` it has length 0.',
    'Check the program that wrote the file.',
  ],
  'trace-time-range': [
    'warning',
    'A `ts` or `dur` is beyond what 64-bit nanoseconds can hold.',
    'That time is left out; an event without `ts` is on no track.',
    'Check that times are in microseconds.',
  ],
  'trace-long-value': [
    'warning',
    'A name, id or number of an event is longer than is read (1 MiB for text).',
    'That member is left out.',
    'Check the program that wrote the file.',
  ],
  'trace-long-args': [
    'warning',
    'A counter or metadata event is longer than 1 MiB.',
    'Its values or names are not shown.',
    'Check the program that wrote the file.',
  ],
  'trace-counter-value': [
    'warning',
    'A counter has a value that is not a number.',
    'That value is left out of the counter.',
    'None needed.',
  ],
  'trace-second-list': [
    'warning',
    'The file has more than one traceEvents.',
    'The events of all of them are shown; other readers show the last one only.',
    'Check the program that wrote the file.',
  ],
  'trace-many-members': [
    'warning',
    'The file has more than 1000 top-level members.',
    'The others are not kept.',
    'Check the program that wrote the file.',
  ],
}

export class Findings {
  readonly #sink: DiagnosticSink
  readonly #tallies = new Map<string, Tally>()

  constructor(file: string) {
    this.#sink = new DiagnosticSink(file)
  }

  /** Any other diagnostic, at once. */
  add(severity: Severity, code: string, offset: number | null, message: string, meaning: string, action: string, count = 1): void {
    this.#sink.add({ severity, code, offset, message, meaning, action, count })
  }

  #tally(code: string, offset: number): void {
    const t = this.#tallies.get(code)
    if (t) t.count++
    else this.#tallies.set(code, { count: 1, offset })
  }

  count(code: string): number {
    return this.#tallies.get(code)?.count ?? 0
  }

  strayComma = (offset: number): void => this.#tally('trace-stray-comma', offset)
  missingComma = (offset: number): void => this.#tally('trace-missing-comma', offset)
  control = (offset: number): void => this.#tally('trace-control-character', offset)
  notAnEvent = (offset: number): void => this.#tally('trace-not-an-event', offset)
  oddPhase = (offset: number): void => this.#tally('trace-odd-phase', offset)
  badTime = (offset: number, notANumber: boolean): void => this.#tally(notANumber ? 'trace-bad-time' : 'trace-time-range', offset)
  longValue = (offset: number): void => this.#tally('trace-long-value', offset)
  longArgs = (offset: number): void => this.#tally('trace-long-args', offset)
  oddCounter = (offset: number): void => this.#tally('trace-counter-value', offset)
  secondList = (offset: number): void => this.#tally('trace-second-list', offset)
  tooManyMembers = (offset: number): void => this.#tally('trace-many-members', offset)

  badEvent(start: number, at: number, problem: string): void {
    this.add(
      'warning',
      'trace-bad-event',
      at,
      `The event that begins at byte ${start} is damaged at byte ${at}: ${problem}.`,
      'It is left out, and so is what follows up to the next whole event.',
      'Check how the file was written or copied; two processes writing one file look like this.',
    )
  }

  notJson(offset: number, head: Uint8Array): void {
    const bytes = [...head].map(c => c.toString(16).padStart(2, '0')).join(' ')
    const wide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
    this.add(
      'error',
      'trace-not-json',
      offset,
      wide ? 'The file is UTF-16 text.' : `The file does not begin like JSON (bytes ${bytes}).`,
      'Nothing could be read.',
      wide ? 'Convert it to UTF-8.' : 'Open a trace.json as the profiler wrote it.',
    )
  }

  notAList(offset: number): void {
    this.add(
      'error',
      'trace-events-not-a-list',
      offset,
      '`traceEvents` is not a list.',
      'It holds no events that could be read.',
      'Check the program that wrote the file.',
    )
  }

  longMetadata(key: string, offset: number | null, length: number): void {
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
        ? 'Members behind this place (for example the base time) are not read.'
        : 'Members in front of the events behind this place are not read.',
      'Check how the file was written or copied.',
    )
  }

  trailing(offset: number): void {
    this.add(
      'warning',
      'trace-trailing-data',
      offset,
      'The file goes on after the end of its JSON document.',
      'What follows is not read; it may be a second trace written to the same file.',
      'Check whether two processes wrote to one path.',
    )
  }

  finish(): readonly Diagnostic[] {
    for (const [code, t] of this.#tallies) {
      const [severity, message, meaning, action] = WORDS[code]
      this.add(
        severity,
        code,
        t.offset,
        t.count > 1 ? `${message} (${t.count} times, first at byte ${t.offset})` : message,
        meaning,
        action,
        t.count,
      )
    }
    this.#tallies.clear()
    return this.#sink.list
  }
}
