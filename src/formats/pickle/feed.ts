/** Feeds a byte source to the interpreter: chunks, progress, cancel. */
import type { ByteSource, ReadOptions } from '../../shared/reader'
import type { Machine, RunState } from './machine'

export type FeedState = RunState | 'cancelled'

const PROGRESS_MS = 100

/**
 * Runs `machine` over `source` until STOP, a fault, the end of the bytes or a cancel. Between chunks the event loop gets a turn at least every 100 ms, so that a cancel
 * message can arrive. `note` is the text beside the progress figures, asked for with each report.
 */
export async function feed(machine: Machine, source: ByteSource, opts: ReadOptions, note: () => string = () => ''): Promise<FeedState> {
  // The size of compressed input says nothing about the bytes that come out.
  if (!('compressed' in source) || source.compressed === false) machine.expect(source.size)
  let last = Date.now()
  let state: RunState = 'more'
  if (opts.signal?.aborted) return 'cancelled'
  for await (const chunk of source.chunks()) {
    machine.append(chunk)
    if (machine.waiting >= machine.want) {
      state = machine.run(false)
      if (state !== 'more') break
    }
    if (Date.now() - last >= PROGRESS_MS) {
      opts.onProgress?.(source.consumed, source.size, note())
      await new Promise(r => setImmediate(r))
      last = Date.now()
    }
    if (opts.signal?.aborted) return 'cancelled'
  }
  if (state === 'more') {
    // A file that shrank since it was opened ends where its bytes end.
    machine.total = Math.min(machine.total, machine.bytesFed)
    state = machine.run(true)
  }
  opts.onProgress?.(source.consumed, source.size, note())
  return state
}
