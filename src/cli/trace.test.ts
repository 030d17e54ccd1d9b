import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Diagnostic } from '../shared/diagnostics'
import { traceCommand } from './trace'

it('tells begins without an end and ends without a begin, and what was mended, with offsets', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'trace-command-'))
  try {
    const file = join(dir, 'trace.json')
    const text = '[{"ph":"E","name":"a","pid":1,"tid":1,"ts":1} {"ph":"B","name":"b","pid":1,"tid":1,"ts":2}]'
    await writeFile(file, text)
    const { document, read } = await traceCommand(file)
    const { events, diagnostics } = document as { readonly events: number; readonly diagnostics: readonly Diagnostic[] }
    expect([read, events]).toEqual([true, 2])
    expect(diagnostics.find(d => d.code === 'trace-unmatched')).toMatchObject({ count: 2, offset: text.indexOf('{"ph":"E"'), file })
    expect(diagnostics.find(d => d.code === 'trace-missing-comma')).toMatchObject({ count: 1, offset: text.indexOf('{"ph":"B"') })
  } finally {
    await rm(dir, { recursive: true })
  }
})
