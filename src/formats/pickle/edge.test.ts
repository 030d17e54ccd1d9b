import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { samplesDir } from '../../testing/samples'
import { bufferSource } from '../source'
import { FloatValue, OpaqueValue, readPickleValue, TupleValue, type ReadValue } from './value'
import { bytesText } from './render'

/** The value as Python's repr shows it; enough of it for these files. */
function repr(v: ReadValue, seen: readonly ReadValue[] = []): string {
  if (v === null) return 'None'
  if (typeof v === 'boolean') return v ? 'True' : 'False'
  if (typeof v === 'number' || typeof v === 'bigint') return String(v)
  if (typeof v === 'string') return `'${v.replace(/[\ud800-\udfff]/gu, c => '\\u' + c.charCodeAt(0).toString(16))}'`
  if (v instanceof FloatValue) return String(v.value)
  if (v instanceof Uint8Array) return bytesText(v)
  if (seen.includes(v)) return '...'
  const inside = [...seen, v]
  if (v instanceof OpaqueValue) return `<opaque ${v.name}>`
  if (v instanceof TupleValue) return `(${v.items.map(i => repr(i, inside)).join(', ')})`
  if (v instanceof Set) return `{${[...v].map(i => repr(i, inside)).join(', ')}}`
  if (v instanceof Map) return `{${[...v].map(([k, x]) => `${repr(k, inside)}: ${repr(x, inside)}`).join(', ')}}`
  return `[${v.map(i => repr(i, inside)).join(', ')}]`
}
const typeName = (v: ReadValue): string =>
  v instanceof FloatValue
    ? 'float'
    : v instanceof Map
      ? 'dict'
      : v instanceof Set
        ? 'set'
        : typeof v === 'string'
          ? 'str'
          : Array.isArray(v)
            ? 'list'
            : 'int'

interface Expected {
  readonly bytes: number
  readonly type?: string
  readonly value?: string | { readonly type: string; readonly length: number; readonly sum: number }
  readonly error?: string
  readonly globals?: readonly string[]
}

const dir = samplesDir()
describe.runIf(dir !== null)('opcode edge cases', () => {
  const folder = join(dir ?? '', 'synthetic-snapshots/edge_opcodes')
  const all = dir ? (JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<string, Expected>) : {}

  test('every file has an expectation', () => {
    expect(Object.keys(all)).toHaveLength(27)
    expect(
      readdirSync(folder)
        .filter(f => f !== 'expected.json')
        .sort(),
    ).toEqual(Object.keys(all).sort())
  })

  for (const [name, want] of Object.entries(all))
    for (const chunk of [4 << 20, 64 << 10, 7, 1])
      if (want.bytes < 1000 || chunk > 1000)
        test(`${name} in chunks of ${chunk}`, async () => {
          const data = readFileSync(join(folder, name))
          expect(data.length).toBe(want.bytes)
          const { table, diagnostics } = await readPickleValue(bufferSource(name, data, chunk))
          const text = diagnostics.map(d => d.message).join('\n')
          if (want.error?.includes('truncated')) {
            expect(table).toBeNull()
            expect(diagnostics.map(d => d.code)).toEqual(['pickle-truncated'])
            expect(diagnostics[0]?.offset).toBe(data.length)
          } else if (want.error) {
            const global = /global (.*)$/.exec(want.error)?.[1] as string
            expect(text).toContain(global)
            for (const g of want.globals ?? []) expect(text).toContain(g)
            expect(diagnostics[0]).toMatchObject({ code: 'pickle-global', severity: 'warning' })
            expect(diagnostics[0]?.offset).toBe(name === 'o_global_os_system' ? 2 : 39)
            expect(diagnostics[1]).toMatchObject({ code: 'pickle-call' })
            expect(table?.value).toBeInstanceOf(OpaqueValue)
          } else {
            expect(diagnostics).toEqual([])
            const value = table?.value as ReadValue
            if (typeof want.value === 'object') {
              expect(typeName(value)).toBe(want.value.type)
              expect(value).toHaveLength(want.value.length)
              expect((value as number[]).reduce((a, b) => a + b, 0)).toBe(want.value.sum)
            } else {
              expect(typeName(value)).toBe(want.type)
              if (want.value === 'cyclic') expect((value as Map<string, ReadValue>).get('self')).toBe(value)
              else expect(repr(value)).toBe(want.value)
            }
          }
        })
})
