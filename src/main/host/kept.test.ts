import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Note, TrackLayout } from '../../shared/trace-api'
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
