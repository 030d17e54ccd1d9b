import { beforeEach, describe, expect, it } from 'vitest'
import type { Bridge, HostEvent, Job, RootState, SessionView } from '../../../shared/api'
import { connect, mergeJobs, openSession, useSession } from './session'

const job = (id: string, state: Job['state'], done = 0, file = id): Job => ({
  id,
  session: 's',
  file,
  path: 'p',
  state,
  done,
  total: 10,
  note: '',
})
const map = (...jobs: Job[]): ReadonlyMap<string, Job> => new Map(jobs.map(j => [j.id, j]))

describe('jobs of events and answers', () => {
  it('never go back, whichever report comes last', () => {
    expect(mergeJobs(map(job('a', 'done', 10)), [job('a', 'reading', 4)]).get('a')?.state).toBe('done')
    expect(mergeJobs(map(job('a', 'reading', 6)), [job('a', 'reading', 4)]).get('a')?.done).toBe(6)
    expect(mergeJobs(map(job('a', 'queued')), [job('a', 'cancelled')]).get('a')?.state).toBe('cancelled')
  })
  it('keep those that an answer does not name', () => {
    expect([...mergeJobs(map(job('a', 'reading')), [job('b', 'queued')]).keys()]).toEqual(['a', 'b'])
  })
})

describe('two jobs of one file', () => {
  it('leave the later one', () => {
    const again = mergeJobs(map(job('1', 'cancelled', 0, 'f')), [job('2', 'queued', 0, 'f')])
    expect([...again.keys()]).toEqual(['2'])
    expect([...mergeJobs(again, [job('1', 'cancelled', 0, 'f')]).keys()]).toEqual(['2'])
  })
})

const sessionView = (session: string, version: number): SessionView => ({
  session,
  version,
  groups: [],
  sources: [],
  tracks: [],
  steps: [],
  allocators: [],
  jobs: [],
  diagnostics: [],
  notice: null,
})
const root = (...ids: string[]): RootState =>
  ({ version: 1, name: 'r', catalog: { root: '/r', sessions: ids.map(id => ({ id })), diagnostics: [] } }) as unknown as RootState

/** A host whose answers come when the test says so. */
function host(answers: Record<string, () => unknown>) {
  const listeners: ((e: HostEvent) => void)[] = []
  const asked: string[] = []
  const bridge = {
    shell: 'browser',
    request: (name: string) => {
      asked.push(name)
      return Promise.resolve().then(() => answers[name]())
    },
    onEvent: (l: (e: HostEvent) => void) => {
      listeners.push(l)
      return () => undefined
    },
    openDropped: () => Promise.reject(new Error('not here')),
  } as unknown as Bridge
  return { bridge, asked, emit: (e: HostEvent) => listeners.forEach(l => l(e)) }
}
const settled = (): Promise<void> => new Promise(r => setTimeout(r, 5))

describe('the session store', () => {
  beforeEach(() => useSession.setState({ root: null, rootKnown: false, session: null, view: null, jobs: new Map(), error: null }))

  it('asks once more, not once per event, after a burst', async () => {
    const h = host({ 'app.info': () => ({}), 'root.get': () => root('a') })
    await connect(h.bridge)
    const before = h.asked.length
    for (let i = 0; i < 20; i++) h.emit({ type: 'root', version: i })
    await settled()
    expect(h.asked.length - before).toBe(2)
  })
  it('drops the session that left the catalog and keeps it otherwise', async () => {
    let now = root('a', 'b')
    const h = host({ 'app.info': () => ({}), 'root.get': () => now, 'session.open': () => sessionView('a', 1) })
    await connect(h.bridge)
    await openSession('a')
    expect(useSession.getState().view?.session).toBe('a')
    now = root('a')
    h.emit({ type: 'root', version: 2 })
    await settled()
    expect(useSession.getState().session).toBe('a')
    now = root('b')
    h.emit({ type: 'root', version: 3 })
    await settled()
    expect(useSession.getState().session).toBeNull()
    expect(useSession.getState().view).toBeNull()
  })
  it('never lets a late answer replace a newer view or another session', async () => {
    const open: Record<string, (v: SessionView) => void> = {}
    const h = host({
      'app.info': () => ({}),
      'root.get': () => root('a', 'b'),
      'session.open': () => new Promise(r => (open[useSession.getState().session ?? ''] = r as (v: SessionView) => void)),
      'session.view': () => sessionView('b', 1),
    })
    await connect(h.bridge)
    const first = openSession('a')
    await settled()
    const second = openSession('b')
    await settled()
    open.b(sessionView('b', 5))
    open.a(sessionView('a', 9))
    await Promise.all([first, second])
    expect(useSession.getState().view).toMatchObject({ session: 'b', version: 5 })
    h.emit({ type: 'session', session: 'b', version: 1 })
    await settled()
    expect(useSession.getState().view?.version).toBe(5)
  })
  it('keeps the words of a failed request', async () => {
    const h = host({ 'app.info': () => ({}), 'root.get': () => Promise.reject(new Error('The folder is gone.')) })
    await connect(h.bridge)
    expect(useSession.getState().error).toBe('The folder is gone.')
  })
})
