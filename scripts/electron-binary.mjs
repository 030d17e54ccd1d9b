/**
 * The binary of the Electron package. npm installs the package without it; the package fetches it by its own installer, and this is the only thing that
 * is ever fetched at run time. A failure is remembered per version, so that a machine without a way out is not made to wait at each start.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { cacheDir } from './user-cache.mjs'

export const DOWNLOAD_MS = 120_000

/** Folder of the Electron package; null where it is not installed (npm ci --omit=dev). */
export function electronPackage(from = import.meta.url) {
  try {
    return dirname(createRequire(from).resolve('electron/package.json'))
  } catch {
    return null
  }
}

/** Path of the binary; null where it is not there. Starts nothing: requiring the package would begin a download. */
export function electronBinary(folder = electronPackage(), env = process.env) {
  if (!folder) return null
  let name
  try {
    name = readFileSync(join(folder, 'path.txt'), 'utf8')
  } catch {
    name = null
  }
  const path = env.ELECTRON_OVERRIDE_DIST_PATH
    ? join(env.ELECTRON_OVERRIDE_DIST_PATH, name ?? (process.platform === 'win32' ? 'electron.exe' : 'electron'))
    : name && join(folder, 'dist', name)
  return path && existsSync(path) ? path : null
}

const record = env => join(cacheDir(env), 'electron-download-failed.json')

/** Why the download failed before, for this version of the package; null where it did not. */
export function rememberedFailure(folder, env = process.env) {
  try {
    const { version, reason } = JSON.parse(readFileSync(record(env), 'utf8'))
    return version === versionOf(folder) && typeof reason === 'string' ? reason : null
  } catch {
    return null
  }
}

/** Lets the next start try again. */
export function forgetFailure(env = process.env) {
  rmSync(record(env), { force: true })
}

function versionOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
}

/**
 * Runs the package's own installer, its output on the terminal, for at most `ms`. Answers null when the binary is there afterwards, else why it is not,
 * in a few words; that is remembered.
 */
export async function downloadElectron(folder, { ms = DOWNLOAD_MS, env = process.env, signal } = {}) {
  const reason = await new Promise(done => {
    const child = spawn(process.execPath, [join(folder, 'install.js')], { stdio: ['ignore', 2, 'pipe'], env })
    // The first line of an error is enough; a stack says nothing to the user.
    let last = ''
    child.stderr.on('data', d => {
      for (const line of String(d).split('\n')) {
        if (/^\s+at /.test(line) || !line.trim()) continue
        process.stderr.write(`${line}\n`)
        if (/error|failed|E[A-Z]{4,}/i.test(line)) last ||= line.trim().slice(0, 200)
      }
    })
    const stop = why => {
      child.removeAllListeners('exit')
      child.kill('SIGKILL')
      done(why)
    }
    const late = setTimeout(() => stop(`the download took longer than ${ms / 1000} s`), ms)
    signal?.addEventListener('abort', () => stop('the download was stopped'), { once: true })
    child.once('error', e => done(e.message))
    child.once('exit', code => {
      clearTimeout(late)
      done(code === 0 ? null : `the download failed${last ? ` (${last})` : ''}`)
    })
  })
  if (reason === null && electronBinary(folder, env)) {
    forgetFailure(env)
    return null
  }
  const why = reason ?? 'the download ended without a binary'
  if (!signal?.aborted) {
    try {
      mkdirSync(cacheDir(env), { recursive: true })
      writeFileSync(record(env), JSON.stringify({ version: versionOf(folder), reason: why }))
    } catch {
      // It is then tried again at the next start.
    }
  }
  return why
}
