/**
 * A replay of a snapshot as simple as can be: plain data, an object per allocation, a Map by address. Written against the description of the format alone; it shares nothing with
 * the program's own replay, which it is compared with.
 */

/** Figures of one device, by the names of `snapshot --json`. */
export interface NaiveDevice {
  readonly figures: Map<string, number>
  /** Why figures in bytes, and of what lives when, may be wrong; null where they are not. */
  readonly doubt: string | null
}
export interface NaiveSnapshot {
  readonly segments: number
  readonly blocks: number
  /** Devices that have segments or events. */
  readonly devices: Map<number, NaiveDevice>
}

/** The value is no snapshot as this replay understands it. */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood'
}

/** @param limit entries and blocks that are looked at, at most: lists may stand in a file many times by reference */
export function naiveReplay(value: unknown, limit: number): NaiveSnapshot {
  let left = limit
  const spend = (list: readonly unknown[]): readonly unknown[] => {
    left -= list.length
    if (left < 0) throw new NotUnderstood('its lists hold more items than the file has bytes')
    return list
  }
  const segments = spend(list(Array.isArray(value) ? value : get(value, 'segments'), 'segments'))
  const traces = Array.isArray(value) ? [] : spend(list(get(value, 'device_traces') ?? [], 'device_traces'))
  const byDevice = new Map<number, unknown[]>()
  let blocks = 0
  for (const s of segments) {
    blocks += list(get(s, 'blocks') ?? [], 'blocks').length
    const device = get(s, 'device') ?? 0
    if (typeof device !== 'number') continue
    const known = byDevice.get(device)
    if (known) known.push(s)
    else byDevice.set(device, [s])
  }
  traces.forEach((t, device) => {
    if (list(t, 'a device trace').length > 0 && !byDevice.has(device)) byDevice.set(device, [])
  })
  const devices = new Map<number, NaiveDevice>()
  for (const [device, own] of byDevice) devices.set(device, replayDevice(own, spend(list(traces[device] ?? [], 'a device trace')), spend))
  return { segments: segments.length, blocks, devices }
}

interface Live {
  readonly size: number
  pending: boolean
}

function replayDevice(
  segments: readonly unknown[],
  events: readonly unknown[],
  spend: (list: readonly unknown[]) => readonly unknown[],
): NaiveDevice {
  const f = new Map<string, number>()
  const count = (name: string, by = 1): void => void f.set(name, (f.get(name) ?? 0) + by)
  const doubts = new Set<string>()
  const number = (v: unknown): number => {
    if (typeof v === 'bigint') return Number(v)
    if (typeof v !== 'number') {
      doubts.add('a size or an address is no number')
      return 0
    }
    if (!Number.isSafeInteger(v)) doubts.add('sizes or addresses beyond 2^53 are rounded')
    return v
  }
  const where = (v: unknown): string => {
    number(v)
    return String(v)
  }

  /** Changes of each total, event by event; the totals at the start are found on the way. */
  const change: { active: number; allocated: number; reserved: number }[] = []
  const live = new Map<string, Live>()
  /** Free requested, of an allocation from before; the free has not come yet. */
  const requestedBefore = new Map<string, number>()
  let startActive = 0
  let startAllocated = 0
  for (const name of ['events', 'unknownFrees', 'unknownFreeBytes', 'segments', 'blocks']) f.set(name, 0)
  for (const e of events) {
    const c = { active: 0, allocated: 0, reserved: 0 }
    change.push(c)
    const action = String(get(e, 'action'))
    count('events')
    count(`events.${action}`)
    const grows = action === 'segment_alloc' || action === 'segment_map'
    if (grows || action === 'segment_free' || action === 'segment_unmap') c.reserved = (grows ? 1 : -1) * number(get(e, 'size'))
    if (action !== 'alloc' && action !== 'free' && action !== 'free_requested' && action !== 'free_completed') continue
    const address = where(get(e, 'addr'))
    const size = number(get(e, 'size'))
    const here = live.get(address)
    if (action === 'alloc') {
      if (here) {
        c.active -= here.size
        if (!here.pending) c.allocated -= here.size
      }
      live.set(address, { size, pending: false })
      requestedBefore.delete(address)
      c.active += size
      c.allocated += size
      continue
    }
    if (action !== 'free_completed') {
      if (here && !here.pending) {
        here.pending = true
        c.allocated -= here.size
      } else if (!here && !requestedBefore.has(address)) {
        requestedBefore.set(address, size)
        startAllocated += size
        c.allocated -= size
      }
    }
    if (action !== 'free_requested') {
      if (here) {
        c.active -= here.size
        if (!here.pending) c.allocated -= here.size
      } else {
        startActive += size
        c.active -= size
        count('unknownFrees')
        count('unknownFreeBytes', size)
      }
      live.delete(address)
      requestedBefore.delete(address)
    }
  }

  let reservedEnd = 0
  const seen = new Set<string>()
  for (const s of segments) {
    count('segments')
    reservedEnd += number(get(s, 'total_size'))
    let next: unknown = get(s, 'address')
    for (const b of spend(list(get(s, 'blocks') ?? [], 'blocks'))) {
      count('blocks')
      const at: unknown = get(b, 'address') ?? next
      const blockSize = number(get(b, 'size'))
      next = typeof at === 'bigint' ? at + BigInt(blockSize) : typeof at === 'number' ? at + blockSize : null
      const state = get(b, 'state')
      const pending = state === 'active_pending_free' || state === 'active_awaiting_free'
      if (state !== 'active_allocated' && !pending) continue
      const address = where(at)
      if (live.has(address) && !seen.has(address)) {
        seen.add(address)
        continue
      }
      if (live.has(address)) continue
      const history = get(b, 'history')
      const size = get(b, 'requested_size') ?? (Array.isArray(history) ? get(history[0], 'real_size') : undefined) ?? blockSize
      startActive += number(size)
      if (!pending) startAllocated += number(size)
    }
  }

  const curve = (name: string, start: number, of: (c: { active: number; allocated: number; reserved: number }) => number): void => {
    let value = start
    let peak = start
    for (const c of change) {
      value += of(c)
      if (value > peak) peak = value
    }
    f.set(`start${name}Bytes`, start)
    f.set(`peak${name}Bytes`, peak)
    f.set(`end${name}Bytes`, value)
  }
  curve('Active', startActive, c => c.active)
  curve('Allocated', startAllocated, c => c.allocated)
  curve('Reserved', reservedEnd - change.reduce((n, c) => n + c.reserved, 0), c => c.reserved)
  return { figures: f, doubt: doubts.size > 0 ? [...doubts].join('; ') : null }
}

/** A member of a dict, which is a Map or a plain object; undefined where there is none. */
function get(dict: unknown, key: string): unknown {
  if (dict instanceof Map) return dict.get(key) as unknown
  if (typeof dict !== 'object' || dict === null || !Object.hasOwn(dict, key)) return undefined
  return (dict as Readonly<Record<string, unknown>>)[key]
}

function list(v: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(v)) throw new NotUnderstood(`${what} is no list`)
  return v as readonly unknown[]
}
