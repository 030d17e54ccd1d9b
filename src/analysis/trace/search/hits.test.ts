import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixtureTable, type FixtureEvent } from '../../../formats/chrome-trace/fixture'
import { stringAt } from '../../../shared/columns'
import { Turn, Lanes } from '../../../main/host/engine/lanes'
import { buildTraceModel } from '../tracks'
import { collectHits, hitMarks, hitsBefore, hitsPage, type Hits } from './hits'
import { makeMatcher } from './matcher'
import { IN_FRAMES, IN_NAME, matchingFrame, searchFrames, searchNames, StringMatches, type SearchedPart } from './rows'

const NAMES = ['aten::mm', 'aten::add', 'nn.Module: Linear', 'model.py(12): forward', 'nc_exec_running']
const event = fc.record({
  ph: fc.constantFrom('X', 'X', 'X', 'X', 'i', 'B', 'E', 'M'),
  name: fc.constantFrom(...NAMES, undefined),
  cat: fc.constantFrom('cpu_op', 'python_function', undefined),
  pid: fc.constant(1),
  tid: fc.nat({ max: 2 }),
  ts: fc.nat({ max: 3000 }),
  dur: fc.oneof(fc.constant(0), fc.nat({ max: 9 }), fc.nat({ max: 900 })),
})
const traces = fc.array(event, { maxLength: 80 })
const queries = fc.record({ query: fc.constantFrom('aten', 'MM', 'forward', 'e', 'zzz', 'm(m|odel)'), regex: fc.boolean() })
const PLAIN = new Turn()

async function partOf(events: readonly FixtureEvent[], offset: number): Promise<SearchedPart> {
  const table = await fixtureTable(events)
  const { tracks } = buildTraceModel(table)
  return {
    strings: table.strings,
    tracks: tracks.map((model, id) => ({ id, model, derived: false })),
    offset,
    where: new Uint8Array(table.count),
  }
}

interface Plain {
  readonly track: number
  readonly at: number
  readonly start: number
  readonly end: number
  readonly lane: number
}

/** Every event that a plain look at it would find. */
function bruteForce(part: SearchedPart, matches: (name: string) => boolean, frames: boolean): Plain[] {
  const out: Plain[] = []
  for (const { id, model: m } of part.tracks) {
    if (m.kind !== 'slices') continue
    for (let at = 0; at < m.row.length; at++) {
      const name = (i: number): string => stringAt(part.strings, m.nameId[i])
      let is = !frames && matches(name(at)) && m.nameId[at] >= 0
      if (frames)
        for (let i = at; i >= 0; i = m.parent[i])
          if (stringAt(part.strings, m.categoryId[i]) === 'python_function' && m.nameId[i] >= 0 && matches(name(i))) is = true
      let lane = 0
      while (m.laneStart[lane + 1] <= at) lane++
      if (is) out.push({ track: id, at, start: m.start[at] + part.offset, end: m.start[at] + m.duration[at] + part.offset, lane })
    }
  }
  return out
}

async function found(part: SearchedPart, query: string, regex: boolean, frames: boolean): Promise<Hits> {
  const { matcher } = makeMatcher(query, { regex, matchCase: false })
  if (!matcher) throw new Error(query)
  const names = new StringMatches(part.strings, matcher)
  if (frames) await searchFrames(part, names, PLAIN)
  else await searchNames(part, names, PLAIN)
  const hits = await collectHits([part], PLAIN)
  if (!hits) throw new Error('given up')
  return hits
}
const matches = (query: string, regex: boolean): ((name: string) => boolean) =>
  regex ? name => new RegExp(query, 'i').test(name) : name => name.toLowerCase().includes(query.toLowerCase())

describe('hits', () => {
  it('are those of a plain look at every event: in number, by page, by time', () =>
    fc.assert(
      fc.asyncProperty(
        traces,
        queries,
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(5000),
        async (events, { query, regex }, frames, page, t) => {
          const part = await partOf(events, 1000)
          const wanted = bruteForce(part, matches(query, regex), frames)
          const hits = await found(part, query, regex, frames)
          expect(hits.total).toBe(wanted.length)
          const byTrack = new Map(hits.tracks.map(h => [h.id, h.positions.length]))
          for (const { id } of part.tracks) expect(byTrack.get(id) ?? 0).toBe(wanted.filter(w => w.track === id).length)
          const listed = []
          for (let offset = 0; offset <= hits.total; offset += page) listed.push(...hitsPage(hits, offset, page))
          expect(listed.map(h => [h.track.model.start[h.at] + 1000, h.track.id, h.at])).toEqual(
            [...wanted].sort((a, b) => a.start - b.start || a.track - b.track || a.at - b.at).map(w => [w.start, w.track, w.at]),
          )
          expect(hitsBefore(hits, t)).toBe(wanted.filter(w => w.start < t).length)
          for (const { id, model } of part.tracks)
            for (const at of hits.tracks.find(h => h.id === id)?.positions ?? [])
              expect(part.where[model.row[at]]).toBe(frames ? IN_FRAMES : IN_NAME)
        },
      ),
    ))

  it('tell the frame that matches, the nearest one', async () => {
    const frame = (name: string, ts: number, dur: number): FixtureEvent => ({
      ph: 'X',
      cat: 'python_function',
      name,
      pid: 1,
      tid: 1,
      ts,
      dur,
    })
    const part = await partOf(
      [
        frame('a.py(1): run', 0, 100),
        frame('b.py(2): run', 10, 50),
        { ph: 'X', cat: 'cpu_op', name: 'mm', pid: 1, tid: 1, ts: 20, dur: 5 },
      ],
      0,
    )
    const names = (query: string): StringMatches => {
      const { matcher } = makeMatcher(query, { regex: false, matchCase: true })
      return new StringMatches(part.strings, matcher ?? (undefined as never))
    }
    expect(await searchFrames(part, names('a.py'), PLAIN)).toBe(2)
    expect([...part.where]).toEqual([IN_FRAMES, IN_FRAMES, IN_FRAMES])
    const { model } = part.tracks[0]
    expect(model.start[matchingFrame(part, model, 2, names('run'))]).toBe(10)
    expect(matchingFrame(part, model, 2, names('mm'))).toBe(-1)
  })

  it('as marks cover exactly the hits of a window, within a column', () =>
    fc.assert(
      fc.asyncProperty(
        traces,
        fc.nat(3_000_000),
        fc.integer({ min: 1, max: 3_000_000 }),
        fc.integer({ min: 1, max: 60 }),
        async (events, start, span, width) => {
          const part = await partOf(events, 0)
          const hits = await found(part, 'e', false, false)
          const end = start + span
          const px = span / width
          for (const track of hits.tracks) {
            const marks = hitMarks(track, start, end, width)
            if (!marks) throw new Error('no room')
            expect(hitMarks(track, start, end, width, marks.lane.length)).toEqual(marks)
            if (marks.lane.length > 0) expect(hitMarks(track, start, end, width, marks.lane.length - 1)).toBeNull()
            const all = bruteForce(part, matches('e', false), false).filter(
              w => w.track === track.id && w.start < end && (w.start >= start || w.end > start),
            )
            expect(marks.lane.length).toBeLessThanOrEqual(track.model.depth * (width + 2))
            for (const w of all)
              expect([...marks.lane].some((l, k) => l === w.lane && marks.from[k] <= w.start && marks.to[k] >= w.end)).toBe(true)
            for (let k = 0; k < marks.lane.length; k++) {
              const inside = all.filter(w => w.lane === marks.lane[k] && w.start >= marks.from[k] && w.end <= marks.to[k])
              // Begins and ends with a hit, and no hole in it is a column wide.
              expect(inside.some(w => w.start === marks.from[k])).toBe(true)
              let until = marks.from[k]
              for (const w of inside.sort((a, b) => a.start - b.start)) {
                expect(w.start - until).toBeLessThan(px)
                until = Math.max(until, w.end)
              }
              if (marks.to[k] < end) expect(until).toBe(marks.to[k])
              if (k > 0 && marks.lane[k - 1] === marks.lane[k]) expect(marks.from[k] - marks.to[k - 1]).toBeGreaterThanOrEqual(px)
            }
          }
        },
      ),
    ))

  it('of very many events come in the right order from many buckets', async () => {
    const n = 20_000
    const part = await partOf(
      Array.from({ length: n }, (_, i) => ({ ph: 'X', name: 'k', pid: 1, tid: i % 3, ts: ((i * 7919) % n) * 10, dur: 5 })),
      0,
    )
    const hits = await found(part, 'k', false, false)
    expect(hits.before.length).toBeGreaterThan(1000)
    for (const offset of [0, 1, 4999, 10_000, n - 7]) {
      const page = hitsPage(hits, offset, 5)
      expect(page.map(h => h.track.model.start[h.at])).toEqual([0, 1, 2, 3, 4].map(k => (offset + k) * 10))
      expect(hitsBefore(hits, offset * 10)).toBe(offset)
      expect(hitsBefore(hits, offset * 10 + 1)).toBe(offset + 1)
    }
    expect(hitsPage(hits, n, 5)).toEqual([])
    expect(hitsPage(hits, n - 2, 5)).toHaveLength(2)
  })

  it('of a costly expression pause after every name, of plain text seldom', async () => {
    const names = 300
    const part = await partOf(
      Array.from({ length: names }, (_, i) => ({ ph: 'X', name: `${i}${'a'.repeat(2000)}`, pid: 1, tid: 1, ts: i, dur: 1 })),
      0,
    )
    const pauses = async (query: string, regex: boolean): Promise<readonly number[]> => {
      let n = 0
      const counting = { due: true, pause: () => Promise.resolve(++n < 0) }
      const { matcher } = makeMatcher(query, { regex, matchCase: true })
      const strings = new StringMatches(part.strings, matcher ?? (undefined as never))
      expect(await searchNames(part, strings, counting)).toBe(true)
      return [n, strings.cut]
    }
    expect(await pauses('[^b]{0,480}b', true)).toEqual([names, names])
    const [plain, cut] = await pauses('b', false)
    expect(plain).toBeLessThan(names / 2)
    expect(cut).toBe(0)
  })

  it('are given up when a newer question has come', async () => {
    const part = await partOf(
      Array.from({ length: 9000 }, (_, i) => ({ ph: 'X', name: `n${i}`, pid: 1, tid: 1, ts: i, dur: 1 })),
      0,
    )
    const lanes = new Lanes()
    const turn = lanes.begin('s')
    lanes.begin('s')
    const due = { get due() { return true }, pause: () => turn.pause() } // prettier-ignore
    const { matcher } = makeMatcher('n', { regex: false, matchCase: false })
    expect(await searchNames(part, new StringMatches(part.strings, matcher ?? (undefined as never)), due)).toBe(false)
    expect(await collectHits([part], due)).toBeNull()
  })

  it('of events that stand on two tracks count once', async () => {
    const part = await partOf(
      [
        { ph: 'X', name: 'k', pid: 1, tid: 1, ts: 1, dur: 1 },
        { ph: 'X', name: 'k', pid: 1, tid: 2, ts: 2, dur: 1 },
      ],
      0,
    )
    const [a, b] = part.tracks
    const again = { ...part, tracks: [{ ...a, id: 9, derived: true }, a, b] }
    const hits = await found(again, 'k', false, false)
    expect([hits.total, hits.tracks.map(t => t.id)]).toEqual([2, [a.id, b.id]])
    expect((await found({ ...part, where: new Uint8Array(2), tracks: [{ ...a, id: 9, derived: true }] }, 'k', false, false)).total).toBe(1)
  })
})
