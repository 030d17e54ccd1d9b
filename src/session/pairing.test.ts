import { describe, expect, it } from 'vitest'
import type { CatalogFile, FileState, Pair } from '../shared/catalog'
import { NeffIndex, pairNtff, pairSession, type NeffEntry } from './pairing'

const A = '0102030405060708090a0b0c0d0e0f10'
const B = 'a1b2c3d4e5f60718293a4b5c6d7e8f90'
const HASH = '7b1347762881aeccd977c60c08eba6a4'

interface Neff {
  readonly path: string
  readonly uuid?: string
  readonly hash?: string
  readonly bytes?: number
  readonly name?: string
  readonly added?: boolean
}
const neff = ({ path, uuid = A, hash = HASH, bytes = 10240, name = path.split('/').at(-1) as string, added = false }: Neff): NeffEntry => ({
  path,
  added,
  facts: { uuid, hash, payloadBytes: bytes, name },
})
/** A NEFF whose header could not be read. */
const cut = (path: string): NeffEntry => ({ path, added: false, facts: {} })
const ntff = (facts: CatalogFile['facts'], path = 's/p.ntff', state: FileState = 'complete') => ({ path, state, facts })
const pair = (facts: CatalogFile['facts'], neffs: readonly NeffEntry[], path?: string): Pair =>
  pairNtff(ntff(facts, path), new NeffIndex(neffs), { session: 's', instance: null })
const brief = (p: Pair) => [p.verdict, p.by, ...p.neff]
/** Facts of a profile that has only the cut copy of a UUID. */
const prefix = (hex: string) => ({ neffUuid: hex.length === 32 ? hex : null, neffUuidPrefix: hex })

describe('by the UUIDs of the nodes', () => {
  it('finds the NEFF wherever it lies', () => {
    expect(brief(pair({ neffUuid: A }, [neff({ path: 'elsewhere/x.neff' }), neff({ path: 's/y.neff', uuid: B })]))).toEqual([
      'paired',
      'uuid',
      'elsewhere/x.neff',
    ])
    expect(pair({ neffUuid: A }, [neff({ path: 's/x.neff' })]).evidence).toBe(
      `The UUID of the NEFF in the profile, ${A}, is the one in the NEFF's header.`,
    )
  })

  it('copies count as one and are all listed, nearest first', () => {
    const copies = [
      neff({ path: '/cache/x.neff', added: true }),
      neff({ path: 'b/x.neff' }),
      neff({ path: 's/z.neff' }),
      neff({ path: 'a/x.neff' }),
    ]
    const found = pair({ neffUuid: A }, copies)
    expect(brief(found)).toEqual(['paired', 'uuid', 's/z.neff', 'a/x.neff', 'b/x.neff', '/cache/x.neff'])
    expect(found.evidence).toContain('4 copies with the same UUID, hash and payload size count as one.')
  })

  it('the same hash with another UUID is another NEFF', () => {
    expect(brief(pair({ neffUuid: A }, [neff({ path: 's/x.neff', uuid: B })]))).toEqual(['missing-neff', 'none'])
    expect(brief(pair({ neffUuid: A }, [neff({ path: 's/x.neff' }), neff({ path: 's/y.neff', uuid: B })]))).toEqual([
      'paired',
      'uuid',
      's/x.neff',
    ])
  })

  it('the same UUID with another hash or size is ambiguous', () => {
    expect(brief(pair({ neffUuid: A }, [neff({ path: 's/x.neff' }), neff({ path: 's/y.neff', hash: '00ff'.repeat(8) })]))).toEqual([
      'ambiguous',
      'uuid',
      's/x.neff',
      's/y.neff',
    ])
    expect(pair({ neffUuid: A }, [neff({ path: 's/x.neff' }), neff({ path: 's/y.neff', bytes: 20480 })]).verdict).toBe('ambiguous')
  })

  it('several NEFFs: all found, some found, none found', () => {
    const facts = { neffUuid: A, neffUuids: [A, B] }
    const [a, b] = [neff({ path: 's/a.neff' }), neff({ path: 's/b.neff', uuid: B })]
    expect(brief(pair(facts, [a, b]))).toEqual(['paired', 'uuid', 's/a.neff', 's/b.neff'])
    const partial = pair(facts, [b, neff({ path: 's/copy.neff', uuid: B })])
    expect(brief(partial)).toEqual(['partial', 'uuid', 's/b.neff', 's/copy.neff'])
    expect(partial.evidence).toBe(
      `1 of 2 NEFF UUIDs in the profile were found. Not found: ${A}. 2 copies with the same UUID, hash and payload size count as one.`,
    )
    expect(brief(pair(facts, []))).toEqual(['missing-neff', 'none'])
  })

  it('contradicts a name and a number', () => {
    const found = pair(
      { neffUuid: A, neffName: 'neff_12345678.neff' },
      [neff({ path: 's/neff_12345678.neff', uuid: B })],
      's/12345678_instid_0_vnc_0.ntff',
    )
    expect(brief(found)).toEqual(['missing-neff', 'none'])
    expect(found.evidence).toContain('but has another UUID')
    // A NEFF whose UUID is not known is not contradicted.
    expect(brief(pair({ neffUuid: A, neffName: 'x.neff' }, [cut('s/x.neff')]))).toEqual(['paired', 'name', 's/x.neff'])
  })
})

describe('by the cut copy of the UUID', () => {
  const zeroAt = (n: number): string => A.slice(0, n * 2) + '00' + B.slice(n * 2 + 2)

  it('16 bytes are all of it; the UUID must begin with them', () => {
    expect(brief(pair(prefix(A), [neff({ path: 's/x.neff' })]))).toEqual(['paired', 'uuid-prefix', 's/x.neff'])
    expect(brief(pair(prefix(A), [neff({ path: 's/x.neff', uuid: A.slice(0, 30) + '11' })]))).toEqual(['missing-neff', 'none'])
  })

  it('fewer than 16 count only where the UUID goes on with 0x00', () => {
    expect(brief(pair(prefix(A.slice(0, 20)), [neff({ path: 's/x.neff', uuid: zeroAt(10) })]))).toEqual([
      'paired',
      'uuid-prefix',
      's/x.neff',
    ])
    expect(brief(pair(prefix(A.slice(0, 20)), [neff({ path: 's/x.neff', uuid: A })]))).toEqual(['missing-neff', 'none'])
    // 15 bytes and a zero as the last.
    expect(pair(prefix(A.slice(0, 30)), [neff({ path: 's/x.neff', uuid: zeroAt(15).slice(0, 32) })]).verdict).toBe('paired')
  })

  it('8 bytes of two NEFFs are ambiguous', () => {
    const other = A.slice(0, 16) + '00' + 'cc'.repeat(7)
    expect(
      brief(pair(prefix(A.slice(0, 16)), [neff({ path: 's/x.neff', uuid: zeroAt(8) }), neff({ path: 's/y.neff', uuid: other })])),
    ).toEqual(['ambiguous', 'uuid-prefix', 's/x.neff', 's/y.neff'])
  })

  it('1 byte counts when one NEFF alone fits, copies of it included', () => {
    const one = '01'
    const x = zeroAt(1)
    expect(
      brief(
        pair(prefix(one), [neff({ path: 's/x.neff', uuid: x }), neff({ path: 't/x.neff', uuid: x }), neff({ path: 's/y.neff', uuid: A })]),
      ),
    ).toEqual(['paired', 'uuid-prefix', 's/x.neff', 't/x.neff'])
    const y = '0100' + 'ee'.repeat(14)
    const both = [neff({ path: 's/x.neff', uuid: x }), neff({ path: 't/y.neff', uuid: y })]
    expect(brief(pair(prefix(one), both))).toEqual(['ambiguous', 'uuid-prefix', 's/x.neff', 't/y.neff'])
    // The name tells which of the two it is.
    expect(brief(pair({ ...prefix(one), neffName: 'y.neff' }, both))).toEqual(['paired', 'name', 't/y.neff'])
  })

  it('finds the bounds of a prefix among many', () => {
    const many = Array.from({ length: 500 }, (_, i) =>
      neff({ path: `m/${i}.neff`, uuid: i.toString(16).padStart(4, '0') + '00' + 'ab'.repeat(13) }),
    )
    const index = new NeffIndex(many)
    for (const i of [1, 17, 256, 499]) expect(index.withPrefix(i.toString(16).padStart(4, '0')).map(c => c.path)).toEqual([`m/${i}.neff`])
    expect(index.withPrefix('ffff')).toEqual([])
  })
})

describe('by numbers and names', () => {
  it.each([
    ['123_instid_0_vnc_0.ntff', 'neff_123.neff'],
    ['14382885777943380728_instid_0_vnc_1.ntff', 'neff_14382885777943380728.neff'],
    ['profile_14382885777943380728_vnc_1.ntff', 'neff_14382885777943380728_vnc_1.neff'],
    ['model_998636308723560_pid_77_vnc_0_inst_i-1_20261130_142207.ntff', 'graph_998636308723560.neff'],
  ])('%s and %s', (profile, model) => {
    const found = pair({}, [neff({ path: `s/${model}` }), neff({ path: 's/neff_999.neff', uuid: B })], `s/${profile}`)
    expect(brief(found)).toEqual(['paired', 'file-hash', `s/${model}`])
  })

  it.each([
    ['profile_nc_0_session_12345678.ntff', 'neff_12345678.neff'],
    ['model_5_pid_12345678_vnc_0.ntff', 'neff_12345678.neff'],
    ['a_20261130_142207.ntff', 'graph_20261130.neff'],
    ['profile_nc_5.ntff', 'neff_5.neff'],
  ])('%s and %s share a number that is no hash', (profile, model) => {
    expect(brief(pair({}, [neff({ path: `s/${model}` })], `s/${profile}`))).toEqual(['missing-neff', 'none'])
  })

  it('a number that two NEFFs carry is ambiguous, their copies are not', () => {
    const name = 's/123_instid_0_vnc_0.ntff'
    const two = [neff({ path: 's/neff_123.neff' }), neff({ path: 's/neff_123_vnc_1.neff', uuid: B })]
    expect(brief(pair({}, two, name))).toEqual(['ambiguous', 'file-hash', 's/neff_123.neff', 's/neff_123_vnc_1.neff'])
    const copies = [neff({ path: 's/neff_123.neff' }), neff({ path: 'other/neff_123_vnc_1.neff' })]
    expect(brief(pair({}, copies, name))).toEqual(['paired', 'file-hash', 's/neff_123.neff', 'other/neff_123_vnc_1.neff'])
  })

  it('a name is taken from the nearest place that has it', () => {
    const at = (path: string, uuid: string) => neff({ path, uuid, name: 'file.neff' })
    const facts = { neffName: '/home/u/build/file.neff' }
    const place = { session: 'i-1_pid_2/t1', instance: 'i-1_pid_2' }
    const found = (list: readonly NeffEntry[]) => brief(pairNtff(ntff(facts, 'i-1_pid_2/t1/p.ntff'), new NeffIndex(list), place))
    const [inSession, inInstance, inRoot] = [at('i-1_pid_2/t1/m.neff', A), at('i-1_pid_2/m.neff', B), at('m.neff', 'ee'.repeat(16))]
    expect(found([inRoot, inInstance, inSession])).toEqual(['paired', 'name', 'i-1_pid_2/t1/m.neff'])
    expect(found([inRoot, inInstance])).toEqual(['paired', 'name', 'i-1_pid_2/m.neff'])
    expect(found([inRoot, { ...at('/c/m.neff', B), added: true }])).toEqual(['paired', 'name', 'm.neff'])
    expect(found([inSession, at('i-1_pid_2/t1/n.neff', B)])).toEqual(['ambiguous', 'name', 'i-1_pid_2/t1/m.neff', 'i-1_pid_2/t1/n.neff'])
  })
})

describe('sessions', () => {
  const file = (path: string, kind: CatalogFile['kind'], state: FileState = 'complete', facts: CatalogFile['facts'] = {}): CatalogFile => ({
    id: path,
    path,
    kind,
    bytes: 1,
    state,
    rank: null,
    rankFromName: false,
    mtimeMs: 0,
    facts,
  })

  it('one pair for each NTFF; an empty one is normal', () => {
    const files = [
      file('i_pid_1/t/a.ntff', 'ntff', 'empty'),
      file('i_pid_1/t/b.ntff', 'ntff', 'truncated'),
      file('i_pid_1/t/c.ntff', 'ntff', 'complete', { neffUuid: A }),
      file('i_pid_1/t/trace.json', 'chrome-trace'),
    ]
    const pairs = pairSession({ dir: 'i_pid_1/t', files }, new NeffIndex([neff({ path: 'x/m.neff' })]))
    expect(pairs.map(p => [p.ntff, ...brief(p)])).toEqual([
      ['i_pid_1/t/a.ntff', 'empty-ntff', 'none'],
      ['i_pid_1/t/b.ntff', 'missing-neff', 'none'],
      ['i_pid_1/t/c.ntff', 'paired', 'uuid', 'x/m.neff'],
    ])
    for (const p of pairs) expect(p.evidence).toMatch(/^[A-Z].*\.$/)
  })

  it('facts of another shape are no evidence', () => {
    for (const facts of [{ neffUuid: 7 }, { neffUuids: 'x' }, { neffUuids: [3] }, { neffUuidPrefix: {} }, { neffName: null }])
      expect(brief(pair(facts, [neff({ path: 's/x.neff' }), { path: 'q', added: false, facts: { uuid: 3, hash: [], name: {} } }]))).toEqual(
        ['missing-neff', 'none'],
      )
  })
})
