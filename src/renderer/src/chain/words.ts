/** What a chain is called on the screen. */
import type { ChainEvent, ChainLink, LinkBy } from '../../../shared/trace-api'

export const LAYER: Readonly<Record<ChainEvent['layer'], string>> = {
  framework: 'framework',
  stream: 'framework stream',
  neuron_rt: 'neuron_rt',
  neuron_hw: 'neuron_hw',
  runtime: 'runtime',
}

/** Where there is little room. */
export const SHORT: typeof LAYER = { ...LAYER, stream: 'stream' }

const BY: Readonly<Record<LinkBy, readonly [word: string, help: string]>> = {
  flow: ['flow id', 'A flow of the trace leads from one to the other'],
  sequence: ['sequence id', 'Both carry this NRT sequence id'],
  'framework-mapping': ['framework mapping', 'The framework mapping names the operator of this sequence id'],
  parent: ['parent id', 'One names the other as its parent'],
  tracking: ['tracking id', 'Both carry this tracking id'],
  'name-and-order': ['name and order', 'Told by name and order'],
  model: ['model', 'Both name this model'],
  exec: ['execution id', 'Both carry this execution id'],
  correlation: ['correlation', 'Both carry this correlation or external id'],
}

/** `flow id 12`, `encloses`. */
export const byWords = (l: Pick<ChainLink, 'by' | 'value'>): string =>
  l.by === 'parent' && l.value === '' ? 'encloses' : l.value === '' ? BY[l.by][0] : `${BY[l.by][0]} ${l.value}`

export const byHelp = (l: Pick<ChainLink, 'by' | 'value'>): string =>
  l.by === 'parent' && l.value === '' ? 'One runs inside of the other' : `${BY[l.by][1]}${l.value === '' ? '' : `: ${l.value}`}`
