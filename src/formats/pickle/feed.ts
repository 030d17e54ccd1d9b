/** Feeds a byte source to what builds values of it: chunks, progress, cancel. */
import type { ByteSource, ReadOptions } from '../../shared/reader'
import type { Builder, RunState } from './builder'

export type FeedState = RunState | 'cancelled'

const PROGRESS_MS = 100

export interface FeedHooks {
  /** Text beside the progress figures, asked for with each report. */
  readonly note?: () => string
  /** Go on to the end of the source after the value is whole or broken: the source itself has something to tell there. */
  readonly drain?: boolean
}

/**
 * Runs `builder` over `source` until its value is whole, a fault, the end of the bytes or a cancel. Between chunks the event loop gets a turn at least every 100 ms, so
 * that a cancel message can arrive.
 */
export async function feed(builder: Builder, source: ByteSource, opts: ReadOptions, hooks: FeedHooks = {}): Promise<FeedState> {
  const note = hooks.note ?? (() => '')
  // The size of compressed input says nothing about the bytes that come out.
  if (!('compressed' in source) || source.compressed === false) builder.expect(source.size)
  let last = Date.now()
  let state: RunState = 'more'
  if (opts.signal?.aborted) return 'cancelled'
  for await (const chunk of source.chunks()) {
    if (state === 'more') {
      builder.append(chunk)
      if (builder.waiting >= builder.want) {
        state = builder.run(false)
        if (state !== 'more' && hooks.drain !== true) break
      }
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
    builder.total = Math.min(builder.total, builder.bytesFed)
    state = builder.run(true)
  }
  opts.onProgress?.(source.consumed, source.size, note())
  return state
}
