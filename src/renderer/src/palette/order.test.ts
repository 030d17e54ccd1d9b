import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../commands/registry'
import { entries, offered, pieces, remember } from './order'

const titles = (query: string, recent: readonly string[] = []): readonly string[] => entries(query, COMMANDS, recent).map(e => e.command.id)

describe('the palette', () => {
  it('finds every command by its title, and shows it first', () => {
    for (const c of COMMANDS) expect(titles(c.title)[0], c.title).toBe(c.id)
  })
  it('finds by letters that are not side by side, and by words that only stand for it', () => {
    expect(titles('gotim')).toContain('go-to-time')
    expect(titles('undo')[0]).toBe('go-back')
    expect(titles('dark')[0]).toBe('toggle-theme')
    expect(titles('shortcuts')[0]).toBe('show-keys')
    expect(titles('bookmark')).toContain('mark')
  })
  it('shows first what begins with the typed word, and of those the shorter', () => {
    expect(titles('statistics')[0]).toBe('table-statistics')
    expect(titles('statistics as csv')[0]).toBe('export-csv')
    expect(titles('export', ['export-csv'])[0]).toBe('export-png')
    expect(titles('default')[0]).toBe('group-default')
    expect(titles('pin')[0]).toBe('track-pin')
    expect(titles('hide')[0]).toBe('track-hide')
  })
  it('names what cannot run now with what is missing, and nothing else', () => {
    const none = { group: 'Window', keys: [], when: () => false, run: () => {} } as const
    const may = { ...none, id: 'may', title: 'May', when: () => true }
    const needy = { ...none, id: 'needy', title: 'Needy', needs: 'something' }
    const { shown, missing } = offered([may, needy, { ...none, id: 'gone', title: 'Gone' }])
    expect(shown.map(c => c.id)).toEqual(['may', 'needy'])
    expect([...missing]).toEqual([['needy', 'something']])
  })
  it('finds nothing for what is nothing', () => expect(titles('zzqxj')).toEqual([]))
  it('shows all without a word, the recent ones first', () => {
    expect(titles('')).toEqual(COMMANDS.map(c => c.id))
    expect(titles(' ', ['toggle-theme', 'fit']).slice(0, 2)).toEqual(['toggle-theme', 'fit'])
    expect(titles('', ['toggle-theme', 'gone'])).toHaveLength(COMMANDS.length)
  })
  it('remembers five, each once, newest first', () => {
    const all = ['a', 'b', 'c', 'b', 'd', 'e', 'f'].reduce<readonly string[]>(remember, [])
    expect(all).toEqual(['f', 'e', 'd', 'b', 'c'])
  })
  it('marks the typed letters, and leaves the title whole', () => {
    expect(pieces('Go to a time', [0, 1, 8])).toEqual([
      { text: 'Go', hit: true },
      { text: ' to a ', hit: false },
      { text: 't', hit: true },
      { text: 'ime', hit: false },
    ])
    for (const e of entries('time', COMMANDS, [])) expect(e.title.map(p => p.text).join('')).toBe(e.command.title)
  })
})

it('a title that begins with what was typed is ahead of one that only holds it', () => {
  for (const typed of ['stat', 'statis', 'Statistics', 'search', 'mark', 'idle', 'export', 'zoom'])
    expect(entries(typed, COMMANDS, [])[0].command.title.toLowerCase(), typed).toMatch(new RegExp(`^${typed.toLowerCase()}`))
})
