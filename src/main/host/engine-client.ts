/**
 * The host's side of one engine worker. Calls are answered in any order by id; when the thread dies, every call in flight fails with a RequestError
 * that says so, and `onDeath` is told once.
 */
import { RequestError } from '../../shared/api'
import type { EngineCall, EngineInit, EngineReply, WorkerLike } from './protocol'

interface Waiting {
  readonly method: string
  readonly resolve: (value: unknown) => void
  readonly reject: (e: Error) => void
}

export class EngineClient {
  readonly #worker: WorkerLike
  readonly #waiting = new Map<number, Waiting>()
  readonly #onDeath: (reason: string) => void
  #next = 1
  #dead = false

  constructor(spawn: () => WorkerLike, init: EngineInit, onDeath: (reason: string) => void) {
    this.#onDeath = onDeath
    this.#worker = spawn()
    this.#worker.on('message', m => this.#reply(m as EngineReply))
    this.#worker.on('error', e =>
      this.#died('code' in e && e.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it ran out of memory' : e.message.slice(0, 300)),
    )
    this.#worker.on('exit', code => this.#died(`it ended with code ${code}`))
    this.#worker.postMessage({ call: 0, method: 'init', args: init } satisfies EngineCall)
  }

  /** Calls a method of the engine. `transfer`: buffers in `args` that the engine takes over. Rejects with RequestError. */
  call(method: string, args: unknown, transfer: readonly ArrayBuffer[] = []): Promise<unknown> {
    if (this.#dead) return Promise.reject(new RequestError('The analysis of this session is not running; try again.'))
    const call = this.#next++
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { method, resolve, reject })
      this.#worker.postMessage({ call, method, args } satisfies EngineCall, transfer)
    })
  }

  /** Ends the thread. Calls in flight fail; `onDeath` is not told. */
  async close(): Promise<void> {
    if (this.#dead) return
    this.#dead = true
    this.#failAll('The session was closed.')
    await this.#worker.terminate()
  }

  #reply(m: EngineReply): void {
    const waiting = this.#waiting.get(m.call)
    if (!waiting) return
    this.#waiting.delete(m.call)
    if (m.ok) waiting.resolve(m.result)
    else waiting.reject(new RequestError(m.refused ? m.message : `${waiting.method} failed: ${m.message}`))
  }

  #died(reason: string): void {
    if (this.#dead) return
    this.#dead = true
    void this.#worker.terminate()
    // First the owner, so that a caller that tries again at once meets the new engine.
    this.#onDeath(reason)
    this.#failAll('The analysis of this session ended unexpectedly and is being rebuilt; try again in a moment.')
  }

  #failAll(text: string): void {
    const all = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const w of all) w.reject(new RequestError(text))
  }
}
