import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { downloadElectron, electronBinary, electronPackage, forgetFailure, rememberedFailure } from './electron-binary.mjs'
import { findBrowser, installedBrowser } from './find-browser.mjs'
import { findWindow, hasDisplay, startArguments } from './start.mjs'

let folder: string
let env: Record<string, string>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'start-test-'))
  env = { PATH: process.env['PATH'] ?? '', NEURON_WORKBENCH_DIR: join(folder, 'home'), DISPLAY: ':9' }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** An Electron package whose installer does this. */
function electron(install: string, version = '1.0.0'): string {
  const at = join(folder, 'electron')
  mkdirSync(at, { recursive: true })
  writeFileSync(join(at, 'package.json'), JSON.stringify({ name: 'electron', version }))
  writeFileSync(join(at, 'install.js'), install)
  return at
}
const INSTALLS = `const fs = require('fs'), path = require('path')
fs.mkdirSync(path.join(__dirname, 'dist'))
fs.writeFileSync(path.join(__dirname, 'dist', 'electron'), '')
fs.writeFileSync(path.join(__dirname, 'path.txt'), 'electron')`
const FAILS = `console.error('RequestError: getaddrinfo ENOTFOUND host'); console.error('    at x.js:1'); process.exit(1)`

describe('display', () => {
  it('is told by the environment', () => {
    expect(hasDisplay({}, 'linux')).toBe(false)
    expect(hasDisplay({ DISPLAY: '' }, 'linux')).toBe(false)
    expect(hasDisplay({ DISPLAY: ':0' }, 'linux')).toBe(true)
    expect(hasDisplay({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBe(true)
    expect(hasDisplay({}, 'darwin')).toBe(true)
    expect(hasDisplay({ SSH_CONNECTION: '1' }, 'darwin')).toBe(false)
    expect(hasDisplay({}, 'win32')).toBe(true)
  })
})

describe('arguments', () => {
  it('are a path and flags', () => {
    const from = resolve('/somewhere')
    expect(startArguments([], from)).toEqual({ path: null, browser: false, retry: false })
    expect(startArguments(['--', 'a/b'], from)).toEqual({ path: join(from, 'a/b'), browser: false, retry: false })
    expect(startArguments(['--browser', '--retry', resolve('/p')], from)).toEqual({ path: resolve('/p'), browser: true, retry: true })
  })
  it('are refused where they are neither', () => {
    expect(startArguments(['--what'], '/')).toMatchObject({ usage: expect.stringContaining('--what') as string })
    expect(startArguments(['a', 'b'], '/')).toHaveProperty('usage')
  })
})

describe('a path that is not there', () => {
  it('is one sentence and exit code 1', () => {
    const absent = join(folder, 'absent')
    const ran = spawnSync(process.execPath, [resolve(import.meta.dirname, 'start.mjs'), '--', absent], { encoding: 'utf8' })
    expect(ran).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `neuron-workbench: ${JSON.stringify(absent)} cannot be opened: there is nothing of that name.\n`,
    })
  })
})

describe('the window', () => {
  const look = (at: string | null, more: object = {}): Promise<{ readonly binary?: string; readonly reason?: string }> =>
    findWindow({ env, platform: 'linux', uid: 1000, folder: at, ...more })

  it('needs a display, the package, and a user for the sandbox', async () => {
    const at = electron(INSTALLS)
    expect(await look(at, { env: { ...env, DISPLAY: '' } })).toEqual({ reason: 'there is no display' })
    expect(await look(null)).toEqual({ reason: 'the package "electron" is not installed' })
    expect(await look(at, { uid: 0 })).toMatchObject({ reason: expect.stringContaining('root') as string })
    expect(existsSync(join(at, 'dist'))).toBe(false)
  })
  it('comes with the binary that is there, else with the one that the package fetches', async () => {
    const at = electron(INSTALLS)
    expect(electronBinary(at, env)).toBeNull()
    expect(await look(at)).toEqual({ binary: join(at, 'dist', 'electron') })
    writeFileSync(join(at, 'install.js'), 'throw new Error("not again")')
    expect(await look(at)).toEqual({ binary: join(at, 'dist', 'electron') })
  })
  it('remembers a failed download, by version, until it is asked to retry', async () => {
    const at = electron(FAILS)
    const { reason } = await look(at)
    expect(reason).toBe(
      'there is no Electron binary: the download failed (RequestError: getaddrinfo ENOTFOUND host); "npm start -- --retry" tries again',
    )
    // An installer that would work now is not even started.
    writeFileSync(join(at, 'install.js'), INSTALLS)
    expect((await look(at)).reason).toBe(reason)
    expect(existsSync(join(at, 'dist'))).toBe(false)
    forgetFailure(env)
    expect(await look(at)).toHaveProperty('binary')
    expect(rememberedFailure(at, env)).toBeNull()
  })
  it('forgets the failure of another version', async () => {
    await look(electron(FAILS))
    expect(await look(electron(INSTALLS, '1.0.1'))).toHaveProperty('binary')
  })
  it('does not wait for ever, and not after it was stopped', async () => {
    const at = electron('setInterval(() => {}, 1000)')
    expect(await downloadElectron(at, { ms: 300, env })).toBe('the download took longer than 0.3 s')
    expect(rememberedFailure(at, env)).toContain('longer')
    forgetFailure(env)
    const stop = new AbortController()
    const going = downloadElectron(at, { env, signal: stop.signal })
    stop.abort()
    expect(await going).toBe('the download was stopped')
    expect(rememberedFailure(at, env)).toBeNull()
  })
  it('is not had from an installer that only says so', async () => {
    expect((await look(electron(''))).reason).toContain('the download ended without a binary')
  })
  it('is found without starting a download of the real package', () => {
    expect(electronPackage()).toMatch(/electron$/)
  })
})

describe.skipIf(process.platform === 'win32')('the browser of the tests', () => {
  const program = (name: string, mode = 0o755): string => {
    const dir = join(folder, name.replace(/\W/g, '_'))
    mkdirSync(dir)
    writeFileSync(join(dir, name), '')
    chmodSync(join(dir, name), mode)
    return join(dir, name)
  }
  const dir = (file: string): string => join(file, '..')
  it('is CHROMIUM where that is set, and nothing else then', () => {
    const mine = program('my-browser')
    expect(findBrowser({ env: { ...env, CHROMIUM: mine }, install: false })).toBe(mine)
    for (const wrong of [join(folder, 'missing'), folder, program('no-program', 0o644)])
      expect(() => findBrowser({ env: { ...env, CHROMIUM: wrong }, install: false })).toThrow(`CHROMIUM names no program: ${wrong}`)
  })
  it('is an installed one otherwise: Chromium, Chrome, Edge', () => {
    const [edge, chrome, chromium] = [program('microsoft-edge'), program('google-chrome'), program('chromium')]
    const path = (...files: string[]): { env: Record<string, string> } => ({ env: { PATH: files.map(dir).join(delimiter) } })
    expect(installedBrowser(path(edge))).toBe(edge)
    expect(installedBrowser(path(chrome))).toBe(chrome)
    expect(findBrowser({ ...path(chromium, chrome), install: false })).toBe(chromium)
    expect(installedBrowser({ ...path(program('chromium-browser')) })).toMatch(/chromium-browser$/)
  })
})
