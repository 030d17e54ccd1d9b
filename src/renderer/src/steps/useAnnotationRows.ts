/** Annotations of the program over the whole time range, as rows beside the steps. */
import { useMemo } from 'react'
import type { StepInfo } from '../../../shared/api'
import { useAsk } from '../memory/useAsk'
import { request, useSession } from '../state/session'
import { useView } from '../state/view'

/** The host leaves out what is narrower than a few of this many parts of the range. */
const PARTS = 16_384
const LEAST_PARTS = 3

export interface AnnotationRows {
  readonly rows: readonly StepInfo[]
  /** Shorter ones are not listed, ns. */
  readonly leastNs: number
  /** Ones that are left out because there are too many. */
  readonly cut: number
}

export function useAnnotationRows(group: number): AnnotationRows {
  const session = useSession(s => s.session)
  const version = useSession(s => s.view?.version ?? 0)
  const extent = useView(s => s.extent)
  const there = useSession(s => s.view?.groups.some(g => g.id === group) ?? false)
  const asked = there ? extent : null
  const { value } = useAsk(session !== null && there ? `${session}/${group}` : '', `${version}/${extent.start}/${extent.end}`, asked, w =>
    request('trace.bands', { session: session ?? '', group, start: w.start, end: w.end, width: PARTS }),
  )
  return useMemo(() => {
    const source = value?.answer.source ?? null
    const leastNs = value ? ((value.question.end - value.question.start) / PARTS) * LEAST_PARTS : 0
    if (value === null || source === null) return { rows: [], leastNs, cut: 0 }
    return { rows: value.answer.bands.map(b => ({ ...b, source, group })), leastNs, cut: value.answer.cut }
  }, [value, group])
}
