import { afterEach, describe, expect, it } from 'vitest'
import type { Bridge } from '../../../shared/api'
import type { CatalogFile } from '../../../shared/catalog'
import type { Verification, VerifyRow } from '../../../shared/verify'
import { useSession } from '../state/session'
import { cancelVerify, figureName, startVerify, useVerifications, verdictWords, verifyKey } from './verifications'

const rows = (...verdicts: VerifyRow['verdict'][]): VerifyRow[] =>
  verdicts.map(verdict => ({ device: 0, figure: 'events', ours: 1, second: 2, verdict, reason: null }))
const answer = (verdict: Verification['verdict'], list: VerifyRow[] = []): Verification => ({
  verdict,
  reader: 'x',
  rows: list,
  limits: [],
})

describe('words', () => {
  it('say how many figures are equal, differ, or cannot be told', () => {
    expect(verdictWords(answer('equal', rows('equal', 'equal')))).toBe('2 figures are equal')
    expect(verdictWords(answer('equal', rows('equal', 'cannot-tell')))).toBe('1 figure is equal, 1 figure cannot be told')
    expect(verdictWords(answer('differs', rows('equal', 'differs', 'equal')))).toBe('1 figure differs, 2 figures are equal')
    expect(verdictWords(answer('not-tried'))).toContain('not started')
    expect([figureName('peakActiveBytes'), figureName('events.segment_map'), figureName('of the future')]).toEqual([
      'Active, peak',
      'segment_map',
      'of the future',
    ])
  })
})

describe('a verification', () => {
  const file = { id: 'f', bytes: 5, mtimeMs: 7 } as CatalogFile
  const state = () => useVerifications.getState().of.get(verifyKey('s', file))
  const asked: string[] = []
  const connect = (verify: () => Promise<Verification | null>): void =>
    useSession.setState({
      bridge: {
        request: (name: string) => {
          asked.push(name)
          return name === 'memory.verify' ? verify() : Promise.resolve(null)
        },
      } as unknown as Bridge,
    })
  afterEach(() => {
    useVerifications.setState({ of: new Map() })
    asked.length = 0
  })

  it('runs once at a time and keeps its answer, until the file changes', async () => {
    let finish: (v: Verification | null) => void = () => undefined
    connect(() => new Promise(r => (finish = r)))
    const run = startVerify('s', file)
    await startVerify('s', file)
    expect([asked, state()?.kind]).toEqual([['memory.verify'], 'running'])
    finish(answer('equal'))
    await run
    expect(state()).toEqual({ kind: 'done', answer: answer('equal') })
    expect(useVerifications.getState().of.get(verifyKey('s', { ...file, mtimeMs: 8 }))).toBeUndefined()
  })
  it('leaves nothing behind when it is cancelled, and the reason when it failed', async () => {
    connect(() => Promise.resolve(null))
    await startVerify('s', file)
    cancelVerify('s', file)
    expect([state(), asked]).toEqual([undefined, ['memory.verify', 'memory.verifyCancel']])
    connect(() => Promise.reject(new Error('because')))
    await startVerify('s', file)
    expect(state()).toEqual({ kind: 'failed', error: 'because' })
  })
})
