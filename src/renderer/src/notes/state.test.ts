import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Bridge, SessionView } from '../../../shared/api'
import type { Note } from '../../../shared/trace-api'
import { useUi } from '../shell/ui'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { MOST_NOTES } from './model'
import { addNote, colorNote, followNotes, moveNote, notesHere, removeNote, useNotes, writeNote } from './state'

const ORIGIN = 1_793_628_127_100_000_123n
const kept: Note = { id: 'k', startNs: String(ORIGIN + 7n), endNs: null, text: 'kept', color: 3 }

/** What the host was given to keep, newest last. */
let written: (readonly Note[])[] = []
let tell: (notes: readonly Note[]) => void = () => undefined
let off: () => void = () => undefined

const view = (session: string): SessionView =>
  ({ session, groups: [{ id: 0, originNs: ORIGIN, durationNs: 1000 }] }) as unknown as SessionView
const open = (session: string): void => useSession.setState({ session, view: view(session) })
const texts = (): readonly string[] => useNotes.getState().notes.map(n => n.text)

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('removeEventListener', () => undefined)
  written = []
  const request = (name: string, args: { readonly notes: readonly Note[] }): Promise<unknown> => {
    if (name === 'notes.get') return new Promise(ok => (tell = notes => ok({ notes })))
    written.push(args.notes)
    return Promise.resolve(null)
  }
  useSession.setState({ bridge: { request } as unknown as Bridge, session: null, view: null, error: null })
  useView.getState().showGroup(0, { start: 0, end: 1000 })
  off = followNotes()
  open('s')
})
afterEach(() => {
  off()
  useSession.setState({ session: null, view: null, bridge: null })
  useNotes.setState({ session: null, known: false, notes: [], selected: null })
  useUi.setState({ notices: [], dialog: null })
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1000)

describe('notes of a session', () => {
  it('are those that the host has kept, and nothing is written for it', async () => {
    tell([kept])
    await settle()
    expect(texts()).toEqual(['kept'])
    expect(notesHere()).toMatchObject([{ start: 7, end: null }])
    expect(written).toEqual([])
  })
  it('that are made before the host has told are kept with those that it has', async () => {
    addNote(5, null, 'early')
    await settle()
    expect(written).toEqual([])
    tell([kept])
    await settle()
    expect(texts()).toEqual(['kept', 'early'])
    expect(written.at(-1)?.map(n => n.text)).toEqual(['kept', 'early'])
  })
  it('are written once after many changes, with every ns', async () => {
    tell([])
    await settle()
    const id = addNote(100, 200, '')
    for (const text of ['s', 'sl', 'slo', 'slow']) writeNote(id ?? '', text)
    moveNote(id ?? '', 300, 150)
    colorNote(id ?? '', 5)
    await settle()
    expect(written).toHaveLength(1)
    expect(written[0]).toEqual([{ id, startNs: String(ORIGIN + 150n), endNs: String(ORIGIN + 300n), text: 'slow', color: 5 }])
  })
  it('at the same instant are one', async () => {
    tell([])
    await settle()
    const first = addNote(100, null)
    expect(addNote(100, null)).toBe(first)
    expect(addNote(100, 200)).not.toBe(first)
    expect(useNotes.getState().notes).toHaveLength(2)
  })
  it('that are removed can be taken back', async () => {
    tell([kept])
    await settle()
    removeNote('k')
    expect(texts()).toEqual([])
    await settle()
    expect(written.at(-1)).toEqual([])
    useUi.getState().notices.at(-1)?.action?.run()
    await settle()
    expect(written.at(-1)).toEqual([kept])
  })
  it('are no more than the host takes', async () => {
    tell(Array.from({ length: MOST_NOTES }, (_, i) => ({ ...kept, id: String(i) })))
    await settle()
    expect(addNote(1, null)).toBeNull()
    expect(useUi.getState().notices.at(-1)?.title).toBe('No more notes')
  })
  it('of one session never reach another; what was unwritten is written first', async () => {
    tell([kept])
    await settle()
    addNote(5, null, 'of s')
    open('t')
    expect(written.at(-1)?.map(n => n.text)).toEqual(['kept', 'of s'])
    expect(texts()).toEqual([])
    tell([])
    await settle()
    expect(texts()).toEqual([])
    expect(written).toHaveLength(1)
  })
  it('have no place without a time axis', () => {
    useSession.setState({ view: { ...view('s'), groups: [] } })
    expect(addNote(1, null)).toBeNull()
  })
})
