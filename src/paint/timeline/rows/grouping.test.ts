import { describe, expect, it } from 'vitest'
import type { SourceInfo, TrackInfo } from '../../../shared/api'
import type { Grouping } from '../../../shared/trace-api'
import { layout, rowsOf, track } from '../testing'
import { fullName, type Rows } from '.'

const I = 'i-0b1ea78ca2865fd32'
const P = '1765325'
const sources: readonly SourceInfo[] = ['trace.json', 'ntrace.pb', 'memory_snapshot.pickle', 'cpu_util.pb'].map((name, index) => ({
  index,
  file: name,
  path: `x/${name}`,
  kind: (['chrome-trace', 'system', 'memory-snapshot', 'cpu'] as const)[index],
  group: 0,
  clock: '',
  rank: 0,
  complete: true,
  events: 1,
}))
const rt = { source: 1, pid: P, role: 'core', origin: 'neuron_rt', device: 0 } as const
const hw = { source: 1, pid: P, role: 'core', origin: 'neuron_hw', device: 0, worker: 0 } as const
const counter = { kind: 'counter', role: 'counter' } as const
const all: readonly TrackInfo[] = [
  track(1, { pid: P, tid: '0', name: 'TID:0', note: 'main' }),
  track(2, { pid: P, tid: '7', name: 'TID:7' }),
  track(3, { pid: P, tid: '0', role: 'stream', name: 'Stream:0' }),
  track(10, { ...rt, name: 'NC:0', tid: '0:0:', nc: 0, arranged: 'by-core' }),
  track(11, { ...rt, name: 'NC:0', tid: '0:0:@0', nc: 0, thread: '0', arranged: 'by-thread', derived: true }),
  track(12, { ...rt, name: 'NC:0', tid: '0:0:@9', nc: 0, thread: '9', arranged: 'by-thread', derived: true }),
  track(13, { ...rt, name: 'NC:1', tid: '0:1:', nc: 1, thread: '9' }),
  track(20, { ...hw, name: 'NC0:4', tid: '0:0:4', nc: 0, core: 4 }),
  track(21, { ...hw, name: 'NC1:6', tid: '0:1:6', nc: 1, core: 6 }),
  track(30, {
    source: 1,
    pid: P,
    role: 'core',
    origin: 'transfer',
    name: 'host_to_device_transfers',
    tid: '0:0',
    nc: 0,
    device: 0,
    thread: '0',
    derived: true,
  }),
  track(31, {
    source: 1,
    pid: P,
    ...counter,
    origin: 'transfer',
    name: 'device_to_host/transfer_bandwidth',
    tid: '0:0',
    note: 'B/s',
    nc: 0,
    device: 0,
  }),
  track(40, { source: 1, pid: P, ...counter, origin: 'hbm', name: 'ND:0/HBM:0', tid: '0:0', note: 'bytes', device: 0 }),
  track(50, { source: 2, pid: P, ...counter, origin: 'pytorch', name: 'active, requested', tid: '0', note: 'bytes' }),
  track(51, { source: 2, pid: P, ...counter, origin: 'pytorch', name: 'reserved', tid: '0', note: 'bytes' }),
  track(60, { source: 3, pid: '', ...counter, origin: 'host', name: 'CPU average', tid: 'average', note: '% of 2 cores' }),
  track(61, { source: 3, pid: '', ...counter, origin: 'host', name: 'CPU:3', tid: '3', note: '%' }),
]
const rows = (grouping: Grouping, tracks = all): Rows =>
  rowsOf(tracks, { sources, instance: I, session: 'S', layout: layout({ grouping, expanded: ['host-cores'] }) })
/** Heads of groups with their full names, and what stands in them: short words in the gutter, the full name. */
const outline = (r: Rows): readonly string[] =>
  r.rows.flatMap(row =>
    row.type === 'group'
      ? [`${row.title}${row.full ? ` = ${row.full}` : ''}`]
      : row.type === 'track'
        ? [`  ${[row.prefix, row.label, row.note].filter(Boolean).join(' ')} = ${fullName(row.track, r.grouped.grouping, r.grouped.names)}`]
        : [],
  )

describe('names of tracks', () => {
  const name = (id: number, grouping: Grouping = 'default'): string =>
    fullName(all.find(t => t.id === id) as TrackInfo, grouping, { instance: I, devices: false })

  it('are those of Neuron Explorer in the default grouping', () => {
    expect([1, 3, 10, 20].map(id => name(id))).toEqual([
      'i-0b1ea78ca2865fd32/PID:1765325/framework/TID:0',
      'i-0b1ea78ca2865fd32/PID:1765325/framework/Stream:0',
      'i-0b1ea78ca2865fd32/PID:1765325/neuron_rt/NC:0',
      'i-0b1ea78ca2865fd32/PID:1765325/neuron_hw/NC0:4',
    ])
  })

  it('are those of Neuron Explorer for CPU vs device', () => {
    expect([11, 20].map(id => name(id, 'cpu-device'))).toEqual([
      'i-0b1ea78ca2865fd32/PID:1765325/TID:0/neuron_rt',
      'i-0b1ea78ca2865fd32/PID:1765325/Worker:0/neuron_hw',
    ])
  })

  it('are those of Neuron Explorer for lanes', () => {
    expect([30, 31, 40, 61].map(id => name(id))).toEqual([
      'i-0b1ea78ca2865fd32/NC:0/host_to_device_transfers',
      'i-0b1ea78ca2865fd32/NC:0/device_to_host/transfer_bandwidth',
      'i-0b1ea78ca2865fd32/ND:0/HBM:0/neuron_hbm_usage',
      'i-0b1ea78ca2865fd32/CPU:3/host_cpu_util',
    ])
  })

  it('say the device where several have the core, and leave out what nothing tells', () => {
    const t = all.find(t => t.id === 30) as TrackInfo
    expect(fullName(t, 'default', { instance: I, devices: true })).toBe(`${I}/ND:0/NC:0/host_to_device_transfers`)
    expect(fullName({ ...t, nc: undefined }, 'default', { instance: '', devices: true })).toBe('host_to_device_transfers')
    expect(fullName({ ...t, instance: 'i-9' }, 'default', { instance: I, devices: false })).toBe('i-9/NC:0/host_to_device_transfers')
  })
})

describe('groupings', () => {
  const tail = [
    'Memory and transfers',
    `  NC:0 H2D transfers = ${I}/NC:0/host_to_device_transfers`,
    `  NC:0 D2H bandwidth = ${I}/NC:0/device_to_host/transfer_bandwidth`,
    `  ND:0/HBM:0 bytes = ${I}/ND:0/HBM:0/neuron_hbm_usage`,
    `  PyTorch active requested = ${I}/PID:${P}/pytorch_allocator/device:0/active, requested`,
    `  PyTorch reserved = ${I}/PID:${P}/pytorch_allocator/device:0/reserved`,
  ]
  const host = ['Host', `  CPU average % of 2 cores = ${I}/host_cpu_util`, 'Host CPU by core', `  CPU:3 % = ${I}/CPU:3/host_cpu_util`]

  it('default: instance, process, source', () => {
    expect(outline(rows('default'))).toEqual([
      `${I} = ${I}`,
      `PID:${P} = ${I}/PID:${P}`,
      `  TID:0 main = ${I}/PID:${P}/framework/TID:0`,
      `  TID:7 = ${I}/PID:${P}/framework/TID:7`,
      `  Stream:0 = ${I}/PID:${P}/framework/Stream:0`,
      `  neuron_rt NC:0 = ${I}/PID:${P}/neuron_rt/NC:0`,
      `  neuron_rt NC:1 = ${I}/PID:${P}/neuron_rt/NC:1`,
      `  neuron_hw NC0:4 = ${I}/PID:${P}/neuron_hw/NC0:4`,
      `  neuron_hw NC1:6 = ${I}/PID:${P}/neuron_hw/NC1:6`,
      ...tail,
      ...host,
    ])
  })

  it('CPU vs device: by source, threads of the host together', () => {
    expect(outline(rows('cpu-device'))).toEqual([
      `${I} = ${I}`,
      'CPU',
      `  framework TID:0 main = ${I}/PID:${P}/TID:0/framework`,
      `  neuron_rt NC:0 = ${I}/PID:${P}/TID:0/neuron_rt`,
      `  framework TID:7 = ${I}/PID:${P}/TID:7/framework`,
      `  neuron_rt NC:0 = ${I}/PID:${P}/TID:9/neuron_rt`,
      `  neuron_rt NC:1 = ${I}/PID:${P}/TID:9/neuron_rt`,
      'Neuron device',
      `  framework Stream:0 = ${I}/PID:${P}/Stream:0/framework`,
      `  neuron_hw NC0:4 = ${I}/PID:${P}/Worker:0/neuron_hw`,
      `  neuron_hw NC1:6 = ${I}/PID:${P}/Worker:0/neuron_hw`,
      ...tail.slice(1),
      ...host,
    ])
  })

  it('NeuronCore: what ran for it, on it, and to and from it', () => {
    expect(outline(rows('neuroncore'))).toEqual([
      `${I} = ${I}`,
      `NC:0 = ${I}/NC:0`,
      `  neuron_rt NC:0 = ${I}/PID:${P}/neuron_rt/NC:0`,
      `  neuron_hw NC0:4 = ${I}/PID:${P}/neuron_hw/NC0:4`,
      `  H2D transfers = ${I}/NC:0/host_to_device_transfers`,
      `  D2H bandwidth = ${I}/NC:0/device_to_host/transfer_bandwidth`,
      `NC:1 = ${I}/NC:1`,
      `  neuron_rt NC:1 = ${I}/PID:${P}/neuron_rt/NC:1`,
      `  neuron_hw NC1:6 = ${I}/PID:${P}/neuron_hw/NC1:6`,
      `PID:${P} = ${I}/PID:${P}`,
      `  framework TID:0 main = ${I}/PID:${P}/framework/TID:0`,
      `  framework TID:7 = ${I}/PID:${P}/framework/TID:7`,
      `  framework Stream:0 = ${I}/PID:${P}/framework/Stream:0`,
      'Memory and transfers',
      ...tail.slice(3),
      ...host,
    ])
  })

  it('thread: the framework and the runtime of a thread together', () => {
    expect(outline(rows('thread'))).toEqual([
      `${I} = ${I}`,
      `TID:0 = ${I}/PID:${P}/TID:0`,
      `  framework TID:0 main = ${I}/PID:${P}/framework/TID:0`,
      `  neuron_rt NC:0 = ${I}/PID:${P}/neuron_rt/NC:0`,
      `TID:7 = ${I}/PID:${P}/TID:7`,
      `  framework TID:7 = ${I}/PID:${P}/framework/TID:7`,
      `TID:9 = ${I}/PID:${P}/TID:9`,
      `  neuron_rt NC:0 = ${I}/PID:${P}/neuron_rt/NC:0`,
      `  neuron_rt NC:1 = ${I}/PID:${P}/neuron_rt/NC:1`,
      `PID:${P} = ${I}/PID:${P}`,
      `  framework Stream:0 = ${I}/PID:${P}/framework/Stream:0`,
      `  neuron_hw NC0:4 = ${I}/PID:${P}/neuron_hw/NC0:4`,
      `  neuron_hw NC1:6 = ${I}/PID:${P}/neuron_hw/NC1:6`,
      ...tail,
      ...host,
    ])
  })

  it('process and instance: all of it together', () => {
    const heads = (g: Grouping): readonly string[] => outline(rows(g)).filter(l => !l.startsWith('  '))
    expect(heads('process')).toEqual([`${I} = ${I}`, `PID:${P} = ${I}/PID:${P}`, 'Host', 'Host CPU by core'])
    expect(heads('instance')).toEqual([`${I} = ${I}`, 'Host', 'Host CPU by core'])
    expect(rows('instance').rows[1]).toMatchObject({ type: 'track', label: 'TID:0' })
  })

  it('keep instances, processes and devices apart', () => {
    const two = [
      track(1, { pid: '5', tid: '0', name: 'TID:0' }),
      track(2, { ...rt, pid: '5', name: 'NC:0', nc: 0, thread: '0' }),
      track(3, { ...rt, pid: '6', name: 'NC:0', note: 'ND:1', nc: 0, device: 1, thread: '0' }),
      track(4, { ...rt, pid: '8', instance: 'i-2', name: 'NC:0', nc: 0 }),
    ]
    expect(outline(rows('neuroncore', two))).toEqual([
      `${I} = ${I}`,
      `ND:0/NC:0 = ${I}/ND:0/NC:0`,
      `  neuron_rt NC:0 = ${I}/PID:5/neuron_rt/NC:0`,
      `ND:1/NC:0 = ${I}/ND:1/NC:0`,
      `  neuron_rt NC:0 ND:1 = ${I}/PID:6/neuron_rt/ND:1/NC:0`,
      `PID:5 = ${I}/PID:5`,
      `  framework TID:0 = ${I}/PID:5/framework/TID:0`,
      'i-2 = i-2',
      'ND:0/NC:0 = i-2/ND:0/NC:0',
      '  neuron_rt NC:0 = i-2/PID:8/neuron_rt/NC:0',
    ])
    // Threads of the same number in two processes are two threads.
    expect(outline(rows('thread', two)).filter(l => l.includes('TID:0 ='))).toEqual([
      `TID:0 = ${I}/PID:5/TID:0`,
      `  framework TID:0 = ${I}/PID:5/framework/TID:0`,
      `TID:0 = ${I}/PID:6/TID:0`,
    ])
  })

  it('name the instance that the only file names, where the folder names none', () => {
    const r = rowsOf([track(1, { instance: 'i-7' })], { layout: layout() })
    expect(r.rows[0]).toMatchObject({ type: 'group', level: 0, title: 'i-7', key: 'instance' })
    expect(rowsOf([track(1)], { layout: layout({ grouping: 'instance' }) }).rows[0]).toMatchObject({ title: 'Instance not named' })
  })
})
