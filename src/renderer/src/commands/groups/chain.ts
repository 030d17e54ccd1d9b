/** Steps along the dependencies of the selected event. */
import { followChain } from '../../chain/state'
import { useView } from '../../state/view'
import type { Command } from '../command'

const sliceSelected = (): boolean => useView.getState().selection?.type === 'slice'

export const CHAIN: readonly Command[] = [
  {
    id: 'chain-up',
    title: 'Follow the dependencies upstream: what caused the event',
    group: 'Selection',
    keys: ['['],
    repeat: true,
    when: sliceSelected,
    run: () => void followChain(false),
  },
  {
    id: 'chain-down',
    title: 'Follow the dependencies downstream: what the event caused',
    group: 'Selection',
    keys: [']'],
    repeat: true,
    when: sliceSelected,
    run: () => void followChain(true),
  },
]
