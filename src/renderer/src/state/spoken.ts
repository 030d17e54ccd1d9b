/**
 * What a screen reader is told about the selection: one sentence, once it has rested. Of what is only a number in the store (a slice, an allocation) the host is asked.
 */
import { create } from 'zustand'
import { duration, memory, timeMs } from '../../../shared/format'
import { request, useSession } from './session'
import { useView, type Selection } from './view'

export const useSpoken = create<{ readonly text: string }>()(() => ({ text: '' }))

/** A drag changes the selection with every move: it is spoken of when it ends. */
const REST_MS = 350

/** The sentence about a selection; null where the host does not know it any more. */
export async function selectionWords(s: Selection | null): Promise<string | null> {
  const { session, view, root } = useSession.getState()
  if (!s) return 'Nothing selected'
  if (!session) return null
  switch (s.type) {
    case 'slice': {
      const d = await request('trace.slice', { session, source: s.source, row: s.row })
      const length = d.duration === null ? 'instant' : duration(d.duration)
      const inside = d.parents.length > 0 ? `, inside ${d.parents[d.parents.length - 1].name}` : ''
      return `Selected ${d.name || 'an event without a name'}, ${length}, at ${timeMs(d.start)}, ${d.track}${inside}`
    }
    case 'range':
      return `Selected a range of ${duration(s.end - s.start)}, from ${timeMs(s.start)} to ${timeMs(s.end)}`
    case 'allocation': {
      const a = await request('memory.allocation', { session, allocator: s.allocator, allocation: s.allocation })
      return `Selected an allocation of ${memory(a.size)} requested, ${a.label}${a.allocTime === null ? '' : `, at ${timeMs(a.allocTime)}`}`
    }
    case 'runtime': {
      const name = view?.hbm?.find(h => h.id === s.hbm)?.label
      return `Selected an allocation of the runtime${name ? ` in ${name}` : ''}`
    }
    case 'file': {
      const file = root?.catalog.sessions.flatMap(x => x.files).find(f => f.id === s.file)
      return file ? `Selected the file ${file.path.slice(file.path.lastIndexOf('/') + 1)}` : null
    }
  }
}

/** Starts to speak of selections. Answers a function that stops it. */
export function followSpoken(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const off = useView.subscribe((s, was) => {
    if (s.selection === was.selection) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      const now = useView.getState().selection
      selectionWords(now)
        .then(text => text !== null && useView.getState().selection === now && useSpoken.setState({ text }))
        .catch(() => undefined) // the details tell the reason
    }, REST_MS)
  })
  return () => {
    clearTimeout(timer)
    off()
  }
}
