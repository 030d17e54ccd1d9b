/** Verifications of snapshots: one at a time, in a thread of its own, which is ended to cancel. */
import { RequestError } from '../../shared/api'
import type { Verification } from '../../shared/verify'
import type { VerifyReply, VerifyRequest, WorkerLike } from './protocol'

interface Running {
  readonly key: string
  readonly worker: WorkerLike
  readonly done: Promise<Verification | null>
  readonly cancel: () => void
}

export class Verifier {
  readonly #spawn: (() => WorkerLike) | undefined
  #running: Running | null = null

  constructor(spawn: (() => WorkerLike) | undefined) {
    this.#spawn = spawn
  }

  /** Verifies a file, or joins its verification. Null: cancelled. Rejects with RequestError. `key` names the file for `cancel`. */
  run(key: string, request: VerifyRequest): Promise<Verification | null> {
    if (!this.#spawn) throw new RequestError('This host cannot verify snapshots.')
    if (this.#running?.key === key) return this.#running.done
    if (this.#running) throw new RequestError('Another snapshot is being verified; wait for it, or cancel it.')
    const worker = this.#spawn()
    let settle: { readonly resolve: (v: Verification | null) => void; readonly reject: (e: Error) => void } | null = null
    const done = new Promise<Verification | null>((resolve, reject) => (settle = { resolve, reject }))
    const end = (how: (s: NonNullable<typeof settle>) => void): void => {
      if (!settle) return
      const s = settle
      settle = null
      if (this.#running?.worker === worker) this.#running = null
      how(s)
      void worker.terminate()
    }
    const fail = (text: string) => end(s => s.reject(new RequestError(text)))
    worker.on('message', m => {
      const reply = m as VerifyReply
      if (reply.ok) end(s => s.resolve(reply.result))
      else fail(reply.message)
    })
    worker.on('error', e =>
      fail(
        'code' in e && e.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? 'The second reader ran out of memory on this file.'
          : `The verification ended unexpectedly: ${e.message.slice(0, 300)}`,
      ),
    )
    worker.on('exit', code => fail(`The verification ended unexpectedly with code ${code}.`))
    this.#running = { key, worker, done, cancel: () => end(s => s.resolve(null)) }
    worker.postMessage(request)
    return done
  }

  /** Ends the verification of a file; nothing where there is none. */
  cancel(key: string): void {
    if (this.#running?.key === key) this.#running.cancel()
  }

  close(): void {
    this.#running?.cancel()
  }
}
