/** A chain for people: the event, then what it depends on and what depends on it, indented. */
import type { Diagnostic } from '../shared/diagnostics'
import { duration, num } from '../shared/format'
import type { ChainDocument, ChainEventDocument, ChainLinkDocument, ChainModelDocument } from './chain'
import { plain } from './output'
import { diagnosticsText } from './text'

const LAYERS: Readonly<Record<ChainEventDocument['layer'], string>> = {
  framework: 'framework',
  stream: 'framework stream',
  neuron_rt: 'neuron_rt',
  neuron_hw: 'neuron_hw',
  runtime: 'runtime, host or hardware not known',
}

/** Deeper ones are told without indenting further. */
const DEEPEST = 24

export function chainText(document: object): string {
  const diagnostics = (document as { readonly diagnostics?: readonly Diagnostic[] }).diagnostics ?? []
  if (Object.keys(document).every(k => k === 'diagnostics')) return diagnosticsText(diagnostics)
  const doc = document as ChainDocument
  const { event } = doc
  const out = [
    line(event),
    ...(event.startNs === null ? [] : [`  starts at ${event.startNs} ns`]),
    ...(doc.deviceNs === null ? [] : [`  device time that it caused: ${duration(doc.deviceNs)}`]),
    '',
    'Upstream',
    ...(doc.upstream.length > 0 ? tree(doc.upstream, event.id, false) : [`  none${why(doc.noUpstream)}`]),
    '',
    'Downstream',
    ...(doc.downstream.length > 0 ? tree(doc.downstream, event.id, true) : [`  none${why(doc.noDownstream)}`]),
    ...(doc.cut > 0 ? ['', `${num(doc.cut)} more links are not listed.`] : []),
    ...(doc.models.length > 0 ? ['', doc.models.length === 1 ? 'Model' : 'Models', ...doc.models.flatMap(modelLines)] : []),
  ]
  return out.join('\n') + '\n' + (diagnostics.length > 0 ? '\n' + diagnosticsText(diagnostics) : '')
}

const why = (reason: string | null): string => (reason === null ? '' : `: ${plain(reason)}`)

const line = (e: ChainEventDocument): string =>
  `${plain(e.name)}  [${LAYERS[e.layer]}, ${plain(e.track)}]${e.durNs === null ? '' : `  ${duration(e.durNs)}`}  ${plain(e.id)}`

function linkWords(l: ChainLinkDocument): string {
  const by = l.by === 'parent' && l.value === '' ? 'encloses' : l.value === '' ? l.by : `${l.by} ${plain(l.value)}`
  return ` (${by}${l.inferred ? ', inferred' : ''})`
}

/** Each event once; where it is reached again it is only named. */
function tree(links: readonly ChainLinkDocument[], root: string, down: boolean): readonly string[] {
  const next = new Map<string, ChainLinkDocument[]>()
  for (const l of links) {
    const from = down ? l.from.id : l.to.id
    const list = next.get(from)
    if (list) list.push(l)
    else next.set(from, [l])
  }
  const out: string[] = []
  const told = new Set([root])
  const open: { readonly link: ChainLinkDocument; readonly depth: number }[] = []
  const push = (id: string, depth: number): void => {
    for (const link of [...(next.get(id) ?? [])].reverse()) open.push({ link, depth })
  }
  push(root, 1)
  for (let at = open.pop(); at; at = open.pop()) {
    const e = down ? at.link.to : at.link.from
    const again = told.has(e.id)
    const indent = '  '.repeat(Math.min(at.depth, DEEPEST))
    out.push(`${indent}${again ? `${plain(e.name)}, see ${plain(e.id)}` : line(e)}${linkWords(at.link)}`)
    if (again) continue
    told.add(e.id)
    push(e.id, at.depth + 1)
  }
  return out
}

function modelLines(m: ChainModelDocument): readonly string[] {
  const name = m.modelName === null ? 'name not known' : plain(m.modelName)
  return [
    `  ${name}${m.modelId === null ? '' : `  id ${m.modelId}`}${m.cacheKey === null ? '' : `  cache key ${plain(m.cacheKey)}`}`,
    ...m.neffs.map(n => `    NEFF ${plain(n.path)} (${plain(n.by)})`),
    ...m.ntffs.map(n => `    NTFF ${plain(n.path)} (${plain(n.by)})`),
    ...(m.reason === null ? [] : [`    ${plain(m.reason)}`]),
  ]
}
