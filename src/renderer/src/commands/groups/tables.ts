/** The tables below the timeline. */
import { toggleDrawer, type DrawerTab } from '../../drawer/state'
import type { Command } from '../command'
import { hasView } from '../when'
import { SEARCH } from './search'

/** A tab of the tables below the timeline. */
const table = (tab: DrawerTab, title: string, keys: readonly string[] = [], shown?: string): Command => ({
  id: `table-${tab}`,
  title,
  group: 'Tables',
  keys,
  ...(shown ? { shown } : {}),
  when: hasView,
  run: () => toggleDrawer(tab),
})

export const TABLES: readonly Command[] = [
  table('statistics', 'Statistics of the range or of everything'),
  table('search', 'Search events'),
  ...SEARCH,
  table('gaps', 'Idle gaps of the NeuronCores'),
  table('steps', 'Training steps'),
  table('chain', 'Dependencies of the selected event'),
  table('notes', 'Marks and notes'),
]
