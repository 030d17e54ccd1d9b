/** Commands that lead to a place in time that was seen before, was written down, or is selected. */
import { duration, timeMs } from '../../../../shared/format'
import { copyText } from '../../memory/copy'
import { notify, openDialog } from '../../shell/ui'
import { canGoBack, canGoForth, goBack, goForth } from '../../state/history'
import { fail, useSession } from '../../state/session'
import { useView, type TimeWindow } from '../../state/view'
import { unixNs } from '../../time/parse'
import type { Command } from '../command'
import { jump } from '../jump'
import { hasPlace, selectedRange } from '../selected'
import { hasView } from '../when'

const groupNow = () => useSession.getState().view?.groups.find(g => g.id === useView.getState().group)
const hasCursor = (): boolean => hasView() && useView.getState().cursor !== null

async function copy(text: string, title: string): Promise<void> {
  if (await copyText(text)) notify({ icon: 'check', title, detail: text })
  else notify({ icon: 'warn', title: 'Not copied', detail: 'The clipboard could not be written to.' })
}

function copyUnix(): void {
  const { cursor } = useView.getState()
  const group = groupNow()
  if (cursor === null || !group) return
  void copy(
    String(unixNs(cursor, group.originNs)),
    group.calibrated ? 'Unix time of the cursor copied, ns' : 'Time on its own clock copied, ns',
  )
}

function copyRelative(): void {
  const { cursor } = useView.getState()
  if (cursor !== null) void copy(timeMs(cursor, 6).replace('\u00a0', ' '), 'Time of the cursor copied, from the begin of the data')
}

/** Fills the window with the selection, a tenth left free on each side. */
function zoomTo({ start, end }: TimeWindow): void {
  const pad = Math.max((end - start) * 0.1, 10)
  jump({ start: start - pad, end: end + pad })
}

function toRange({ start, end }: TimeWindow): void {
  if (end > start) useView.getState().select({ type: 'range', start, end })
  else notify({ icon: 'info', title: 'No range', detail: `An instant has no length: ${duration(0)}.` })
}

const withRange = (act: (range: TimeWindow) => void) => (): void => void selectedRange().then(r => r && act(r), fail)

export const PLACES: readonly Command[] = [
  {
    id: 'go-back',
    title: 'Back to the window before',
    group: 'Go to',
    keys: ['Alt+ArrowLeft', 'Backspace'],
    shown: 'Alt ←',
    repeat: true,
    when: () => hasView() && canGoBack(),
    run: goBack,
  },
  {
    id: 'go-forward',
    title: 'Forward to the window after',
    group: 'Go to',
    keys: ['Alt+ArrowRight', 'Shift+Backspace'],
    shown: 'Alt →',
    repeat: true,
    when: () => hasView() && canGoForth(),
    run: goForth,
  },
  { id: 'go-to-time', title: 'Go to a time…', group: 'Go to', keys: ['KeyG'], shown: 'G', when: hasView, run: () => openDialog('go-to') },
  {
    id: 'zoom-to-selection',
    title: 'Zoom to the selection or range',
    group: 'Go to',
    keys: ['KeyZ'],
    shown: 'Z',
    when: () => hasView() && hasPlace(),
    run: withRange(zoomTo),
  },
  {
    id: 'range-from-selection',
    title: 'Make the selection a range',
    group: 'Selection',
    keys: ['KeyR'],
    shown: 'R',
    when: () => hasView() && hasPlace(),
    run: withRange(toRange),
  },
  {
    id: 'range-from-window',
    title: 'Make the visible window a range',
    group: 'Selection',
    keys: ['Shift+KeyR'],
    shown: 'Shift R',
    when: hasView,
    run: () => {
      const { window: w, extent: e } = useView.getState()
      toRange({ start: Math.max(w.start, e.start), end: Math.min(w.end, e.end) })
    },
  },
  {
    id: 'copy-time',
    title: 'Copy the time of the cursor as Unix ns',
    group: 'Selection',
    keys: ['KeyC'],
    shown: 'C',
    when: hasCursor,
    run: copyUnix,
  },
  {
    id: 'copy-time-relative',
    title: 'Copy the time of the cursor as on the axis',
    group: 'Selection',
    keys: ['Shift+KeyC'],
    shown: 'Shift C',
    when: hasCursor,
    run: copyRelative,
  },
]
