/** Stand-ins for worker threads, for tests: the same messages over a real channel (buffers are really transferred), in this process. */
import { EventEmitter } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import type { PortLike, WorkerLike } from './protocol'

export interface FakeWorker extends WorkerLike {
  /** Ends as a thread does that crashed: an error, then its exit. */
  crash(error: Error): void
  readonly ended: boolean
}

/** Runs `serve` on one end of a channel and answers the other end as a worker. */
export function fakeWorker(serve: (port: PortLike) => void): FakeWorker {
  const events = new EventEmitter()
  const { port1, port2 } = new MessageChannel()
  let ended = false
  const end = (code: number): void => {
    if (ended) return
    ended = true
    port1.close()
    port2.close()
    events.emit('exit', code)
  }
  serve({
    postMessage: (m, transfer = []) => {
      if (!ended) port2.postMessage(m, [...transfer])
    },
    on: (event, listener) => port2.on(event, listener),
  })
  port1.on('message', (m: unknown) => {
    if (!ended) events.emit('message', m)
  })
  return {
    postMessage: (m, transfer = []) => {
      if (!ended) port1.postMessage(m, [...transfer])
    },
    on: (event: string, listener: (value: never) => void) => events.on(event, listener as (value: unknown) => void),
    terminate: () => {
      end(1)
      return Promise.resolve(1)
    },
    crash(error) {
      if (ended) return
      events.emit('error', error)
      end(1)
    },
    get ended() {
      return ended
    },
  }
}

/** Resolves once `test` is true; asks again at each turn of the event loop. The test's own timeout ends a wait in vain. */
export async function until(test: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await test())) await new Promise(r => setTimeout(r, 5))
}
