import { describe, expect, it } from 'vitest'
import type { AppInfo, RootState, SessionView } from '../../../shared/api'
import type { Diagnostic } from '../../../shared/diagnostics'
import { allDiagnostics, byFile, PROGRAM, reportText, whereText } from './diagnostics'

const d = (severity: Diagnostic['severity'], file: string, offset: number | null = null, message = 'm', count = 1): Diagnostic => ({
  severity,
  code: 'some-code',
  file,
  offset,
  message,
  meaning: 'what it means',
  action: 'what to do',
  count,
})
const root = (diagnostics: readonly Diagnostic[], checks: readonly Diagnostic[] = []): RootState =>
  ({ catalog: { diagnostics, sessions: [{ checks }] }, watchNotice: null }) as unknown as RootState
const view = (diagnostics: readonly Diagnostic[]): SessionView => ({ diagnostics, notice: null }) as unknown as SessionView
const none = { info: null, root: null, view: null, error: null }

describe('the list of findings', () => {
  it('holds those of catalog, checks and session, each once', () => {
    const shared = d('warning', 'a', 4)
    const all = allDiagnostics({
      ...none,
      root: root([shared, d('info', 'b')], [d('info', 'c')]),
      view: view([shared, d('error', 'z', 9)]),
    })
    expect(all.map(x => [x.severity, x.file])).toEqual([
      ['error', 'z'],
      ['warning', 'a'],
      ['info', 'b'],
      ['info', 'c'],
    ])
  })
  it('keeps two findings apart that differ in place only', () => {
    expect(allDiagnostics({ ...none, view: view([d('info', 'a', 8), d('info', 'a', 4)]) }).map(x => x.offset)).toEqual([4, 8])
  })
  it("adds the program's own notices and the last error", () => {
    const all = allDiagnostics({
      info: { notice: 'No display was found.' } as AppInfo,
      root: { ...root([]), watchNotice: 'Too many folders to watch.' },
      view: { ...view([]), notice: 'The engine was started again.' },
      error: 'boom',
    })
    expect(all.map(x => x.file)).toEqual([PROGRAM, PROGRAM, PROGRAM, PROGRAM])
    expect(all[0]).toMatchObject({ severity: 'error', message: 'boom' })
    expect(all.every(x => x.meaning && x.action)).toBe(true)
  })
  it('groups by file, the worst file in front', () => {
    const all = allDiagnostics({ ...none, view: view([d('info', 'a'), d('error', 'b'), d('info', 'b')]) })
    expect(byFile(all).map(g => [g.file, g.list.length])).toEqual([
      ['b', 2],
      ['a', 1],
    ])
  })
})

it('says where and how often', () => {
  expect(whereText(d('info', 'a', 1204))).toBe('byte 1,204')
  expect(whereText(d('info', 'a', 0, 'm', 3))).toBe('byte 0, 3 times')
  expect(whereText(d('info', 'a'))).toBe('')
})

it('copies everything that the screen says', () => {
  const text = reportText([d('error', 'a/b.pickle', 12, 'A global was asked for.')])
  for (const part of ['Error: A global was asked for.', 'a/b.pickle (byte 12)', 'some-code', 'what it means', 'what to do'])
    expect(text).toContain(part)
})
