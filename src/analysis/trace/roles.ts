/** What a row of the timeline is called and in which order rows stand. */
import type { StringTable } from '../../shared/columns'
import { stringCount } from '../../shared/columns'
import type { Draft } from './draft'

/** Categories of work on a device: CUDA and ROCm (old and new spelling), the private backend that Neuron uses, MTIA. */
const DEVICE_CATEGORIES = new Set([
  'kernel',
  'memcpy',
  'memset',
  'gpu_memcpy',
  'gpu_memset',
  'gpu_user_annotation',
  'cuda_sync',
  'privateuse1_driver',
  'mtia_ccp_events',
  'mtia_kernel',
  'xpu_kernel',
  'hpu_op',
])
const DEVICE_LABELS = /^(gpu|neuron|nc|mtia|xpu|hpu|npu|mps|tpu|privateuse1)\b/i
const STREAM_NAME = /^stream\b/i

/** 1 for string ids that are device categories. */
export function deviceCategories(strings: StringTable): Uint8Array {
  const out = new Uint8Array(stringCount(strings))
  const decoder = new TextDecoder()
  for (let i = 0; i < out.length; i++) {
    const from = strings.offsets[i]
    const to = strings.offsets[i + 1]
    if (to - from >= 4 && to - from <= 24 && DEVICE_CATEGORIES.has(decoder.decode(strings.bytes.subarray(from, to)).toLowerCase()))
      out[i] = 1
  }
  return out
}

/** A stream where the label of the process or the name of the thread says so, else where most slices have a device category. */
export const isStream = (labels: string, threadName: string, tid: string, device: number, all: number): boolean =>
  DEVICE_LABELS.test(labels) || STREAM_NAME.test(threadName) || STREAM_NAME.test(tid) || (all > 0 && device * 2 > all)

export function trackName(role: 'thread' | 'stream', pid: string, tid: string): string {
  if (tid === '') return pid === '' ? 'Global' : 'Process'
  return role === 'stream' ? `Stream:${tid.replace(/^stream\s+/i, '')}` : `TID:${tid}`
}

/** Numbers by value before texts, nothing at all last. */
export function compareNatural(a: string, b: string): number {
  if (a === b) return 0
  if (a === '' || b === '') return a === '' ? 1 : -1
  const x = Number(a)
  const y = Number(b)
  if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y
  if (!Number.isNaN(x)) return -1
  if (!Number.isNaN(y)) return 1
  return a < b ? -1 : a > b ? 1 : 0
}

const GROUP = { thread: 0, stream: 0, core: 0, async: 1, counter: 2 } as const
const ROLE = { thread: 0, stream: 1, core: 2, async: 3, counter: 4 } as const
const step = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Order of the rows: by the sort index of the process; without one, processes with a number before others ("Spans", "Traces") and those with host
 * threads before pure devices. Within a process threads and streams by sort index, threads first, then async rows, then counters.
 */
export function sortTracks(tracks: readonly Draft[]): Draft[] {
  const hosts = new Set(tracks.filter(d => d.track.role === 'thread').map(d => d.track.pid))
  const unnumbered = (pid: string): number => (pid === '' || Number.isNaN(Number(pid)) ? 1 : 0)
  return [...tracks].sort(
    ({ track: a, ...p }, { track: b, ...q }) =>
      step(p.processSort, q.processSort) ||
      unnumbered(a.pid) - unnumbered(b.pid) ||
      (hosts.has(a.pid) ? 0 : 1) - (hosts.has(b.pid) ? 0 : 1) ||
      compareNatural(a.pid, b.pid) ||
      GROUP[a.role] - GROUP[b.role] ||
      step(p.threadSort, q.threadSort) ||
      ROLE[a.role] - ROLE[b.role] ||
      compareNatural(a.tid, b.tid) ||
      (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  )
}
