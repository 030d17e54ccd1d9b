import { expect, it } from 'vitest'
import type { Pair } from '../../../shared/catalog'
import { pairSentence } from './pairs'

const pair = (verdict: Pair['verdict'], neff: readonly string[]): Pair => ({
  ntff: 's/p.ntff',
  neff,
  by: 'uuid',
  verdict,
  evidence: 'Why.',
})

it('one line for each verdict', () => {
  expect(pairSentence(pair('paired', ['s/a.neff']))).toBe('NEFF s/a.neff, by UUID')
  expect(pairSentence(pair('paired', ['s/a.neff', 'b.neff', 'c.neff']))).toBe('NEFF s/a.neff and 2 more, by UUID')
  expect(pairSentence(pair('partial', ['s/a.neff']))).toBe('In part: NEFF s/a.neff, by UUID')
  expect(pairSentence(pair('ambiguous', ['s/a.neff', 'b.neff']))).toBe('Ambiguous: s/a.neff and 1 more')
  expect(pairSentence(pair('missing-neff', []))).toBe('Why.')
  expect(pairSentence(pair('empty-ntff', []))).toBe('Why.')
})
