import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CatalogFile, Pair } from '../../../../shared/catalog'
import { deviceRows } from './brackets'

const file = (path: string): CatalogFile => ({
  id: path,
  path,
  kind: path.endsWith('.neff') ? 'neff' : 'ntff',
  bytes: 1,
  state: 'complete',
  rank: null,
  rankFromName: false,
  mtimeMs: 0,
  facts: {},
})
const pair = (ntff: string, neff: readonly string[], verdict: Pair['verdict'] = 'paired'): Pair => ({
  ntff,
  neff,
  by: 'uuid',
  verdict,
  evidence: '',
})
const SIGN = { top: '┌', mid: '├', bottom: '└' } as const
const shown = (names: readonly string[], pairs: readonly Pair[]): string =>
  deviceRows(names.map(file), pairs)
    .map(r => `${r.bracket ? SIGN[r.bracket] : ' '}${r.file.path}`)
    .join(' ')

describe('brackets', () => {
  it('a NEFF stands above the NTFFs of it', () => {
    expect(
      shown(
        ['a.neff', 'b.neff', 'c.neff', 'p.ntff', 'q.ntff', 'r.ntff', 's.ntff'],
        [pair('p.ntff', ['b.neff']), pair('q.ntff', ['a.neff']), pair('r.ntff', ['b.neff']), pair('s.ntff', [], 'missing-neff')],
      ),
    ).toBe('┌a.neff └q.ntff ┌b.neff ├p.ntff └r.ntff  c.neff  s.ntff')
  })

  it('copies and several NEFFs of one NTFF stand together', () => {
    expect(
      shown(
        ['a.neff', 'b.neff', 'c.neff', 'p.ntff', 'q.ntff'],
        [pair('p.ntff', ['a.neff', 'c.neff', '/x/a.neff']), pair('q.ntff', ['b.neff', 'c.neff'])],
      ),
    ).toBe('┌a.neff ├b.neff ├c.neff ├p.ntff └q.ntff')
  })

  it('a NEFF elsewhere, an ambiguous pair and a filtered NEFF join nothing', () => {
    expect(shown(['a.neff', 'p.ntff', 'q.ntff'], [pair('p.ntff', ['../x.neff']), pair('q.ntff', ['a.neff'], 'ambiguous')])).toBe(
      ' a.neff  p.ntff  q.ntff',
    )
    expect(shown(['p.ntff'], [pair('p.ntff', ['a.neff'])])).toBe(' p.ntff')
  })

  it('every file is shown once and every bracket is closed, whatever the pairs say', () => {
    const name = fc.integer({ min: 0, max: 7 })
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.array(name, { maxLength: 4 }), fc.boolean()), { maxLength: 12 }), list => {
        const files = [...Array.from({ length: 6 }, (_, i) => `${i}.neff`), ...Array.from({ length: 7 }, (_, i) => `${i}.ntff`)].map(file)
        const pairs = list.map(([n, neff, ok]) =>
          pair(
            `${n}.ntff`,
            neff.map(x => `${x}.neff`),
            ok ? 'paired' : 'ambiguous',
          ),
        )
        const rows = deviceRows(files, pairs)
        expect(rows.map(r => r.file.path).sort()).toEqual(files.map(f => f.path).sort())
        let open = false
        for (const r of rows) {
          if (r.bracket === 'top') expect(open).toBe(false)
          else expect(open).toBe(r.bracket !== null)
          open = r.bracket === 'top' || r.bracket === 'mid'
        }
        expect(open).toBe(false)
      }),
    )
  })
})
