/** Commands that step through the slices of one name. */
import { stepOccurrence } from '../../trace/occurrences'
import { useView } from '../../state/view'
import type { Command } from '../command'
import { hasView } from '../when'

const sliceSelected = (): boolean => hasView() && useView.getState().selection?.type === 'slice'

export const OCCURRENCES: readonly Command[] = [
  {
    id: 'occurrence-previous',
    title: 'Previous slice of the same name',
    group: 'Selection',
    keys: [','],
    repeat: true,
    when: sliceSelected,
    run: () => void stepOccurrence('previous'),
  },
  {
    id: 'occurrence-next',
    title: 'Next slice of the same name',
    group: 'Selection',
    keys: ['.'],
    repeat: true,
    when: sliceSelected,
    run: () => void stepOccurrence('next'),
  },
]
