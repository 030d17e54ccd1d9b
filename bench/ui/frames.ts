/**
 * Main-thread work out of a Chromium trace. Every task of the page's main thread is a `RunTask` event with its duration on the clock (`dur`) and on the
 * processor (`tdur`, which leaves out the time in which other programs had the core). A frame's work is the sum over the tasks from the end of the frame
 * before it to the end of its own: input, messages and their decoding, state, painting, style, layout, garbage collection. Idle time is no task.
 */
interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

export const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel']

export interface Work {
  /** ms on the clock and on the processor. */
  readonly wall: number
  readonly cpu: number
}

export interface Task extends Work {
  /** µs of the trace's clock. */
  readonly start: number
  readonly end: number
  /** Whether a frame was painted in it. */
  readonly frame: boolean
}

/** Tasks of the main thread that painted the most frames. Throws when the trace shows none. */
export function mainTasks(buffer: Buffer): readonly Task[] {
  const parsed = JSON.parse(buffer.toString('utf8')) as { traceEvents: TraceEvent[] } | TraceEvent[]
  const events = Array.isArray(parsed) ? parsed : parsed.traceEvents
  const key = (e: TraceEvent): string => `${e.pid}/${e.tid}`
  const frames = new Map<string, number[]>()
  for (const e of events)
    if (e.name === 'FireAnimationFrame') {
      const list = frames.get(key(e))
      if (list) list.push(e.ts)
      else frames.set(key(e), [e.ts])
    }
  const [main, painted] = [...frames].sort((a, b) => b[1].length - a[1].length)[0] ?? []
  if (main === undefined || painted === undefined) throw new Error('the trace of the browser shows no frame')
  painted.sort((a, b) => a - b)
  const named = events.filter(e => key(e) === main && e.ph === 'X' && (e.name === 'RunTask' || e.name === 'ThreadControllerImpl::RunTask'))
  // One of the two names, whichever this Chromium has; both stand for the same tasks.
  const name = named.some(e => e.name === 'RunTask') ? 'RunTask' : 'ThreadControllerImpl::RunTask'
  const tasks = named.filter(e => e.name === name).sort((a, b) => a.ts - b.ts)
  let p = 0
  let last = -Infinity
  const out: Task[] = []
  for (const t of tasks) {
    const end = t.ts + (t.dur ?? 0)
    if (end <= last) continue // nested in the one before
    last = end
    while (p < painted.length && painted[p] < t.ts) p++
    out.push({ start: t.ts, end, wall: (t.dur ?? 0) / 1000, cpu: (t.tdur ?? NaN) / 1000, frame: p < painted.length && painted[p] < end })
  }
  if (out.length === 0) throw new Error('the trace of the browser shows no task of the main thread')
  return out
}

/** Work of each frame. Tasks after the last frame belong to none. */
export function frameWork(tasks: readonly Task[]): readonly Work[] {
  const out: Work[] = []
  let wall = 0
  let cpu = 0
  for (const t of tasks) {
    wall += t.wall
    cpu += t.cpu
    if (!t.frame) continue
    out.push({ wall, cpu })
    wall = cpu = 0
  }
  return out
}
