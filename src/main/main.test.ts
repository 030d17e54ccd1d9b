import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cacheDir as cacheDirOfScripts } from '../../scripts/user-cache.mjs'
import { ensureSample } from './sample'
import { cacheDir, userDir } from './user-dir'

const folder = mkdtempSync(join(tmpdir(), 'main-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('folders of the user', () => {
  it('can be put elsewhere', () => {
    expect(userDir({ NEURON_WORKBENCH_DIR: folder })).toBe(folder)
    expect(cacheDir({ NEURON_WORKBENCH_DIR: folder })).toBe(join(folder, 'cache'))
  })
  it.each(['linux', 'darwin', 'win32'] as const)('are the same for the program and its scripts on %s', platform => {
    for (const env of [{}, { XDG_CACHE_HOME: '/c', LOCALAPPDATA: '/l' }, { NEURON_WORKBENCH_DIR: folder }])
      expect(cacheDir(env, platform)).toBe(cacheDirOfScripts(env, platform))
    expect(userDir({}, platform)).not.toBe(cacheDir({}, platform))
  })
})

describe('the sample profile', () => {
  it('is written once, leaves nothing half, and two starts at once agree', async () => {
    const [a, b] = await Promise.all([ensureSample(folder, '1.2.3'), ensureSample(folder, '1.2.3')])
    expect(a).toBe(b)
    expect(readdirSync(folder)).toEqual(['sample-profile-1.2.3'])
    expect(readdirSync(a).every(n => /_pid_\d+$/.test(n))).toBe(true)
    expect(existsSync(await ensureSample(folder, '1.2.3'))).toBe(true)
  })
})
