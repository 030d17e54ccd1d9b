/** Distinct places of events: where the same values come again they get the same number. */
import type { SystemPlaces } from '../../shared/system-tables'

export interface Place {
  /** String ids; -1 absent. */
  readonly instance: number
  readonly stream: number
  /** NaN absent. */
  readonly process: number
  readonly thread: number
  /** -1 absent. */
  readonly worker: number
  readonly device: number
  readonly nc: number
  readonly core: number
}

export const NOWHERE: Place = { instance: -1, stream: -1, process: NaN, thread: NaN, worker: -1, device: -1, nc: -1, core: -1 }

export class PlacePool {
  readonly #ids = new Map<string, number>()
  readonly list: Place[] = []

  id(p: Place): number {
    const key = `${p.instance} ${p.stream} ${p.process} ${p.thread} ${p.worker} ${p.device} ${p.nc} ${p.core}`
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.list.length
      this.list.push(p)
      this.#ids.set(key, id)
    }
    return id
  }

  table(): SystemPlaces {
    const of = (key: 'instance' | 'stream' | 'worker' | 'device' | 'nc' | 'core'): Int32Array => Int32Array.from(this.list, p => p[key])
    return {
      count: this.list.length,
      instance: of('instance'),
      process: Float64Array.from(this.list, p => p.process),
      worker: of('worker'),
      device: of('device'),
      nc: of('nc'),
      core: of('core'),
      thread: Float64Array.from(this.list, p => p.thread),
      stream: of('stream'),
    }
  }
}
