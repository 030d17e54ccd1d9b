import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkRequest } from '../../shared/api'
import { MOST_NOTES, MOST_NOTE_TEXT, type Note, type TrackLayout } from '../../shared/trace-api'
import { encodeWire, REQUEST_LIMITS } from '../../shared/wire'
import { Kept } from './kept'

const dir = mkdtempSync(join(tmpdir(), 'kept-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const note: Note = { id: 'a', startNs: '1700000000000000123', endNs: null, text: 'peak', color: 2 }
const layout: TrackLayout = {
  grouping: 'thread',
  collapsed: ['x'],
  expanded: [],
  pinned: ['p'],
  hidden: [],
  order: ['b', 'a'],
  filter: 'nc',
  regex: true,
}

test('notes and layout of a session are there after a new start, and only there', async () => {
  const first = new Kept(dir)
  await first.setNotes('/runs/a', [note])
  await first.setLayout('/runs/a', layout)
  await first.setNotes('/runs/b', [])
  const second = new Kept(dir)
  expect(await second.notes('/runs/a')).toEqual([note])
  expect(await second.layout('/runs/a')).toEqual(layout)
  expect(await second.notes('/runs/b')).toEqual([])
  expect(await second.layout('/runs/b')).toBeNull()
  expect(await second.layout('/runs/c')).toBeNull()
})

test('a bad note is left out, a bad layout and a damaged file count as nothing', async () => {
  const kept = join(dir, 'kept')
  const [file] = readdirSync(kept)
  for (const [text, notes] of [
    [JSON.stringify({ notes: [{ ...note, startNs: 'soon' }, note, 7], layout: { grouping: 'moon' } }), [note]],
    ['{"notes": [', []],
    ['null', []],
    ['[]', []],
  ] as const) {
    for (const name of readdirSync(kept)) writeFileSync(join(kept, name), text)
    const again = new Kept(dir)
    expect(await again.notes('/runs/a')).toEqual(notes)
    expect(await again.layout('/runs/a')).toBeNull()
  }
  expect(file).toMatch(/^[0-9a-f]{32}\.json$/)
})

test('where nothing can be written, it lives as long as the program', async () => {
  const file = join(dir, 'a-file')
  writeFileSync(file, '')
  const k = new Kept(file)
  await k.setNotes('/runs/a', [note])
  expect(await k.notes('/runs/a')).toEqual([note])
})

test('what a request may hold is carried, kept, and read back whole', async () => {
  // The worst that the schemas let through: characters that JSON and UTF-8 write longest.
  const each = MOST_NOTE_TEXT / MOST_NOTES
  const notes = Array.from({ length: MOST_NOTES }, (_, i): Note => ({ ...note, id: String(i), text: '\u0001'.repeat(each) }))
  const rows = Array.from({ length: 5000 }, (_, i) => `${i}`.padEnd(20, '\u20ac'))
  const most = { ...layout, collapsed: rows, expanded: rows, hidden: rows, order: rows }
  for (const [name, args] of [
    ['notes.set', { session: 's', notes }],
    ['layout.set', { session: 's', layout: most }],
  ] as const) {
    checkRequest(name, args)
    expect(encodeWire([1, name, args]).length).toBeLessThan(REQUEST_LIMITS.bytes)
  }
  await new Kept(dir).setNotes('/runs/most', notes)
  const second = new Kept(dir)
  await second.setLayout('/runs/most', most)
  const third = new Kept(dir)
  expect(await third.notes('/runs/most')).toEqual(notes)
  expect(await third.layout('/runs/most')).toEqual(most)
})

test('notes that are none are refused with words', () => {
  const set = (...notes: readonly unknown[]) => checkRequest('notes.set', { session: 's', notes })
  expect(() => set(note, { ...note, id: 'b', endNs: note.startNs })).not.toThrow()
  expect(() => set({ ...note, endNs: String(BigInt(note.startNs) - 1n) })).toThrow('ends before it begins')
  expect(() => set(note, note)).toThrow('two notes of one id')
  expect(() => set({ ...note, startNs: '9223372036854775808' })).toThrow('no Unix time in ns')
  for (const endNs of ['soon', '', '1e9', '0x10']) expect(() => set({ ...note, endNs })).toThrow('no Unix time in ns')
  const long = Array.from({ length: MOST_NOTE_TEXT / 2000 + 1 }, (_, i) => ({ ...note, id: String(i), text: 'x'.repeat(2000) }))
  expect(() => set(...long)).toThrow('more text than is kept')
  const keys = Array.from({ length: 5000 }, (_, i) => `${i}`.padEnd(101, 'k'))
  expect(() => checkRequest('layout.set', { session: 's', layout: { ...layout, hidden: keys } })).toThrow('more rows than are kept')
})
