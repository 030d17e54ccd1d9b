import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemTable, type TestEvent } from '../../testing/system'
import { buildSystemModel } from './tracks'

describe("the runtime's events by thread", () => {
  it('are arranged a second time only where a core has several threads', () => {
    const m = buildSystemModel(
      systemTable([
        { name: 'nrt_execute', at: 0, dur: 10, nc: 0, thread: 7 },
        { name: 'kbl_exec_wait', at: 2, dur: 20, nc: 0, thread: 9 },
        { name: 'nrt_load', at: 3, dur: 1, nc: 0 },
        { name: 'nrt_execute', at: 0, dur: 10, nc: 1, thread: 9 },
        { name: 'nc_exec_running', source: 'neuron_hw', at: 40, dur: 20, nc: 0, core: 4 },
      ]),
      '1',
    )
    expect(m.tracks.map(t => [t.name, t.arranged ?? '', t.place])).toEqual([
      ['NC:0', 'by-core', { nc: 0 }],
      ['NC:1', '', { nc: 1, thread: '9' }],
      ['NC0:4', '', { nc: 0, core: 4 }],
    ])
    expect(m.byThread.map(t => [t.name, t.arranged, t.derived, t.place, [...t.row]])).toEqual([
      ['NC:0', 'by-thread', true, { nc: 0, thread: '7' }, [0]],
      ['NC:0', 'by-thread', true, { nc: 0, thread: '9' }, [1]],
      ['NC:0', 'by-thread', true, { nc: 0 }, [2]],
    ])
    expect(new Set(m.byThread.map(t => t.tid)).size).toBe(3)
  })

  it('are none where no check confirmed what a thread is', () => {
    const t = systemTable([
      { name: 'a', at: 0, dur: 1, nc: 0, thread: 7 },
      { name: 'a', at: 2, dur: 1, nc: 0, thread: 8 },
    ])
    const m = buildSystemModel({ ...t, verdict: { ...t.verdict, unverified: ['thread_id'] } })
    expect(m.byThread).toEqual([])
    expect(m.tracks).toMatchObject([{ place: { nc: 0 } }])
  })

  it('hold each event of such a track once', () => {
    const event = fc.record({
      at: fc.integer({ min: 0, max: 50 }),
      dur: fc.integer({ min: 0, max: 20 }),
      nc: fc.integer({ min: 0, max: 2 }),
      thread: fc.option(fc.integer({ min: 1, max: 3 })),
    })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), list => {
        const events = list.map(({ thread, ...e }): TestEvent => ({ name: 'a', ...e, ...(thread === null ? {} : { thread }) }))
        const m = buildSystemModel(systemTable(events))
        const shown = [...m.tracks.filter(t => t.arranged !== 'by-core'), ...m.byThread].flatMap(t => [...t.row]).sort((a, b) => a - b)
        expect(shown).toEqual(events.map((_, i) => i))
        for (const t of m.byThread)
          expect(new Set([...t.row].map(r => events[r]?.thread ?? null))).toEqual(
            new Set([t.place?.thread === undefined ? null : Number(t.place.thread)]),
          )
      }),
    )
  })
})
