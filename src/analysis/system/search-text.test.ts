import fc from 'fast-check'
import { expect, it } from 'vitest'
import { systemTable, type TestEvent } from '../../testing/system'
import { argsOfRow } from './details'
import { RowTexts } from './search-text'

const events: fc.Arbitrary<readonly TestEvent[]> = fc.array(
  fc.record(
    {
      name: fc.constantFrom('nrt_execute', 'nc_exec_running'),
      at: fc.nat(100),
      dur: fc.nat(10),
      nc: fc.nat(3),
      device: fc.nat(1),
      core: fc.nat(5),
      thread: fc.nat(9),
      model: fc.bigInt(0n, 2n ** 64n - 1n),
      modelName: fc.constantFrom('fwd', 'bwd'),
      tracking: fc.bigInt(0n, 5n),
      sequence: fc.bigInt(0n, 5n),
      attrs: fc.dictionary(fc.constantFrom('size', 'model_id', 'call_stack', 'nc_idx', 'é"'), fc.oneof(fc.nat(), fc.string())),
    },
    { requiredKeys: ['name', 'at', 'attrs'] },
  ),
)

it('what is searched of an event is what its details show', () => {
  fc.assert(
    fc.property(events, list => {
      const t = systemTable(list)
      const texts = new RowTexts(t)
      for (let row = 0; row < t.count; row++) {
        const shown = Object.entries(argsOfRow(t, row))
        const text = texts.textOf(row)
        for (const [k, v] of shown) expect(text).toContain(`"${k}": "${v}"`)
        expect(text.length).toBe(shown.reduce((n, [k, v]) => n + k.length + v.length + 6, Math.max(0, shown.length - 1) * 2))
        expect(texts.stacksOf(row)).toEqual(shown.filter(([k]) => k === 'call_stack').map(([, v]) => v))
      }
    }),
  )
})
