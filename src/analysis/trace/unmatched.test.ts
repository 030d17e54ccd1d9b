import { describe, expect, it } from 'vitest'
import { traceText } from '../../formats/chrome-trace/fixture'
import { readTrace } from '../../formats/chrome-trace/read'
import { bufferSource } from '../../formats/source'
import type { TraceTable } from '../../shared/tables'
import { buildTraceModel } from './tracks'
import { unmatchedFindings, unmatchedOf } from './unmatched'

const at = (ph: string, ts: number, name: string, more: object = {}): object => ({ ph, name, pid: 1, tid: 1, ts, ...more })

async function found(
  events: readonly object[],
): Promise<{ readonly text: string; readonly diagnostics: ReturnType<typeof unmatchedFindings> }> {
  const text = traceText(events as never)
  const table = (await readTrace(bufferSource('t', new TextEncoder().encode(text)), {})).table as TraceTable
  const model = buildTraceModel(table)
  const diagnostics = unmatchedFindings('t', model, table)
  // The short way says the same.
  expect(unmatchedFindings('t', unmatchedOf(table), table)).toEqual(diagnostics)
  return { text, diagnostics }
}

describe('events without a partner', () => {
  it('are counted with the offset of the first of each in the file, whatever the order of times', async () => {
    const events = [at('B', 9, 'late'), at('E', 1, 'early'), at('B', 2, 'x'), at('E', 3, 'x'), at('E', 0, 'first'), at('B', 8, 'open')]
    const { text, diagnostics } = await found(events)
    const [begin, end] = [text.indexOf(JSON.stringify(events[0])), text.indexOf(JSON.stringify(events[1]))]
    expect(diagnostics).toMatchObject([{ code: 'trace-unmatched', count: 4, offset: begin, file: 't' }])
    expect(diagnostics[0]?.message).toBe(
      `2 begin events have no end (first at byte ${begin}), 2 end events have no begin (first at byte ${end}).`,
    )
  })
  it('with args it is the offset of these; async events count too', async () => {
    const { text, diagnostics } = await found([at('X', 1, 'a'), at('e', 2, 'b', { id: 1, cat: 'c', args: { k: 1 } })])
    expect(diagnostics).toMatchObject([{ count: 1, offset: text.indexOf('{"k":1}') }])
    expect(diagnostics[0]?.message).toContain('0 begin events have no end, 1 end event has no begin (first at')
  })
  it('are not told where there are none', async () => {
    expect((await found([at('B', 1, 'a'), at('E', 2, 'a')])).diagnostics).toEqual([])
    expect((await found([at('X', 1, 'a'), at('i', 2, 'b')])).diagnostics).toEqual([])
  })
  it('have no offset where that is not known', () => {
    expect(unmatchedFindings('t', { unmatched: { begins: 1, ends: 0 } }, null)).toMatchObject([{ offset: null, count: 1 }])
  })
})
