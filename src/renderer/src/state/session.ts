/**
 * What the host told: the opened root, the open session's view, the jobs. Kept in step with host events; views only read it.
 */
import { create } from 'zustand'
import type { AppInfo, Answers, Bridge, HostEvent, Job, RequestArgs, RequestName, RootState, SessionView } from '../../../shared/api'

export interface SessionState {
  readonly bridge: Bridge | null
  readonly info: AppInfo | null
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
  info: null,
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

const fail = (e: unknown): void => useSession.setState({ error: e instanceof Error ? e.message : String(e) })

let rootAsked = 0
async function refreshRoot(): Promise<void> {
  const turn = ++rootAsked
  const root = await request('root.get', {})
  if (turn !== rootAsked) return
  const { session } = useSession.getState()
  const still = root?.catalog.sessions.some(s => s.id === session) ?? false
  useSession.setState(still ? { root } : { root, session: null, view: null })
}

let viewAsked = 0
async function refreshView(id: string): Promise<void> {
  const turn = ++viewAsked
  const view = await request('session.view', { session: id })
  if (turn === viewAsked && useSession.getState().session === id) useSession.setState({ view })
}

/** Opens a session: its files are read by the host, the view fills as they arrive. */
export async function openSession(id: string): Promise<void> {
  const turn = ++viewAsked
  useSession.setState({ session: id, view: null })
  try {
    const view = await request('session.open', { session: id })
    if (turn === viewAsked && useSession.getState().session === id) useSession.setState({ view })
  } catch (e) {
    fail(e)
  }
}

function onHostEvent(e: HostEvent): void {
  switch (e.type) {
    case 'root':
      refreshRoot().catch(fail)
      return
    case 'session':
      if (useSession.getState().session === e.session) refreshView(e.session).catch(fail)
      return
    case 'job':
      useSession.setState(s => ({ jobs: new Map(s.jobs).set(e.job.id, e.job) }))
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
    await refreshRoot()
  } catch (e) {
    fail(e)
  }
}

/** After the connection was lost and made again: everything is asked anew. */
export async function resync(): Promise<void> {
  try {
    await refreshRoot()
    const { session } = useSession.getState()
    if (session) await openSession(session)
  } catch (e) {
    fail(e)
  }
}
