import { describe, expect, it } from 'vitest'
import { buffersOf } from './columns'

describe('buffersOf', () => {
  it('finds each buffer once, however deep, and leaves empty ones to be copied', () => {
    const a = new Float64Array(4)
    const b = new Uint8Array(8).subarray(2, 4)
    const none = new Int32Array(0)
    const value = { a, list: [{ b, again: a }, none, 'text', 7n, null, undefined], plain: new ArrayBuffer(3) }
    const found = buffersOf(value)
    expect(new Set(found)).toEqual(new Set([a.buffer, b.buffer, value.plain]))
    expect(found).toHaveLength(3)
    const moved = structuredClone(value, { transfer: found })
    expect(a.length).toBe(0)
    expect(moved.list[0]).toMatchObject({ b: new Uint8Array(2) })
    // What is shared as "none" can be sent again.
    expect(structuredClone(none, { transfer: buffersOf(none) }).length).toBe(0)
  })
})
