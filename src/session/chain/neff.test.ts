import { describe, expect, it } from 'vitest'
import { modelFiles, type ModelFile, type ModelNames } from './neff'

const U = 'ab'.repeat(16)
const V = 'cd'.repeat(16)
const neff = (path: string, facts: ModelFile['facts'] = {}): ModelFile => ({
  id: `id ${path}`,
  path,
  facts: { uuid: '', hash: '', name: '', payloadBytes: 1, ...facts },
})
const ntff = (path: string, uuid: string, modelId: bigint | null = null) => ({ id: `id ${path}`, path, facts: { neffUuid: uuid }, modelId })
const model = (more: Partial<ModelNames> = {}): ModelNames => ({ id: 605n, name: 'fwd', cacheKey: null, ...more })
const paths = (m: ModelNames, ...files: readonly ModelFile[]): readonly string[] =>
  modelFiles(m, { neffs: files, ntffs: [] }).neffs.map(n => n.path)

describe('the NEFF of a model', () => {
  it('is told by the id in the file name, whole, and before the name', () => {
    const files = [neff('s/neff_605_vnc_0.neff'), neff('s/neff_6050_vnc_0.neff'), neff('s/x.neff', { name: 'fwd.neff' })]
    const found = modelFiles(model(), { neffs: files, ntffs: [] })
    expect(found).toEqual({
      neffs: [{ file: 'id s/neff_605_vnc_0.neff', path: 's/neff_605_vnc_0.neff', by: 'its file name carries the model id 605' }],
      ntffs: [],
      reason: null,
    })
  })

  it('is told by the device profile that names the id before anything else', () => {
    const files = {
      neffs: [neff('s/a.neff', { uuid: U, hash: U }), neff('s/neff_605.neff', { uuid: V, hash: V })],
      ntffs: [ntff('s/p.ntff', U, 605n)],
    }
    const found = modelFiles(model(), files)
    expect(found.neffs.map(n => n.path)).toEqual(['s/a.neff'])
    expect(found.ntffs.map(n => [n.path, n.by.includes(U)])).toEqual([['s/p.ntff', true]])
    // A profile of another model tells nothing.
    expect(modelFiles(model(), { ...files, ntffs: [ntff('s/p.ntff', U, 606n)] })).toMatchObject({
      neffs: [{ path: 's/neff_605.neff' }],
      ntffs: [],
    })
  })

  it('is told by the cache key: path, UUID, hash, name in the header', () => {
    const m = (cacheKey: string): ModelNames => model({ id: null, name: null, cacheKey })
    expect(paths(m('MODULE_1+2'), neff('cache/MODULE_1+2/model.neff'), neff('cache/MODULE_1+23/model.neff'))).toEqual([
      'cache/MODULE_1+2/model.neff',
    ])
    expect(paths(m(`k_${U}`), neff('a.neff', { uuid: V }), neff('b.neff', { uuid: U }))).toEqual(['b.neff'])
    expect(paths(m(`k_${V}`), neff('a.neff', { hash: V }), neff('b.neff', { hash: U }))).toEqual(['a.neff'])
    expect(paths(m('mse'), neff('a.neff', { name: 'mse.neff' }), neff('b.neff', { name: 'mse2.neff' }))).toEqual(['a.neff'])
  })

  it('is told by the name last, and not by a name that every compiler gives', () => {
    const found = modelFiles(model({ id: 1n }), { neffs: [neff('a.neff', { name: 'fwd.neff' })], ntffs: [] })
    expect(found.neffs[0]?.by).toContain('weak')
    expect(paths(model({ id: 1n, name: 'file' }), neff('a.neff', { name: 'file.neff' }))).toEqual([])
  })

  it('is none where nothing fits, and several where several do: said, never guessed', () => {
    expect(modelFiles(model(), { neffs: [], ntffs: [] }).reason).toBe('the session has no NEFF')
    expect(modelFiles(model({ cacheKey: 'k' }), { neffs: [neff('a.neff'), neff('b.neff')], ntffs: [] })).toEqual({
      neffs: [],
      ntffs: [],
      reason: 'none of the 2 NEFFs of the session bears the model id 605, the name "fwd", the cache key',
    })
    const two = [neff('a/neff_605.neff', { uuid: U, hash: U }), neff('b/neff_605.neff', { uuid: V, hash: V })]
    expect(modelFiles(model(), { neffs: two, ntffs: [] })).toMatchObject({
      neffs: [{}, {}],
      reason: '2 different NEFFs fit; the files do not tell which one it is',
    })
    // Copies are one.
    const copies = [neff('a/neff_605.neff', { uuid: U, hash: U }), neff('b/neff_605.neff', { uuid: U, hash: U })]
    expect(modelFiles(model(), { neffs: copies, ntffs: [] }).reason).toBeNull()
  })
})
