/// <reference types="electron-vite/node" />
/** The worker threads of the host, as the build makes them. Only the shells import this: nothing of it runs from sources. */
import type { Worker } from 'node:worker_threads'
import createEngine from './host/engine.worker?nodeWorker'
import createParse from './host/parse.worker?nodeWorker'
import createVerify from './host/verify.worker?nodeWorker'

/** Columns lie outside of the heap; what is on it are distinct strings and bookkeeping. A reader that needs more ends with a diagnostic instead of taking the machine along. */
export const spawnParse = (): Worker => createParse({ resourceLimits: { maxOldGenerationSizeMb: 2048 } })
export const spawnEngine = (): Worker => createEngine({ resourceLimits: { maxOldGenerationSizeMb: 4096 } })
export const spawnVerify = (): Worker => createVerify({ resourceLimits: { maxOldGenerationSizeMb: 2048 } })
