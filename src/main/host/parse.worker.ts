/** The thread that reads files. */
import { parentPort } from 'node:worker_threads'
import { readParts, readTable } from '../../formats/readers'
import { fileSource } from '../../formats/source'
import { schemasFor } from '../../session/schemas'
import { userDir } from '../user-dir'
import { serveParse } from './parse'

if (!parentPort) throw new Error('parse.worker runs as a worker thread only')
serveParse(parentPort, async (request, options) => {
  const { parts } = request.at
  if (parts) {
    const sources: Awaited<ReturnType<typeof fileSource>>[] = []
    try {
      for (const p of parts) sources.push(await fileSource(p.at.path, p.name, undefined, p.at))
      return await readParts(sources, options)
    } finally {
      await Promise.all(sources.map(s => s.close()))
    }
  }
  const source = await fileSource(request.path, request.name, undefined, request.at)
  try {
    return await readTable(request.kind, source, { ...options, ...(await schemasFor(request.kind, userDir())) })
  } finally {
    await source.close()
  }
})
