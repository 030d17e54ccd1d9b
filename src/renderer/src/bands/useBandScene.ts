/** Steps, annotations and notes of a time group as the plots paint them. */
import { useMemo } from 'react'
import type { Band } from '../../../paint/bands'
import type { NoteMark } from '../../../paint/timeline'
import { useNoteMarks } from '../notes/useNoteMarks'
import { useSession } from '../state/session'
import { NO_ANNOTATIONS, useAnnotations } from './annotations'
import { useBands } from './state'

export interface BandScene {
  readonly steps: readonly Band[]
  readonly annotations: readonly Band[]
  readonly notes: readonly NoteMark[]
}

const NONE: readonly Band[] = []
const NO_NOTES: readonly NoteMark[] = []

/** `time`: whether the axis is one of time; over events nothing of it has a place. */
export function useBandScene(group: number, time = true): BandScene {
  const on = useBands(s => s.on) && time
  const all = useSession(s => s.view?.steps)
  const annotations = useAnnotations(s => s.bands)
  const notes = useNoteMarks(group)
  return useMemo(
    () => ({
      steps: on ? (all?.filter(s => s.group === group) ?? NONE) : NONE,
      annotations: on ? annotations : NO_ANNOTATIONS,
      notes: time ? notes : NO_NOTES,
    }),
    [on, time, all, annotations, notes, group],
  )
}
