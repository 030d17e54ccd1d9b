/** Writes Chrome traces for tests, with full control over text: times as they shall stand in the file, order of keys, damage. */
import type { TraceTable } from '../../shared/tables'
import { bufferSource } from '../source'
import { readTrace } from './read'

export interface FixtureEvent {
  readonly ph?: string
  readonly name?: unknown
  readonly cat?: unknown
  readonly pid?: unknown
  readonly tid?: unknown
  /** A string is written without quotes, so that any spelling of a number can be tested; `quoted` makes it a JSON string. */
  readonly ts?: string | number
  readonly dur?: string | number
  readonly [key: string]: unknown
}

export interface FixtureOptions {
  /** Members before and after `traceEvents`; string values are raw JSON text. */
  readonly before?: Readonly<Record<string, string>>
  readonly after?: Readonly<Record<string, string>>
  readonly bareArray?: boolean
  /** Between all tokens. */
  readonly space?: string
  readonly bom?: boolean
}

/** Marks text that goes into the file as it is. */
export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
export const quoted = (text: string): Raw => new Raw(JSON.stringify(text))

const valueText = (key: string, v: unknown): string =>
  v instanceof Raw ? v.text : (key === 'ts' || key === 'dur') && typeof v === 'string' ? v : JSON.stringify(v)

export const eventText = (e: FixtureEvent, space = ''): string =>
  `{${Object.entries(e)
    .filter(([, v]) => v !== undefined)
    .map(([k, v]) => `${space}${JSON.stringify(k)}${space}:${space}${valueText(k, v)}`)
    .join(',')}${space}}`

/** Text of a trace with these events (raw strings are taken as they are). */
export function traceText(events: readonly (FixtureEvent | string)[], o: FixtureOptions = {}): string {
  const s = o.space ?? ''
  const list = `[${s}${events.map(e => (typeof e === 'string' ? e : eventText(e, s))).join(`,${s}`)}${s}]`
  const members = (m: Readonly<Record<string, string>> | undefined): string[] =>
    Object.entries(m ?? {}).map(([k, v]) => `${JSON.stringify(k)}${s}:${s}${v}`)
  const text = o.bareArray
    ? list
    : `{${s}${[...members(o.before), `"traceEvents"${s}:${s}${list}`, ...members(o.after)].join(`${s},${s}`)}${s}}`
  return (o.bom ? '\ufeff' : '') + text
}

export const traceBytes = (events: readonly (FixtureEvent | string)[], o?: FixtureOptions): Uint8Array =>
  new TextEncoder().encode(traceText(events, o))

/** A table through the reader. `ts` and `dur` are whole ns here, `ts` relative to 1 700 000 000 s of Unix time. */
export async function fixtureTable(events: readonly FixtureEvent[]): Promise<TraceTable> {
  const micros = (ns: bigint): string =>
    `${ns < 0n ? '-' : ''}${(ns < 0n ? -ns : ns) / 1000n}.${String((ns < 0n ? -ns : ns) % 1000n).padStart(3, '0')}`
  const placed = events.map(e => ({
    ...e,
    ...(e.ts === undefined ? {} : { ts: micros(1_700_000_000_000_000_000n + BigInt(e.ts)) }),
    ...(e.dur === undefined ? {} : { dur: micros(BigInt(e.dur)) }),
  }))
  const { table } = await readTrace(bufferSource('fixture', traceBytes(placed)), {})
  return table as TraceTable
}
