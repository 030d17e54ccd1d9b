import { describe, expect, it } from 'vitest'
import { stringAt } from '../../shared/columns'
import { eventName } from '../../shared/system-tables'
import { systemTable } from '../../testing/system'
import { withModelNames } from './names'

describe('names of models', () => {
  const t = systemTable([
    { name: 'a', at: 0, model: 2n ** 63n },
    { name: 'b', at: 1, model: 5n },
    { name: 'c', at: 2 },
    { name: 'd', at: 3, model: 6n, modelName: 'own' },
  ])

  it('fills in what the other file knows and leaves the rest', () => {
    const named = withModelNames(
      t,
      new Map([
        [2n ** 63n, 'fwd'],
        [6n, 'other'],
        [9n, 'unused'],
      ]),
    )
    expect([0, 1, 2, 3].map(i => stringAt(named.strings, named.modelName[i] as number))).toEqual(['fwd', '', '', 'own'])
    expect([0, 1, 2, 3].map(i => eventName(named, i))).toEqual(['a', 'b', 'c', 'd'])
    expect(withModelNames(t, new Map([[9n, 'unused']]))).toBe(t)
    expect(withModelNames(t, new Map())).toBe(t)
  })
})
