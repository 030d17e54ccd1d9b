/** The groupings of tracks in words. */
import { change } from '../../../paint/timeline'
import type { Grouping } from '../../../shared/trace-api'
import { changeLayout } from './layoutStore'

export const GROUPING_WORDS: Readonly<Record<Grouping, string>> = {
  default: 'Default',
  'cpu-device': 'CPU vs device',
  neuroncore: 'NeuronCore',
  thread: 'Thread',
  process: 'Process',
  instance: 'Instance',
}

/** What the rows go by. */
export const GROUPING_HOW: Readonly<Record<Grouping, string>> = {
  default: 'instance, process, source; then thread, stream, logical and physical NeuronCore',
  'cpu-device': 'what ran on the host, and what on the device',
  neuroncore: 'logical NeuronCore',
  thread: 'process and host thread',
  process: 'process',
  instance: 'instance',
}

export const setGrouping = (g: Grouping): void => void changeLayout(l => change.regroup(l, g))
