/**
 * Finds a Chromium for the tests and the desktop stand-in, in this order: CHROMIUM, an installed Chromium, Chrome or Edge, `playwright install chromium`,
 * and as root on Debian `apt-get install -y chromium`. None is a failure: a test that needs a browser is never left out.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/**
 * Flags of every Chromium of the tests and the benchmark: painted without a GPU (one that the processor plays takes twice the time for everything), no
 * network of its own, no sandbox of its own (it would need privileges that a container has not).
 */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-default-apps',
  '--disable-gpu',
  '--force-device-scale-factor=1',
]

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
  'microsoft-edge-stable',
  'msedge',
]

/** Where installers put browsers that are not on the PATH. */
function places(platform, env) {
  if (platform === 'darwin')
    return ['/Applications', join(homedir(), 'Applications')].flatMap(dir =>
      ['Chromium', 'Google Chrome', 'Microsoft Edge'].map(name => join(dir, `${name}.app`, 'Contents', 'MacOS', name)),
    )
  if (platform === 'win32')
    return [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter(Boolean).flatMap(dir =>
      [
        ['Chromium', 'Application', 'chrome.exe'],
        ['Google', 'Chrome', 'Application', 'chrome.exe'],
        ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
      ].map(parts => join(dir, ...parts)),
    )
  return ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome', '/opt/microsoft/msedge'].flatMap(dir =>
    NAMES.map(n => join(dir, n)),
  )
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** A browser that is installed; null without one. */
export function installedBrowser({ platform = process.platform, env = process.env } = {}) {
  const ending = platform === 'win32' ? '.exe' : ''
  const onPath = (env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .flatMap(dir => NAMES.map(n => join(dir, n + ending)))
  return [...onPath, ...places(platform, env)].find(isProgram) ?? null
}

/** The Chromium that Playwright installed; null without one. */
function playwrightBrowser() {
  try {
    const { chromium } = createRequire(import.meta.url)('playwright-core')
    const path = chromium.executablePath()
    return path && existsSync(path) ? path : null
  } catch {
    return null
  }
}

const say = line => process.stderr.write(`${line}\n`)
const run = (command, args) => spawnSync(command, args, { stdio: ['ignore', 2, 2], timeout: 10 * 60_000 }).status === 0

/**
 * The path of a browser. With `install` (the default) one is fetched where none is there; without, only what is there counts.
 * Throws an error of one line when there is none.
 */
export function findBrowser({ install = true, platform = process.platform, env = process.env } = {}) {
  if (env.CHROMIUM) {
    if (isProgram(env.CHROMIUM)) return env.CHROMIUM
    throw new Error(`CHROMIUM names no program: ${env.CHROMIUM}`)
  }
  const there = installedBrowser({ platform, env }) ?? playwrightBrowser()
  if (there) return there
  const tried = []
  if (install) {
    say('No Chromium, Chrome or Edge was found; trying "playwright install chromium".')
    tried.push('playwright install chromium')
    const cli = createRequire(import.meta.url).resolve('@playwright/test/cli')
    if (run(process.execPath, [cli, 'install', 'chromium'])) {
      const got = playwrightBrowser()
      if (got) return got
    }
    if (platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
      say('Trying "apt-get install -y chromium".')
      tried.push('apt-get install -y chromium')
      if (!run('apt-get', ['install', '-y', 'chromium'])) {
        run('apt-get', ['update'])
        run('apt-get', ['install', '-y', 'chromium'])
      }
      const got = installedBrowser({ platform, env })
      if (got) return got
    }
  }
  throw new Error(
    `No Chromium, Chrome or Edge was found${tried.length ? ` and none could be installed (${tried.join(', ')})` : ''}: install one or set CHROMIUM to its path.`,
  )
}
