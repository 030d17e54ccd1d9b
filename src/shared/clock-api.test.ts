import * as v from 'valibot'
import { expect, it } from 'vitest'
import { CLOCK_REQUESTS } from './clock-api'

const takes = (shiftNs: string): boolean => v.safeParse(CLOCK_REQUESTS['alignment.shift'], { session: 's', file: 'f', shiftNs }).success

it('a shift is ns in digits, as long as it takes to bring a clock from 0 to Unix time', () => {
  for (const s of ['0', '-1', '1790000000123456789', '-4000000000000000000']) expect(takes(s), s).toBe(true)
  for (const s of ['', '-', '1.5', '1e3', 'x', ' 1', '4000000000000000001', '-9999999999999999999', '12345678901234567890'])
    expect(takes(s), s).toBe(false)
})
