import { expect, it } from 'vitest'
import { nextChoice, type ThemeChoice } from './theme'

it('the toggle reaches every theme, and the first press always changes what is seen', () => {
  for (const light of [true, false]) {
    const seen: ThemeChoice[] = ['system']
    while (seen.length < 4) seen.push(nextChoice(seen[seen.length - 1], light))
    expect(new Set(seen.slice(0, 3))).toEqual(new Set(['system', 'dark', 'light']))
    expect(seen[3]).toBe('system')
    expect(seen[1]).toBe(light ? 'dark' : 'light')
  }
})
