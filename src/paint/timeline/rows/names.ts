/**
 * Names of tracks. The full one is the one that Neuron Explorer writes (`i-…/PID:1765325/neuron_rt/NC:0`); the gutter has the part that the group does not say.
 */
import type { TrackInfo } from '../../../shared/api'
import type { Grouping } from '../../../shared/trace-api'
import type { NameContext } from './model'

type Named = Pick<
  TrackInfo,
  'name' | 'note' | 'pid' | 'tid' | 'origin' | 'kind' | 'role' | 'instance' | 'device' | 'nc' | 'worker' | 'thread'
>

/** `PID:12`; a process without a number has its own word. */
export const pidName = (pid: string): string => (pid === '' ? '' : /^\d+$/.test(pid) ? `PID:${pid}` : pid)

/** `NC:0`, of several devices `ND:1/NC:0`; '' where the core is not known. */
export const ncName = (t: Pick<TrackInfo, 'nc' | 'device'>, c: NameContext): string =>
  t.nc === undefined ? '' : `${c.devices && t.device !== undefined ? `ND:${t.device}/` : ''}NC:${t.nc}`

/** Host thread of all events of a track; '' where there is none, or several. */
export const threadOf = (t: Named): string => t.thread ?? (t.role === 'thread' && (t.origin ?? 'framework') === 'framework' ? t.tid : '')

export const join = (...parts: readonly string[]): string => parts.filter(p => p !== '').join('/')

/** Name of a track as Neuron Explorer has it in a grouping; where its row holds many of ours, that is the name of their group and the track keeps that of the default. */
export function fullName(t: Named, grouping: Grouping, c: NameContext): string {
  const instance = t.instance ?? c.instance
  const pid = pidName(t.pid)
  switch (t.origin) {
    case 'host':
      return join(
        instance,
        /^\d+$/.test(t.tid) ? `CPU:${t.tid}/host_cpu_util` : t.tid === 'host-memory' ? 'host_mem_usage' : 'host_cpu_util',
      )
    case 'hbm':
      return join(instance, t.name, 'neuron_hbm_usage')
    case 'transfer':
      return join(instance, ncName(t, c), t.name)
    case 'pytorch':
      return join(instance, pid, `pytorch_allocator/device:${t.tid}`, t.name)
    default:
  }
  const source = t.origin ?? 'framework'
  if (grouping === 'cpu-device') {
    const thread = threadOf(t)
    const worker = t.worker === undefined ? '' : `Worker:${t.worker}`
    const place = source === 'neuron_hw' ? worker : thread !== '' ? `TID:${thread}` : source === 'framework' ? t.name : ''
    return join(instance, pid, place, source)
  }
  return join(instance, pid, source, c.devices && t.note.startsWith('ND:') ? `${t.note}/${t.name}` : t.name)
}

/** `python` of `thread 41872 (python)`, nothing for `stream 7` on `Stream:7`: the name of the row tells the number. */
export function shortNote(t: Pick<TrackInfo, 'name' | 'note'>): string {
  const plain = (s: string): string => s.replace(/[\s:]/g, '').toLowerCase()
  if (plain(t.note) === plain(t.name)) return ''
  return /^thread \S+ \((.+)\)$/.exec(t.note)?.[1] ?? t.note
}

/** Short words of the lanes that have a long name. */
export const LANES: Readonly<Record<string, string>> = {
  host_to_device_transfers: 'H2D transfers',
  'host_to_device/transfer_bandwidth': 'H2D bandwidth',
  device_to_host_transfers: 'D2H transfers',
  'device_to_host/transfer_bandwidth': 'D2H bandwidth',
}
