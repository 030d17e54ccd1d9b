/** The thread of a session's engine. */
import { parentPort } from 'node:worker_threads'
import { readArgsText } from '../../formats/chrome-trace/args'
import { streamBytes } from '../../formats/chrome-trace/stream'
import { serveEngine } from './engine/serve'

if (!parentPort) throw new Error('engine.worker runs as a worker thread only')
serveEngine(parentPort, { readArgs: readArgsText, readBytes: streamBytes })
