/** The comparison of `snapshot --verify` as text for people. */
import { num } from '../shared/format'
import type { VerifyRow } from '../shared/verify'
import { plain } from './output'
import type { VerifiedReport } from './snapshot'
import { table } from './table'

const VERDICTS: Readonly<Record<VerifiedReport['verdict'], string>> = {
  equal: 'every figure that it can tell is equal',
  differs: 'figures differ',
  'cannot-tell': 'it cannot tell',
  'not-tried': 'it was not started',
}

/** '' where the report was not verified. */
export function verifyText(doc: Partial<VerifiedReport>): string {
  const { verify, verdict, reader, limits } = doc
  if (!verify || !verdict) return ''
  const value = (v: number | null): string => (v === null ? '—' : num(v))
  const word = (r: VerifyRow): string => (r.verdict === 'cannot-tell' ? `cannot tell: ${plain(r.reason ?? '')}` : r.verdict)
  const rows = verify.map(r => [
    r.device === null ? 'file' : `device ${r.device}`,
    plain(r.figure),
    value(r.ours),
    value(r.second),
    word(r),
  ])
  const head = `\nsecond reader  ${plain(reader ?? '')}: ${VERDICTS[verdict]}\n${(limits ?? []).map(l => `  ${plain(l)}\n`).join('')}`
  const told = verify.some(r => r.second !== null)
  return `${head}${told ? `\n${table([['', 'figure', 'ours', 'second', ''], ...rows])}` : ''}`
}
