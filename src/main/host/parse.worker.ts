/** The thread that reads files. */
import { parentPort } from 'node:worker_threads'
import { readTrace } from '../../formats/chrome-trace/read'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import { fileSource } from '../../formats/source'
import { serveParse } from './parse'

if (!parentPort) throw new Error('parse.worker runs as a worker thread only')
serveParse(parentPort, async (request, options) => {
  const source = await fileSource(request.path, request.name)
  try {
    return await (request.kind === 'chrome-trace' ? readTrace(source, options) : readSnapshot(source, options))
  } finally {
    await source.close()
  }
})
