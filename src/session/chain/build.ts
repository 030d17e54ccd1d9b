/** The graph of all links of a session: every rule in its order, then the calls around what was linked. */
import { correlationLinks, mappingLinks } from './framework-ids'
import { flowLinks } from './flows'
import { LinkList } from './links'
import { BY_PARENT, L_FRAMEWORK, VALUE_NONE, type Breath, type ChainGraph, type ChainInput } from './model'
import { makeNodes, STRIDE, type Nodes } from './nodes'
import { runtimeLinks } from './runtime-ids'
import { collectSequences, sequenceLinks } from './sequence'
import { parentOf } from './slices'

/** Builds it with pauses; nothing is asked of the files. Where two rules find the same pair the first one is kept. */
export async function buildChain(input: ChainInput, breath: Breath): Promise<ChainGraph> {
  const n = await makeNodes(input.sources, breath)
  const links = new LinkList()
  let crowded = 0
  for (const s of n.sources)
    if (s.table.kind === 'chrome-trace') {
      crowded += await flowLinks(n, s, s.table, links, breath)
      await correlationLinks(n, s, s.table, links, breath)
    }
  const sequences = await collectSequences(n, breath)
  crowded += await sequenceLinks(n, sequences, links, breath)
  for (const s of n.sources) if (s.table.kind === 'system') crowded += await runtimeLinks(n, s, s.table, sequences.carries, links, breath)
  const { mapped, unmapped } = await mappingLinks(n, input.mappings, sequences, links, breath)
  await callLinks(n, links, breath)
  const { sources, count, layer, process, processes, position } = n
  return { sources, count, layer, process, processes, position, ...(await links.finish(count, breath)), crowded, mapped, unmapped }
}

/** Framework events that are linked lead up through the calls around them: the operator that encloses the call which started the work, and so on to the top. */
async function callLinks(n: Nodes, links: LinkList, breath: Breath): Promise<void> {
  const threads = new Uint8Array(n.count)
  for (const s of n.sources)
    for (const t of s.tracks) {
      if (t.role !== 'thread') continue
      for (let i = 0; i < t.row.length; i++) {
        if (i % STRIDE === 0 && breath.due) await breath.pause()
        if (n.layer[s.base + t.row[i]] === L_FRAMEWORK) threads[s.base + t.row[i]] = 1
      }
    }
  const done = new Uint8Array(n.count)
  const linked = links.count
  let steps = 0
  for (let i = 0; i < linked; i++) {
    if (i % STRIDE === 0 && breath.due) await breath.pause()
    for (const node of [links.from(i), links.to(i)]) {
      if (threads[node] === 0) continue
      for (let at = node; done[at] === 0;) {
        done[at] = 1
        if (++steps % STRIDE === 0 && breath.due) await breath.pause()
        const up = parentOf(n.sources, n.position, at)
        if (up < 0 || threads[up] === 0) break
        links.add(up, at, BY_PARENT | VALUE_NONE)
        at = up
      }
    }
  }
}
