/**
 * `npm test`: lint, types, build, unit tests, end-to-end tests in both shells. Each stage runs even when one before it failed (the build
 * excepted, which the end-to-end tests need), its output is shown, and the last line is `N passed, N failed`. With `--coverage` the unit tests also count lines, and
 * nothing else is run.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { ensureBuilt } from './ensure-built.mjs'
import { findBrowser } from './find-browser.mjs'

const ROOT = resolve(import.meta.dirname, '..')
const REPORTS = join(ROOT, 'test-results', 'reports')
const require = createRequire(import.meta.url)

/** Path of a package's command, by its package.json: no shell and no .cmd file is needed then. */
function bin(name, command = name) {
  const file = require.resolve(`${name}/package.json`)
  const { bin: entry } = JSON.parse(readFileSync(file, 'utf8'))
  return join(dirname(file), typeof entry === 'string' ? entry : entry[command])
}

/** `npm run coverage`: counting lines more than doubles the time of the unit tests. */
const COVERAGE = process.argv.includes('--coverage')

let passed = 0
let failed = 0
const line = (text = '') => process.stdout.write(`${text}\n`)

function run(args, env = {}) {
  return new Promise(done => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } })
    child.once('error', e => {
      line(e.message)
      done(1)
    })
    child.once('exit', code => done(code ?? 1))
  })
}

/** Runs one stage; what it returns (or `false` for an error) is added to the count. */
async function stage(name, work) {
  line()
  line(`── ${name} ${'─'.repeat(Math.max(0, 74 - name.length))}`)
  const start = Date.now()
  let result
  try {
    result = await work()
  } catch (e) {
    line(e.message)
    result = { passed: 0, failed: 1 }
  }
  passed += result.passed
  failed += result.failed
  line(`${name}: ${result.passed} passed, ${result.failed} failed in ${((Date.now() - start) / 1000).toFixed(1)} s`)
  return result.failed === 0
}

/** A stage that counts as one test. */
const one = async args => ((await run(args)) === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 })

/** A runner that said it failed must not be counted as passed, whatever its report holds. */
const honest = (counts, code) =>
  code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts.passed + counts.failed === 0 ? { passed: 0, failed: 1 } : counts

const report = name => join(REPORTS, name)
const read = file => JSON.parse(readFileSync(file, 'utf8'))

async function unit() {
  const file = report('unit.json')
  const code = await run([
    bin('vitest'),
    'run',
    ...(COVERAGE ? ['--coverage', '--coverage.reportOnFailure'] : []),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ])
  const { numPassedTests, numFailedTests, numPendingTests = 0, testResults } = read(file)
  // A file that could not be loaded has no tests in it, but it failed.
  const broken = testResults.filter(r => r.status === 'failed' && r.assertionResults.length === 0).length
  if (numPendingTests) line(`${numPendingTests} skipped`)
  if (COVERAGE) coverage()
  return honest({ passed: numPassedTests, failed: numFailedTests + broken }, code)
}

/** Prints the coverage of the rooms whose figures end up on the screen. */
function coverage() {
  const file = join(ROOT, 'coverage', 'coverage-summary.json')
  if (!existsSync(file)) return line('coverage: not written')
  const summary = read(file)
  for (const room of ['formats', 'session', 'analysis']) {
    const files = Object.entries(summary).filter(([path]) => relative(ROOT, path).split(/[\\/]/).slice(0, 2).join('/') === `src/${room}`)
    const share = key => {
      const [covered, total] = files.reduce(([c, t], [, f]) => [c + f[key].covered, t + f[key].total], [0, 0])
      return total ? `${((covered / total) * 100).toFixed(1)} %` : '—'
    }
    line(`coverage of ${room.padEnd(8)}  lines ${share('lines')}, branches ${share('branches')}, functions ${share('functions')}`)
  }
}

/** A shared machine may stall for seconds: what fails is tried once more, and what passed only then is told. */
async function endToEnd() {
  const browser = findBrowser()
  line(`browser: ${browser}`)
  const file = report('e2e.json')
  const code = await run([bin('@playwright/test', 'playwright'), 'test', '--retries=1'], {
    CHROMIUM: browser,
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
  })
  const { stats, errors = [] } = read(file)
  if (stats.skipped) line(`${stats.skipped} skipped`)
  if (stats.flaky) line(`${stats.flaky} passed only at the second try`)
  return honest({ passed: stats.expected + stats.flaky, failed: stats.unexpected + errors.length }, code)
}

for (const old of [REPORTS, join(ROOT, 'coverage')]) rmSync(old, { recursive: true, force: true })
mkdirSync(REPORTS, { recursive: true })
if (COVERAGE) {
  await stage('unit tests', unit)
  process.exit(failed === 0 ? 0 : 1)
}
// Side by side: each of them uses one core.
await Promise.all([
  stage('lint', () => one([bin('eslint'), '.'])),
  (async () => {
    await stage('format', () => one([bin('prettier'), '--check', '.']))
    await stage('types', () => one([bin('typescript', 'tsc'), '--noEmit']))
  })(),
])
const built = await stage('build', async () => {
  await ensureBuilt()
  return { passed: 1, failed: 0 }
})
await stage('unit tests', unit)
await stage('end-to-end tests', () => (built ? endToEnd() : Promise.reject(new Error('not run: the build failed'))))
line()
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
line(`${passed} passed, ${failed} failed`)
