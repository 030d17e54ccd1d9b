/** Starts a program as Electron does: its package names the entry, and `ready` comes only after the entry module was evaluated. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { boot } from './chromium.ts'
import { becomeReady, describeApp } from './electron.ts'

const args = process.argv.slice(2)
let entry = resolve(args.find(a => !a.startsWith('-')) ?? '.')
if (existsSync(join(entry, 'package.json'))) {
  const root = entry
  const pkg = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly main?: string
    readonly name: string
    readonly productName?: string
    readonly version: string
  }
  describeApp({ root, name: pkg.productName ?? pkg.name, version: pkg.version })
  entry = resolve(root, pkg.main ?? 'index.js')
}
process.argv = [process.execPath, ...args]
Object.defineProperty(process.versions, 'electron', { value: '0.0.0-stand-in', enumerable: true })
Object.defineProperty(process, 'type', { value: 'browser' })

// Playwright waits for the line "DevTools listening on ..." that Chromium prints.
const up = boot()
await import(pathToFileURL(entry).href)
await up
becomeReady()
