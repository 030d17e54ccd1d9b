import { describe, expect, it } from 'vitest'
import { severalSources, shownSources, type SystemCandidate } from './system-sources'

const one = (file: string, source: SystemCandidate['source'], events = 10): SystemCandidate => ({
  file,
  path: `s/${file}`,
  source,
  messages: events * 2,
  events,
})

describe('sources of the runtime', () => {
  const all = [one('json', 'explorer-json'), one('own', 'ntrace', 12), one('own2', 'ntrace', 3)]

  it("shows the runtime's own trace first, all of its kind, and what the user takes", () => {
    expect([...shownSources(all, null)]).toEqual(['own', 'own2'])
    expect([...shownSources(all, 'json')]).toEqual(['json'])
    expect([...shownSources(all, 'gone')]).toEqual(['own', 'own2'])
    expect([...shownSources([one('own', 'ntrace', 0), one('json', 'explorer-json')], null)]).toEqual(['json'])
    expect([...shownSources([], null)]).toEqual([])
  })

  it('says how the numbers of events differ', () => {
    const [d] = severalSources(all, shownSources(all, null))
    expect(d).toMatchObject({ severity: 'warning', file: 's/own', count: 2 })
    expect(d?.message).toContain('JSON export 10, runtime trace 15 events')
    expect(severalSources([one('a', 'ntrace'), one('b', 'perfetto')], new Set(['a']))[0]).toMatchObject({ severity: 'info' })
    expect(severalSources([one('a', 'ntrace'), one('b', 'ntrace')], new Set(['a', 'b']))).toEqual([])
  })
})
