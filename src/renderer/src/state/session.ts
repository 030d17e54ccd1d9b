/**
 * What the host told: the opened root, the open session's view, the jobs. Kept in step with host events; views only read it.
 */
import { create } from 'zustand'
import type { AppInfo, Answers, Bridge, HostEvent, Job, RequestArgs, RequestName, RootState, SessionView } from '../../../shared/api'
import type { ConnectionState } from '../socket-bridge'

export interface SessionState {
  readonly bridge: Bridge | null
  /** Whether the host can be reached; the desktop is always open. */
  readonly connection: ConnectionState
  readonly info: AppInfo | null
  /** False until the host has said what is open. */
  readonly rootKnown: boolean
  readonly root: RootState | null
  /** Id of the session shown; null while none is chosen. */
  readonly session: string | null
  readonly view: SessionView | null
  readonly jobs: ReadonlyMap<string, Job>
  /** Last error of a request, for the status line and the diagnostics panel. */
  readonly error: string | null
}

export const useSession = create<SessionState>()(() => ({
  bridge: null,
  connection: { kind: 'connecting' },
  info: null,
  rootKnown: false,
  root: null,
  session: null,
  view: null,
  jobs: new Map(),
  error: null,
}))

/** Sends a request over the bridge. Rejects with the host's words. */
export async function request<N extends RequestName>(name: N, args: RequestArgs<N>): Promise<Answers[N]> {
  const { bridge } = useSession.getState()
  if (!bridge) throw new Error('not connected')
  return bridge.request(name, args)
}

export const words = (e: unknown): string => (e instanceof Error ? e.message : String(e))
/** Keeps the words of an error for the status bar and the diagnostics; the window goes on. */
export const fail = (e: unknown): void => useSession.setState({ error: words(e) })

/** Runs `ask` now, or once more after the run in progress: a burst of events costs two requests, and the last state always arrives. */
function coalesced(ask: () => Promise<void>): () => void {
  let running = false
  let again = false
  const run = (): void => {
    if (running) {
      again = true
      return
    }
    running = true
    void ask()
      .catch(fail)
      .finally(() => {
        running = false
        if (again) {
          again = false
          run()
        }
      })
  }
  return run
}

async function askRoot(): Promise<void> {
  const root = await request('root.get', {})
  const { session } = useSession.getState()
  const still = root?.catalog.sessions.some(s => s.id === session) ?? false
  useSession.setState(still ? { root, rootKnown: true } : { root, rootKnown: true, session: null, view: null })
}
const refreshRoot = coalesced(askRoot)

/** How far a job has come; a job never goes back. */
const STAGE: Readonly<Record<Job['state'], number>> = { queued: 0, reading: 1, done: 2, failed: 2, cancelled: 2 }

/**
 * The jobs known so far with those of an answer or event. Of two reports about a job the further one counts, since events may overtake answers;
 * of two jobs of one file the later one, so that a file that is read again is no longer said to be cancelled.
 */
export function mergeJobs(known: ReadonlyMap<string, Job>, told: readonly Job[]): ReadonlyMap<string, Job> {
  const next = new Map(known)
  for (const j of told) {
    const k = next.get(j.id)
    if (k) {
      if (STAGE[j.state] > STAGE[k.state] || (STAGE[j.state] === STAGE[k.state] && j.done >= k.done)) next.set(j.id, j)
      continue
    }
    const others = [...next.values()].filter(o => o.file === j.file && o.session === j.session)
    // A job that has ended and was not known is older than one that runs: a late answer.
    if (STAGE[j.state] === 2 && others.some(o => STAGE[o.state] < 2)) continue
    for (const o of others) if (STAGE[o.state] === 2) next.delete(o.id)
    next.set(j.id, j)
  }
  return next
}

let opened = 0
function accept(view: SessionView): void {
  const { session, view: shown } = useSession.getState()
  if (session !== view.session || (shown && shown.session === view.session && shown.version > view.version)) return
  useSession.setState(s => ({ view, jobs: mergeJobs(s.jobs, view.jobs) }))
}
const refreshView = coalesced(async () => {
  const { session } = useSession.getState()
  const turn = opened
  if (session === null) return
  const view = await request('session.view', { session })
  if (turn === opened) accept(view)
})

/** Opens a session: its files are read by the host, the view fills as they arrive. */
export async function openSession(id: string): Promise<void> {
  const turn = ++opened
  useSession.setState(s => (s.session === id ? {} : { session: id, view: null }))
  try {
    const view = await request('session.open', { session: id })
    if (turn === opened) accept(view)
  } catch (e) {
    if (turn === opened) fail(e)
  }
}

function onHostEvent(e: HostEvent): void {
  switch (e.type) {
    case 'root':
      refreshRoot()
      return
    case 'session':
      if (useSession.getState().session === e.session) refreshView()
      return
    case 'job':
      useSession.setState(s => ({ jobs: mergeJobs(s.jobs, [e.job]) }))
      return
    case 'menu':
      for (const l of menuListeners) l(e.command)
  }
}

const menuListeners = new Set<(command: string) => void>()
export const onMenu = (l: (command: string) => void): (() => void) => {
  menuListeners.add(l)
  return () => menuListeners.delete(l)
}

/** Connects the stores to a bridge: asks for the program's facts and the root, then follows events. */
export async function connect(bridge: Bridge): Promise<void> {
  useSession.setState({ bridge })
  bridge.onEvent(onHostEvent)
  try {
    useSession.setState({ info: await request('app.info', {}) })
    await askRoot()
  } catch (e) {
    fail(e)
  }
}

/** Stops the reading of one file; the host answers with a job event. */
export const cancelJob = (job: string): void => void request('job.cancel', { job }).catch(fail)
/** Reads a file again whose job was cancelled or failed. */
export const retryFile = (session: string, file: string): void => void request('file.retry', { session, file }).catch(fail)

/** After the connection was lost and made again: everything is asked anew, jobs of before may be gone. */
export async function resync(): Promise<void> {
  try {
    useSession.setState({ jobs: new Map(), error: null })
    if (!useSession.getState().info) useSession.setState({ info: await request('app.info', {}) })
    await askRoot()
    const { session } = useSession.getState()
    if (session) await openSession(session)
  } catch (e) {
    fail(e)
  }
}
