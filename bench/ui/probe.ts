/**
 * What is put into the page before its own scripts: notes when the first answers arrive and when the first frames after them were painted. It reads the
 * few bytes at the head of a message that say which request it answers, and the measures that the panels publish (`trace-frame`, `memory-frame`).
 */
export interface Probe {
  /** performance.now() at which both panels had painted the first answers and a frame had passed; null before. */
  firstPicture: number | null
  /** When each request was first answered. */
  readonly answered: Record<string, number>
  /** When each panel first painted what was answered. */
  readonly painted: Record<string, number>
  /** Bytes of all messages so far, and how many answers. */
  readonly received: { bytes: number; answers: number }
}

/** Runs in the page. Self-contained: it is sent as text. */
export function installProbe(): void {
  const probe: Probe = { firstPicture: null, answered: {}, painted: {}, received: { bytes: 0, answers: 0 } }
  Object.assign(window, { benchProbe: probe })
  const names = new Map<number, string>()

  /** The unsigned integer of MessagePack at `at`, and where the next value begins. */
  const uint = (b: Uint8Array, at: number): readonly [number, number] => {
    const head = b[at]
    if (head < 0x80) return [head, at + 1]
    if (head === 0xcc) return [b[at + 1], at + 2]
    if (head === 0xcd) return [(b[at + 1] << 8) | b[at + 2], at + 3]
    return [-1, at]
  }
  const text = (b: Uint8Array, at: number): string => {
    const length = b[at] & 0x1f
    return String.fromCharCode(...b.subarray(at + 1, at + 1 + length))
  }
  const send = WebSocket.prototype.send
  WebSocket.prototype.send = function (data) {
    if (data instanceof Uint8Array) {
      const [id, at] = uint(data, 1)
      names.set(id, text(data, at))
    }
    send.call(this, data)
  }
  const Native = WebSocket
  window.WebSocket = class extends Native {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols)
      this.addEventListener('message', e => {
        if (!(e.data instanceof ArrayBuffer)) return
        probe.received.bytes += e.data.byteLength
        const b = new Uint8Array(e.data, 0, Math.min(16, e.data.byteLength))
        if (text(b, 1) !== 'answer') return
        probe.received.answers++
        const name = names.get(uint(b, 8)[0])
        if (name !== undefined) probe.answered[name] ??= performance.now()
      })
    }
  }

  const wants = { 'trace-frame': 'trace.tiles', 'memory-frame': 'memory.picture' } as const
  const observer = new PerformanceObserver(list => {
    for (const e of list.getEntries()) {
      const request = wants[e.name as keyof typeof wants]
      if (request === undefined) continue
      const answered = probe.answered[request]
      const shows = (e as PerformanceMeasure).detail as { picture?: boolean } | null
      if (answered !== undefined && e.startTime >= answered && shows?.picture !== false) probe.painted[e.name] ??= e.startTime + e.duration
    }
    if (Object.keys(wants).every(k => probe.painted[k] !== undefined)) {
      observer.disconnect()
      requestAnimationFrame(() => (probe.firstPicture = performance.now()))
    }
  })
  observer.observe({ entryTypes: ['measure'] })
}
