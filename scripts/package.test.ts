/** The packaging as far as it can be shown without an Electron binary: every fuse is set, and what is read back from a binary is compared. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { flipFuses, FuseV1Options, FuseVersion, type FuseV1Config } from '@electron/fuses'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import config, { fuses } from '../electron-builder.config.mjs'
import { FUSES, packagedPrograms, wrongFuses } from './fuses.mjs'
import { BUILDER } from './package.mjs'

const ROOT = resolve(import.meta.dirname, '..')
let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'nw-package-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

/** Something with a fuse wire as Electron's binary has it: sentinel, version, length, one byte per fuse ('1' on, '0' off, 'r' removed). */
function binary(wire = '101100001'): string {
  const path = join(dir, 'program')
  const before = Buffer.alloc(5000, 7)
  writeFileSync(
    path,
    Buffer.concat([before, Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'), Buffer.from([1, wire.length]), Buffer.from(wire), before]),
  )
  return path
}

describe('the fuses', () => {
  it('are all decided, each by its name', () => {
    expect(Object.keys(fuses).sort()).toEqual(FUSES.map(f => f.option).sort())
    expect(FUSES.map(f => f.name)).toContain('OnlyLoadAppFromAsar')
    expect(fuses).toEqual({
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
    })
    expect(config.electronFuses).toBe(fuses)
  })
  it('of a binary as it comes are wrong, and said to be', async () => {
    const wrong = await wrongFuses(binary(), fuses)
    expect(wrong).toContain('RunAsNode should be off and is on')
    expect(wrong).toContain('OnlyLoadAppFromAsar should be on and is off')
    expect(wrong.join()).not.toContain('GrantFileProtocolExtraPrivileges')
    expect(await wrongFuses(binary('r01100001'), fuses)).toContain('RunAsNode should be off and is removed')
  })
  it('are right once they were set', async () => {
    const path = binary()
    const set = Object.fromEntries(FUSES.map(f => [f.value, fuses[f.option]]))
    await flipFuses(path, { version: FuseVersion.V1, ...set } as FuseV1Config)
    expect(await wrongFuses(path, fuses)).toEqual([])
    await flipFuses(path, { version: FuseVersion.V1, [FuseV1Options.RunAsNode]: true } as FuseV1Config)
    expect(await wrongFuses(path, fuses)).toEqual(['RunAsNode should be off and is on'])
  })
  it('are not taken for right where there are none', async () => {
    const path = join(dir, 'none')
    writeFileSync(path, 'no wire')
    await expect(wrongFuses(path, fuses)).rejects.toThrow()
  })
})

describe('the package', () => {
  it('is looked for where electron-builder puts it', () => {
    for (const name of ['linux-unpacked', 'linux-arm64-unpacked', 'win-unpacked', 'mac', 'mac-arm64', '.icon-set'])
      mkdirSync(join(dir, name))
    writeFileSync(join(dir, 'builder-debug.yml'), '')
    expect([...packagedPrograms(dir, { productName: 'P Q', executableName: 'p-q' })].sort()).toEqual(
      ['linux-arm64-unpacked/p-q', 'linux-unpacked/p-q', 'mac-arm64/P Q.app', 'mac/P Q.app', 'win-unpacked/P Q.exe'].map(p => join(dir, p)),
    )
  })
  it('holds the built program in an archive, without the command line and its canvas', () => {
    expect(config).toMatchObject({ asar: true, npmRebuild: false })
    expect(config.files).toEqual(expect.arrayContaining(['out/**', '!out/main/cli.js', '!**/node_modules/@napi-rs/**']))
    const { main, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      readonly main: string
      readonly dependencies: Readonly<Record<string, string>>
    }
    expect(main).toBe('./out/main/index.js')
    // Only the canvas is native: nothing else would have to be built for Electron.
    expect(Object.keys(dependencies)).toContain('@napi-rs/canvas')
    expect(BUILDER).toMatch(/^electron-builder@\d+\.\d+\.\d+$/)
  })
})
