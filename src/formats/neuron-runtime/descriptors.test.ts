import fc from 'fast-check'
import protobuf from 'protobufjs'
import { describe, expect, it } from 'vitest'
import { parseDescriptorSet, parseFileDescriptor, searchDescriptors } from './descriptors'
import { parseProto, SchemaError } from './description'
import { BUILT_IN, protoOf, SHUFFLED } from './fixture'

/** Descriptors are written by protobufjs from descriptor.proto's own fields, spelled here. */
const DESCRIPTOR = protobuf.parse(
  `syntax = "proto2"; package d;
message FileDescriptorSet { repeated FileDescriptorProto file = 1; }
message FileDescriptorProto { optional string name = 1; optional string package = 2; repeated string dependency = 3; repeated DescriptorProto message_type = 4;
  repeated EnumDescriptorProto enum_type = 5; optional string syntax = 12; }
message DescriptorProto { optional string name = 1; repeated FieldDescriptorProto field = 2; repeated DescriptorProto nested_type = 3; repeated EnumDescriptorProto enum_type = 4; optional MessageOptions options = 7; }
message MessageOptions { optional bool map_entry = 7; }
message FieldDescriptorProto { optional string name = 1; optional int32 number = 3; optional int32 label = 4; optional int32 type = 5; optional string type_name = 6; }
message EnumDescriptorProto { optional string name = 1; }`,
  { keepCase: true },
).root

const TYPES = [
  '',
  'double',
  'float',
  'int64',
  'uint64',
  'int32',
  'fixed64',
  'fixed32',
  'bool',
  'string',
  'group',
  'message',
  'bytes',
  'uint32',
  'enum',
]
interface Spec {
  readonly name: string
  readonly fields: readonly (readonly [name: string, number: number, type: string])[]
}
function fileDescriptor(name: string, pkg: string, messages: readonly Spec[]): Record<string, unknown> {
  return {
    ...{ name, package: pkg, dependency: ['google/protobuf/any.proto'], enum_type: [{ name: 'ntrace_phase' }], syntax: 'proto3' },
    message_type: messages.map(m => ({
      name: m.name,
      field: m.fields.map(([n, number, type]) =>
        type === 'map'
          ? { name: n, number, label: 3, type: 11, type_name: `.${pkg}.${m.name}.${n}Entry` }
          : type === 'phase'
            ? { name: n, number, label: 1, type: 14, type_name: `.${pkg}.ntrace_phase` }
            : { name: n, number, label: 1, type: TYPES.indexOf(type) },
      ),
      nested_type: m.fields
        .filter(f => f[2] === 'map')
        .map(([n]) => ({
          name: `${n}Entry`,
          field: [
            { name: 'key', number: 1, label: 1, type: 9 },
            { name: 'value', number: 2, label: 1, type: 9 },
          ],
          options: { map_entry: true },
        })),
    })),
  }
}
const encode = (type: string, o: Record<string, unknown>): Uint8Array => {
  const t = DESCRIPTOR.lookupType(`d.${type}`)
  return t.encode(t.fromObject(o)).finish()
}
const EVENT: Spec = {
  name: 'ntrace_event',
  fields: [
    ['type', SHUFFLED['type'] as number, 'int32'],
    ['timestamp', SHUFFLED['timestamp'] as number, 'uint64'],
    ['phase', SHUFFLED['phase'] as number, 'phase'],
    ['tracking_id', SHUFFLED['tracking_id'] as number, 'uint64'],
    ['attributes', SHUFFLED['attributes'] as number, 'map'],
  ],
}
const FILE = fileDescriptor('neuron_trace.proto', 'ntff', [EVENT])
const BYTES = encode('FileDescriptorProto', FILE)
const access = (b: Uint8Array) => ({ size: b.length, read: async (at: number, n: number) => b.slice(at, at + n) })

describe('descriptors', () => {
  it('a file descriptor gives messages, enums and maps', () => {
    const found = parseFileDescriptor(BYTES, 0, BYTES.length)
    expect(found?.file).toMatchObject({ name: 'neuron_trace.proto', package: 'ntff', enums: ['ntff.ntrace_phase'] })
    expect(found?.file.messages).toEqual([
      {
        name: 'ntff.ntrace_event',
        fields: [
          { number: 9, name: 'type', type: 'int32', repeated: false, mapKey: null },
          { number: 5, name: 'timestamp', type: 'uint64', repeated: false, mapKey: null },
          { number: 10, name: 'phase', type: 'ntff.ntrace_phase', repeated: false, mapKey: null },
          { number: 12, name: 'tracking_id', type: 'uint64', repeated: false, mapKey: null },
          { number: 4, name: 'attributes', type: 'string', repeated: true, mapKey: 'string' },
        ],
      },
    ])
  })

  it('a descriptor set, and what is none', () => {
    const set = encode('FileDescriptorSet', { file: [fileDescriptor('a.proto', 'x', [{ name: 'A', fields: [['b', 1, 'bool']] }]), FILE] })
    expect(parseDescriptorSet(set)?.map(f => f.name)).toEqual(['a.proto', 'neuron_trace.proto'])
    expect(parseDescriptorSet(BYTES)).toBe(null)
    expect(parseDescriptorSet(new Uint8Array([1, 2, 3]))).toBe(null)
  })

  it('found in a binary wherever it lies, across blocks, with the version of the format', async () => {
    const two = encode('FileDescriptorProto', fileDescriptor('ntff.proto', 'ntff', [{ name: 'cpu_util', fields: [['util', 1, 'float']] }]))
    const foreign = encode('FileDescriptorProto', fileDescriptor('other.proto', 'ntffer', [EVENT]))
    for (const at of [0, 1, 4 * 1024 * 1024 - 10, 4 * 1024 * 1024 - 200, 4 * 1024 * 1024]) {
      const b = new Uint8Array(9 * 1024 * 1024)
      for (let i = 0; i < b.length; i += 977) b[i] = (i * 31) & 255
      b.set(BYTES, at)
      b[at + BYTES.length] = 0
      b.set(two, 6_000_000)
      b.set(foreign, 7_000_000)
      b.set(new TextEncoder().encode('12 ntff 0a ntff\n\u0012\u0004ntff KaenaProfilerFormat-2.31.0.0-abc'), 8_000_000)
      const found = await searchDescriptors(access(b))
      expect(found.files.map(f => f.name).sort()).toEqual(['neuron_trace.proto', 'ntff.proto'])
      expect(found.files.find(f => f.name === 'neuron_trace.proto')?.messages).toEqual(
        parseFileDescriptor(BYTES, 0, BYTES.length)?.file.messages,
      )
      expect(found.version).toBe('2.31.0.0')
    }
  })

  it('what follows a descriptor in a binary is no part of it', async () => {
    // The next string begins like a field of a file descriptor.
    for (const tail of ['b\u0003abc', '"\u0002xy', '\u0012\u0004ntff', 'zz']) {
      const b = new Uint8Array([...BYTES, ...new TextEncoder().encode(tail)])
      expect(parseFileDescriptor(b, 0, b.length)?.end).toBe(BYTES.length)
    }
  })

  it('random and damaged bytes: no throw beyond the limits, no endless work', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(BYTES.length - 1), fc.integer({ min: 0, max: 255 }), fc.nat(BYTES.length), async (at, v, n) => {
        const b = BYTES.slice(0, n)
        if (at < n) b[at] = v
        await searchDescriptors(access(b))
        try {
          parseFileDescriptor(b, 0, b.length)
          parseDescriptorSet(b)
        } catch (e) {
          expect(e).toBeInstanceOf(SchemaError)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('messages nested sixty deep are refused', () => {
    let inner: Record<string, unknown> = { name: 'm' }
    for (let i = 0; i < 60; i++) inner = { name: 'm', nested_type: [inner] }
    const bytes = encode('FileDescriptorProto', { name: 'x.proto', package: 'ntff', message_type: [inner] })
    expect(() => parseFileDescriptor(bytes, 0, bytes.length)).toThrow(SchemaError)
  })
})

describe('.proto text', () => {
  it('gives the same as its descriptor', () => {
    expect(parseProto(protoOf(BUILT_IN)).messages[0]?.fields.find(f => f.name === 'attributes')).toEqual({
      ...{ number: 12, name: 'attributes', type: 'string', repeated: false, mapKey: 'string' },
    })
  })

  it('nonsense, deep nesting and names that are no names are refused or harmless', () => {
    expect(() => parseProto('message {')).toThrow(SchemaError)
    expect(() => parseProto(`syntax="proto3"; ${'message a {'.repeat(5000)}${'}'.repeat(5000)}`)).toThrow(SchemaError)
    expect(() => parseProto('x'.repeat(2 * 1024 * 1024))).toThrow(SchemaError)
    parseProto('syntax="proto3"; message __proto__ { int32 polluted = 1; } message constructor { int32 prototype = 1; }')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})
