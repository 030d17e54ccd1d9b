/** For tests: a table holds the events of a fixture. */
import { expect } from 'vitest'
import { stringAt } from '../../shared/columns'
import { attributesOf, eventName, EVENT_SOURCES, ROW_INSTANT, ROW_SLICE, type SystemTable } from '../../shared/system-tables'
import type { FixtureRun } from './fixture'

/** Every event of the run stands in the table as written, by start. */
export function expectEvents(t: SystemTable | null, of: FixtureRun): asserts t is SystemTable {
  if (!t) throw new Error('no table')
  const events = of.events.map((e, i) => ({ e, i })).sort((a, b) => (a.e.start < b.e.start ? -1 : a.e.start > b.e.start ? 1 : a.i - b.i))
  expect(t.count).toBe(events.length)
  expect(t.clock).toBe('unix-nanoseconds')
  for (const [row, { e }] of events.entries()) {
    const place = t.place[row]
    expect({
      name: eventName(t, row),
      start: t.epochNs + BigInt(t.start[row]),
      duration: t.state[row] === ROW_SLICE ? BigInt(t.duration[row]) : t.state[row] === ROW_INSTANT ? 0n : -1n,
      id: t.id[row],
      source: EVENT_SOURCES[t.types.source[t.type[row]]],
      process: t.places.process[place],
      thread: t.places.thread[place],
      nc: t.places.nc[place],
      core: t.places.core[place],
      worker: t.places.worker[place],
      stream: t.places.stream[place] < 0 ? null : stringAt(t.strings, t.places.stream[place]),
      instance: stringAt(t.strings, t.places.instance[place]),
      flow: attributesOf(t, row).flatMap(([k, v]) => (k === 'flow_id' ? [v] : [])),
      exec: t.exec[row],
      model: t.model[row],
      sequence: t.hasSequence[row] ? t.sequence[row] : null,
      nc_start: t.ncStart[row],
      attributes: attributesOf(t, row).filter(([k]) => k in e.attributes),
    }).toEqual({
      name: e.name,
      start: e.start,
      duration: e.end - e.start,
      id: e.id,
      source: e.source,
      process: e.process,
      thread: e.thread,
      nc: e.nc ?? -1,
      core: e.core ?? -1,
      worker: e.worker,
      stream: e.stream,
      instance: of.instance,
      flow: e.flow,
      exec: BigInt(e.attributes['exec_id'] ?? -1),
      model: BigInt(e.attributes['model_id'] ?? 0),
      sequence: e.attributes['nrt_sequence_id'] ?? null,
      nc_start: BigInt(e.attributes['nc_start_timestamp_ns'] ?? -1),
      attributes: Object.entries(e.attributes).map(([k, v]) => [k, String(v)]),
    })
  }
}
