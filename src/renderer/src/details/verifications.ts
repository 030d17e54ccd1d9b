/** Verifications that were asked for: kept while the window lives, by file and its state, so that choosing another file does not lose them. */
import { create } from 'zustand'
import type { CatalogFile } from '../../../shared/catalog'
import type { Verification, VerifyRow } from '../../../shared/verify'
import { request, words } from '../state/session'

export type VerifyState =
  | { readonly kind: 'running' }
  | { readonly kind: 'done'; readonly answer: Verification }
  | { readonly kind: 'failed'; readonly error: string }

export const useVerifications = create<{ readonly of: ReadonlyMap<string, VerifyState> }>()(() => ({ of: new Map() }))

/** A file that changed is another one. */
export const verifyKey = (session: string, file: CatalogFile): string => [session, file.id, file.bytes, file.mtimeMs].join('/')

function tell(key: string, state: VerifyState | null): void {
  const of = new Map(useVerifications.getState().of)
  if (state) of.set(key, state)
  else of.delete(key)
  useVerifications.setState({ of })
}

export async function startVerify(session: string, file: CatalogFile): Promise<void> {
  const key = verifyKey(session, file)
  if (useVerifications.getState().of.get(key)?.kind === 'running') return
  tell(key, { kind: 'running' })
  try {
    const answer = await request('memory.verify', { session, file: file.id })
    tell(key, answer && { kind: 'done', answer })
  } catch (e) {
    tell(key, { kind: 'failed', error: words(e) })
  }
}

export const cancelVerify = (session: string, file: CatalogFile): void =>
  void request('memory.verifyCancel', { session, file: file.id }).catch(() => undefined)

const NAMES: Readonly<Record<string, string>> = {
  segments: 'Segments',
  blocks: 'Blocks',
  events: 'Events',
  startActiveBytes: 'Active, start',
  peakActiveBytes: 'Active, peak',
  endActiveBytes: 'Active, end',
  startAllocatedBytes: 'Allocated, start',
  peakAllocatedBytes: 'Allocated, peak',
  endAllocatedBytes: 'Allocated, end',
  startReservedBytes: 'Reserved, start',
  peakReservedBytes: 'Reserved, peak',
  endReservedBytes: 'Reserved, end',
  unknownFrees: 'Unknown frees',
  unknownFreeBytes: 'Unknown frees, B',
}

export const figureName = (figure: string): string => NAMES[figure] ?? figure.replace(/^events\./, '')

/** `every figure is equal`, or how many are not. */
export function verdictWords({ verdict, rows }: Verification): string {
  const n = (v: VerifyRow['verdict']): number => rows.filter(r => r.verdict === v).length
  const figures = (k: number): string => `${k.toLocaleString('en-US')} ${k === 1 ? 'figure' : 'figures'}`
  const gap = n('cannot-tell')
  const rest = gap > 0 ? `, ${figures(gap)} cannot be told` : ''
  switch (verdict) {
    case 'equal':
      return `${figures(n('equal'))} ${n('equal') === 1 ? 'is' : 'are'} equal${rest}`
    case 'differs':
      return `${figures(n('differs'))} ${n('differs') === 1 ? 'differs' : 'differ'}, ${figures(n('equal'))} ${n('equal') === 1 ? 'is' : 'are'} equal${rest}`
    case 'cannot-tell':
      return 'The second reader cannot tell'
    case 'not-tried':
      return 'The second reader was not started'
  }
}
