import { describe, expect, it } from 'vitest'
import { deviceFactRows, picoseconds } from './device-facts'

const rows = (kind: 'neff' | 'ntff', facts: Readonly<Record<string, unknown>>) =>
  deviceFactRows(kind, facts).map(r => [r.name, r.text.replace(/\u00a0/g, ' '), r.exact?.replace(/\u00a0/g, ' ')])

describe('facts of device files', () => {
  it('bytes and durations have a unit and the exact figure behind it', () => {
    expect(rows('neff', { payloadBytes: 40960, uncompressedBytes: 363008 })).toEqual([
      ['Payload', '40.0 KiB', '40,960 B'],
      ['Unpacked', '354.5 KiB', '363,008 B'],
    ])
    expect(rows('ntff', { executionDurationPs: 38_091_607 })).toEqual([['Execution', '38.092 µs', '38,091,607 ps']])
  })

  it('durations beyond 2^53 and below a nanosecond are exact', () => {
    expect(picoseconds('1152921504606846977')?.exact).toBe('1,152,921,504,606,846,977\u00a0ps')
    expect(picoseconds(999)?.text).toBe('999\u00a0ps')
    expect(picoseconds(0)?.text).toBe('0\u00a0ps')
    for (const v of [null, undefined, -1, 1.5, NaN, 'x', '', '1e9', {}]) expect([v, picoseconds(v)]).toEqual([v, null])
  })

  it('a hash is said to fit, not to fit, not to be checkable, or not to be checked yet', () => {
    const check = (hashValid?: boolean | null) =>
      rows('neff', { hash: 'ab', ...(hashValid === undefined ? {} : { hashValid }) }).find(r => r[0] === 'Hash check')?.[1]
    expect([check(true), check(false), check(null), check()]).toEqual([
      'fits the payload',
      'does not fit the payload',
      'could not be checked',
      'not checked yet',
    ])
  })

  it('what is not known has no row; facts of another shape neither', () => {
    expect(rows('ntff', { neffName: null, engines: null, executionDurationPs: null, pid: null, archCode: null })).toEqual([])
    expect(rows('neff', { uuid: 5, name: {}, payloadBytes: 'x' })).toEqual([])
  })

  it('a cut UUID is said to go on, several are listed', () => {
    expect(rows('ntff', { neffUuid: null, neffUuidPrefix: '0102' })).toEqual([['NEFF UUID', '0102…', undefined]])
    const uuids = Array.from({ length: 10 }, (_, i) => `${i}`.repeat(32))
    expect(rows('ntff', { neffUuid: uuids[0], neffUuids: uuids }).map(r => r[1])).toEqual([...uuids.slice(0, 8), '2 more'])
  })

  it('processes are ids, not counts', () => {
    expect(rows('ntff', { pid: 1765325, archCode: 7 })).toEqual([
      ['Architecture', 'code 7', undefined],
      ['Process', '1765325', undefined],
    ])
  })
})
