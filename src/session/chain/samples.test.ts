import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { buildTraceModel } from '../../analysis/trace/tracks'
import { readTrace } from '../../formats/chrome-trace/read'
import { bufferSource } from '../../formats/source'
import { chainOf } from '../../testing/chain'
import { samplesDir } from '../../testing/samples'
import { LINKS_BY, type ChainGraph } from './model'

interface Event {
  readonly ph: string
  readonly cat?: string
  readonly args?: Readonly<Record<string, unknown>>
}

const samples = samplesDir()
const traces = samples && join(samples, 'traces')
/** The larger ones of the same writers only take longer. */
const MOST_BYTES = 500_000
const names = traces ? readdirSync(traces).filter(f => f.endsWith('.json.gz') && statSync(join(traces, f)).size < MOST_BYTES) : []

/** Links of one kind as pairs of rows, which are places in `traceEvents`. */
const pairs = (g: ChainGraph, by: string): readonly (readonly [number, number])[] =>
  Array.from(g.to, (to, i) => [LINKS_BY[g.by[i] & 15], g.from[i], to] as const).flatMap(([b, from, to]) =>
    b === by ? [[from, to] as const] : [],
  )

describe.skipIf(!traces)('real traces', () => {
  it.each(names)('%s: calls and the work that flows lead to carry one correlation', async name => {
    const data = gunzipSync(readFileSync(join(traces as string, name)))
    const parsed = JSON.parse(data.toString('utf8')) as { readonly traceEvents: readonly Event[] } | readonly Event[]
    const events = Array.isArray(parsed) ? (parsed as readonly Event[]) : (parsed as { readonly traceEvents: readonly Event[] }).traceEvents
    const { table } = await readTrace(bufferSource(name, new Uint8Array(data)), {})
    if (!table) throw new Error('no table')
    expect(table.count).toBe(events.length)
    const g = await chainOf([{ table, tracks: buildTraceModel(table).tracks.filter(t => t.kind === 'slices'), pid: '' }])
    const correlation = (row: number): unknown => events[row]?.args?.['correlation']
    const flows = pairs(g, 'flow')
    const told = flows.filter(([a, b]) => correlation(a) !== undefined && correlation(b) !== undefined)
    expect(told.filter(([a, b]) => correlation(a) !== correlation(b))).toEqual([])
    // Device work that is one end of an ac2g flow is reached, unless its start is not in the file.
    const starts = new Set(events.filter(e => e.ph === 's' && e.cat === 'ac2g').map(e => (e as { readonly id?: unknown }).id))
    const ends = events.filter(e => e.ph === 'f' && e.cat === 'ac2g' && starts.has((e as { readonly id?: unknown }).id))
    if (ends.length > 0) expect(flows.length / ends.length).toBeGreaterThan(0.9)
    const byId = pairs(g, 'correlation').filter(([a, b]) => correlation(a) !== undefined && correlation(b) !== undefined)
    expect(byId.filter(([a, b]) => correlation(a) !== correlation(b))).toEqual([])
  })
})
