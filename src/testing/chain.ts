/** Chains for tests: sources as a person would write them, links as words. */
import { buildSystemModel } from '../analysis/system/tracks'
import { buildTraceModel } from '../analysis/trace/tracks'
import { fixtureTable, type FixtureEvent } from '../formats/chrome-trace/fixture'
import type { SystemTable } from '../shared/system-tables'
import type { FrameworkMappingTable } from '../shared/tables'
import { systemTable, type TestEvent } from './system'
import { buildChain } from '../session/chain/build'
import { INFERRED, LINKS_BY, VALUE_NONE, VALUE_TEXT, type Breath, type ChainGraph, type ChainSource } from '../session/chain/model'
import { nameOf, sourceOf } from '../session/chain/nodes'
import { stringAt } from '../shared/columns'
import { walk } from '../session/chain/walk'

/** Never due: tests are small. */
export const NO_PAUSE: Breath = { due: false, pause: () => Promise.resolve(false) }

export async function traceSource(events: readonly FixtureEvent[], pid = ''): Promise<ChainSource> {
  const table = await fixtureTable(events)
  return { table, tracks: buildTraceModel(table).tracks.filter(t => t.kind === 'slices'), pid }
}

export function systemSource(events: readonly TestEvent[], pid = '', unverified: readonly string[] = []): ChainSource {
  const plain = systemTable(events)
  const table: SystemTable = { ...plain, verdict: { ...plain.verdict, unverified } }
  return { table, tracks: buildSystemModel(table, pid).tracks, pid }
}

/** Entries as [sequence, [sequence number, thread][]]. */
export function mapping(entries: readonly (readonly [bigint, readonly (readonly [number, number])[]])[]): FrameworkMappingTable {
  const operators = entries.flatMap(e => e[1])
  const opStart = new Uint32Array(entries.length + 1)
  entries.forEach((e, i) => (opStart[i + 1] = opStart[i] + e[1].length))
  return {
    kind: 'framework-mapping',
    version: 1,
    count: entries.length,
    nrtaSeqId: BigUint64Array.from(entries, e => e[0]),
    opStart,
    operatorCount: operators.length,
    seqNr: BigInt64Array.from(operators, o => BigInt(o[0])),
    threadId: BigUint64Array.from(operators, o => BigInt(o[1])),
    streamId: new BigInt64Array(operators.length),
    present: new Uint8Array(operators.length).fill(3),
    facts: {},
    complete: true,
    bytesRead: 0,
  }
}

/** `from > to by value`, sorted. Names tell events apart, so that each stands once in a fixture. */
export function words(g: ChainGraph): readonly string[] {
  const out: string[] = []
  for (let i = 0; i < g.to.length; i++) out.push(linkWords(g, i))
  return out.sort()
}

export function linkWords(g: ChainGraph, i: number): string {
  const name = (node: number): string => {
    const s = sourceOf(g.sources, node)
    return nameOf(s.table, node - s.base)
  }
  const by = g.by[i]
  const value =
    (by & VALUE_NONE) !== 0
      ? ''
      : (by & VALUE_TEXT) !== 0
        ? stringAt(sourceOf(g.sources, g.from[i]).table.strings, g.value[2 * i])
        : String((BigInt(g.value[2 * i + 1]) << 32n) | BigInt(g.value[2 * i]))
  return [name(g.from[i]), '>', name(g.to[i]), LINKS_BY[by & 15], value, (by & INFERRED) !== 0 ? 'inferred' : ''].filter(Boolean).join(' ')
}

export const chainOf = (sources: readonly ChainSource[], mappings: readonly FrameworkMappingTable[] = []): Promise<ChainGraph> =>
  buildChain({ sources, mappings }, NO_PAUSE)

/** Nodes that can be reached, without the first. */
export async function reached(g: ChainGraph, node: number, down: boolean): Promise<ReadonlySet<number>> {
  return new Set((await walk(g, node, down, 1e6, NO_PAUSE))?.nodes ?? [])
}
