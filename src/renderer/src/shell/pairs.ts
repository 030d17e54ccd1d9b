/** Words for the pair of an NTFF. Pure. */
import type { Pair } from '../../../shared/catalog'

interface PairWord {
  /** Stands for the kind on the file's row; null leaves the kind. */
  readonly word: string | null
  /** Whether the row carries the sign that a model is not known. */
  readonly sign: boolean
  readonly chip: { readonly cls: string; readonly word: string }
}

export const PAIR_WORD: Readonly<Record<Pair['verdict'], PairWord>> = {
  paired: { word: null, sign: false, chip: { cls: 'ok', word: 'paired' } },
  partial: { word: null, sign: true, chip: { cls: 'warn', word: 'found in part' } },
  ambiguous: { word: 'which model', sign: true, chip: { cls: 'warn', word: 'ambiguous' } },
  'missing-neff': { word: 'no model', sign: true, chip: { cls: 'warn', word: 'NEFF missing' } },
  'empty-ntff': { word: null, sign: false, chip: { cls: '', word: 'nothing to pair' } },
}

export const PAIR_BY: Readonly<Record<Pair['by'], string>> = {
  uuid: 'UUID',
  'uuid-prefix': 'UUID, as far as the profile holds it',
  'file-hash': 'number in both file names',
  name: 'file name, weak',
  none: '—',
}

/** One line for a tooltip: which NEFFs, or why none. */
export function pairSentence(p: Pair): string {
  const [first, ...more] = p.neff
  if (first === undefined) return p.evidence
  const others = more.length > 0 ? ` and ${more.length} more` : ''
  return p.verdict === 'ambiguous'
    ? `Ambiguous: ${first}${others}`
    : `${p.verdict === 'partial' ? 'In part: ' : ''}NEFF ${first}${others}, by ${PAIR_BY[p.by]}`
}
