/** Search over events. */
import { focusSearch, step } from '../../search/state'
import type { Command } from '../command'
import { hasView } from '../when'

export const SEARCH: readonly Command[] = [
  {
    id: 'find',
    title: 'Find events by name, args or stack',
    group: 'Tables',
    keys: ['/', '$mod+KeyF'],
    shown: '/',
    when: hasView,
    run: focusSearch,
  },
  {
    id: 'find-next',
    title: 'Next hit of the search',
    group: 'Tables',
    keys: ['F3', '$mod+KeyG'],
    shown: 'F3',
    repeat: true,
    when: hasView,
    run: () => step(1),
  },
  {
    id: 'find-previous',
    title: 'Previous hit of the search',
    group: 'Tables',
    keys: ['Shift+F3', '$mod+Shift+KeyG'],
    shown: 'Shift F3',
    repeat: true,
    when: hasView,
    run: () => step(-1),
  },
]
