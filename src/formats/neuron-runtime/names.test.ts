import { describe, expect, it } from 'vitest'
import { CATALOGUE } from './catalogue'
import { nameTypes, type SeenType } from './names'

const seen = (number: number, keys: string, hint: string | null = null): SeenType => ({
  number,
  messages: 10,
  keys: new Set(keys.split(' ').filter(Boolean)),
  hint,
})
const all = (shift: (n: number) => number): readonly SeenType[] => CATALOGUE.map(e => seen(shift(e.number), e.keys.join(' ')))

describe('names of event numbers', () => {
  it('the catalogue as it stands', () => {
    const named = nameTypes(all(n => n))
    expect(named.map(t => t.name)).toEqual(CATALOGUE.map(e => e.name))
    expect(named.every(t => t.nameFrom === 'catalogue' && !t.inferred)).toBe(true)
  })

  it('one event inserted: those after it are told by their attributes, none gets a wrong name', () => {
    for (const at of [5, 21, 27, 34, 40]) {
      const named = nameTypes(all(n => (n >= at ? n + 1 : n)))
      for (const t of named) {
        const right = CATALOGUE.find(e => (e.number >= at ? e.number + 1 : e.number) === t.number)?.name
        // Where neighbours have the same keys the place of the insertion cannot be told: no name rather than a wrong one.
        if (t.nameFrom !== 'number') expect([at, t.number, t.name]).toEqual([at, t.number, right])
        if (t.number > at + 1) expect(t.nameFrom).not.toBe('catalogue')
      }
      expect(named.filter(t => t.nameFrom === 'number').length).toBeLessThan(12)
    }
  })

  it('a number whose keys belong to one other event only', () => {
    const named = nameTypes([
      ...all(n => n).filter(t => t.number !== 13 && t.number !== 29),
      seen(13, 'pending_reader_count pending_writer_count'),
    ])
    expect(named.find(t => t.number === 13)).toMatchObject({ name: 'tensor_block_while_exec', nameFrom: 'keys', inferred: true })
  })

  it('numbers nobody knows, with keys of several events or none', () => {
    const named = nameTypes([...all(n => n), seen(77, ''), seen(78, 'tensor_id size')])
    expect(named.slice(-2).map(t => [t.name, t.nameFrom])).toEqual([
      ['event 77 (unknown)', 'number'],
      ['event 78 (unknown)', 'number'],
    ])
  })

  it('a hint that names an event counts, one whose attributes say otherwise does not', () => {
    const named = nameTypes([seen(17, 'exec_id model_id', 'kbl_exec_post'), seen(9, 'tensor_id size', 'timestamp_sync_point')])
    expect(named.map(t => [t.number, t.name, t.nameFrom])).toEqual([
      [9, 'nrt_tensor_read', 'catalogue'],
      [17, 'kbl_exec_post', 'stored'],
    ])
  })

  it('without any attributes the numbers stand', () => {
    expect(nameTypes([seen(3, ''), seen(30, '')]).map(t => t.name)).toEqual(['nrt_execute', 'dmem_buf_copyin'])
  })
})
