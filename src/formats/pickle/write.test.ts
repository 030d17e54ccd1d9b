import { spawnSync } from 'node:child_process'
import { Parser } from 'pickleparser'
import { describe, expect, test } from 'vitest'
import { Float, pickleDumps, Tuple, type PickleValue, type WriteProtocol } from './write'

const PROTOCOLS: readonly WriteProtocol[] = [2, 4, 5]
const python = spawnSync('python3', ['--version']).status === 0
if (!python) console.warn('Tests against Python are skipped: no python3.')

/** What Python's own unpickler makes of it, as repr. */
function pythonRepr(data: Uint8Array): string {
  const run = spawnSync('python3', ['-c', 'import pickle,sys; print(ascii(pickle.load(sys.stdin.buffer)))'], { input: data })
  if (run.status !== 0) throw new Error(run.stderr.toString())
  return run.stdout.toString().trim()
}

const big: PickleValue = Array.from({ length: 2001 }, (_, i) => i)
const CASES: readonly (readonly [string, PickleValue, string])[] = [
  ['none and bools', [null, true, false], '[None, True, False]'],
  ['ints', [0, 255, 256, 65535, 65536, -1, 2147483647, -2147483648], '[0, 255, 256, 65535, 65536, -1, 2147483647, -2147483648]'],
  [
    'long ints',
    [2147483648, -2147483649, 2 ** 53 - 1, 18446720620317114368n, -(2n ** 63n), 2n ** 64n - 1n],
    '[2147483648, -2147483649, 9007199254740991, 18446720620317114368, -9223372036854775808, 18446744073709551615]',
  ],
  ['floats', [0.5, new Float(0), new Float(3), -1.25e300], '[0.5, 0.0, 3.0, -1.25e+300]'],
  ['strings', ['', 'é日本🙂', 'x'.repeat(300)], `['', '\\xe9\\u65e5\\u672c\\U0001f642', '${'x'.repeat(300)}']`],
  [
    'tuples',
    [new Tuple([]), new Tuple([1]), new Tuple([1, 2]), new Tuple([1, 2, 3]), new Tuple([1, 2, 3, 4])],
    '[(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)]',
  ],
  [
    'dicts',
    { a: 1, __proto_: { b: [] }, c: new Map<PickleValue, PickleValue>([[7, 'seven']]) },
    "{'a': 1, '__proto_': {'b': []}, 'c': {7: 'seven'}}",
  ],
  ['more than a batch', [big], `[[${(big as number[]).join(', ')}]]`],
]

describe.runIf(python)('Python reads what is written', () => {
  for (const protocol of PROTOCOLS)
    for (const [name, value, repr] of CASES)
      test(`protocol ${protocol}: ${name}`, () => expect(pythonRepr(pickleDumps(value, protocol))).toBe(repr))

  test('bytes', () =>
    expect(pythonRepr(pickleDumps([new Uint8Array([1, 2]), new Uint8Array(300)], 4))).toMatch(/^\[b'\\x01\\x02', b'(\\x00){300}'\]$/))
  test('frames of more than 64 KiB', () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => ({ name: `f${i}`, line: i }))
    const run = spawnSync(
      'python3',
      ['-c', 'import pickle,sys; v=pickle.load(sys.stdin.buffer); print(len(v), sum(r["line"] for r in v))'],
      { input: pickleDumps(rows, 4) },
    )
    expect(run.stdout.toString().trim()).toBe('30000 449985000')
  })
  test('shared objects stay one object', () => {
    const frames = [{ name: 'f', line: 1 }]
    const code = 'import pickle,sys; v=pickle.load(sys.stdin.buffer); print(v[0] is v[1], v[0] is v[2])'
    for (const protocol of PROTOCOLS) {
      const run = spawnSync('python3', ['-c', code], { input: pickleDumps([frames, frames, [{ name: 'f', line: 1 }]], protocol) })
      expect(run.stdout.toString().trim()).toBe('True False')
    }
  })
  test('a list inside itself', () => {
    const list: PickleValue[] = []
    list.push(list)
    expect(pythonRepr(pickleDumps(list))).toBe('[[...]]')
  })
})

test('deterministic, and an independent reader agrees', () => {
  const value = { segments: [{ device: 0, address: 140_000_000, pool: new Tuple([0, 0]) }], text: 'N/A', half: 0.5 }
  for (const protocol of PROTOCOLS) {
    expect(pickleDumps(value, protocol)).toEqual(pickleDumps(value, protocol))
    expect(new Parser().parse(pickleDumps(value, protocol))).toEqual({
      segments: [{ device: 0, address: 140_000_000, pool: [0, 0] }],
      text: 'N/A',
      half: 0.5,
    })
  }
})

test('bytes have no opcode in protocol 2', () => expect(() => pickleDumps(new Uint8Array(1), 2)).toThrow(/protocol 4/))
