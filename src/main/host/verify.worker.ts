/** The thread that reads a snapshot a second time. Both readers see the same bytes. */
import { parentPort } from 'node:worker_threads'
import { replayAll } from '../../analysis/allocator/replay'
import { tooLarge, verify } from '../../analysis/verify/verify'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import { secondReading, wholeFile } from '../../formats/second-reader/read'
import { bufferSource } from '../../formats/source'
import { systemCode, systemReason } from '../../formats/system-error'
import { VERIFY_MAX_BYTES } from '../../shared/verify'
import { NotVerifiable, serveVerify } from './verify'

if (!parentPort) throw new Error('verify.worker runs as a worker thread only')
serveVerify(parentPort, async ({ path, at, name }) => {
  let data: Uint8Array | null
  try {
    data = await wholeFile(path, VERIFY_MAX_BYTES, at)
  } catch (e) {
    if (systemCode(e) === '') throw e
    throw new NotVerifiable(`The file cannot be read: ${systemReason(e)}.`)
  }
  if (!data) return tooLarge([])
  const whole = data
  const { table, diagnostics } = await readSnapshot(bufferSource(name, whole))
  if (!table) throw new NotVerifiable(diagnostics[0]?.message ?? 'The file is no snapshot.')
  const bytes = () => Promise.resolve({ data: whole, changed: false })
  return verify({ table, models: replayAll(table), diagnostics, bytes, second: secondReading })
})
