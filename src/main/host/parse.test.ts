import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemTable } from '../../testing/system'
import { fakeWorker, until } from './fake-worker'
import { serveParse } from './parse'
import type { ParseMessage, ParseRequest } from './protocol'

it('names the file in what its models find out', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'nw-parse-'))
  const path = join(dir, 'ntrace.pb')
  await writeFile(path, 'x')
  // A total that is no number: the model of the device memory says so.
  const attrs = {
    hbm_idx: 0,
    mla_idx: 0,
    usage_type: 'tensors',
    allocated_bytes: 4096,
    total_bytes: 'zzz',
    return_code: 0,
    physical_address: '0x1000',
  }
  const table = systemTable([{ name: 'nrt_dma_mem_alloc', at: 0, dur: 5, nc: 0, attrs }])
  const seen: ParseMessage[] = []
  const worker = fakeWorker(port => serveParse(port, () => Promise.resolve({ table, diagnostics: [] })))
  worker.on('message', m => void seen.push(m as ParseMessage))
  const request: ParseRequest = { job: 'j', path, at: { path, dev: '0', ino: '0' }, name: 's/ntrace.pb', kind: 'ntrace' }
  worker.postMessage(request)
  await until(() => seen.some(m => m.type === 'done'))
  const done = seen.find(m => m.type === 'done')
  const findings = done?.type === 'done' && done.prepared?.kind === 'system' ? done.prepared.findings : []
  expect(findings.length).toBeGreaterThan(0)
  expect(findings.map(d => d.file)).toEqual(findings.map(() => 's/ntrace.pb'))
  await worker.terminate()
  await rm(dir, { recursive: true, force: true })
})
